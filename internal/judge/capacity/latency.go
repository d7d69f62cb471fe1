package capacity

import (
	"math"

	"github.com/loadline/loadline/internal/judge/stats"
	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/study"
)

// explainLatency explains the mean latencies of a scale whose volumes keep a number of I/Os in flight, from
// the capacity of another scale of the same kind of I/O (from, with its fitted laws) and from the
// latency of one volume: max(alone, N·depth/C). Nothing is fitted to the latencies. ok is false if the
// depth, the latencies or the capacity are missing.
func explainLatency(s, from *model.Scale) (st study.Latency, ok bool) {
	law := from.Law()
	if s.Depth == 0 || law == nil || law.Capacity == nil || s.Metric != model.IOPS || from.Metric != model.IOPS {
		return st, false
	}
	var list []model.ScalePoint
	for _, p := range s.Points {
		if p.Mean != nil && usable(p) && p.Nodes == mainNodes(s) {
			list = append(list, p)
		}
	}
	if len(list) == 0 {
		return st, false
	}
	alone := list[0]
	for _, p := range list {
		if p.Volumes < alone.Volumes {
			alone = p
		}
	}
	st = study.Latency{Workload: s.Workload, Direction: s.Direction, Depth: s.Depth, From: from.Workload,
		Capacity: newMeasurement(from), Alone: *alone.Mean, Slope: float64(s.Depth) / law.Capacity.Value}
	st.Knee = alone.Mean.Value / st.Slope
	for _, p := range list {
		st.Points = append(st.Points, study.LatencyPoint{Volumes: p.Volumes, Measured: p.Mean.Value, Predicted: predictLatency(&st, float64(p.Volumes))})
	}
	if laws, err := Fit(s); err == nil {
		for _, l := range laws {
			if l.Kind == model.SaturationLaw && l.Capacity != nil {
				st.Implied = l.Capacity
			}
		}
	}
	return st, true
}

// predictLatency is the mean latency with n volumes, with an interval from that of the capacity.
func predictLatency(s *study.Latency, n float64) model.Estimate {
	wait := func(capacity float64) float64 { return math.Max(s.Alone.Value, n*float64(s.Depth)/capacity) }
	e := model.Estimate{Unit: "s", Value: wait(s.Capacity.Value), Low: wait(s.Capacity.High), High: wait(s.Capacity.Low), Confidence: s.Capacity.Confidence}
	if e.Low == e.High {
		e.Confidence = 0
	}
	return e
}

// newMeasurement is the capacity of a scale with the prediction interval of one new measurement,
// C·exp(± t·s·√(1+1/m)) over the saturated points; for other laws, their own interval.
func newMeasurement(s *model.Scale) model.Estimate {
	law := s.Law()
	e := *law.Capacity
	if law.Kind != model.SaturationLaw || e.Confidence == 0 || law.Saturated == 0 {
		return e
	}
	// The interval of the mean is t·s/√m wide, that of a new point t·s·√(1+1/m).
	reach := math.Log(e.High/e.Low) / 2 * math.Sqrt(float64(law.Saturated)+1)
	e.Low, e.High, e.Confidence = e.Value*math.Exp(-reach), e.Value*math.Exp(reach), stats.Confidence
	return e
}
