package results

import (
	"testing"

	"github.com/loadline/loadline/internal/judge/analyze"
	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/modeltest"
)

// Runs that have nothing in common are told from runs whose workloads have the same name and are not the
// same: a different script, for example.
func TestRunsWithoutACommonWorkload(t *testing.T) {
	side := func(name, script string) analyze.Measured {
		rec := &model.Recorded{}
		rec.Plan.Workloads = []model.Workload{{Name: name, App: model.AppLoad{Tool: "pgbench", Script: script}}}
		return analyze.Measured{Recorded: rec}
	}
	for _, c := range []struct {
		b    analyze.Measured
		says string
	}{
		{side("script-c1", "SELECT 2;"), "both runs have a workload script-c1, but not the same one"},
		{side("tpcb-c1", ""), "the runs have no workload in common: A has script-c1; B has tpcb-c1"},
	} {
		_, err := compareWith(side("script-c1", "SELECT 1;"), c.b, model.Margins{})
		modeltest.Refused(t, err, c.says)
	}
}
