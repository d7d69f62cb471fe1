package agent

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/loadline/loadline/internal/env"
	"github.com/loadline/loadline/internal/measure/observe"
	"github.com/loadline/loadline/internal/model"
)

func TestIdleCountsForTheTimeAsked(t *testing.T) {
	s := start(t, stub{})
	s.send(model.Request{ID: 1, Idle: &model.IdleRequest{Seconds: 0.2}})
	ev := s.answer()
	if ev.Beside == nil || ev.Beside.Idle == nil || ev.Beside.Idle.Seconds < 0.2 {
		t.Errorf("%+v, %v", ev.Beside, ev.Error)
	}
}

func TestCeilingIsTheDrivers(t *testing.T) {
	s := start(t, stub{})
	s.send(model.Request{ID: 1, Ceiling: &model.CeilingRequest{Workload: model.Workload{Name: "w"}, Seconds: 1}})
	ev := s.answer()
	want := &model.Beside{Ceilings: []model.Ceiling{{Workload: "w", IOPS: 100000, Seconds: 1}}}
	if diff := cmp.Diff(want, ev.Beside); diff != "" {
		t.Error(diff)
	}
}

// The client's counts of a window cover the time between two readings of the device; a late sample moves a
// reading to the next one.
func TestPairingKeepsBothEndsAtTheSameMoments(t *testing.T) {
	begin := time.Now()
	p := pairing{counter: observe.Begin(env.Clock{}, ""), begin: begin}
	for second, late := range []time.Duration{0, 0, 300 * time.Millisecond, 0, 400 * time.Millisecond} {
		end := float64(second + 1)
		p.sample(&model.Sample{End: end, Seconds: 1, Read: &model.Flow{IOs: 10, Bytes: 40}, Write: &model.Flow{IOs: 1, Bytes: 4}},
			begin.Add(time.Duration(end*float64(time.Second))+late))
	}
	// The first second opens the window; the fourth is the last that closes it.
	var w model.Window
	p.join(&w)
	if diff := cmp.Diff(model.Window{ClientReads: 30, ClientRead: 120, ClientWrites: 3, ClientWritten: 12}, w); diff != "" {
		t.Error(diff)
	}
	p.join(nil)
}
