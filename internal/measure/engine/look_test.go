package engine

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/loadline/loadline/internal/model"
)

// points is a looker with scripted answers.
type points struct {
	needed, short, wished []string
	// next are the looks that follow, in order, and least their least length.
	next   []string
	least  float64
	fallen []string
	// counted are the samples that results are computed from; nil means all.
	counted []model.Sample
	// asked is the number of steps measured when the looks were chosen.
	asked int
}

func (p *points) Looks(rec *model.Recorded) (needed, short, wished []string) {
	p.asked = len(rec.Run.Steps)
	return p.needed, p.short, p.wished
}

func (p *points) Next(*model.Recorded) (workload string, seconds float64) {
	if len(p.next) == 0 {
		return "", 0
	}
	name := p.next[0]
	p.next = p.next[1:]
	return name, p.least
}

func (p *points) Fallen(*model.Recorded) []string { return p.fallen }

func (p *points) Counted(rec *model.Recorded, workload string) []model.Sample {
	if p.counted != nil {
		return p.counted
	}
	return rec.Samples
}

func TestLooksTakeThePlaceOfLastRepeats(t *testing.T) {
	for _, c := range []struct {
		name    string
		maxTime float64
		looks   points
		want    string
	}{
		{"nothing to look at", 1000, points{}, "a2 b2 c2 a2 b2 c2"},
		{"one", 1000, points{needed: []string{"a"}}, "a2 b2 c2 b2 c2 a20"},
		{"one that time permits", 1000, points{needed: []string{"a"}, wished: []string{"b"}}, "a2 b2 c2 c2 a20 b10"},
		{"a short one, which leaves time for another", 36, points{needed: []string{"a"}, short: []string{"a"}, wished: []string{"b"}}, "a2 b2 c2 c2 a10 b10"},
		{"one that it does not", 36, points{needed: []string{"a"}, wished: []string{"b"}}, "a2 b2 c2 b2 c2 a20"},
		{"more than the plan has", 1000, points{needed: []string{"a", "b", "c"}}, "a2 b2 c2 a2 b20 c20"},
		{"and what draws on the same", 1000, points{needed: []string{"a", "b"}, next: []string{"c", "", ""}}, "a2 b2 c2 c2 a20 c10 b20"},
		{"which was to be looked at later", 1000, points{needed: []string{"a", "b"}, next: []string{"b", ""}}, "a2 b2 c2 c2 a20 b10"},
		{"the same again", 1000, points{needed: []string{"a"}, next: []string{"a", "a", ""}}, "a2 b2 c2 b2 c2 a20 a10 a10"},
		{"the same again for longer", 1000, points{needed: []string{"a"}, next: []string{"a", ""}, least: 21}, "a2 b2 c2 b2 c2 a20 a21"},
		{"longer than there is time", 44, points{needed: []string{"a"}, next: []string{"c", "b"}, least: 21}, "a2 b2 c2 b2 c2 a20"},
		{"as long as there is time", 44, points{needed: []string{"a"}, next: []string{"c", "b"}}, "a2 b2 c2 b2 c2 a20 c10"},
	} {
		t.Run(c.name, func(t *testing.T) {
			w, _ := connected(t, steady)
			m := &memory{}
			p := plan(c.maxTime, "a", "b", "c")
			p.Schedule.Look, p.Schedule.Looks = 20, 2
			p.Experiment.MaxTime = c.maxTime
			status, err := Execute(t.Context(), Options{Plan: p, Workers: []*Worker{w}, Judge: needs{}, Scheduler: inOrder{}, Recorder: m,
				Observer: silent{}, Now: time.Now, Looker: &c.looks})
			if err != nil || status != model.Complete {
				t.Fatalf("status %s, %v", status, err)
			}
			var got []string
			looks := map[int]bool{}
			for _, s := range m.steps {
				looks[s.Step.Number] = s.Step.Look
				got = append(got, fmt.Sprintf("%s%g", s.Step.Workload, s.Step.Seconds))
				if s.Step.Look != (s.Step.Seconds > 2) {
					t.Errorf("step %+v", s.Step)
				}
			}
			if strings.Join(got, " ") != c.want {
				t.Errorf("%s, want %s", strings.Join(got, " "), c.want)
			}
			if len(m.samples) == 0 || slices.ContainsFunc(m.samples, func(s model.Sample) bool { return s.Look != looks[s.Step] }) {
				t.Errorf("the %d samples do not say which are those of looks", len(m.samples))
			}
			if c.looks.asked != 3 {
				t.Errorf("looks were chosen after %d repeats, want those of all rounds but the last", c.looks.asked)
			}
			if !slices.IsSortedFunc(m.steps, func(a, b model.StepResult) int { return a.Step.Number - b.Step.Number }) {
				t.Errorf("the numbers do not rise: %+v", m.steps)
			}
		})
	}
}

