package metrics

import (
	"net/http"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	dto "github.com/prometheus/client_model/go"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/show/report/prom"
)

// Reading is one of Kbench's numbers. Quantity is "iops" (1/s), "bandwidth" (KiB/s) or "latency"
// (ns); Pattern is "random" or "sequential", Type "read" or "write".
type Reading struct {
	Quantity, Pattern, Type string
	Value                   float64
}

// Snapshot is the set of results known at the time of a scrape.
type Snapshot struct {
	Readings []Reading
	Reports  []*model.Report
	// Unreadable is the number of files that should contain results but could not be read.
	Unreadable int
}

// Labels describe the test to Kbench's exporter, which puts them on each gauge.
type Labels struct{ AccessMode, TestMode, RateLimit string }

// readingLabels are Kbench's labels, in its order.
var readingLabels = []string{"volume_access_mode", "test_mode", "rate_limit_type", "io_pattern", "io_type"}

// The gauges of Kbench, with its names and its units.
var readings = map[string]*prometheus.Desc{
	"iops":      prometheus.NewDesc("kbench_metric_exporter_iops", "I/Os per second (mean of the last measurement).", readingLabels, nil),
	"bandwidth": prometheus.NewDesc("kbench_metric_exporter_bandwidth", "Bandwidth in KiB per second (mean of the last measurement).", readingLabels, nil),
	"latency":   prometheus.NewDesc("kbench_metric_exporter_latency", "Latency in nanoseconds (mean of the last measurement).", readingLabels, nil),
}

var unreadable = prometheus.NewDesc("loadline_exporter_unreadable_files", "Files that should hold results and could not be read at this scrape.", nil, nil)

// collector exports the readings of one snapshot.
type collector struct {
	labels Labels
	Snapshot
}

// Describe lists the metrics.
func (c collector) Describe(ch chan<- *prometheus.Desc) {
	ch <- unreadable
	for _, d := range readings {
		ch <- d
	}
}

// Collect sends the values.
func (c collector) Collect(ch chan<- prometheus.Metric) {
	ch <- prometheus.MustNewConstMetric(unreadable, prometheus.GaugeValue, float64(c.Unreadable))
	for _, r := range c.Readings {
		if d := readings[r.Quantity]; d != nil {
			ch <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, r.Value, c.labels.AccessMode, c.labels.TestMode, c.labels.RateLimit, r.Pattern, r.Type)
		}
	}
}

// Gatherer exports what look returns at each scrape.
func Gatherer(l Labels, look func() Snapshot) prometheus.Gatherer {
	return prometheus.GathererFunc(func() ([]*dto.MetricFamily, error) {
		s := look()
		// A new registry for each scrape: both halves show the same moment.
		registry := prometheus.NewRegistry()
		if err := registry.Register(collector{labels: l, Snapshot: s}); err != nil {
			return nil, err
		}
		reports := prometheus.GathererFunc(func() ([]*dto.MetricFamily, error) { return prom.Families(s.Reports, nil), nil })
		return prometheus.Gatherers{registry, reports}.Gather()
	})
}

// Handler returns the handler for scrapes.
func Handler(g prometheus.Gatherer) http.Handler {
	return promhttp.HandlerFor(g, promhttp.HandlerOpts{ErrorHandling: promhttp.ContinueOnError})
}

// Names lists the names of all metrics with their labels; the dashboards are checked against it.
func Names() map[string][]string {
	names := map[string][]string{"loadline_exporter_unreadable_files": nil}
	for quantity := range readings {
		names["kbench_metric_exporter_"+quantity] = readingLabels
	}
	for _, m := range prom.Metrics {
		names[m.Name] = m.Labels
	}
	return names
}
