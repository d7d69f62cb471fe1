package analyze

import (
	"github.com/loadline/loadline/internal/judge/stats"
	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/timeline"
)

// Scales is the outcome of loading N volumes at once, one for each direction, from results that have
// already been judged; empty if the run is no such experiment. Package capacity fits the scaling laws.
func Scales(rec *model.Recorded, results []model.Result) []model.Scale {
	asked := rec.Plan.Experiment.Scale
	if asked == nil {
		return nil
	}
	found := sustain(rec)
	kept := *rec
	kept.Samples = nil
	good := counted(rec, found)
	for _, w := range rec.Plan.Workloads {
		kept.Samples = append(kept.Samples, good[w.Name]...)
	}
	var scales []model.Scale
	at := map[model.Direction]int{}
	for _, r := range results {
		w, known := rec.Plan.Workload(r.Workload)
		if !known || r.Direction == model.Sync {
			continue
		}
		i, begun := at[r.Direction]
		if !begun {
			i = len(scales)
			at[r.Direction] = i
			scales = append(scales, model.Scale{
				Workload: asked.Workload, Direction: r.Direction, Access: w.Access, BlockSize: w.BlockSize, Depth: w.Depth * w.JobCount(), Metric: r.Metric,
			})
		}
		scales[i].Points = append(scales[i].Points, scalePoint(&kept, w, r))
	}
	return scales
}

// scalePoint is the point for N volumes at once in one direction. The samples of the record are those
// that results are made of.
func scalePoint(rec *model.Recorded, w model.Workload, r model.Result) model.ScalePoint {
	n := float64(w.VolumeCount())
	p := model.ScalePoint{
		Volumes: w.VolumeCount(), Result: w.Name, Nodes: nodes(rec), Total: r.Estimate, PerVolume: divided(r.Estimate, n), Verdict: r.Verdict,
		Mean: estimateOf(r, model.Latency), P50: estimateOf(r, model.P50), P99: estimateOf(r, model.P99),
	}
	if r.Metric == model.IOPS {
		p.Offered = w.RateIOPS
	} else if w.RateIOPS > 0 {
		p.Offered = w.RateIOPS * float64(w.BlockSize)
	}
	sums, seconds := make([]float64, w.VolumeCount()), 0.0
	for _, c := range timeline.Groups(rec, w.Name) {
		from, to := c.Common()
		if len(c.Workers) != len(sums) || to <= from {
			continue
		}
		p.StartSpread = max(p.StartSpread, c.StartSpread())
		ios, bytes := c.Rates(r.Direction)
		rates := ios
		if r.Metric == model.Bandwidth {
			rates = bytes
		}
		for i := range sums {
			sums[i] += rates[i] * (to - from)
		}
		seconds += to - from
	}
	if seconds > 0 {
		for i := range sums {
			sums[i] /= seconds
		}
		p.Each, p.Fairness = sums, stats.Fairness(sums)
	}
	p.Device = deviceRate(rec, w, r)
	return p
}

// deviceRate is what the devices counted while the workload ran, in the result's own metric; nil if
// nothing was counted. I/Os are derived from bytes, because the kernel splits and merges requests.
func deviceRate(rec *model.Recorded, w model.Workload, r model.Result) *model.Estimate {
	var steps []model.StepResult
	for _, c := range timeline.Groups(rec, w.Name) {
		// A long repeat counts more seconds than its result is made of.
		if !c.Step.Look {
			steps = append(steps, c.Results...)
		}
	}
	read, written, ok := model.DeviceRates(steps, rec.Plan.NodeOf)
	if !ok || rec.Environment.Storage.Device == "" {
		return nil
	}
	v := read
	if r.Direction == model.Write {
		v = written
	}
	if r.Metric == model.IOPS && w.BlockSize > 0 {
		v /= float64(w.BlockSize)
	}
	return &model.Estimate{Unit: r.Metric.Unit(), Value: v, Low: v, High: v}
}

// divided is an estimate divided by n.
func divided(e model.Estimate, n float64) model.Estimate {
	e.Value, e.Low, e.High = e.Value/n, e.Low/n, e.High/n
	return e
}

// nodes is the number of machines on which the run's volumes are.
func nodes(rec *model.Recorded) int {
	names := map[string]bool{}
	for i := range rec.Plan.Volumes {
		names[rec.Plan.NodeOf(i)] = true
	}
	return len(names)
}
