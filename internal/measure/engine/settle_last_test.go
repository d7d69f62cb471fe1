package engine

import (
	"testing"

	"github.com/loadline/loadline/internal/model"
)

// A run that only writes reads at its end: until a cache has drained, if one took the writes, and once where none did.
func TestWritesAloneAreFollowedByReads(t *testing.T) {
	for _, c := range []struct {
		name        string
		written     float64
		cut, helped bool
		least, most float64 // seconds waited
	}{
		{"no cache", 0, false, false, 0, 0},
		{"a cache that drains within the wait", 3, false, true, 20, 45},
		{"a cache that takes longer", 100, true, false, 60, 70},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := plan(60, "writes", "large")
			p.Workloads[0] = model.Workload{Name: "writes", Access: model.Random, Direction: model.Write, BlockSize: 4096, Depth: 1}
			p.Workloads[1] = model.Workload{Name: "large", Access: model.Sequential, Direction: model.Write, BlockSize: 1 << 20, Depth: 8}
			d := writeBack{written: c.written, prepared: model.Preparation{}}
			m := d.measure(t, p, Evidence{})
			f := m.beside.ReadsAfter
			if f == nil || f.Cut() != c.cut || f.Helped() != c.helped || f.Waited < c.least || f.Waited > c.most || f.Writes == 0 {
				t.Fatalf("%+v", f)
			}
			if rates := m.beside.ReadRates; rates["writes"] != f.Rate || rates["large"] < 50 || len(rates) != 2 {
				t.Errorf("%v", rates)
			}
		})
	}
}

// Where reads are measured, they are what shows whether the storage still writes.
func TestReadsAreNotFollowedByReads(t *testing.T) {
	p := plan(60, "reads", "writes")
	p.Workloads[1].Direction = model.Write
	d := writeBack{written: 5, prepared: model.Preparation{}}
	if m := d.measure(t, p, Evidence{}); m.beside.ReadsAfter != nil {
		t.Errorf("%+v", m.beside.ReadsAfter)
	}
}
