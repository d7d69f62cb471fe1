package trust

import (
	"slices"
	"strings"
	"testing"

	"github.com/loadline/loadline/internal/judge/stats"
	"github.com/loadline/loadline/internal/model"
)

// stretch is one unbroken repeat for a test: the first seconds at one rate, all others at another one.
type stretch struct {
	name          string
	block         int64
	first         int
	before, after float64
	// slow and alsoSlow are the indices of seconds at half the rate; 0 if there is none.
	slow, alsoSlow int
	// volumes is on how many it was; 0 stands for one.
	volumes int
	// pause is how long before it nothing was measured, in addition to the usual ramp.
	pause float64
}

// stretchEvidence is the evidence of such repeats, one after the other.
func stretchEvidence(imported bool, list ...stretch) Evidence {
	rec := &model.Recorded{}
	rec.Plan.Schedule.Mode = model.Fixed
	if imported {
		rec.Imported = &model.Imported{}
	}
	ev := Evidence{Recorded: rec}
	clock := 0.0
	for _, x := range list {
		clock += 5.5 + x.pause
		w := model.Workload{Name: x.name, BlockSize: x.block, Direction: model.Read}
		if strings.Contains(x.name, "write") {
			w.Direction = model.Write
		}
		s := series{workload: x.name, direction: w.Direction, repeats: 1, counting: stats.Counting{Workers: max(1, x.volumes)}}
		if strings.Contains(x.name, "mix") {
			w.Direction = model.Mixed
		}
		rec.Plan.Workloads = append(rec.Plan.Workloads, w)
		for i := range 20 {
			rate := x.after
			if i < x.first {
				rate = x.before
			}
			if i > 0 && (i == x.slow || i == x.alsoSlow) {
				rate /= 2
			}
			// Some noise: the level of a throttle is flat as well.
			rate *= 1 + 0.01*float64(i%3-1)
			moved := rate * float64(x.block)
			if i > 0 {
				moved += s.bytes[i-1]
			}
			s.rate, s.bytes = append(s.rate, rate), append(s.bytes, moved)
			s.begin, s.end, s.repeat = append(s.begin, clock), append(s.end, clock+1), append(s.repeat, 0)
			clock++
		}
		ev.series = append(ev.series, s)
	}
	for i := range ev.series {
		ev.regimes = append(ev.regimes, ev.series[i].regime())
	}
	return ev
}

// stretchesOf is what the rule warns of such repeats, by workload.
func stretchesOf(imported bool, list ...stretch) map[string]string {
	said := map[string]string{}
	for _, f := range stretchEvidence(imported, list...).stretches() {
		for _, name := range f.Results {
			if f.Severity == model.SeverityWarning {
				said[name] = f.Message
			}
		}
	}
	return said
}

