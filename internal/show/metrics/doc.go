// Package metrics serves results to Prometheus: Kbench's three gauges under its own
// names, labels and units, and Loadline's, which are those of a report written for
// Prometheus (internal/show/report/prom).
//
// Its opinion: a scrape shows what is there at that moment, and never fails for what
// is not. A file that is being replaced, an empty folder or somebody else's file is no
// reason for a gap in every graph; how many files could not be read is a metric of its
// own, so that nothing is left out in silence. What is pushed is one whole measurement.
package metrics
