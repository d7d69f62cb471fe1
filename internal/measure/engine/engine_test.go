package engine

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"math"
	"net"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/loadline/loadline/internal/model"
)

// scripted is an agent that answers each request by calling a function.
type scripted struct {
	mu       sync.Mutex
	out      io.Writer
	seq      int64
	requests []model.Request
	answer   func(s *scripted, r model.Request)
	// ahead is how far its clock is ahead.
	ahead time.Duration
}

func (s *scripted) emit(ev model.Event) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.seq++
	ev.Seq = s.seq
	line, _ := json.Marshal(ev)
	_, _ = s.out.Write(append(line, '\n'))
}

// connected starts a scripted agent on a pipe and connects to it.
func connected(t *testing.T, answer func(s *scripted, r model.Request)) (*Worker, *scripted) {
	t.Helper()
	here, there := net.Pipe()
	s := &scripted{out: there, answer: answer}
	go func() {
		s.emit(model.Event{Hello: &model.Hello{Protocol: model.ProtocolVersion}})
		lines := bufio.NewScanner(there)
		for lines.Scan() {
			var r model.Request
			if json.Unmarshal(lines.Bytes(), &r) != nil {
				return
			}
			s.mu.Lock()
			s.requests = append(s.requests, r)
			s.mu.Unlock()
			go s.answer(s, r)
		}
	}()
	w, err := Connect(t.Context(), here)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { here.Close(); there.Close() })
	return w, s
}

// steady answers like a worker on a device of 100 IOPS.
func steady(s *scripted, r model.Request) {
	switch {
	case r.Prepare != nil:
		s.emit(model.Event{ID: r.ID, Prepared: &model.Preparation{Written: r.Prepare.Volume.Size}})
	case r.Clock != nil:
		s.emit(model.Event{ID: r.ID, Clock: time.Now().Add(s.ahead).UnixNano()})
	case r.Start != nil:
		for i := range int(r.Start.Step.Seconds) {
			s.emit(model.Event{ID: r.ID, Sample: &model.Sample{
				Step: r.Start.Step.Number, End: r.Start.Step.Ramp + float64(i+1), Seconds: 1, Read: &model.Flow{IOs: 100},
			}})
		}
		s.emit(model.Event{ID: r.ID, Result: &model.StepResult{Step: r.Start.Step, Ended: r.Start.Step.Ramp + r.Start.Step.Seconds}})
	case r.Bye != nil:
		s.emit(model.Event{ID: r.ID, Bye: &struct{}{}})
	}
}

// memory records into slices.
type memory struct {
	samples []model.Sample
	steps   []model.StepResult
	beside  model.Beside
	status  model.Status
	reason  string
	failAt  int
}

func (m *memory) Prepared(model.Preparation) error { return nil }
func (m *memory) Raw(model.Raw) error              { return nil }
func (m *memory) Sample(s model.Sample) error {
	m.samples = append(m.samples, s)
	if m.failAt > 0 && len(m.samples) >= m.failAt {
		return errors.New("no space left on device")
	}
	return nil
}
func (m *memory) Beside(b model.Beside) error      { m.beside.Add(b); return nil }
func (m *memory) Step(r ...model.StepResult) error { m.steps = append(m.steps, r...); return nil }
func (m *memory) Finish(s model.Status, reason string) error {
	m.status, m.reason = s, reason
	return nil
}

// needs is a judge that wants a given number of repeats of each workload; a long one is one of them.
type needs map[string]int

func (n needs) Judge(p *model.Plan, w model.Workload, samples map[string][]model.Sample) model.Judgement {
	seconds, of := 0, map[int]int{}
	for _, x := range samples[w.Name] {
		if of[x.Step]++; !x.Look || of[x.Step] <= int(p.Schedule.Repeat) {
			seconds++
		}
	}
	return model.Judgement{Workload: w.Name, Converged: seconds >= n[w.Name]*int(p.Schedule.Repeat)}
}

// inOrder schedules rounds in the given order.
type inOrder struct{}

func (inOrder) Round(p *model.Plan, round int, workloads []model.Workload, first int) []model.Step {
	var steps []model.Step
	for i, w := range workloads {
		steps = append(steps, model.Step{Number: first + i, Round: round, Workload: w.Name, Ramp: p.Schedule.Ramp, Seconds: p.Schedule.Repeat})
	}
	return steps
}

