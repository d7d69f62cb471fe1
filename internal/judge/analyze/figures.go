package analyze

import (
	"math"
	"slices"

	"github.com/loadline/loadline/internal/judge/stats"
	"github.com/loadline/loadline/internal/model"
)

// figureResults makes results from the figures that another tool printed for a workload, one for each
// direction. A single figure has no interval. Several figures of the same test are its repeats: their
// geometric mean, with Student's interval on the logarithmic scale.
func figureResults(rec *model.Recorded, w model.Workload) []model.Result {
	if rec.Imported == nil {
		return nil
	}
	var results []model.Result
	for _, d := range []model.Direction{model.Read, model.Write, model.Mixed, model.Sync} {
		var list []model.Figure
		for _, f := range rec.Imported.Figures {
			if f.Workload == w.Name && f.Direction == d {
				list = append(list, f)
			}
		}
		if r, ok := figureResult(w, d, list); ok {
			results = append(results, r)
		}
	}
	return results
}

func figureResult(w model.Workload, d model.Direction, list []model.Figure) (model.Result, bool) {
	r := model.Result{Workload: w.Name, Direction: d, Metric: w.Metric, Repeats: len(list), Verdict: model.Valid, Findings: []string{},
		Metrics: map[model.Metric]model.Estimate{}, RepeatValues: []float64{}, Description: w.Describe()}
	values := map[model.Metric][]float64{}
	for _, f := range list {
		r.Seconds += f.Seconds
		for m, v := range f.Values {
			if v > 0 && supportedBy(f, m) {
				values[m] = append(values[m], v)
			}
		}
	}
	for m, v := range values {
		// A metric that only some of the repeats have is left out.
		if len(v) == len(list) {
			r.Metrics[m] = repeated(m, v)
		}
	}
	if _, ok := r.Metrics[r.Metric]; !ok {
		r.Metric = bestMetric(r.Metrics)
	}
	if r.Metric == "" {
		return r, false
	}
	r.Estimate, r.RepeatValues = r.Metrics[r.Metric], values[r.Metric]
	// The distribution over several runs cannot be computed from their percentiles.
	if len(list) == 1 && list[0].Latency != nil {
		l := *list[0].Latency
		for m, p := range map[model.Metric]**float64{model.P50: &l.P50, model.P90: &l.P90, model.P99: &l.P99, model.P999: &l.P999, model.P9999: &l.P9999} {
			if !supportedBy(list[0], m) {
				*p = nil
			}
		}
		r.Latency = &l
	}
	return r, true
}

// supportedBy reports whether a figure's number of I/Os allows the percentile m; a figure without that
// number is accepted.
func supportedBy(f model.Figure, m model.Metric) bool {
	p, ok := m.Percentile()
	return !ok || f.Latency == nil || f.Latency.Count == 0 || float64(f.Latency.Count) >= stats.PercentileNeeds(p)
}

// bestMetric is the first known metric in the order of common interest.
func bestMetric(metrics map[model.Metric]model.Estimate) model.Metric {
	for _, m := range append([]model.Metric{model.Transactions, model.Records, model.Elapsed}, allMetrics...) {
		if _, ok := metrics[m]; ok {
			return m
		}
	}
	return ""
}

// repeated is the estimate from repeats, at least one, all above 0.
func repeated(m model.Metric, values []float64) model.Estimate {
	logs := make([]float64, len(values))
	for i, v := range values {
		logs[i] = math.Log(v)
	}
	e := model.Estimate{Unit: m.Unit(), Value: math.Exp(stats.Mean(logs))}
	e.Low, e.High = e.Value, e.Value
	if n := float64(len(values)); n > 1 {
		half := math.Hypot(stats.StudentT(n-1)*stats.StdDev(logs)/math.Sqrt(n), floorOf(m))
		e.Low, e.High, e.Confidence = e.Value*math.Exp(-half), e.Value*math.Exp(half), stats.Confidence
	} else {
		e.Value, e.Low, e.High = values[0], values[0], values[0]
	}
	e.Open = m.Beyond(e.Value)
	return e
}

// FigureCourses are the distributions that came with imported figures, for drawing; a workload whose
// seconds were imported too has its own course.
func FigureCourses(rec *model.Recorded) []model.Course {
	if rec.Imported == nil {
		return nil
	}
	sampled := goodSamples(rec)
	var list []model.Course
	for _, f := range rec.Imported.Figures {
		seen := slices.ContainsFunc(list, func(c model.Course) bool { return c.Workload == f.Workload && c.Direction == f.Direction })
		if len(f.Tail) == 0 || seen || len(sampled[f.Workload]) > 0 {
			continue
		}
		list = append(list, model.Course{Workload: f.Workload, Direction: f.Direction, Tail: f.Tail, Workers: 1, Thinned: 1, Spans: []model.Span{},
			Points: model.Points{At: []float64{}, Seconds: []float64{}, IOPS: []float64{}, Bandwidth: []float64{}, Mean: []float64{},
				P50: []float64{}, P99: []float64{}, P999: []float64{}, Span: []int{}}})
	}
	return list
}

// publishedContrast compares two results by their published estimates, if one side has no samples.
// Without an interval, nothing is known about the ratio.
func publishedContrast(a, b model.Estimate, m model.Metric) (stats.Contrast, bool) {
	if !(a.Value > 0) || !(b.Value > 0) {
		return stats.Contrast{}, false
	}
	half := func(e model.Estimate) float64 {
		if e.Confidence == 0 || !(e.Low > 0) {
			return math.Inf(1)
		}
		return math.Max(math.Log(e.High/e.Value), math.Log(e.Value/e.Low))
	}
	return stats.Known(math.Log(a.Value), half(a), math.Log(b.Value), half(b), contrastFloor(m)), true
}
