package analyze

import (
	"github.com/loadline/loadline/internal/judge/stats"
	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/timeline"
)

// metricsOf are the metrics that every result estimates besides its headline: for an application these
// count transactions, and no I/Os or bytes.
func metricsOf(w model.Workload) []model.Metric {
	if w.Loads() {
		return []model.Metric{model.Transactions, model.Latency, model.P50, model.P99}
	}
	return allMetrics
}

// maxSeries is the maximum number of points of a sparkline.
const maxSeries = 60

// allMetrics are the metrics that every result of a workload on storage estimates besides its headline; an application's
// are others (metricsOf).
var allMetrics = []model.Metric{model.IOPS, model.Bandwidth, model.Latency, model.P50, model.P99}

// Results estimates what each workload of the run did: one result per workload and direction, in the
// order of the plan; a workload with a flush gets one more for direction sync. Failed steps do not
// count, and a workload without a good second has no result unless it was imported. Verdicts are Valid
// and Findings empty until package trust has run.
func Results(rec *model.Recorded) []model.Result {
	found := sustain(rec)
	good := counted(rec, found)
	all := peersOf(&rec.Plan, good, beyond(rec), found)
	results := []model.Result{}
	for _, w := range rec.Plan.Workloads {
		if len(good[w.Name]) == 0 {
			results = append(results, figureResults(rec, w)...)
			continue
		}
		schedule := rec.Plan.Schedule
		schedule.Mode = modeOf(w, schedule.Mode, found)
		for _, d := range w.Directions() {
			if f := all.find(w.Name, d); f != nil {
				r := result(w, f, w.Metric, schedule)
				r.Sustained, r.App = found[flowKey{w.Name, d}], application(rec, w, excluded(rec))
				results = append(results, r)
			}
		}
		if f := all.find(w.Name, model.Sync); f != nil {
			results = append(results, result(w, f, model.Latency, schedule))
		}
	}
	out := excluded(rec)
	for i := range results {
		results[i].LeftOut = leftOut(rec, out, results[i].Workload)
		// No precision was requested of imported data: any interval will do.
		results[i].Converged = results[i].Converged || rec.Imported != nil && results[i].Confidence > 0
	}
	return results
}

// goodSamples are the samples that results may be made of, by workload.
func goodSamples(rec *model.Recorded) map[string][]model.Sample {
	return timeline.Good(rec, excluded(rec))
}

// result estimates one workload in one direction.
func result(w model.Workload, f *flow, headline model.Metric, s model.Schedule) model.Result {
	e, _ := f.estimate(headline)
	r := model.Result{
		Workload: w.Name, Direction: f.direction, Metric: headline, Estimate: e,
		Seconds: f.seconds(), Repeats: len(f.repeats),
		Verdict: model.Valid, Findings: []string{},
		Latency:      f.latency(),
		Metrics:      map[model.Metric]model.Estimate{},
		RepeatValues: f.values(headline), Series: f.sparkline(headline),
		Description: w.Describe(),
	}
	begin, end := f.span()
	r.Span = end - begin
	for _, m := range metricsOf(w) {
		if f.has(m) {
			r.Metrics[m], _ = f.estimate(m)
		}
	}
	r.Metrics[headline] = r.Estimate
	r.Converged = converged(r.Estimate, r.HalfWidth(), f, headline, s)
	return r
}

// latency summarizes the merged histograms.
func (f *flow) latency() *model.LatencySummary {
	h := f.histogram()
	if h.Count() == 0 {
		return nil
	}
	l := &model.LatencySummary{Unit: "s", Count: h.Count(), Mean: f.all.Value(model.Latency), Max: f.all.Max}
	for _, slot := range []struct {
		p  float64
		to **float64
	}{{50, &l.P50}, {90, &l.P90}, {99, &l.P99}, {99.9, &l.P999}, {99.99, &l.P9999}} {
		if f.supports(slot.p) {
			v := h.PercentileUpTo(slot.p, f.all.Max)
			*slot.to = &v
		}
	}
	return l
}

// sparkline is the headline over time: neighbours are averaged until at most 60 points are left.
func (f *flow) sparkline(m model.Metric) []float64 {
	var y []float64
	for _, v := range f.repeats {
		y = append(y, timeline.Series(v.Seconds, m)...)
	}
	if len(y) <= maxSeries {
		return y
	}
	points := make([]float64, maxSeries)
	for i := range points {
		points[i] = stats.Mean(y[i*len(y)/maxSeries : (i+1)*len(y)/maxSeries])
	}
	return points
}
