package model

import "testing"

// A plan is shrunk to the smallest volume, once, and says why.
func TestPlansShrinkToWhatWasWritten(t *testing.T) {
	v := Volume{Size: 1 << 30, SizeReason: "as asked by --size"}
	p := Plan{Volume: v, Volumes: []Volume{v, v}, Workloads: []Workload{{BlockSize: 1 << 20, Jobs: 4, OffsetIncrement: 200 << 20}}}
	done := Preparation{Size: 400 << 20, Slow: 15e6, Seconds: 90}
	done.Merge(Preparation{Size: 300 << 20, Slow: 10 << 20, Seconds: 90}, "volume 2")
	done.Merge(Preparation{}, "volume 3")
	for range 2 {
		p.Shrink(&done)
		want := "as asked by --size, cut to 300 MiB: the prefill was slower than expected (10.0 MiB/s at its end) and was ended after 1 m 30 s"
		for _, v := range append(p.Volumes, p.Volume) {
			if v.Size != 300<<20 || v.SizeReason != want {
				t.Errorf("%d %q", v.Size, v.SizeReason)
			}
		}
		if w := p.Workloads[0]; w.OffsetIncrement != 75<<20 {
			t.Errorf("%+v", w)
		}
	}
	whole := Plan{Volume: v}
	whole.Shrink(&Preparation{Written: 1 << 30})
	whole.Shrink(nil)
	if whole.Volume.Size != v.Size || whole.Volume.SizeReason != v.SizeReason {
		t.Errorf("%+v", whole.Volume)
	}
}
