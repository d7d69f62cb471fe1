package engine

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/loadline/loadline/internal/model"
)

// preparedRecorder keeps what was prepared.
type preparedRecorder struct {
	memory
	preparation model.Preparation
}

func (r *preparedRecorder) Prepared(p model.Preparation) error {
	r.preparation = p
	return nil
}

// twoVolumes returns a plan for two workers, each with its own file.
func twoVolumes() model.Plan {
	p := plan(1000, "two")
	for _, path := range []string{"/a", "/b"} {
		p.Volumes = append(p.Volumes, model.Volume{Target: model.Target{Kind: model.Directory, Path: path}, Owned: true, Size: 1 << 20})
	}
	p.Workloads[0].Volumes, p.Experiment.MaxPrefill = 2, 30
	return p
}

// asked counts the requests to prepare.
func asked(s *scripted) (n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, r := range s.requests {
		if r.Prepare != nil {
			n++
		}
	}
	return n
}

// A volume that was prepared ahead is used unless the plan turned out different.
func TestAVolumeThatIsReadyIsNotWrittenAgain(t *testing.T) {
	ready, firstAgent := connected(t, steady)
	other, secondAgent := connected(t, steady)
	p := twoVolumes()
	if err := ready.PrepareAhead(t.Context(), p.PrepareRequest(0), nil); err != nil {
		t.Fatal(err)
	}
	smaller := p.PrepareRequest(1)
	smaller.Volume.Size /= 2
	if err := other.PrepareAhead(t.Context(), smaller, nil); err != nil {
		t.Fatal(err)
	}
	r := &preparedRecorder{}
	status, err := Execute(t.Context(), Options{Plan: p, Workers: []*Worker{ready, other}, Judge: needs{}, Scheduler: inOrder{}, Recorder: r, Observer: silent{}, Now: time.Now})
	if err != nil || status != model.Complete {
		t.Fatalf("status %s, %v", status, err)
	}
	if first, second := asked(firstAgent), asked(secondAgent); first != 1 || second != 2 {
		t.Errorf("asked %d and %d times to prepare, want once, and twice where the plan is another", first, second)
	}
	if r.preparation.Written != 2<<20 {
		t.Errorf("%d bytes are recorded as written, want those of both volumes", r.preparation.Written)
	}
}

// An error during preparation ahead is reported when the engine asks, and ends the run as if it had
// happened then; a preparation that was stopped is requested again.
func TestWhatWentWrongAheadIsToldOnce(t *testing.T) {
	full := model.BrokenError("the prefill failed: No space left on device", "free some space")
	w, agent := connected(t, func(s *scripted, r model.Request) {
		if r.Prepare != nil {
			s.emit(model.Event{ID: r.ID, Error: full})
			return
		}
		steady(s, r)
	})
	p := plan(1000, "a")
	stopped, stop := context.WithCancel(t.Context())
	stop()
	if err := w.PrepareAhead(stopped, p.PrepareRequest(0), nil); !errors.Is(err, context.Canceled) {
		t.Errorf("stopped, it says %v", err)
	}
	if err := w.PrepareAhead(t.Context(), p.PrepareRequest(0), nil); err == nil {
		t.Error("nobody says that there is no space")
	}
	m := &memory{}
	status, err := execute(t.Context(), p, needs{}, m, w)
	var said *model.WorkerError
	if status != model.Failed || !errors.As(err, &said) || *said != *full {
		t.Errorf("status %s, %v", status, err)
	}
	if n := asked(agent); n != 2 {
		t.Errorf("asked %d times to prepare, want twice, of which one was stopped", n)
	}
}

func TestTheTimeOfWritingHasNoPauses(t *testing.T) {
	begin := time.Now()
	at := func(from, to float64) span {
		return span{begin.Add(time.Duration(from * float64(time.Second))), begin.Add(time.Duration(to * float64(time.Second)))}
	}
	for name, c := range map[string]struct {
		spans []span
		want  float64
	}{
		"at once":           {[]span{at(0, 4), at(1, 3), at(0, 2)}, 4},
		"one after another": {[]span{at(5, 6), at(0, 1), at(1, 2)}, 3},
		"overlapping":       {[]span{at(2, 5), at(0, 3), at(9, 10)}, 6},
		"one had nothing":   {[]span{at(0, 2), {}}, 2},
	} {
		if got := together(c.spans); got != c.want {
			t.Errorf("%s: %g s, want %g", name, got, c.want)
		}
	}
}
