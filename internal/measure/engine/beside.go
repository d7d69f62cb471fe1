package engine

import (
	"context"
	"slices"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/units"
)

const (
	// idleSeconds is the length of the measurement of the idle machine before the load.
	idleSeconds = 1.0
	// ownStart is the time that the first worker's tool needs to start after measuring the idle machine, in
	// addition to the margin of every common start.
	ownStart = 0.5
	// ceilingSeconds is the length of a measurement of the load generator alone; it is made only if the
	// load generator used at least busyEnough of a core.
	ceilingSeconds = 0.5
	busyEnough     = 0.3
	// The sweep reads each part once, for at most warmSeconds, and then measures it.
	warmSeconds  = 20.0
	sweepRamp    = 0.5
	sweepSeconds = 4.0
)

// Evidence is what the trust rules need to be measured apart from the load; the zero value asks for
// nothing.
type Evidence struct {
	// Look asks for a measurement of the idle machine before the load, and of the load generator's own
	// ceiling after it, if it was busy.
	Look bool
	// Memory is the memory size in bytes that determines the sizes of the cache check; 0 if unknown.
	Memory int64
	// ReadBandwidth and WriteBandwidth are in bytes/s, as probed before the volume was prepared; 0 if they
	// were not probed.
	ReadBandwidth, WriteBandwidth float64
}

// busy notes how much of a core the load generator used.
func (s *side) busy(workload string, cores float64) {
	if s.cores == nil {
		s.cores = map[string]float64{}
	}
	s.cores[workload] = max(s.cores[workload], cores)
}

// idle lets the first worker measure the machine before there is any load.
func (e *execution) idle(ctx context.Context, s *side) error {
	if !s.beside.Look {
		return nil
	}
	b, err := s.look(ctx)
	if err != nil {
		return err
	}
	e.clock = max(e.clock, e.now().Sub(e.began).Seconds())
	return s.recorder.Beside(*b)
}

func (s *side) look(ctx context.Context) (*model.Beside, error) {
	return s.workers[0].Idle(ctx, model.IdleRequest{Seconds: idleSeconds})
}

// looksMeanwhile reports whether the idle machine can be measured while the tools of a workload's many
// volumes start; the first worker's tool then starts last. None of them does I/O before the common start,
// and the measurement looks for I/O by others.
func (s *side) looksMeanwhile(w model.Workload) bool {
	return s.beside.Look && s.lead(w) >= idleSeconds+ownStart
}

// after makes the measurements that follow the load.
func (e *execution) after(ctx context.Context, s *side) error {
	if err := e.readsAfterLast(ctx, s); err != nil {
		return err
	}
	if err := e.sweep(ctx, s); err != nil {
		return err
	}
	return e.ceilings(ctx, s)
}

// ceilings measures the load generator alone for the workloads that kept it busy.
func (e *execution) ceilings(ctx context.Context, s *side) error {
	if !s.beside.Look {
		return nil
	}
	busy := slices.DeleteFunc(slices.Clone(s.plan.Workloads), func(w model.Workload) bool {
		return s.cores[w.Name] < busyEnough || e.dead[w.Name]
	})
	tell := func(done int) {
		if len(busy) > 0 {
			e.tell(s, model.Update{Progress: &model.Progress{Phase: model.PhaseCeiling, Done: float64(done), Total: float64(len(busy))}})
		}
	}
	tell(0)
	defer tell(len(busy))
	for i, w := range busy {
		if i > 0 {
			tell(i)
		}
		b, err := s.workers[0].Ceiling(ctx, model.CeilingRequest{Workload: w, Volume: s.plan.Volume, Seconds: ceilingSeconds})
		if err := e.keep(ctx, s, b, err); err != nil {
			return err
		}
	}
	return nil
}

// keep records a measurement that was made apart from the load. If it failed, the run goes on: the rule
// that needs it reports "not checked".
func (e *execution) keep(ctx context.Context, s *side, b *model.Beside, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil {
		e.tell(s, model.Update{Message: err.Error()})
		return nil
	}
	return s.recorder.Beside(*b)
}

// The workloads of the sweep: read a part once, then read in it at random.
var (
	sweepWarm = model.Workload{Name: "cache-warm", Access: model.Sequential, Direction: model.Read,
		BlockSize: 1 << 20, Depth: 8, Metric: model.Bandwidth}
	sweepRead = model.Workload{Name: "cache-read", Access: model.Random, Direction: model.Read,
		BlockSize: 4 << 10, Depth: 16, Metric: model.IOPS}
)

// sweep measures random reads within larger and larger parts of the volume.
func (e *execution) sweep(ctx context.Context, s *side) error {
	if !s.plan.Experiment.CheckCache {
		return nil
	}
	for _, size := range sweepSizes(s.plan.Volume.Size, s.beside.Memory) {
		p, err := e.sweepPoint(ctx, s, size)
		if err := e.keep(ctx, s, &model.Beside{Cache: []model.CachePoint{p}}, err); err != nil {
			return err
		}
	}
	return nil
}

// sweepSizes returns ¼, ½, 1, 2 and 4 times the memory or, if the volume is smaller than that, 1/16 of it
// up to all of it.
func sweepSizes(volume, memory int64) []int64 {
	whole := 4 * memory
	if whole <= 0 || whole > volume {
		whole = volume
	}
	var sizes []int64
	for _, part := range []int64{16, 8, 4, 2, 1} {
		if size := whole / part &^ (1<<20 - 1); size > 0 && !slices.Contains(sizes, size) {
			sizes = append(sizes, size)
		}
	}
	return sizes
}

func (e *execution) sweepPoint(ctx context.Context, s *side, size int64) (model.CachePoint, error) {
	p := model.CachePoint{Size: size, Rates: []float64{}}
	part := s.plan.Volume
	part.Size = size
	e.tell(s, model.Update{Message: "cache check: random reads within " + units.FormatSize(size)})

	warmCtx, enough := context.WithCancel(ctx)
	defer enough()
	_, err := s.workers[0].Start(warmCtx, model.StartRequest{
		Step: model.Step{Workload: sweepWarm.Name, Seconds: warmSeconds}, Workload: sweepWarm, Volume: part,
	}, func(ev model.Event) {
		if ev.Sample != nil && ev.Sample.Read != nil {
			p.Warmed += int64(ev.Sample.Read.Bytes)
		}
		if p.Warmed >= size {
			enough()
		}
	})
	if err != nil {
		return p, err
	}
	res, err := s.workers[0].Start(ctx, model.StartRequest{
		Step:     model.Step{Workload: sweepRead.Name, Ramp: sweepRamp, Seconds: sweepSeconds},
		Workload: sweepRead, Volume: part,
	}, func(ev model.Event) {
		if ev.Sample != nil && ev.Sample.Read != nil && ev.Sample.Seconds > 0 {
			p.Rates = append(p.Rates, float64(ev.Sample.Read.IOs)/ev.Sample.Seconds)
		}
	})
	if err == nil && res.Error != "" && ctx.Err() == nil {
		p.Error = res.Error
	}
	return p, err
}
