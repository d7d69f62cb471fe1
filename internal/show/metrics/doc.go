// Package metrics serves results to Prometheus: Kbench's three gauges under its own names, labels
// and units, and Loadline's metrics, which are the same as in a report written for Prometheus
// (internal/show/report/prom).
//
// Its assumptions: a scrape shows what is there at that moment, and never fails because something is
// missing. A file that is being replaced, an empty folder or a foreign file is no reason for a gap
// in every graph; the number of files that could not be read is a metric itself, so that nothing is
// omitted silently. Each push is one complete measurement.
package metrics
