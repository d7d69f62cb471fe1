package text

import (
	"fmt"
	"testing"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/show/report/reporttest"
)

// A run on several volumes shows its points, its law and the outcome of each rate limit.
func TestScaleGoldens(t *testing.T) {
	r := reporttest.Report("scale")
	r.Run.Schedule.Precision = 0.04
	s := &r.Scales[0]
	for i := range s.Points {
		p := &s.Points[i]
		p.Result = fmt.Sprintf("rand-read-x%d", p.Volumes)
		mean, device := p.Total, p.Total
		mean.Unit, mean.Value = "s", 1e-3*float64(p.Volumes)
		p.Mean, p.Device, p.StartSpread = &mean, &device, .004*float64(p.Volumes)
		w := model.Workload{Name: p.Result, Access: model.Random, Direction: model.Read, BlockSize: 4096, Depth: 64, Volumes: p.Volumes}
		v := model.Volume{Target: model.Target{Name: fmt.Sprintf("/mnt/%d", i%3), Kind: model.Directory}, Size: 4 << 30, Owned: true}
		r.Run.Workloads, r.Run.Volumes = append(r.Run.Workloads, w), append(r.Run.Volumes, v)
		if p.Volumes == 8 {
			p.Verdict = model.Invalid
		}
		r.Results = append(r.Results, model.Result{Workload: p.Result, Direction: model.Read, Metric: model.IOPS, Estimate: p.Total, Verdict: p.Verdict, Converged: p.Volumes != 4})
	}
	r.Findings = append(r.Findings,
		model.Finding{Rule: "sync", Severity: model.SeverityInvalid, Results: []string{"rand-read-x8"}, Message: "not simultaneous: the volumes started up to 2.00 s apart"},
		model.Finding{Rule: "fairness", Severity: model.SeverityWarning, Results: []string{"rand-read-x16"}, Message: "unfair: number 2 got 200/s"})
	golden(t, "scale-80", render(t, r, Options{Width: 80, Unicode: true}))
	golden(t, "scale-120", render(t, r, Options{Width: 120, Unicode: true}))
	golden(t, "scale-50-ascii", render(t, r, Options{Width: 50}))
	for i := range s.Points {
		s.Points[i].Offered = 4000
		s.Points[i].Each = []float64{s.Points[i].PerVolume.Value, .9 * s.Points[i].PerVolume.Value}
	}
	s.Laws = nil
	golden(t, "scale-rate-100", render(t, r, Options{Width: 100, Unicode: true}))
}