// The limit of a profile has room for full looks: what a short one saves is not spent on other repeats.
func TestWhatAShortLookSavesIsNotSpent(t *testing.T) {
	made := map[string]int{}
	for _, short := range []string{"", "a"} {
		for _, limited := range []float64{0, 60} {
			w, _ := connected(t, steady)
			m := &memory{}
			p := plan(60, "a", "b", "c")
			p.Schedule.Look, p.Schedule.Looks, p.Experiment.MaxTime = 20, 1, limited
			if _, err := Execute(t.Context(), Options{Plan: p, Workers: []*Worker{w}, Judge: needs{"a": 99, "b": 99, "c": 99}, Scheduler: inOrder{}, Recorder: m,
				Observer: silent{}, Now: time.Now, Looker: &points{needed: []string{"a"}, short: []string{short}}}); err != nil {
				t.Fatal(err)
			}
			made[fmt.Sprint(short, limited)] = len(m.steps)
		}
	}
	if made["a0"] != made["0"] || made["a60"] <= made["60"] {
		t.Errorf("%v repeats: a short look gives time to others only within a limit that the user has set", made)
	}
}

// A look counts as one repeat to the judge, and a workload whose rate fell in one gets no more repeats.
func TestALookIsOneRepeat(t *testing.T) {
	for fallen, want := range map[string]string{"": "a b b a a", "a": "a b b a"} {
		w, _ := connected(t, steady)
		m := &memory{}
		p := plan(1000, "a", "b")
		p.Schedule.Look, p.Schedule.Looks = 20, 1
		looks := points{needed: []string{"a"}}
		if fallen != "" {
			looks.fallen = []string{fallen}
		}
		if _, err := Execute(t.Context(), Options{Plan: p, Workers: []*Worker{w}, Judge: needs{"a": 3, "b": 2}, Scheduler: inOrder{}, Recorder: m,
			Observer: silent{}, Now: time.Now, Looker: &looks}); err != nil {
			t.Fatal(err)
		}
		if got := sequence(m); got != want {
			t.Errorf("fallen %q: repeats %s, want %s", fallen, got, want)
		}
	}
}