// A credit that outlasts a repeat shows in the next workload that draws on it.
func TestWhatHeldAStretchMayBeABurst(t *testing.T) {
	const k, m = 4 << 10, 128 << 10
	held := stretch{name: "write-a", block: k, after: 12000}
	for name, c := range map[string]struct {
		imported bool
		list     []stretch
		doubted  []string
	}{
		"the same work fell":                  {false, []stretch{held, {name: "write-b", block: k, first: 8, before: 12000, after: 6000}}, []string{"write-a"}},
		"it fell at once":                     {false, []stretch{held, {name: "write-b", block: k, first: 1, before: 12000, after: 6000}}, []string{"write-a"}},
		"it fell early":                       {false, []stretch{held, {name: "write-b", block: k, first: 3, before: 12000, after: 6000}}, []string{"write-a"}},
		"it fell late":                        {false, []stretch{held, {name: "write-b", block: k, first: 17, before: 12000, after: 6000}}, nil},
		"it fell late, and the next is slow":  {false, []stretch{held, {name: "write-b", block: k, first: 17, before: 12000, after: 6000}, {name: "write-c", block: k, after: 6000}}, []string{"write-a"}},
		"it fell a little":                    {false, []stretch{held, {name: "write-b", block: k, first: 8, before: 12000, after: 10000}}, nil},
		"it had fallen just before":           {false, []stretch{{name: "write-b", block: k, first: 8, before: 12000, after: 6000}, held}, nil},
		"it had fallen, and could refill":     {false, []stretch{{name: "write-b", block: k, first: 8, before: 12000, after: 6000}, {name: "write-a", block: k, after: 12000, pause: 26}}, []string{"write-a"}},
		"large blocks of the same rate fell":  {false, []stretch{held, {name: "write-b", block: m, first: 8, before: 12500, after: 6000}}, []string{"write-a"}},
		"large blocks of another rate fell":   {false, []stretch{held, {name: "write-b", block: m, first: 8, before: 16000, after: 4000}}, nil},
		"this one moves more in every way":    {false, []stretch{{name: "write-a", block: m, after: 12000}, {name: "write-b", block: k, first: 8, before: 16000, after: 4000}}, []string{"write-a"}},
		"this one is below what remained":     {false, []stretch{{name: "write-a", block: k, after: 5900}, {name: "write-b", block: k, first: 8, before: 12000, after: 6000}}, nil},
		"each had its own short start":        {false, []stretch{{name: "write-a", block: k, first: 1, before: 11000, after: 6000}, {name: "write-b", block: k, first: 1, before: 12000, after: 5900}}, nil},
		"the other direction fell":            {false, []stretch{{name: "read-a", block: k, after: 14000}, {name: "write-b", block: k, first: 8, before: 12000, after: 6000}}, nil},
		"both directions have one limit":      {false, []stretch{{name: "read-a", block: k, after: 12000}, {name: "write-b", block: k, first: 8, before: 12000, after: 6000}}, []string{"read-a"}},
		"the writes of a mix fell":            {false, []stretch{held, {name: "mix-write", block: k, first: 8, before: 12000, after: 6000}}, nil},
		"this one has as many more volumes":   {false, []stretch{{name: "write-a", block: k, after: 12000, volumes: 2}, {name: "write-b", block: k, first: 8, before: 9000, after: 6000}}, nil},
		"the other one rose":                  {false, []stretch{held, {name: "write-b", block: k, first: 8, before: 6000, after: 11000}}, nil},
		"another document's order is unknown": {true, []stretch{held, {name: "write-b", block: k, first: 8, before: 12000, after: 6000}}, nil},
		"the last second is slow":             {false, []stretch{{name: "write-a", block: k, after: 12000, slow: 19}, {name: "write-b", block: k, after: 12000}}, []string{"write-a"}},
		"two last seconds are slow":           {false, []stretch{{name: "write-a", block: k, after: 12000, slow: 19}, {name: "write-b", block: k, after: 12000, slow: 19}}, []string{"write-a", "write-b"}},
		"one before it is slow too":           {false, []stretch{{name: "write-a", block: k, after: 12000, slow: 19, alsoSlow: 7}, {name: "write-b", block: k, after: 12000}}, nil},
		"seconds are slow at other times too": {false, []stretch{{name: "write-a", block: k, after: 12000, slow: 19}, {name: "write-b", block: k, after: 12000, slow: 7}}, nil},
		"a second in the middle is slow":      {false, []stretch{{name: "write-a", block: k, after: 12000, slow: 11}}, nil},
		"nothing happened":                    {false, []stretch{held, {name: "write-b", block: m, after: 6000}}, nil},
	} {
		said := stretchesOf(c.imported, c.list...)
		var names []string
		for of, message := range said {
			names = append(names, of)
			if !strings.Contains(message, "not tested for long enough: ") || !strings.Contains(message, "burst credits") {
				t.Errorf("%s: %s", name, message)
			}
		}
		if slices.Sort(names); !slices.Equal(names, c.doubted) {
			t.Errorf("%s: %v, want warnings for %v", name, said, c.doubted)
		}
	}
}

// A workload that is above the level that another one fell to in I/Os only, or in bytes only, is neither accused nor called sustained.
func TestWhichUnitACreditCountsIsNotKnown(t *testing.T) {
	ev := stretchEvidence(false, stretch{name: "write-a", block: 4 << 10, after: 12000}, stretch{name: "write-b", block: 128 << 10, first: 8, before: 16000, after: 4000})
	var said []string
	for _, f := range ev.stretches() {
		if f.Severity == model.SeverityNotChecked && slices.Contains(f.Results, "write-a") {
			said = append(said, f.Message)
		}
		if f.Severity == model.SeverityPassed {
			t.Errorf("%s", f.Message)
		}
	}
	if len(said) != 1 || !strings.Contains(said[0], "either in I/Os or in bytes") {
		t.Errorf("%q", said)
	}
}

// A result until steady leaves out a start that was faster: its end is no credit's.
func TestNothingFallsUntilSteady(t *testing.T) {
	ev := stretchEvidence(false, stretch{name: "write-a", block: 4 << 10, after: 12000}, stretch{name: "write-b", block: 4 << 10, first: 8, before: 12000, after: 6000})
	if len(ev.falls()) != 1 {
		t.Fatalf("%+v: with repeats of a fixed length, one falls", ev.falls())
	}
	ev.Recorded.Plan.Schedule.Mode = model.Steady
	if list := ev.falls(); len(list) > 0 {
		t.Errorf("%+v", list)
	}
}
