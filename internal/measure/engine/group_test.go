package engine

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/loadline/loadline/internal/model"
)

// A workload on N volumes is run by the first N workers, each on its own volume; all volumes are prepared,
// and a shared one is prepared once.
func TestAGroupTakesTheVolumesOfItsNumbers(t *testing.T) {
	var mu sync.Mutex
	prepared, started := map[string]int{}, map[string][]string{}
	var workers []*Worker
	for range 4 {
		w, _ := connected(t, func(s *scripted, r model.Request) {
			mu.Lock()
			switch {
			case r.Prepare != nil:
				prepared[r.Prepare.Volume.Target.Path]++
			case r.Start != nil:
				started[r.Start.Workload.Name] = append(started[r.Start.Workload.Name], r.Start.Volume.Target.Path)
			}
			mu.Unlock()
			steady(s, r)
		})
		workers = append(workers, w)
	}
	p := plan(1000, "one", "three", "four")
	for i, path := range []string{"/a", "/b", "/a", "/b"} {
		p.Volumes = append(p.Volumes, model.Volume{Target: model.Target{Kind: model.BlockDevice, Path: path}, Owned: i == 3})
	}
	p.Workloads[1].Volumes, p.Workloads[2].Volumes = 3, 4
	m := &memory{}
	if _, err := execute(t.Context(), p, needs{}, m, workers...); err != nil {
		t.Fatal(err)
	}
	if prepared["/a"] != 1 || prepared["/b"] != 2 {
		t.Errorf("prepared %v, want the shared /a once and both of /b, one of which is a file of its own", prepared)
	}
	for name, want := range map[string][]string{"one": {"/a", "/a"}, "three": {"/a", "/a", "/a", "/a", "/b", "/b"}, "four": {"/a", "/a", "/a", "/a", "/b", "/b", "/b", "/b"}} {
		if got := slices.Sorted(slices.Values(started[name])); !slices.Equal(got, want) {
			t.Errorf("%s ran on %v in two repeats, want %v", name, got, want)
		}
	}
	for i := range m.steps {
		if n := len(p.VolumesOf(must(p.Workload(m.steps[i].Step.Workload)))); m.steps[i].Worker >= n {
			t.Errorf("worker %d did a step of %d volumes", m.steps[i].Worker, n)
		}
	}
}

func must(w model.Workload, ok bool) model.Workload {
	if !ok {
		panic("no such workload")
	}
	return w
}

