package model

import (
	"math"
	"testing"
)

// A size that the user asked for gets no more time than one that was chosen to fit into the limit; the least that the workloads
// need does, and several volumes, which may share a disk, get the time for all of them.
func TestHowLongAPrefillMayTake(t *testing.T) {
	for _, c := range []struct {
		size    int64
		limit   float64
		volumes int
		want    float64
	}{
		{0, 30, 0, 33}, {0, 20, 0, 22}, {1 << 30, 30, 0, 33}, {1 << 30, 0, 0, 0}, {0, 30, 3, 99}, {1 << 30, 30, 3, 99},
	} {
		p := Plan{Volume: Volume{Size: 1 << 30}, Experiment: Experiment{Size: c.size, MaxPrefill: c.limit}, Volumes: make([]Volume, c.volumes)}
		for i := range p.Volumes {
			p.Volumes[i].Size = 1 << 30
		}
		if got := p.PrepareRequest(0).MaxSeconds; math.Abs(got-c.want) > 1e-9 {
			t.Errorf("%+v: %g s", c, got)
		}
	}
	least := Plan{Volume: Volume{Size: LeastSize(nil)}, Experiment: Experiment{MaxPrefill: 30}}
	if got := least.PrepareRequest(0).MaxSeconds; got != 90 {
		t.Errorf("the smallest size for the workloads: %g s", got)
	}
}

// A short look at writes is planned where the prefill is expected to have shown writes for long enough.
func TestWhatAShortLookSaves(t *testing.T) {
	writes, mix := Workload{Direction: Write}, Workload{Direction: Mixed}
	for _, c := range []struct {
		why     string
		short   bool
		prefill float64
		w       Workload
		want    float64
	}{
		{"a short one", true, 22, writes, 10}, {"not of this profile", false, 22, writes, 0}, {"the prefill is too short", true, 19, writes, 0},
		{"writes beside reads", true, 22, mix, 0},
	} {
		p := Plan{Volume: Volume{Prefill: true}, PrefillSeconds: c.prefill, Workloads: []Workload{{Direction: Read}, c.w}, Schedule: Schedule{Look: 20, Repeat: 2, ShortWriteLook: c.short}}
		if got := p.ShortenedBy(); got != c.want {
			t.Errorf("%s: %g s", c.why, got)
		}
	}
}
