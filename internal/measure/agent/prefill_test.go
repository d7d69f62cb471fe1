package agent

import (
	"testing"

	"github.com/loadline/loadline/internal/model"
)

// The last report of a prefill says how long it took, which is what the record says.
func TestThePrefillSaysHowLongItTook(t *testing.T) {
	dir := t.TempDir()
	s := start(t, stub{})
	s.send(model.Request{ID: 1, Prepare: &model.PrepareRequest{
		Volume: model.Volume{Target: model.Target{Kind: model.Directory, Name: dir, Path: dir}, Owned: true, Prefill: true, Size: 2 << 20},
	}})
	var last model.Progress
	for {
		ev := s.next()
		if ev.Progress == nil {
			if ev.Prepared == nil || last.Phase != model.PhasePrefill || last.Done != 2<<20 || last.Seconds <= 0 || last.Seconds != ev.Prepared.Seconds {
				t.Errorf("%+v before %+v", last, ev.Prepared)
			}
			return
		}
		last = *ev.Progress
	}
}

// Each report but the last says in how many seconds the time limit ends the prefill, if it has one.
func TestThePrefillSaysWhenItsTimeLimitEndsIt(t *testing.T) {
	for limit, want := range map[float64]bool{0: false, 1e-9: true, 33: true} {
		dir := t.TempDir()
		s := start(t, stub{told: []model.Progress{{Phase: model.PhasePrefill, Done: 1 << 20, Total: 2 << 20, Rate: 1 << 20}}})
		s.send(model.Request{ID: 1, Prepare: &model.PrepareRequest{MaxSeconds: limit,
			Volume: model.Volume{Target: model.Target{Kind: model.Directory, Name: dir, Path: dir}, Owned: true, Prefill: true, Size: 2 << 20},
		}})
		first, last := s.next().Progress, s.next().Progress
		if first == nil || (first.Limit > 0) != want || first.Limit > max(limit, 0.001) || last == nil || last.Limit != 0 || last.Seconds <= 0 {
			t.Errorf("of %g s: %+v, then %+v", limit, first, last)
		}
	}
}
