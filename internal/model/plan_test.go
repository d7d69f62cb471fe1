package model

import "testing"

// A size that was chosen to fit into the limit gets less time than one that the user asked for or
// the workloads need, and several volumes, which may share a disk, get the time for all of them.
func TestHowLongAPrefillMayTake(t *testing.T) {
	for _, c := range []struct {
		size    int64
		limit   float64
		volumes int
		want    float64
	}{
		{0, 30, 0, 45}, {0, 22, 0, 33}, {1 << 30, 30, 0, 90}, {1 << 30, 0, 0, 0}, {0, 30, 3, 135}, {1 << 30, 30, 3, 270},
	} {
		p := Plan{Volume: Volume{Size: 1 << 30}, Experiment: Experiment{Size: c.size, MaxPrefill: c.limit}, Volumes: make([]Volume, c.volumes)}
		for i := range p.Volumes {
			p.Volumes[i].Size = 1 << 30
		}
		if got := p.PrepareRequest(0).MaxSeconds; got != c.want {
			t.Errorf("%+v: %g s", c, got)
		}
	}
	least := Plan{Volume: Volume{Size: LeastSize(nil)}, Experiment: Experiment{MaxPrefill: 30}}
	if got := least.PrepareRequest(0).MaxSeconds; got != 90 {
		t.Errorf("the smallest size for the workloads: %g s", got)
	}
}
