package engine

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/loadline/loadline/internal/model"
)

// wants is a judge that wants a given number of blocks of each workload.
type wants map[string]int

func (n wants) JudgeBlocks(w model.Workload, blocks []model.Block) model.Contrast {
	return model.Contrast{Workload: w.Name, Blocks: len(blocks), Precise: len(blocks) >= n[w.Name]}
}

// alternating begins odd rounds with A and even ones with B.
type alternating struct{}

func (alternating) SideSteps(p *model.Plan, round int, workloads []model.Workload) []model.SideStep {
	var repeats []model.SideStep
	for _, w := range workloads {
		first := (round + 1) % 2
		for place, side := range []int{first, 1 - first} {
			repeats = append(repeats, model.SideStep{Side: side, Step: model.Step{
				Round: round, Block: round, Place: place + 1, Workload: w.Name, Ramp: p.Schedule.Ramp, Seconds: p.Schedule.Repeat}})
		}
	}
	return repeats
}

// repeatLog keeps the order in which both sides were measured.
type repeatLog struct {
	mu   sync.Mutex
	seen []string
}

func (d *repeatLog) answer(side string, answer func(s *scripted, r model.Request)) func(s *scripted, r model.Request) {
	return func(s *scripted, r model.Request) {
		if r.Start != nil {
			d.mu.Lock()
			d.seen = append(d.seen, fmt.Sprintf("%s%s%d", side, r.Start.Workload.Name, r.Start.Step.Block))
			d.mu.Unlock()
		}
		answer(s, r)
	}
}

type pairSetup struct {
	recA, recB *memory
	repeatLog  *repeatLog
	options    CompareOptions
}

// paired sets up a comparison of two scripted workers.
func paired(t *testing.T, p model.Plan, j PairJudge, a, b func(s *scripted, r model.Request)) *pairSetup {
	t.Helper()
	s := &pairSetup{recA: &memory{}, recB: &memory{}, repeatLog: &repeatLog{}}
	wa, _ := connected(t, s.repeatLog.answer("A", a))
	wb, _ := connected(t, s.repeatLog.answer("B", b))
	s.options = CompareOptions{
		A: Side{Plan: p, Workers: []*Worker{wa}, Recorder: s.recA}, B: Side{Plan: p, Workers: []*Worker{wb}, Recorder: s.recB},
		Judge: j, Scheduler: alternating{}, Observer: silent{}, Now: time.Now,
	}
	return s
}

func failing(workload string) func(s *scripted, r model.Request) {
	return func(s *scripted, r model.Request) {
		if r.Start != nil && r.Start.Workload.Name == workload {
			s.emit(model.Event{ID: r.ID, Result: &model.StepResult{Step: r.Start.Step, Error: "Input/output error"}})
			return
		}
		steady(s, r)
	}
}

func TestBlocksAlternateUntilSettled(t *testing.T) {
	s := paired(t, plan(1000, "a", "b"), wants{"a": 2, "b": 4}, steady, steady)
	status, err := Compare(t.Context(), s.options)
	if err != nil || status != model.Complete || s.recA.status != model.Complete || s.recB.status != model.Complete {
		t.Fatalf("status %s, records %s and %s, %v", status, s.recA.status, s.recB.status, err)
	}
	if got, want := strings.Join(s.repeatLog.seen, " "), "Aa1 Ba1 Ab1 Bb1 Ba2 Aa2 Bb2 Ab2 Ab3 Bb3 Bb4 Ab4"; got != want {
		t.Errorf("repeats\n%s, want\n%s", got, want)
	}
	// Both sides are on one clock, and no two repeats overlap.
	var all []model.StepResult
	for _, m := range []*memory{s.recA, s.recB} {
		if len(m.samples) != 12 {
			t.Errorf("%d samples of a side, want 12", len(m.samples))
		}
		for i, r := range m.steps {
			if r.Step.Number != i+1 || r.Step.Block == 0 || r.Step.Place == 0 {
				t.Errorf("step %d is %+v", i+1, r.Step)
			}
		}
		all = append(all, m.steps...)
	}
	slices.SortFunc(all, func(a, b model.StepResult) int {
		if a.Started < b.Started {
			return -1
		}
		return 1
	})
	for i := range all[1:] {
		if all[i+1].Started < all[i].Ended {
			t.Errorf("a repeat begins at %g, before another ends at %g", all[i+1].Started, all[i].Ended)
		}
	}
}