type silent struct{}

func (silent) Observe(model.Update) {}

func plan(maxTime float64, names ...string) model.Plan {
	p := model.Plan{Schedule: model.Schedule{Mode: model.Rounds, Ramp: 0.5, Repeat: 2, MinRounds: 2, MaxTime: maxTime}}
	for _, n := range names {
		p.Workloads = append(p.Workloads, model.Workload{Name: n, Direction: model.Read})
	}
	for round := 1; round <= 2; round++ {
		p.Steps = append(p.Steps, inOrder{}.Round(&p, round, p.Workloads, len(p.Steps)+1)...)
	}
	return p
}

func execute(ctx context.Context, p model.Plan, j Judge, m *memory, workers ...*Worker) (model.Status, error) {
	return Execute(ctx, Options{Plan: p, Workers: workers, Judge: j, Scheduler: inOrder{}, Recorder: m, Observer: silent{}, Now: time.Now})
}

func sequence(m *memory) string {
	var names []string
	for _, s := range m.steps {
		names = append(names, s.Step.Workload)
	}
	return strings.Join(names, " ")
}

func TestOnlyWhatIsNotPreciseGetsMoreRounds(t *testing.T) {
	w, _ := connected(t, steady)
	m := &memory{}
	status, err := execute(t.Context(), plan(1000, "a", "b"), needs{"a": 2, "b": 5}, m, w)
	if err != nil || status != model.Complete || m.status != model.Complete {
		t.Fatalf("status %s, %v", status, err)
	}
	if got := sequence(m); got != "a b a b b b b" {
		t.Errorf("repeats: %s", got)
	}
	for i, s := range m.samples[1:] {
		if s.End <= m.samples[i].End {
			t.Errorf("sample %d ends at %g, after one that ends at %g", i+1, s.End, m.samples[i].End)
		}
	}
	for i, s := range m.steps {
		if s.Step.Number != i+1 {
			t.Errorf("step %d has number %d", i+1, s.Step.Number)
		}
	}
}

func TestMaxTimeEndsTheRounds(t *testing.T) {
	w, _ := connected(t, steady)
	m := &memory{}
	// Each repeat takes 2.5 s: four guaranteed ones and two more fit into 16 s.
	status, err := execute(t.Context(), plan(16, "a", "b"), needs{"a": 99, "b": 99}, m, w)
	if err != nil || status != model.Complete {
		t.Fatalf("status %s, %v", status, err)
	}
	if got := sequence(m); got != "a b a b a b" {
		t.Errorf("repeats: %s", got)
	}
}

func TestAFailedRepeatGivesUpItsWorkloadOnly(t *testing.T) {
	w, _ := connected(t, func(s *scripted, r model.Request) {
		if r.Start != nil && r.Start.Workload.Name == "b" && r.Start.Step.Round == 2 {
			s.emit(model.Event{ID: r.ID, Result: &model.StepResult{Step: r.Start.Step, Error: "Input/output error"}})
			return
		}
		steady(s, r)
	})
	m := &memory{}
	status, err := execute(t.Context(), plan(1000, "a", "b"), needs{"a": 4, "b": 4}, m, w)
	if err != nil || status != model.Complete {
		t.Fatalf("status %s, %v", status, err)
	}
	if got := sequence(m); got != "a b a b a a" {
		t.Errorf("repeats: %s", got)
	}
}

// What a device was filled with is kept if one of the repeats failed: the cause may be in it.
func TestAFailedRepeatKeepsTheData(t *testing.T) {
	for name, c := range map[string]struct {
		steps func(s *scripted, r model.Request)
		want  bool
	}{"complete": {steady, true}, "one repeat failed": {failing("b"), false}} {
		t.Run(name, func(t *testing.T) {
			asked := make(chan bool, 1)
			w, _ := connected(t, func(s *scripted, r model.Request) {
				if r.Bye != nil {
					asked <- r.Discard
				}
				c.steps(s, r)
			})
			status, err := execute(t.Context(), plan(1000, "a", "b"), needs{"a": 3, "b": 3}, &memory{}, w)
			if err != nil || status != model.Complete {
				t.Fatalf("status %s, %v", status, err)
			}
			w.Discard()
			if err := w.Close(); err != nil {
				t.Error(err)
			}
			if got := <-asked; got != c.want {
				t.Errorf("told to discard: %v, want %v", got, c.want)
			}
		})
	}
}

