package capacity

import (
	"math"
	"slices"

	"github.com/loadline/loadline/internal/judge/stats"
	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/study"
)

// inLine is how far from 1 an exponent may be to count as proportional growth.
const inLine = 0.1

// nodeGrowth reports whether the capacity of a scale with fitted laws grows in proportion to the number of
// nodes. On other numbers of nodes than that of the laws, only points with at least as many volumes per
// node as at the knee count.
func nodeGrowth(s *model.Scale) study.Nodes {
	st := study.Nodes{Workload: s.Workload, Verdict: study.OneNodeNumber}
	law, nodes := s.Law(), mainNodes(s)
	if law == nil || law.Capacity == nil || nodes == 0 {
		return st
	}
	own := law.Saturated
	spread, df := saturatedSpread(s)
	st.Points = []study.NodePoint{{Nodes: nodes, Capacity: *law.Capacity, Points: max(1, own)}}
	groups := map[int][]float64{}
	for _, p := range s.Points {
		total, _ := pointTotal(s, p)
		if p.Nodes != nodes && p.Nodes > 0 && usable(p) && total > 0 && float64(p.Volumes)/float64(p.Nodes) >= law.Knee/float64(nodes) {
			groups[p.Nodes] = append(groups[p.Nodes], math.Log(total))
		}
	}
	for n, logs := range groups {
		m := float64(len(logs))
		reach := math.NaN()
		if df > 0 {
			reach = stats.StudentT(df) * spread / math.Sqrt(m)
		}
		st.Points = append(st.Points, study.NodePoint{Nodes: n, Capacity: exponential(s.Metric.Unit(), stats.Mean(logs), reach), Points: len(logs)})
	}
	judgeNodes(&st, spread, df)
	return st
}

// figureGrowth is nodeGrowth for one figure per number of nodes, such as the maximum number of volumes that a
// control plane carried.
func figureGrowth(name, unit string, figures map[int]float64) study.Nodes {
	st := study.Nodes{Workload: name, Verdict: study.OneNodeNumber}
	for n, v := range figures {
		st.Points = append(st.Points, study.NodePoint{Nodes: n, Points: 1, Capacity: model.Estimate{Unit: unit, Value: v, Low: v, High: v}})
	}
	judgeNodes(&st, 0, 0)
	return st
}

// saturatedSpread is the standard deviation of one point around the capacity, and its degrees of
// freedom.
func saturatedSpread(s *model.Scale) (spread, df float64) {
	if points := observations(s); len(points) > 0 {
		fit := fitSaturation(points)
		return fit.spreadFlat, fit.dfFlat
	}
	return 0, 0
}

// judgeNodes sorts the points and fits ln C = a + b·ln nodes. The deviation from a line can be seen
// only from three numbers of nodes on, whatever the noise of each.
func judgeNodes(st *study.Nodes, spread, df float64) {
	slices.SortFunc(st.Points, func(a, b study.NodePoint) int { return a.Nodes - b.Nodes })
	k := len(st.Points)
	if k < 2 {
		return
	}
	first, last := st.Points[0], st.Points[k-1]
	reach := math.NaN()
	if df > 0 {
		reach = stats.StudentT(df) * spread * math.Sqrt(1/float64(first.Points)+1/float64(last.Points))
	}
	ratio := exponential("1", math.Log(last.Capacity.Value/first.Capacity.Value), reach)
	st.Ratio = &ratio
	x, y := make([]float64, k), make([]float64, k)
	for i, p := range st.Points {
		x[i], y[i] = math.Log(float64(p.Nodes)), math.Log(p.Capacity.Value)
	}
	mx, my := stats.Mean(x), stats.Mean(y)
	sxx, sxy, rest := 0.0, 0.0, 0.0
	for i := range x {
		sxx += (x[i] - mx) * (x[i] - mx)
		sxy += (x[i] - mx) * (y[i] - my)
	}
	b := sxy / sxx
	for i := range x {
		d := y[i] - my - b*(x[i]-mx)
		rest += d * d
	}
	st.Exponent = &model.Estimate{Unit: "1", Value: b, Low: b, High: b}
	st.Verdict = study.LineNotShown
	if k < 3 {
		return
	}
	// The larger of the points' own noise and their deviation from the line.
	wide := stats.StudentT(float64(k-2)) * math.Sqrt(math.Max(rest/float64(k-2), spread*spread)/sxx)
	st.Exponent.Low, st.Exponent.High, st.Exponent.Confidence = b-wide, b+wide, stats.Confidence
	switch e := st.Exponent; {
	case e.Low > 1-inLine && e.High < 1+inLine:
		st.Verdict = study.InLine
	case e.High < 1:
		st.Verdict = study.LessThanLine
	case e.Low > 1:
		st.Verdict = study.MoreThanLine
	}
}