func TestMaxTimeEndsAComparison(t *testing.T) {
	// A block takes 5 s: two guaranteed ones of each workload and one more of "a" fit into 26 s.
	s := paired(t, plan(26, "a", "b"), wants{"a": 99, "b": 99}, steady, steady)
	if status, err := Compare(t.Context(), s.options); err != nil || status != model.Complete {
		t.Fatalf("status %s, %v", status, err)
	}
	if got, want := strings.Join(s.repeatLog.seen, " "), "Aa1 Ba1 Ab1 Bb1 Ba2 Aa2 Bb2 Ab2 Aa3 Ba3"; got != want {
		t.Errorf("repeats\n%s, want\n%s", got, want)
	}
}

func TestAFailureOnOneSideGivesUpBoth(t *testing.T) {
	s := paired(t, plan(1000, "a", "b"), wants{"a": 2, "b": 2}, steady, failing("b"))
	if status, err := Compare(t.Context(), s.options); err != nil || status != model.Complete {
		t.Fatalf("status %s, %v", status, err)
	}
	if got, want := strings.Join(s.repeatLog.seen, " "), "Aa1 Ba1 Ab1 Bb1 Ba2 Aa2"; got != want {
		t.Errorf("repeats\n%s, want\n%s", got, want)
	}
	s = paired(t, plan(1000, "a"), wants{}, steady, failing("a"))
	status, err := Compare(t.Context(), s.options)
	if err == nil || status != model.Failed || s.recA.status != model.Failed || s.recB.status != model.Failed || s.recA.reason == "" {
		t.Errorf("status %s, records %s and %s, %v", status, s.recA.status, s.recB.status, err)
	}
}

func TestAnInterruptEndsBothRecords(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	interrupting := func(s *scripted, r model.Request) {
		switch {
		case r.Start != nil && r.Start.Step.Block == 2:
			s.emit(model.Event{ID: r.ID, Sample: &model.Sample{Seconds: 1, End: 1, Step: r.Start.Step.Number}})
			cancel()
		case r.Stop != nil:
			s.emit(model.Event{ID: r.Stop.ID, Result: &model.StepResult{Error: model.StoppedStep, Ended: 1}})
		default:
			steady(s, r)
		}
	}
	s := paired(t, plan(1000, "a"), wants{"a": 9}, steady, interrupting)
	status, err := Compare(ctx, s.options)
	if status != model.Interrupted || !errors.Is(err, context.Canceled) || s.recA.status != model.Interrupted || s.recB.status != model.Interrupted {
		t.Fatalf("status %s, records %s and %s, %v", status, s.recA.status, s.recB.status, err)
	}
	if last := s.recB.steps[len(s.recB.steps)-1]; !last.EndedEarly || len(s.recA.steps) != 1 {
		t.Errorf("the repeat that was cut off is %+v; A has %d steps", last, len(s.recA.steps))
	}
}

func TestARecordThatCannotBeKeptEndsBoth(t *testing.T) {
	s := paired(t, plan(1000, "a"), wants{"a": 9}, steady, steady)
	s.recB.failAt = 3
	status, err := Compare(t.Context(), s.options)
	if status != model.Failed || err == nil || !strings.Contains(err.Error(), "no space left") || s.recA.status != model.Failed {
		t.Errorf("status %s, A's record %s, %v", status, s.recA.status, err)
	}
}