func TestWhenAllFailTheRunFails(t *testing.T) {
	w, _ := connected(t, func(s *scripted, r model.Request) {
		if r.Start != nil {
			s.emit(model.Event{ID: r.ID, Result: &model.StepResult{Step: r.Start.Step, Error: "Input/output error"}})
			return
		}
		steady(s, r)
	})
	m := &memory{}
	if status, err := execute(t.Context(), plan(1000, "a"), needs{"a": 1}, m, w); err == nil || status != model.Failed || m.status != model.Failed || m.reason == "" {
		t.Errorf("status %s, recorded %s (%s), %v", status, m.status, m.reason, err)
	}
}

func TestAnInterruptKeepsThePartialRepeat(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	w, s := connected(t, func(s *scripted, r model.Request) {
		switch {
		case r.Start != nil:
			s.emit(model.Event{ID: r.ID, Sample: &model.Sample{Seconds: 1, End: 1}})
			cancel()
		case r.Stop != nil:
			s.emit(model.Event{ID: r.Stop.ID, Result: &model.StepResult{Error: model.StoppedStep, Ended: 1}})
		default:
			steady(s, r)
		}
	})
	m := &memory{}
	status, err := execute(ctx, plan(1000, "a", "b"), needs{}, m, w)
	if status != model.Interrupted || !errors.Is(err, context.Canceled) || m.status != model.Interrupted {
		t.Fatalf("status %s, recorded %s, %v", status, m.status, err)
	}
	if len(m.samples) != 1 || len(m.steps) != 1 || !m.steps[0].EndedEarly || m.steps[0].Error != "" {
		t.Errorf("kept %d samples, steps %+v", len(m.samples), m.steps)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if !slices.ContainsFunc(s.requests, func(r model.Request) bool { return r.Stop != nil }) {
		t.Error("the worker was not told to stop")
	}
}

func TestALostWorkerFailsTheRun(t *testing.T) {
	w, _ := connected(t, func(s *scripted, r model.Request) {
		if r.Start != nil {
			s.emit(model.Event{ID: r.ID, Sample: &model.Sample{Seconds: 1, End: 1}})
			s.out.(net.Conn).Close()
			return
		}
		steady(s, r)
	})
	m := &memory{}
	status, err := execute(t.Context(), plan(1000, "a"), needs{}, m, w)
	if status != model.Failed || err == nil || !strings.Contains(err.Error(), "the worker was lost") {
		t.Errorf("status %s, %v", status, err)
	}
	if len(m.samples) != 1 {
		t.Errorf("%d samples were kept, want the one that arrived", len(m.samples))
	}
}

// Something that ends in the last repeat fails the run as in any other repeat, and what was measured until
// then is kept.
func TestWhatIsLostInTheLastRepeatFailsTheRun(t *testing.T) {
	last := 0
	w, _ := connected(t, func(s *scripted, r model.Request) {
		if r.Start != nil && r.Start.Step.Number == last {
			s.emit(model.Event{ID: r.ID, Sample: &model.Sample{Step: last, Seconds: 1, End: 1}})
			s.emit(model.Event{ID: r.ID, Result: &model.StepResult{Step: r.Start.Step, Lost: "the server stopped"}})
			return
		}
		steady(s, r)
	})
	p := plan(1000, "a")
	last = p.Schedule.MinRounds
	m := &memory{}
	status, err := execute(t.Context(), p, needs{}, m, w)
	if status != model.Failed || err == nil || !strings.Contains(err.Error(), "the server stopped") {
		t.Errorf("status %s, %v", status, err)
	}
	if n := len(m.steps); n != last || m.steps[n-1].Lost == "" || m.samples[len(m.samples)-1].Step != last {
		t.Errorf("%d of %d repeats were kept: %+v", n, last, m.steps)
	}
}

func TestAGapInTheEventsIsNotOverlooked(t *testing.T) {
	w, _ := connected(t, func(s *scripted, r model.Request) {
		s.mu.Lock()
		s.seq += 2
		s.mu.Unlock()
		steady(s, r)
	})
	_, err := w.Prepare(t.Context(), model.PrepareRequest{}, nil)
	if err == nil || !strings.Contains(err.Error(), "events 2 to 3 are missing") {
		t.Errorf("got %v", err)
	}
}

func TestARecorderThatCannotSaveEndsTheRun(t *testing.T) {
	w, _ := connected(t, func(s *scripted, r model.Request) {
		if r.Stop != nil {
			s.emit(model.Event{ID: r.Stop.ID, Result: &model.StepResult{Error: model.StoppedStep}})
			return
		}
		if r.Start != nil {
			s.emit(model.Event{ID: r.ID, Sample: &model.Sample{Seconds: 1}})
			return
		}
		steady(s, r)
	})
	m := &memory{failAt: 1}
	status, err := execute(t.Context(), plan(1000, "a"), needs{}, m, w)
	if status != model.Failed || err == nil || !strings.Contains(err.Error(), "no space left") {
		t.Errorf("status %s, %v", status, err)
	}
}

func TestSeveralWorkersStartTogether(t *testing.T) {
	var mu sync.Mutex
	starts := map[int][]int64{}
	answer := func(s *scripted, r model.Request) {
		if r.Start != nil {
			mu.Lock()
			n := r.Start.Step.Number
			starts[n] = append(starts[n], r.Start.At)
			mu.Unlock()
		}
		steady(s, r)
	}
	a, _ := connected(t, answer)
	b, behind := connected(t, answer)
	behind.ahead = time.Hour
	m := &memory{}
	if _, err := execute(t.Context(), plan(1000, "a"), needs{"a": 1}, m, a, b); err != nil {
		t.Fatal(err)
	}
	if len(starts) != 2 {
		t.Errorf("%d starts, want 2 repeats", len(starts))
	}
	for _, repeat := range starts {
		if len(repeat) != 2 || repeat[0] == 0 || repeat[1] == 0 {
			t.Fatalf("start times %v, want those of two workers", repeat)
		}
		// One of the clocks is an hour ahead, so its worker is told to begin an hour later.
		if apart := time.Duration(max(repeat[0], repeat[1]) - min(repeat[0], repeat[1])); (apart - time.Hour).Abs() > 50*time.Millisecond {
			t.Errorf("start times lie %s apart, want the hour by which the clocks differ", apart)
		}
	}
	if c := m.beside.Clocks; len(c) != 4 || math.Abs(c[0].Offset) > c[0].Error+1e-3 || math.Abs(c[1].Offset-3600) > c[1].Error+1e-3 || c[1].Worker != 1 {
		t.Errorf("clocks %+v", c)
	}
	if len(m.steps) != 4 || len(m.samples) != 8 {
		t.Errorf("%d step results and %d samples, want 4 and 8", len(m.steps), len(m.samples))
	}
}

func TestASteadySeriesEndsALongRepeat(t *testing.T) {
	p := model.Plan{
		Workloads: []model.Workload{{Name: "a", Direction: model.Read}},
		Schedule:  model.Schedule{Mode: model.Steady, Repeat: 5, MinRounds: 1, MaxTime: 1000},
		Steps:     []model.Step{{Number: 1, Round: 1, Workload: "a", Seconds: 1e6}},
	}
	stopped := make(chan int, 1)
	w, _ := connected(t, func(s *scripted, r model.Request) {
		switch {
		case r.Start != nil:
			for i := 0; ; i++ {
				select {
				case id := <-stopped:
					s.emit(model.Event{ID: id, Result: &model.StepResult{Error: model.StoppedStep, Ended: float64(i)}})
					return
				default:
					s.emit(model.Event{ID: r.ID, Sample: &model.Sample{Seconds: 1, End: float64(i + 1)}})
				}
			}
		case r.Stop != nil:
			stopped <- r.Stop.ID
		default:
			steady(s, r)
		}
	})
	m := &memory{}
	status, err := execute(t.Context(), p, needs{"a": 2}, m, w)
	if err != nil || status != model.Complete {
		t.Fatalf("status %s, %v", status, err)
	}
	if len(m.samples) < 10 || m.steps[0].Error != "" || !m.steps[0].EndedEarly {
		t.Errorf("%d samples, result %+v", len(m.samples), m.steps[0])
	}
}