// In a comparison both sides get looks instead of their last guaranteed repeats, in the order of their
// blocks; a look that is chosen on one side only is an ordinary repeat on the other.
func TestLooksOfBothSides(t *testing.T) {
	for _, c := range []struct {
		name    string
		maxTime float64
		looks   points
		want    string
	}{
		{"nothing to look at", 1000, points{}, "Aa1-2 Ba1-2 Ab1-2 Bb1-2 Ba2-2 Aa2-2 Bb2-2 Ab2-2"},
		{"one", 1000, points{needed: []string{"a"}}, "Aa1-2 Ba1-2 Ab1-2 Bb1-2 Bb2-2 Ab2-2 Ba2-20 Aa2-20"},
		{"and what draws on the same", 1000, points{needed: []string{"a"}, next: []string{"b"}},
			"Aa1-2 Ba1-2 Ab1-2 Bb1-2 Bb2-2 Ab2-2 Ba2-20 Bb0-10 Aa2-20"},
		{"which there is no time for", 58, points{needed: []string{"a"}, next: []string{"b"}},
			"Aa1-2 Ba1-2 Ab1-2 Bb1-2 Bb2-2 Ab2-2 Ba2-20 Aa2-20"},
		{"a fall", 1000, points{needed: []string{"a"}, fallen: []string{"a", "b"}}, "Aa1-2 Ba1-2 Ab1-2 Bb1-2 Bb2-2 Ab2-2 Ba2-20 Aa2-20"},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := plan(c.maxTime, "a", "b")
			p.Schedule.Look, p.Schedule.Looks = 20, 1
			p.Experiment.MaxTime = c.maxTime
			blocks := 2
			if c.looks.fallen != nil {
				blocks = 9
			}
			s := paired(t, p, wants{"a": blocks, "b": blocks}, steady, steady)
			s.options.Looker = &c.looks
			if status, err := Compare(t.Context(), s.options); err != nil || status != model.Complete {
				t.Fatalf("status %s, %v", status, err)
			}
			type at struct {
				side string
				model.StepResult
			}
			var all []at
			for i, m := range []*memory{s.recA, s.recB} {
				for _, r := range m.steps {
					all = append(all, at{[]string{"A", "B"}[i], r})
				}
			}
			slices.SortStableFunc(all, func(a, b at) int { return cmp.Compare(a.Started, b.Started) })
			var got []string
			for _, r := range all {
				got = append(got, fmt.Sprintf("%s%s%d-%g", r.side, r.Step.Workload, r.Step.Block, r.Step.Seconds))
				if r.Step.Look != (r.Step.Seconds > 2) {
					t.Errorf("step %+v", r.Step)
				}
			}
			if strings.Join(got, " ") != c.want {
				t.Errorf("%s, want\n%s", strings.Join(got, " "), c.want)
			}
		})
	}
}

// The rates of a load sweep are shares of the sustained rate that a look at the capacity has shown, and a
// workload whose rate fell in it is not measured again.
func TestRatesFollowFromALook(t *testing.T) {
	w, _ := connected(t, steady)
	m := &memory{}
	p := plan(1000, model.CapacityWorkload, "load")
	p.Workloads[1].OpenLoop, p.Workloads[1].OfCapacity = true, 0.5
	p.Schedule.Look = 20
	first := p.Steps[0]
	look := first
	look.Look, look.Seconds = true, 20
	p.Steps = append([]model.Step{first, look}, p.Steps[1:]...)
	for i := range p.Steps {
		p.Steps[i].Number = i + 1
	}
	looks := points{next: []string{"", ""}, fallen: []string{model.CapacityWorkload},
		counted: []model.Sample{{Seconds: 1, Read: &model.Flow{IOs: 40}}}}
	if _, err := Execute(t.Context(), Options{Plan: p, Workers: []*Worker{w}, Judge: rateJudge{}, Scheduler: inOrder{}, Recorder: m,
		Observer: silent{}, Now: time.Now, Looker: &looks}); err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, s := range m.steps {
		got = append(got, fmt.Sprintf("%s%g@%g", s.Step.Workload, s.Step.Seconds, s.Step.Offered))
	}
	if got, want := strings.Join(got, " "), "capacity2@0 capacity20@0 load2@20 load2@20"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// rateJudge returns the first sample's rate, and always converges.
type rateJudge struct{}

func (rateJudge) Judge(_ *model.Plan, w model.Workload, samples map[string][]model.Sample) model.Judgement {
	j := model.Judgement{Workload: w.Name, Converged: true}
	if list := samples[w.Name]; len(list) > 0 {
		j.Value = float64(list[0].Read.IOs)
	}
	return j
}

// A credit that one side is looked at for longer than the other would be found on that side only.
func TestLooksOfBothSidesAreEquallyLong(t *testing.T) {
	sides := func(short ...string) *side {
		s := &side{looking: looking{chosen: []string{"a", "b"}, short: map[string]bool{}}}
		for _, name := range short {
			s.looking.short[name] = true
		}
		return s
	}
	a, b := sides("a", "b"), sides("b")
	b.plan.Schedule.Look, a.plan.Schedule.Look = 20, 20
	a.equalLooks(b)
	for _, s := range []*side{a, b} {
		if s.lookSeconds("a") != 20 || s.lookSeconds("b") != 10 {
			t.Errorf("%g s and %g s", s.lookSeconds("a"), s.lookSeconds("b"))
		}
	}
}
