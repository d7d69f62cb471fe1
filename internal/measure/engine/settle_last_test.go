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
			if rates := m.beside.ReadRates; rates["writes"] < 50 || rates["large"] < 50 || c.helped && rates["large"] < 100 {
				t.Errorf("%v", rates)
			}
		})
	}
}

// One workload that is slow, whose rate is limited, or whose reads are many does not speak for one that writes much faster.
func TestEachWorkloadIsFollowedByItsOwnReads(t *testing.T) {
	p := plan(60, "limited", "mix", "writes")
	for i := range p.Workloads {
		w := &p.Workloads[i]
		w.Access, w.Direction, w.BlockSize, w.Depth = model.Random, model.Write, 4096, 16
	}
	p.Workloads[0].RateIOPS = 10
	p.Workloads[1].Direction, p.Workloads[1].ReadPercent = model.Mixed, 90
	d := writeBack{written: 3, prepared: model.Preparation{}}
	m := d.measure(t, p, Evidence{})
	_, limited := m.beside.ReadRates["limited"]
	if f := m.beside.ReadsAfter; f == nil || !f.Helped() || limited || m.beside.ReadRates["writes"] < 100 || m.beside.ReadRates["mix"] < 100 {
		t.Errorf("%+v, %v", f, m.beside.ReadRates)
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

// A mix waits for earlier writes like reads do, once reads have shown that the storage goes on writing, and it comes before
// what only writes.
func TestAMixWaitsForEarlierWrites(t *testing.T) {
	p := plan(200, "reads", "writes", "mix", "other mix")
	for i, direction := range []model.Direction{model.Read, model.Write, model.Mixed, model.Mixed} {
		w := &p.Workloads[i]
		w.Access, w.Direction, w.BlockSize, w.Depth, w.ReadPercent = model.Random, direction, 4096, 16, 50
	}
	p.Steps = nil
	for round := 1; round <= 4; round++ {
		p.Steps = append(p.Steps, inOrder{}.Round(&p, round, p.Workloads, len(p.Steps)+1)...)
	}
	d := writeBack{written: 3, prepared: model.Preparation{}}
	waits, last := 0, ""
	for _, s := range d.measure(t, p, Evidence{}).steps {
		switch {
		case s.Step.Round < 3:
		case s.Step.Workload == "mix" && last != "reads":
			t.Errorf("step %d: a mix after %s", s.Step.Number, last)
		case s.Step.Workload == "other mix" && s.Settling.Helped():
			waits++
		}
		last = s.Step.Workload
	}
	if waits != 2 {
		t.Errorf("the mix after another one waited %d times in two rounds", waits)
	}
}