func TestProgressOfAllWorkersAddsUp(t *testing.T) {
	got := addProgress(map[int]model.Progress{0: {Phase: model.PhasePrefill, Done: 1, Total: 4, Rate: 2, Limit: 7}, 1: {Phase: model.PhasePrefill, Done: 2, Total: 4, Rate: 3, Limit: 5}, 2: {Phase: model.PhaseProve, Done: 9}}, model.PhasePrefill)
	if want := (model.Progress{Phase: model.PhasePrefill, Done: 3, Total: 8, Rate: 5, Limit: 7}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
}

// Workers whose tools would compete for processors are not all started at once.
func TestStartsAreSpread(t *testing.T) {
	const spread = 200 * time.Millisecond
	var mu sync.Mutex
	asked := make([]time.Time, 4)
	var workers []*Worker
	for i := range asked {
		w, _ := connected(t, func(s *scripted, r model.Request) {
			mu.Lock()
			if r.Start != nil && asked[i].IsZero() {
				asked[i] = time.Now()
			}
			mu.Unlock()
			steady(s, r)
		})
		workers = append(workers, w)
	}
	p := plan(1000, "a")
	p.Lead, p.Spread, p.Workloads[0].Volumes = spread.Seconds(), spread.Seconds(), len(asked)
	for range asked {
		p.Volumes = append(p.Volumes, model.Volume{Owned: true})
	}
	begin := time.Now()
	if _, err := execute(t.Context(), p, needs{}, &memory{}, workers...); err != nil {
		t.Fatal(err)
	}
	for i, at := range asked {
		if due := spread / 4 * time.Duration(i); at.Sub(begin) < due {
			t.Errorf("worker %d was asked after %s, before it was due at %s", i, at.Sub(begin), due)
		}
	}
}

// If the tools of many volumes take long to start, the first worker measures the idle machine meanwhile and
// starts last; otherwise it measures before.
func TestTheLookFindsTimeWhileToolsStart(t *testing.T) {
	synctest.Test(t, theLookFindsTime)
}

func theLookFindsTime(t *testing.T) {
	for lead, want := range map[float64]string{idleSeconds + ownStart: "start 1, start 2, idle 0, start 0", 1: "idle 0, start 0, start 1, start 2"} {
		var mu sync.Mutex
		var asked []string
		var workers []*Worker
		for i := range 3 {
			first := true
			w, _ := connected(t, func(s *scripted, r model.Request) {
				mu.Lock()
				note := func(what string) { asked = append(asked, fmt.Sprint(what, " ", i)) }
				switch {
				case r.Idle != nil:
					mu.Unlock()
					time.Sleep(400 * time.Millisecond)
					mu.Lock()
					note("idle")
					mu.Unlock()
					s.emit(model.Event{ID: r.ID, Beside: &model.Beside{Idle: &model.Counters{Seconds: r.Idle.Seconds}}})
					return
				case r.Start != nil && first:
					first = false
					note("start")
				}
				mu.Unlock()
				steady(s, r)
			})
			workers = append(workers, w)
		}
		p := plan(1000, "a")
		p.Lead, p.Spread, p.Workloads[0].Volumes = lead, 0.3, len(workers)
		for range workers {
			p.Volumes = append(p.Volumes, model.Volume{Owned: true})
		}
		m := &memory{}
		if _, err := Execute(t.Context(), Options{Plan: p, Workers: workers, Judge: needs{}, Scheduler: inOrder{}, Recorder: m, Observer: silent{},
			Now: time.Now, Beside: Evidence{Look: true}}); err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(asked, ", "); got != want {
			t.Errorf("with a lead of %g s: %s\nnot %s", lead, got, want)
		}
		if m.beside.Idle == nil {
			t.Errorf("with a lead of %g s the look is not on record", lead)
		}
	}
}

// The time that is left during the prefill includes the rest of it, at the rate so far, and that of the other side.
func TestTimeLeftIncludesTheRestOfThePrefill(t *testing.T) {
	p := model.Progress{Phase: model.PhasePrefill, Done: 1 << 30, Total: 4 << 30, Rate: 1e12}
	if got := rest(p, 10, 0, 0); got != 30 {
		t.Errorf("after a quarter in 10 s, %g s are left", got)
	}
	if got := rest(p, 10, 1, 0); got != 70 {
		t.Errorf("with another side, %g s are left", got)
	}
	limited := p
	if limited.Limit = 23; rest(limited, 10, 0, 33) != 23 || rest(limited, 10, 1, 33) != 23+33 {
		t.Errorf("up to a time limit, %g s are left, with another side %g s", rest(limited, 10, 0, 33), rest(limited, 10, 1, 33))
	}
	if limited.Limit = 31; rest(limited, 10, 0, 41) != 30 {
		t.Errorf("without reaching the time limit, %g s are left", rest(limited, 10, 0, 41))
	}
	w, _ := connected(t, func(s *scripted, r model.Request) {
		if r.Prepare != nil {
			s.emit(model.Event{ID: r.ID, Progress: &p})
		}
		steady(s, r)
	})
	// Each look at the clock takes 100 s.
	clock := time.Unix(0, 0)
	now := func() time.Time { clock = clock.Add(100 * time.Second); return clock }
	var left, after []float64
	planned := plan(20, "a")
	_, err := Execute(t.Context(), Options{Plan: planned, Workers: []*Worker{w}, Judge: needs{"a": 2}, Scheduler: inOrder{}, Recorder: &memory{}, Now: now,
		Observer: observed(func(u model.Update) {
			if u.Progress != nil {
				left = append(left, u.Left)
			} else {
				after = append(after, u.Left)
			}
		})})
	if err != nil || len(left) != 1 || left[0] < 100 || left[0] > 600 || len(after) == 0 || after[0] > 20 {
		t.Errorf("%v s and then %v s are left, %v", left, after, err)
	}
}

// briefly is a judge for which storage is narrow enough, and has been observed for 30 s of 100, until there are five repeats.
type briefly struct{}

func (briefly) Judge(p *model.Plan, w model.Workload, samples map[string][]model.Sample) model.Judgement {
	if len(samples[w.Name]) >= 5*int(p.Schedule.Repeat) {
		return model.Judgement{Workload: w.Name, Converged: true}
	}
	return model.Judgement{Workload: w.Name, Observed: 30, ObserveFor: 100}
}

// The time that is left includes what a workload has to be observed for, but never more than there is.
func TestTimeLeftIncludesWhatHasToBeObserved(t *testing.T) {
	for most, want := range map[float64][2]float64{600: {60, 70}, 40: {20, 38}} {
		w, _ := connected(t, steady)
		var left []float64
		_, err := Execute(t.Context(), Options{Plan: plan(most, "a"), Workers: []*Worker{w}, Judge: briefly{}, Scheduler: inOrder{}, Recorder: &memory{}, Now: time.Now,
			Observer: observed(func(u model.Update) {
				if u.Judgement != nil {
					left = append(left, u.Left)
				}
			})})
		if err != nil || len(left) != 5 || left[3] < want[0] || left[3] > want[1] || left[4] > 10 {
			t.Errorf("of at most %g s are left %v, want %v before the last, %v", most, left, want, err)
		}
	}
}

type observed func(model.Update)

func (o observed) Observe(u model.Update) { o(u) }
