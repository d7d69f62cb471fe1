package engine

import (
	"context"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/loadline/loadline/internal/model"
)

// counting answers like steady, logs the measurements that are requested apart from the load, and keeps its
// processor busy in workload b.
func counting(asked *[]string) func(s *scripted, r model.Request) {
	return func(s *scripted, r model.Request) {
		switch {
		case r.Idle != nil:
			*asked = append(*asked, "idle")
			s.emit(model.Event{ID: r.ID, Beside: &model.Beside{Idle: &model.Counters{Seconds: r.Idle.Seconds}}})
		case r.Ceiling != nil:
			*asked = append(*asked, "ceiling "+r.Ceiling.Workload.Name)
			s.emit(model.Event{ID: r.ID, Beside: &model.Beside{Ceilings: []model.Ceiling{{Workload: r.Ceiling.Workload.Name, IOPS: 5}}}})
		case r.Start != nil && r.Start.Workload.Name == "b":
			*asked = append(*asked, "b")
			s.emit(model.Event{ID: r.ID, Sample: &model.Sample{Step: r.Start.Step.Number, End: 1, Seconds: 1, Read: &model.Flow{IOs: 100}}})
			s.emit(model.Event{ID: r.ID, Result: &model.StepResult{Step: r.Start.Step, Ended: 2, UserCPU: 0.2, SystemCPU: 0.2}})
		case r.Start != nil && r.Start.Workload.Name == sweepWarm.Name:
			for range 3 {
				s.emit(model.Event{ID: r.ID, Sample: &model.Sample{Seconds: 1, Read: &model.Flow{Bytes: uint64(r.Start.Volume.Size)}}})
			}
			s.emit(model.Event{ID: r.ID, Result: &model.StepResult{Step: r.Start.Step}})
		case r.Start != nil && r.Start.Workload.Name == sweepRead.Name:
			res := &model.StepResult{Step: r.Start.Step}
			if r.Start.Volume.Size > 32<<20 {
				res.Error = "Input/output error"
			}
			s.emit(model.Event{ID: r.ID, Sample: &model.Sample{Seconds: 2, Read: &model.Flow{IOs: 400}}})
			s.emit(model.Event{ID: r.ID, Result: res})
		default:
			steady(s, r)
		}
	}
}

func TestBesideTheLoad(t *testing.T) {
	var asked []string
	w, _ := connected(t, counting(&asked))
	p := plan(100, "a", "b")
	p.Volume.Size, p.Experiment.CheckCache = 64<<20, true
	m := &memory{}
	_, err := Execute(t.Context(), Options{Plan: p, Workers: []*Worker{w}, Judge: needs{}, Scheduler: inOrder{}, Recorder: m, Observer: silent{},
		Now: time.Now, Beside: Evidence{Look: true, Memory: 1 << 30}})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"idle", "b", "b", "ceiling b"}, asked); diff != "" {
		t.Errorf("asked for (-want +got):\n%s", diff)
	}
	want := model.Beside{Idle: &model.Counters{Seconds: 1}, Ceilings: []model.Ceiling{{Workload: "b", IOPS: 5}}}
	for _, mib := range []int64{4, 8, 16, 32, 64} {
		want.Cache = append(want.Cache, model.CachePoint{Size: mib << 20, Warmed: 3 * mib << 20, Rates: []float64{200}})
	}
	want.Cache[4].Error = "Input/output error"
	if diff := cmp.Diff(want, m.beside); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if len(m.steps) != 4 {
		t.Errorf("%d steps are on record: what is measured beside the load is none", len(m.steps))
	}
}

func TestNothingBesideUnlessAsked(t *testing.T) {
	var asked []string
	w, _ := connected(t, counting(&asked))
	m := &memory{}
	if _, err := execute(t.Context(), plan(100, "a"), needs{}, m, w); err != nil || len(asked) > 0 || m.beside.Idle != nil {
		t.Errorf("%v, %v, %+v", err, asked, m.beside)
	}
}

// If the ceiling cannot be measured, it is missing, but the run is complete.
func TestARunOutlivesAFailedCeiling(t *testing.T) {
	var asked []string
	answer := counting(&asked)
	w, _ := connected(t, func(s *scripted, r model.Request) {
		if r.Ceiling != nil {
			s.emit(model.Event{ID: r.ID, Error: model.BrokenError("fio has no null engine.", "")})
			return
		}
		answer(s, r)
	})
	m := &memory{}
	status, err := Execute(context.Background(), Options{Plan: plan(100, "b"), Workers: []*Worker{w}, Judge: needs{}, Scheduler: inOrder{},
		Recorder: m, Observer: silent{}, Now: time.Now, Beside: Evidence{Look: true}})
	if err != nil || status != model.Complete || len(m.beside.Ceilings) != 0 {
		t.Errorf("%s, %v, %+v", status, err, m.beside)
	}
}

func TestSweepSizes(t *testing.T) {
	const gib = 1 << 30
	for _, c := range []struct {
		volume, memory int64
		want           []int64
	}{
		{100 * gib, 4 * gib, []int64{gib, 2 * gib, 4 * gib, 8 * gib, 16 * gib}},
		{16 * gib, 8 * gib, []int64{gib, 2 * gib, 4 * gib, 8 * gib, 16 * gib}},
		{16 * gib, 0, []int64{gib, 2 * gib, 4 * gib, 8 * gib, 16 * gib}},
		{4 << 20, gib, []int64{1 << 20, 2 << 20, 4 << 20}},
		{0, gib, nil},
	} {
		if diff := cmp.Diff(c.want, sweepSizes(c.volume, c.memory)); diff != "" {
			t.Errorf("volume %d, memory %d (-want +got):\n%s", c.volume, c.memory, diff)
		}
	}
}
