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

// The repeats that were made are those that were planned, whether they count or not.
func TestRepeatsThatWereMade(t *testing.T) {
	fallen := model.Result{Repeats: 1, Sustained: &model.Sustained{State: model.Fell}}
	for want, results := range map[string][]model.Result{
		", 3 repeats each in random order, of which 1 left out": {{Repeats: 3}, {Repeats: 2, LeftOut: []int{4}}},
		", 3–4 repeats each in random order":                    {{Repeats: 3}, {Repeats: 4}, fallen},
		", 3 repeats each in random order, of which 2 left out": {{Repeats: 1, LeftOut: []int{4, 5}}, {Repeats: 1, LeftOut: []int{4, 5}}},
		", 1 repeat each in random order":                       {fallen},
	} {
		r := &model.Report{Results: results}
		r.Run.Workloads = make([]model.Workload, 2)
		if got := repeats(r); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
