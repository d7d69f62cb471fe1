package trust

import (
	"strings"
	"testing"

	"github.com/loadline/loadline/internal/model"
)

// Load generators of several volumes fill the processors of their machine together: that is no other program's work.
func TestGeneratorsOfOneMachineAddUp(t *testing.T) {
	const volumes, cpus, each = 8, 8, 0.7
	for _, x := range []struct {
		nodes bool
		want  bool
	}{{nodes: false, want: false}, {nodes: true, want: true}} {
		ev := sound()
		ev.Recorded.Environment.CPUs = cpus
		for i := range volumes {
			v := ev.Recorded.Plan.Volume
			if x.nodes {
				v.Node = string(rune('a' + i))
			}
			ev.Recorded.Plan.Volumes = append(ev.Recorded.Plan.Volumes, v)
		}
		var all []model.StepResult
		for _, s := range ev.Recorded.Run.Steps {
			for i := range volumes {
				counters := *s.Counters
				counters.Idle, counters.IOWait = 0.03, 0
				s.Worker, s.Counters, s.UserCPU, s.SystemCPU = i, &counters, each/2, each/2
				all = append(all, s)
			}
		}
		ev.Recorded.Run.Steps = all
		found := false
		for _, f := range checkCPU(ev) {
			found = found || strings.Contains(f.Message, "mostly with other work")
		}
		if found != x.want {
			t.Errorf("each on a node of its own: %v, and other work found: %v", x.nodes, found)
		}
	}
}
