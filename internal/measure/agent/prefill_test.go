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
