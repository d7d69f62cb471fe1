// Package monitoring contains dashboards and scrape configuration as data. Its assumptions:
// a dashboard with a metric that is not served looks like an outage,
// so each name is checked against the registry, and each query is run on a real
// Prometheus.
package monitoring
