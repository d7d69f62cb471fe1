package agent

import (
	"os"
	"testing"

	"github.com/loadline/loadline/internal/model"
)

// What was written until the prefill ended is measured, if it is enough: an owned file is truncated to
// that, and the proof covers it.
func TestASlowPrefillShrinksTheVolume(t *testing.T) {
	slow := model.SlowFill{WorkerError: model.BrokenError("too slow", "wait")}
	for _, c := range []struct{ least, want int64 }{{16 << 20, 20 << 20}, {32 << 20, 0}} {
		s := start(t, stub{fillErr: slow, filled: 20<<20 + 4096})
		s.send(model.Request{ID: 1, Prepare: &model.PrepareRequest{Least: c.least, Volume: model.Volume{
			Target: model.Target{Kind: model.Directory, Name: "d", Path: t.TempDir()}, Owned: true, Prefill: true, Size: 64 << 20}}})
		ev := s.answer()
		if c.want == 0 {
			if ev.Error == nil || ev.Error.Message != "too slow These workloads need at least 32 MiB." || ev.Error.Hint != "wait" {
				t.Errorf("%+v", ev)
			}
			continue
		}
		if ev.Prepared == nil || ev.Prepared.Size != c.want || ev.Prepared.Proof.Checked+ev.Prepared.Proof.Unwritten > 2*c.want {
			t.Fatalf("%+v %+v", ev.Error, ev.Prepared)
		}
		if info, err := os.Stat(ev.Prepared.Path); err != nil || info.Size() != c.want {
			t.Errorf("%v, %v", info, err)
		}
	}
}
