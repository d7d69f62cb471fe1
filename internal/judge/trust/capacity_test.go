package trust

import (
	"slices"
	"strings"
	"testing"

	"github.com/loadline/loadline/internal/model"
)

// The rates of a load sweep are shares of what the storage could do when they were chosen.
func TestACapacityThatChangedIsNamed(t *testing.T) {
	for _, c := range []struct {
		chosen, capacity, half float64
		found                  bool
	}{{987, 754, 0.2, true}, {987, 970, 0.01, false}, {987, 880, 0.2, false}, {700, 987, 0.05, true}} {
		ev := sound()
		closed := iops
		closed.Name = model.CapacityWorkload
		load := iops
		load.Name, load.OpenLoop, load.OfCapacity, load.RateIOPS = "load-90", true, 0.9, 0.9*c.chosen
		ev.Recorded.Plan.Workloads = []model.Workload{closed, load}
		ev.Results = []model.Result{{Workload: closed.Name, Direction: model.Read, Metric: model.IOPS, Estimate: estimate(model.IOPS, c.capacity, c.half)}}
		found := checkRate(ev)
		named := slices.ContainsFunc(found, func(f model.Finding) bool {
			return f.Severity == model.SeverityWarning && strings.HasPrefix(f.Message, "capacity changed")
		})
		if named != c.found {
			t.Errorf("%+v: %+v", c, found)
		}
	}
}
