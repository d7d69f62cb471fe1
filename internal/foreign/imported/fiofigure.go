package imported

import (
	"cmp"
	"math"
	"strconv"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/histogram"
)

// fioStep returns how the jobs went.
func fioStep(jobs []fioJob, o fioOptions) model.StepResult {
	s := model.StepResult{}
	var levels float64
	for i := range jobs {
		j := &jobs[i]
		s.IOErrors += j.TotalError
		if j.Error != 0 && j.TotalError == 0 {
			s.IOErrors++
		}
		s.ShortIOs += j.Write.Short
		// Until fio 3.3x the number of flushes is added to that of short reads.
		if j.Sync.LatNS.N == 0 {
			s.ShortIOs += j.Read.Short
		}
		// A group's percentages are means over its jobs.
		scale := float64(max(1, o.jobs())) / float64(len(jobs)) / 100
		s.UserCPU += j.UserCPU * scale
		s.SystemCPU += j.SystemCPU * scale
		for k, v := range j.Levels {
			if finite(v) > 0 {
				if s.DepthLevels == nil {
					s.DepthLevels = map[string]float64{}
				}
				s.DepthLevels[k] += v
				levels += v
			}
		}
	}
	for k := range s.DepthLevels {
		s.DepthLevels[k] /= levels
	}
	return s
}

// fioFigure aggregates one direction over the jobs: rates are added, and latencies are weighted by
// their number. Percentiles come from the histogram, or from fio itself if there is one job; they are
// never averaged.
func fioFigure(jobs []fioJob, of func(*fioJob) *fioFlow) (model.Figure, bool) {
	f := model.Figure{Values: map[model.Metric]float64{}}
	var iops, bw, n, sum, most, unit float64
	var h histogram.Histogram
	binned := true
	var percentiles map[string]float64
	for i := range jobs {
		x := of(&jobs[i])
		if x.IOs <= 0 {
			continue
		}
		iops += x.IOPS
		bw += cmp.Or(x.BWBytes, x.BW*1024)
		f.Seconds = math.Max(f.Seconds, x.Runtime/1e3)
		mean, clat, scale := x.LatNS, x.ClatNS, 1e-9
		if mean.Mean == 0 && clat.Mean == 0 {
			mean, clat, scale = x.Lat, x.Clat, 1e-6
		}
		if mean.Mean == 0 {
			mean = clat
		}
		count := cmp.Or(mean.N, x.IOs)
		n += count
		sum += mean.Mean * scale * count
		most = math.Max(most, mean.Max*scale)
		bins := either(mean.Bins, clat.Bins)
		if part, ok := histogramOf(bins, scale); ok {
			h.Merge(part)
		} else {
			binned = false
		}
		percentiles, unit = either(mean.Percentile, clat.Percentile), scale
	}
	if iops <= 0 && bw <= 0 || math.IsInf(iops+bw+sum, 0) || math.IsNaN(iops+bw+sum) {
		return f, false
	}
	f.Values[model.IOPS], f.Values[model.Bandwidth] = iops, bw
	if n > 0 && sum > 0 {
		f.Values[model.Latency] = sum / n
		f.Latency = &model.LatencySummary{Unit: "s", Count: uint64(math.Min(n, 1<<62)), Mean: sum / n, Max: most}
	}
	switch {
	case binned && h.Count() > 0:
		fromFio(&f, h)
	case len(jobs) == 1 && f.Latency != nil:
		for k, v := range percentiles {
			if at, err := strconv.ParseFloat(k, 64); err == nil {
				setPercentile(&f, at, v*unit)
			}
		}
	}
	return f, true
}

// histogramOf converts fio's bins into a histogram; scale is the unit of their keys.
func histogramOf(bins map[string]float64, scale float64) (h histogram.Histogram, ok bool) {
	for k, v := range bins {
		key, err := strconv.ParseFloat(k, 64)
		if err != nil || !(key >= 0) || !(v >= 0) || v > 1<<53 || key > 1<<53 {
			return histogram.Histogram{}, false
		}
		h.Add(histogram.BucketOf(uint64(key*scale*1e9+0.5)), uint64(v))
	}
	return h, h.Count() > 0
}

// either returns the first map that is not empty.
func either(a, b map[string]float64) map[string]float64 {
	if len(a) > 0 {
		return a
	}
	return b
}

// finite returns v, or 0 if it is not a finite number.
func finite(v float64) float64 {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return 0
	}
	return v
}
