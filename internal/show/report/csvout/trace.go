package csvout

import (
	"io"
	"strconv"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/iotrace"
)

// TraceColumns are the columns of WriteTraces.
var TraceColumns = []Column{
	{"trace", "the trace's name"},
	{"started", "when it began"},
	{"device", "the block device"},
	{"operation", "read, write, flush, discard, flush-wait, other"},
	{"scope", "all: the operation on the device, whoever asked; size: those of one class of sizes; process: those of one process"},
	{"size", "of scope size: at least so many bytes, and below twice that"},
	{"pid", "of scope process: its number; empty where the kernel does not tell"},
	{"command", "its name then"},
	{"cgroup", "its cgroup"},
	{"unowned", "true for flushes for which several waited, or nobody that was seen"},
	{"ios", "I/Os that ended"},
	{"bytes", "bytes that they moved"},
	{"wait_mean", "mean time before the last issue, in seconds"},
	{"latency_max", "the longest latency, in seconds"},
	{"metric", "iops and bandwidth in 1/s and bytes/s; latency (the mean), p50, p99 and p99.9 in seconds"},
	{"estimate", "the metric's value"},
	{"low", "lower end of its interval; empty where there is too little for one"},
	{"high", "upper end of its interval"},
	{"confidence", "of the interval"},
}

// WriteTraces writes one row for each metric of each operation on each device, of its sizes, and of
// the processes that issued it.
func WriteTraces(w io.Writer, traces ...*iotrace.Report) error {
	t := newTable(w, TraceColumns)
	for _, r := range traces {
		for i := range r.Kinds {
			k := &r.Kinds[i]
			head := []string{text(r.Run.ID), instant(r.Run.Started), text(k.Device), text(string(k.Operation))}
			t.traced(append(head[:4:4], "all", "", "", "", "", ""), &k.Figures, r.Run.Seconds)
			for j := range k.Sizes {
				t.traced(append(head[:4:4], "size", strconv.FormatInt(k.Sizes[j].Size, 10), "", "", "", ""), &k.Sizes[j].Figures, r.Run.Seconds)
			}
		}
		for i := range r.Rows {
			o := &r.Rows[i]
			if r.Run.Method == iotrace.ByCounters {
				// They have no process information.
				break
			}
			t.traced([]string{text(r.Run.ID), instant(r.Run.Started), text(o.Device), text(string(o.Operation)), "process", "", pid(o.PID), text(o.Command), text(o.Cgroup), strconv.FormatBool(o.Unowned)},
				&o.Figures, r.Run.Seconds)
		}
	}
	return t.end()
}

func pid(n int) string {
	if n == 0 {
		return ""
	}
	return strconv.Itoa(n)
}

// traced writes a row for each metric of some I/Os of a trace with this duration.
func (t *table) traced(head []string, f *iotrace.Figures, seconds float64) {
	// Without a histogram these are the device's counters, which lack both values.
	longest, wait := "", ""
	if f.Histogram.Count() > 0 {
		longest, wait = number(f.Max), number(f.Wait)
	}
	head = append(head, strconv.FormatUint(f.IOs, 10), strconv.FormatUint(f.Bytes, 10), wait, longest)
	alone := func(v *float64) (model.Estimate, bool) {
		if v == nil {
			return model.Estimate{}, false
		}
		return model.Estimate{Value: *v}, true
	}
	for _, m := range []model.Metric{model.IOPS, model.Bandwidth, model.Latency, model.P50, model.P99, model.P999} {
		e, there := f.Metrics[m]
		if !there {
			switch m {
			case model.IOPS:
				e, there = model.Estimate{Value: float64(f.IOs) / seconds}, seconds > 0
			case model.Bandwidth:
				e, there = model.Estimate{Value: float64(f.Bytes) / seconds}, seconds > 0 && f.Bytes > 0
			case model.Latency:
				e, there = model.Estimate{Value: f.Mean}, f.Mean > 0
			case model.P50:
				e, there = alone(f.P50)
			case model.P99:
				e, there = alone(f.P99)
			case model.P999:
				e, there = alone(f.P999)
			}
		}
		if there {
			t.row(append(append(head[:len(head):len(head)], string(m)), estimate(e)...)...)
		}
	}
}

// TraceSampleColumns are the columns of WriteTraceSamples.
var TraceSampleColumns = []Column{
	{"trace", "the trace's name"},
	{"end", "end of the interval, in seconds since the trace began"},
	{"seconds", "its length"},
	{"device", "the block device"},
	{"operation", "read, write, flush, discard, flush-wait, other"},
	{"size", "at least so many bytes each, and below twice that; 0 without data"},
	{"pid", "of the process that asked for it; empty where the kernel does not tell"},
	{"command", "its name then"},
	{"cgroup", "its cgroup"},
	{"ios", "I/Os that ended in it"},
	{"bytes", "bytes that they moved"},
	{"latency_mean", "their mean latency in seconds"},
	{"latency_p50", "median of the latencies in seconds, from the histogram"},
	{"latency_p99", "99th percentile"},
	{"latency_p99.9", "99.9th percentile"},
	{"latency_max", "the longest"},
	{"wait_mean", "mean time before the last issue, in seconds"},
}

// WriteTraceSamples writes one row for each sample: each second of each kind of I/O of each
// process. A second without I/O has no row.
func WriteTraceSamples(w io.Writer, id string, samples []iotrace.Sample) error {
	t := newTable(w, TraceSampleColumns)
	for i := range samples {
		s := &samples[i]
		n := float64(s.Flow.IOs)
		mean, wait, longest, percentile := "", "", "", func(float64) string { return "" }
		if n > 0 && s.Flow.LatencySum > 0 {
			mean = number(s.Flow.LatencySum / n)
		}
		if s.Flow.Histogram.Count() > 0 {
			wait, longest, percentile = number(s.Wait/n), number(s.Flow.Max), func(p float64) string { return number(s.Flow.Histogram.PercentileUpTo(p, s.Flow.Max)) }
		}
		t.row(text(id), number(s.End), number(s.Seconds), text(s.Device), text(string(s.Operation)), strconv.FormatInt(s.Size, 10), pid(s.PID), text(s.Command), text(s.Cgroup),
			strconv.FormatUint(s.Flow.IOs, 10), strconv.FormatUint(s.Flow.Bytes, 10), mean, percentile(50), percentile(99), percentile(99.9), longest, wait)
	}
	return t.end()
}
