package engine

import (
	"errors"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/loadline/loadline/internal/model"
)

// A worker that disappears in the middle of a step ends the run, whose error names it and the time; the
// others are stopped, and what all of them measured until then is kept.
func TestALostWorkerIsNamed(t *testing.T) {
	for name, c := range map[string]struct {
		// samples is how many samples the lost worker sends in its last repeat.
		samples int
	}{
		"in the middle": {2}, "before its first second": {0},
	} {
		t.Run(name, func(t *testing.T) {
			workers := make([]*Worker, 3)
			for i := range workers {
				workers[i], _ = connected(t, func(s *scripted, r model.Request) {
					switch {
					case r.Start == nil || r.Start.Step.Number == 1:
						steady(s, r)
					case i == 1:
						for n := range c.samples {
							s.emit(model.Event{ID: r.ID, Sample: &model.Sample{Step: 2, End: float64(n + 1), Seconds: 1, Read: &model.Flow{IOs: 100}}})
						}
						s.out.(net.Conn).Close()
					default:
						// These measure until they are stopped.
						s.emit(model.Event{ID: r.ID, Sample: &model.Sample{Step: 2, End: 1, Seconds: 1, Read: &model.Flow{IOs: 100}}})
					}
					if r.Stop != nil {
						s.emit(model.Event{ID: r.Stop.ID, Result: &model.StepResult{Step: model.Step{Number: 2, Workload: "w"}, Error: model.StoppedStep, Ended: 1}})
					}
				})
			}
			p := plan(1000, "w")
			p.Workloads[0].Volumes = 3
			for i := range 3 {
				p.Volumes = append(p.Volumes, model.Volume{Owned: true, Node: []string{"node1", "node2", "node3"}[i]})
			}
			m := &memory{}
			_, err := execute(t.Context(), p, needs{}, m, workers...)
			if err == nil || !strings.Contains(err.Error(), "volume 2 on node2 was lost ") || !strings.Contains(err.Error(), "last heard of at ") || strings.Contains(err.Error(), "volume 1") {
				t.Errorf("%v", err)
			}
			if m.status != model.Failed || !strings.Contains(m.reason, "volume 2 on node2") {
				t.Errorf("%s: %s", m.status, m.reason)
			}
			lost, early := 0, 0
			for _, r := range m.steps {
				if r.Step.Number != 2 {
					continue
				}
				if r.Lost != "" {
					lost++
					if r.Worker != 1 || !r.EndedEarly || (r.Error != "") != (c.samples == 0) || r.Ended < r.Started {
						t.Errorf("%+v", r)
					}
				} else if r.EndedEarly && r.Error == "" {
					early++
				}
			}
			if lost != 1 || early != 2 {
				t.Errorf("%d lost, %d ended early: %+v", lost, early, m.steps)
			}
		})
	}
}

// Close does not wait for a worker that is known to be gone, and reports only what its place reports.
func TestClosingALostWorker(t *testing.T) {
	w, s := connected(t, steady)
	s.out.(net.Conn).Close()
	<-w.closed
	if err := w.Close(); err != nil {
		t.Error(err)
	}
	var gone *goneError
	if _, err := w.Clock(t.Context(), time.Now); !errors.As(err, &gone) {
		t.Errorf("%v", err)
	}
}
