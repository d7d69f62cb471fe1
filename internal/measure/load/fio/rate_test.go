package fio

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/loadline/loadline/internal/env"
	"github.com/loadline/loadline/internal/measure/load"
	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/modeltest"
	"github.com/loadline/loadline/test/lab"
)

// Limits are fio's own, set for each job; a ceiling is measured without any.
func TestRatesAreSharedByTheJobs(t *testing.T) {
	w := model.Workload{Name: "w", Access: model.Random, Direction: model.Read, BlockSize: 128 << 10, Depth: 4, Jobs: 2, RateIOPS: 617, RateBandwidth: 23244 << 10}
	v := model.Volume{Path: "/data/f", Engine: "libaio", Size: 1 << 30}
	text := JobText(w, v, model.Step{Number: 1, Seconds: 1})
	for _, line := range []string{"rate_iops=309\n", "rate_iops=308\n", "rate=11900928\n"} {
		if !strings.Contains(text, line) {
			t.Errorf("no %q in %s", line, text)
		}
	}
	if text := ceilingText(w, v, time.Second); strings.Contains(text, "rate_iops") || strings.Contains(text, "\nrate=") {
		t.Errorf("a ceiling with a limit: %s", text)
	}
}

// Whatever the number of jobs, the sum of their rates is the requested rate.
func TestSharesOfARate(t *testing.T) {
	for _, c := range []struct {
		rate float64
		jobs int
		want []share
	}{
		{0, 8, []share{{jobs: 8}}},
		{20, 8, []share{{jobs: 4, rate: 3}, {jobs: 4, rate: 2, before: 4}}},
		{24, 8, []share{{jobs: 8, rate: 3}}},
		{5, 8, []share{{jobs: 5, rate: 1}}},
		{1, 8, []share{{jobs: 1, rate: 1}}},
		{8, 1, []share{{jobs: 1, rate: 8}}},
	} {
		w := model.Workload{Jobs: c.jobs, RateIOPS: c.rate}
		got := shares(w)
		if diff := cmp.Diff(c.want, got, cmp.AllowUnexported(share{})); diff != "" {
			t.Errorf("%g/s over %d jobs:\n%s", c.rate, c.jobs, diff)
		}
	}
}

// A rate that fio would have to round is refused: the load would not be the one that was asked for.
func TestRatesThatAreNotWhole(t *testing.T) {
	d := New(env.OS())
	file := lab.Filled(t, t.TempDir(), 1<<20)
	v := model.Volume{Target: model.Target{Kind: model.File}, Path: file, Engine: "psync", Size: 1 << 20}
	for rate, hint := range map[float64]string{7.6: "7 or 8", 0.2: "1", 100.5: "100 or 101"} {
		w := model.Workload{Name: "w", Access: model.Random, Direction: model.Read, BlockSize: 4096, Depth: 1, RateIOPS: rate}
		_, err := d.Run(t.Context(), model.StartRequest{Step: model.Step{Number: 1, Seconds: 1}, Workload: w, Volume: v}, load.BeginNow, func(ev model.Event) {
			t.Errorf("%g/s: something is done: %+v", rate, ev)
		})
		if e := modeltest.Refused(t, err); !strings.Contains(e.Hint, hint+" IOPS") {
			t.Errorf("%g/s: %q, %q", rate, e.Message, e.Hint)
		}
	}
}

// A real fio keeps to the sum and reports its jobs as one group; jobs with separate extents
// continue one after the other.
func TestUnevenRateOfARealFio(t *testing.T) {
	d := New(env.OS())
	file := lab.Filled(t, t.TempDir(), 64<<20)
	w := model.Workload{Name: "w", Access: model.Random, Direction: model.Read, BlockSize: 4096, Depth: 1, Jobs: 8, RateIOPS: 20, OffsetIncrement: 8 << 20}
	v := model.Volume{Target: model.Target{Kind: model.File}, Path: file, Engine: "psync", Direct: true, Size: 64 << 20}
	step := model.Step{Number: 1, Workload: "w", Ramp: 1, Seconds: 5}
	var ios uint64
	res, err := d.Run(t.Context(), model.StartRequest{Step: step, Workload: w, Volume: v}, load.BeginNow, func(ev model.Event) {
		if ev.Sample != nil {
			ios += ev.Sample.Read.IOs
		}
	})
	if err != nil || res.Error != "" {
		t.Fatal(err, res.Error)
	}
	// A delayed job may catch up by one I/O; 24/s would be 120.
	if ios < 92 || ios > 112 {
		t.Errorf("%d I/Os in 5 s where 20/s were asked for", ios)
	}
	if text := JobText(w, v, step); !strings.Contains(text, "offset=33554432\n") {
		t.Errorf("the second part begins elsewhere:\n%s", text)
	}
}
