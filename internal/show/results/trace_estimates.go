package results

import (
	"github.com/loadline/loadline/internal/judge/analyze"
	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/iotrace"
)

// The metrics of a trace that have intervals: of all I/Os of a device, and of one process.
var (
	kindMetrics = []model.Metric{model.IOPS, model.Bandwidth, model.Latency, model.P50, model.P99, model.P999}
	rowMetrics  = []model.Metric{model.IOPS, model.Latency, model.P50, model.P99}
)

// mostCells limits the total number of cells of all rows, kinds and sizes of a report, of which one at
// a time is in memory, and mostKept that of a comparison, which are in memory at once. A thousand rows
// and kinds keep the seconds of three hours, and so do ninety compared pairs.
const (
	mostCells = 1000 * 10800
	mostKept  = 2 * 90 * 10800
)

// flowsOf is how many rows, kinds and sizes a report has.
func flowsOf(t *iotrace.Report) int {
	n := len(t.Rows)
	for _, k := range t.Kinds {
		n += 1 + len(k.Sizes)
	}
	return n
}

// estimateTrace adds to the rows and kinds what needs their individual seconds: intervals, and their
// course over time.
func estimateTrace(t *iotrace.Report, samples []iotrace.Sample) {
	seconds := analyze.NewTraced(samples, t.Run.Seconds, flowsOf(t), mostCells)
	kinds, rows := map[kindKey][]*iotrace.Sample{}, map[rowKey][]*iotrace.Sample{}
	for i := range samples {
		s := &samples[i]
		for _, k := range kindsOf(s) {
			kinds[k] = append(kinds[k], s)
		}
		rows[rowOf(s)] = append(rows[rowOf(s)], s)
	}
	for i := range t.Kinds {
		k := &t.Kinds[i]
		flow := seconds.Of(kinds[kindKey{device: k.Device, op: k.Operation, all: true}])
		k.Metrics, k.Course, k.Bars = metricsOf(flow, k.Bytes, kindMetrics), flow.Course(k.Device, k.Operation, len(t.Kinds)), iotrace.BarsOf(k.Histogram)
		for j := range k.Sizes {
			size := &k.Sizes[j]
			size.Metrics = metricsOf(seconds.Of(kinds[kindKey{device: k.Device, op: k.Operation, size: size.Size}]), size.Bytes, rowMetrics)
		}
	}
	for i := range t.Rows {
		r := &t.Rows[i]
		r.Metrics = metricsOf(seconds.Of(rows[rowKey{r.Device, r.Operation, r.Originator}]), r.Bytes, rowMetrics)
	}
}

// metricsOf are the estimates of a flow; operations that move no data have no bandwidth.
func metricsOf(flow analyze.Flow, bytes uint64, metrics []model.Metric) map[model.Metric]model.Estimate {
	found := flow.Estimates(metrics...)
	if bytes == 0 {
		delete(found, model.Bandwidth)
	}
	return found
}

// kindKey and rowKey identify the samples that are summed up in one kind, or a size class of it, and in
// one row.
type kindKey struct {
	device string
	op     iotrace.Operation
	// all is set for the kind with all its sizes, otherwise size is that of a class.
	all  bool
	size int64
}

// kindsOf returns the keys of a sample: its kind, and its size class.
func kindsOf(s *iotrace.Sample) [2]kindKey {
	return [2]kindKey{{device: s.Device, op: s.Operation, all: true}, {device: s.Device, op: s.Operation, size: s.Size}}
}

type rowKey struct {
	device string
	op     iotrace.Operation
	who    iotrace.Originator
}

func rowOf(s *iotrace.Sample) rowKey { return rowKey{s.Device, s.Operation, s.Originator} }
