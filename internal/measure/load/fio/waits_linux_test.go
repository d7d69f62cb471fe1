package fio

import (
	"os"
	"runtime"
	"sync/atomic"
	"testing"

	"github.com/loadline/loadline/internal/measure/load"
	"github.com/loadline/loadline/internal/model"
)

// Two jobs that never wait for storage compete with others for the processors: what they wait is
// recorded, whether they are processes or threads, and little more than both can wait (as threads, they share a process with one that prints).
func TestWaitingForAProcessorIsRecorded(t *testing.T) {
	d := realDriver(t)
	if _, err := os.Stat("/proc/thread-self/schedstat"); err != nil {
		t.Skip("skipped: this kernel has no schedstat")
	}
	v := oddFile(t, 4<<20)
	if err := os.Truncate(v.Path, v.Size); err != nil {
		t.Fatal(err)
	}
	var over atomic.Bool
	defer over.Store(true)
	for range 2 * runtime.NumCPU() {
		go func() {
			for !over.Load() {
			}
		}()
	}
	for name, own := range map[string]string{"processes": "", "threads": "thread\n"} {
		w := model.Workload{Name: "mine", Access: model.Random, Direction: model.Read, BlockSize: 4096, Depth: 1,
			Job: "rw=randread\nbs=4k\nnumjobs=2\n" + own}
		r, err := d.Run(t.Context(), model.StartRequest{Step: model.Step{Number: 1, Ramp: 0.5, Seconds: 3}, Workload: w, Volume: v}, load.BeginNow, func(model.Event) {})
		if err != nil || r.Error != "" {
			t.Fatalf("%s: %+v, %v", name, r, err)
		}
		if r.CPUWait == nil || *r.CPUWait < 0.3 || *r.CPUWait > 2.5 {
			t.Errorf("%s: the waiting is %v, want about two jobs' (%v)", name, r.CPUWait, deref(r.CPUWait))
		}
		t.Logf("%s: waited %v, ran %.2f", name, deref(r.CPUWait), r.UserCPU+r.SystemCPU)
	}
}

// On a busy machine the jobs begin after the first reading, one after the other; at the end they are gone.
func TestJobsThatBeginLate(t *testing.T) {
	const main = 7
	for name, c := range map[string]struct {
		before, now []int
		want        bool
	}{
		"nothing was looked up": {nil, []int{main}, true},
		"threads":               {[]int{main}, []int{main}, false},
		"the first job":         {[]int{main}, []int{8}, true},
		"another one":           {[]int{8}, []int{8, 9}, true},
		"the same":              {[]int{8, 9}, []int{8, 9}, false},
		"one has ended":         {[]int{8, 9}, []int{9}, false},
		"all have ended":        {[]int{8, 9}, []int{main}, false},
		"all begin at once":     {nil, []int{8, 9}, true},
	} {
		if got := haveBegun(c.before, c.now, main); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

func deref(v *float64) float64 {
	if v == nil {
		return -1
	}
	return *v
}
