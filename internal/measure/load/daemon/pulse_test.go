package daemon

import (
	"testing"

	"github.com/loadline/loadline/internal/model"
)

func TestStallsAreWhatWasWaitedFor(t *testing.T) {
	for name, c := range map[string]struct {
		answered, asked, ended float64
		want                   []model.Stall
	}{
		"all waited":           {3, 3, 6, []model.Stall{{Begin: 3, Seconds: 3}}},
		"one has always taken": {5.5, 1, 6, nil},
		"nothing was asked":    {1, 5.5, 6, nil},
		"shorter":              {4.5, 4.5, 6, nil},
	} {
		if got := AddStall(nil, c.answered, c.asked, c.ended); len(got) != len(c.want) || len(got) > 0 && got[0] != c.want[0] {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

// TestAPauseOfOursIsNotTheServers: a server must not be blamed for a pause of our own process.
func TestAPauseOfOursIsNotTheServers(t *testing.T) {
	now := 10.0
	p := &Pulse{now: func() float64 { return now }, end: func() {}}
	for _, at := range []float64{0.1, 0.2, 3.2, 3.3, 6, 6.1, 9.9} {
		p.beat(at)
	}
	p.pauses = p.pauses[:2]
	got := p.Causes([]model.Stall{{Begin: 0.1, Seconds: 3.1}, {Begin: 5, Seconds: 2.5}, {Begin: 7, Seconds: 2.9}})
	for i, want := range []model.StallCause{model.StallSuspended, model.StallStorage, model.StallStorage} {
		if got[i].Cause != want {
			t.Errorf("stall %d: %q", i, got[i].Cause)
		}
	}
}
