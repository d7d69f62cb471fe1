// Package monitoring holds dashboards and scrape configuration as data. Its opinion:
// a dashboard that asks for a metric nobody serves is a lie that looks like an outage,
// so each name is held against the registry, and each question is put to a real
// Prometheus.
package monitoring
