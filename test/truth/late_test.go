//go:build linux

package truth

import (
	"testing"
	"time"

	"github.com/loadline/loadline/internal/judge/analyze"
	"github.com/loadline/loadline/internal/judge/trust"
	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/test/lab"
)

// An open-loop load issues its I/Os late if its processors are taken, and the rule reports it.
func TestALateLoadIsNamed(t *testing.T) {
	d := lab.Delayed(t, time.Millisecond, time.Millisecond)
	occupy(t)
	lateness(t, d, model.SeverityWarning)
}

// The same load on an idle machine is not flagged.
func TestACalmLoadIsNotCalledLate(t *testing.T) {
	runWithRetry(t, demand{seconds: 6}, func(t testing.TB) {
		lateness(t, lab.Delayed(t, 200*time.Millisecond, 200*time.Millisecond), model.SeverityPassed)
	})
}

// lateness runs an open loop and checks the verdict of the rule late.
func lateness(t testing.TB, d lab.Device, want model.Severity) {
	t.Helper()
	w := model.Workload{Name: "load", Access: model.Random, Direction: model.Read, BlockSize: 4096, Depth: 256,
		RateIOPS: 200, OpenLoop: true, Metric: model.Latency}
	stalls := watchStalls(t)
	_, samples, res := playOpen(t, d, w, 1, 4)
	rec := &model.Recorded{Samples: samples}
	rec.Plan.Workloads, rec.Plan.Volume.Target = []model.Workload{w}, model.Target{Kind: model.NBD, URI: d.URI}
	rec.Run.Steps = []model.StepResult{res}
	rec.Run.Steps[0].Step = model.Step{Number: 1, Workload: w.Name, Ramp: 1, Seconds: 4}
	for i := range rec.Samples {
		rec.Samples[i].Step = 1
	}
	for _, f := range trust.Check(trust.Evidence{Recorded: rec, Results: analyze.Results(rec)}) {
		if f.Rule == "late" {
			t.Log(f.Message)
			switch {
			case f.Severity == want:
			case stalls() > busyStalls:
				busy(t, "this machine is too busy to keep the I/Os on time")
			default:
				t.Errorf("late ended in %s, want %s", f.Severity, want)
			}
			return
		}
	}
	t.Error("the rule late says nothing")
}
