package csvout

import (
	"io"
	"slices"
	"strconv"

	"github.com/loadline/loadline/internal/model"
)

// SampleColumns are the columns of WriteSamples.
var SampleColumns = []Column{
	{"run", "the run's name"},
	{"workload", "the workload's name"},
	{"round", "the round that the repeat belongs to"},
	{"step", "the repeat's number"},
	{"worker", "the worker's number, from 0"},
	{"direction", "read, write, or sync (a flush)"},
	{"end", "end of the interval, in seconds since the run began"},
	{"seconds", "its length"},
	{"ios", "I/Os that ended in it"},
	{"bytes", "bytes that they moved"},
	{"latency_mean", "their mean latency in seconds"},
	{"latency_p50", "median of the latencies in seconds, from the histogram"},
	{"latency_p99", "99th percentile"},
	{"latency_p99.9", "99.9th percentile"},
	{"error", "true when the repeat went wrong: its numbers count for nothing"},
}

// WriteSamples writes one row for each sample of each worker in each direction: the raw seconds,
// including those of failed repeats. Percentiles are those of the I/Os of that second, however few
// there are. The labels of the runs are additional columns at the end.
func WriteSamples(w io.Writer, runs ...*model.Recorded) error {
	var infos []*model.RunInfo
	for _, rec := range runs {
		infos = append(infos, &model.RunInfo{Labels: rec.Labels()})
	}
	names := labelled(infos...)
	t := newTable(w, withLabels(SampleColumns, names, labelColumn))
	for i, rec := range runs {
		labelCells := labels(infos[i], names)
		type repeat struct{ step, worker int }
		failed, steps := map[repeat]bool{}, map[int]model.Step{}
		for _, s := range rec.Run.Steps {
			steps[s.Step.Number] = s.Step
			failed[repeat{s.Step.Number, s.Worker}] = s.Error != ""
		}
		for i := range rec.Samples {
			s := &rec.Samples[i]
			step, known := steps[s.Step]
			if !known {
				step = plannedStep(rec, s.Step)
			}
			for _, d := range []model.Direction{model.Read, model.Write, model.Sync} {
				f := s.Flow(d)
				if f == nil {
					continue
				}
				mean, percentile := "", func(float64) string { return "" }
				if f.IOs > 0 {
					mean = number(f.LatencySum / float64(f.IOs))
				}
				if f.Histogram.Count() > 0 {
					percentile = func(p float64) string { return number(f.Histogram.PercentileUpTo(p, f.Max)) }
				}
				t.row(slices.Concat([]string{text(rec.Run.ID), text(step.Workload), count(step.Round), count(s.Step), count(s.Worker), string(d), number(s.End), number(s.Seconds),
					strconv.FormatUint(f.IOs, 10), strconv.FormatUint(f.Bytes, 10), mean, percentile(50), percentile(99), percentile(99.9),
					strconv.FormatBool(failed[repeat{s.Step, s.Worker}])}, labelCells)...)
			}
		}
	}
	return t.end()
}

// plannedStep returns a step without a result, such as one of a killed run, as it was planned.
func plannedStep(rec *model.Recorded, number int) model.Step {
	for _, s := range rec.Plan.Steps {
		if s.Number == number {
			return s
		}
	}
	return model.Step{Number: number}
}
