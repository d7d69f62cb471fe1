package trust

import (
	"slices"
	"testing"

	"github.com/loadline/loadline/internal/model"
)

// A worker that the cluster removed says nothing about the storage: its results are suspect because the
// run was cut short, and not invalid, and the missing worker is on record.
func TestALostWorkerMakesTheRestSuspect(t *testing.T) {
	const words = "volume 2 on node2 was lost 42 s into the run, last heard of at 10:31:05 UTC"
	rec := &model.Recorded{Plan: model.Plan{Workloads: []model.Workload{{Name: "w", Volumes: 2}}}}
	rec.Run = model.Run{Status: model.Failed, Reason: words + ": the pod p was evicted", Steps: []model.StepResult{
		{Step: model.Step{Number: 1, Workload: "w", Seconds: 5}, Ended: 5},
		{Step: model.Step{Number: 1, Workload: "w", Seconds: 5}, Worker: 1, Ended: 5},
		{Step: model.Step{Number: 2, Workload: "w", Seconds: 5}, Started: 6, Ended: 8, EndedEarly: true},
		{Step: model.Step{Number: 2, Workload: "w", Seconds: 5}, Worker: 1, Started: 6, Ended: 8, EndedEarly: true, Lost: words, Error: words},
	}}
	results := []model.Result{{Workload: "w"}}
	findings := slices.DeleteFunc(Check(Evidence{Recorded: rec, Results: results}), func(f model.Finding) bool { return f.Rule != "errors" && f.Rule != "interrupted" })
	Apply(results, findings)
	if results[0].Verdict != model.Suspect {
		t.Errorf("%s: %+v", results[0].Verdict, findings)
	}
	for _, f := range findings {
		if lost, _ := f.Evidence["lost"].([]string); f.Rule == "interrupted" && !slices.Equal(lost, []string{words}) {
			t.Errorf("%+v", f)
		}
	}
}
