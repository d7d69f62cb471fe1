package capacity

import (
	"github.com/loadline/loadline/internal/judge/stats"
	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/hardware"
	"github.com/loadline/loadline/internal/model/sizing"
	"github.com/loadline/loadline/internal/model/study"
)

// Mix predicts from points of pure workloads the rate, in I/Os per second, at which a mix of them fills
// the first resource of the given number of nodes, and names that resource. The rates of the flows
// determine only their shares. The interval follows from those of the capacities. Size uses the low
// end; this is the expected value.
func Mix(p *study.Published, flows []sizing.Flow, nodes int) (model.Estimate, hardware.Resource, error) {
	ask := sizing.Ask{Nodes: nodes, Needs: []sizing.Need{{Text: "mix", Pods: 1, Flows: flows}}}
	rate := 0.0
	for _, f := range flows {
		rate += f.Rate
	}
	e := model.Estimate{Unit: model.IOPS.Unit()}
	var binding hardware.Resource
	for _, end := range []struct {
		to         *float64
		capacityOf func(*model.Scale) float64
	}{
		{&e.Low, carefulCapacity},
		{&e.High, func(s *model.Scale) float64 { return s.Law().Capacity.High }},
		{&e.Value, func(s *model.Scale) float64 { return s.Law().Capacity.Value }},
	} {
		s, err := size(p, ask, end.capacityOf)
		if err != nil {
			return e, "", err
		}
		*end.to, binding = s.Fit.Times*rate, s.Fit.Binding
	}
	if e.Low < e.High {
		e.Confidence = stats.Confidence
	}
	return e, binding, nil
}
