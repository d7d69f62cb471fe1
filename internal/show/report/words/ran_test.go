package words

import (
	"strings"
	"testing"

	"github.com/loadline/loadline/internal/model"
)

func TestRanTellsWhatIsDrawnAnew(t *testing.T) {
	run := model.RunInfo{Volume: model.Volume{Size: 4 << 40}, Workloads: []model.Workload{
		{Name: "rand-read-iops", Access: model.Random, BlockSize: 4096}, {Name: "rand-read-bw", Access: model.Random, BlockSize: 128 << 10},
		{Name: "seq-read-bw", Access: model.Sequential, BlockSize: 128 << 10},
	}}
	const want = "random blocks drawn anew each time by rand-read-iops, as a map of those measured would take 130 MiB of memory"
	if got := strings.Join(Ran(&model.Report{Run: run}), "|"); !strings.HasSuffix(got, "|"+want) {
		t.Errorf("%q does not end with %q", got, want)
	}
	run.Volume.Size = 1 << 40
	if got := strings.Join(Ran(&model.Report{Run: run}), "|"); strings.Contains(got, "anew") {
		t.Errorf("%q speaks of drawing anew", got)
	}
}

// One workload has no order.
func TestRepeatsOfOneWorkloadHaveNoOrder(t *testing.T) {
	r := &model.Report{Results: []model.Result{{Repeats: 20}}}
	r.Run.Workloads = []model.Workload{{Name: "a"}}
	if got := repeats(r); got != ", 20 repeats" {
		t.Error(got)
	}
	r.Run.Workloads = append(r.Run.Workloads, model.Workload{Name: "b"})
	if got := repeats(r); got != ", 20 repeats each in random order" {
		t.Error(got)
	}
}
