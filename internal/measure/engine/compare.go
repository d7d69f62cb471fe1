package engine

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/timeline"
)

// PairJudge judges the rows of a workload from its blocks so far.
type PairJudge interface {
	JudgeBlocks(w model.Workload, blocks []model.Block) model.Contrast
}

// PairScheduler draws the repeats of one more round of blocks over the given workloads. The two repeats of
// a block are adjacent.
type PairScheduler interface {
	SideSteps(p *model.Plan, round int, workloads []model.Workload) []model.SideStep
}

// Side is one of the two things that Compare measures. Each has its own record.
type Side struct {
	Plan     model.Plan
	Workers  []*Worker
	Recorder Recorder
	Beside   Evidence
}

// CompareOptions are the options of Compare. All fields but the last are required. The two plans have the
// same workloads and the same schedule, whose MaxTime is for both sides together.
type CompareOptions struct {
	A, B      Side
	Judge     PairJudge
	Scheduler PairScheduler
	Observer  Observer
	Now       func() time.Time
	// Looker chooses the looks of each side; if it is nil, there are none.
	Looker Looker
}

// Compare prepares both volumes in the same way and then measures them in blocks, each a repeat of the same
// workload on both sides in random order, until the judge needs no more or the time is up. Both sides'
// steps are on one clock. Status and error are as for Execute, and the same in both records.
func Compare(ctx context.Context, o CompareOptions) (model.Status, error) {
	c := &comparison{
		execution: newExecution(nil, o.Observer, o.Now), judge: o.Judge, scheduler: o.Scheduler,
		sides: [2]*side{
			{name: model.SideA, plan: o.A.Plan, workers: o.A.Workers, recorder: o.A.Recorder, beside: o.A.Beside, looking: looking{looker: o.Looker}},
			{name: model.SideB, plan: o.B.Plan, workers: o.B.Workers, recorder: o.B.Recorder, beside: o.B.Beside, looking: looking{looker: o.Looker}},
		},
		blocks: map[string][]model.Block{},
	}
	c.remaining, c.promised = c.left, c.unlooked
	status, reason, err := outcome(ctx, c.run(ctx))
	return status, errors.Join(err, o.A.Recorder.Finish(status, reason), o.B.Recorder.Finish(status, reason))
}

// comparison is the state of one Compare.
type comparison struct {
	execution
	sides     [2]*side
	judge     PairJudge
	scheduler PairScheduler
	blocks    map[string][]model.Block
	// second is how long the second repeat of the current block takes, in seconds, until it begins.
	second float64
}

// plan returns the plan of the first side, for what both plans have in common.
func (c *comparison) plan() *model.Plan { return &c.sides[0].plan }

func (c *comparison) run(ctx context.Context) error {
	for i, s := range c.sides {
		c.behind = len(c.sides) - 1 - i
		if err := c.prepare(ctx, s); err != nil {
			return err
		}
	}
	if err := c.alike(); err != nil {
		return err
	}
	for _, s := range c.sides {
		if err := c.clocks(ctx, s); err != nil {
			return err
		}
		if err := c.idle(ctx, s); err != nil {
			return err
		}
	}
	if err := c.all(ctx); err != nil {
		return err
	}
	for _, s := range c.sides {
		if err := c.after(ctx, s); err != nil {
			return err
		}
	}
	return nil
}

// all runs the blocks.
func (c *comparison) all(ctx context.Context) error {
	p := c.plan()
	open := p.Workloads
	for round := 1; len(open) > 0; round++ {
		var late [][2]model.SideStep
		for _, b := range c.readersFirst(pairs(c.scheduler.SideSteps(p, round, open))) {
			if round <= p.Schedule.MinRounds {
				for _, s := range c.sides {
					s.gone++
					c.choose(s, b[0].Step)
				}
				c.sides[0].equalLooks(c.sides[1])
			}
			if c.replaced(b) {
				late = append(late, b)
				continue
			}
			if err := c.block(ctx, b); err != nil {
				return err
			}
		}
		if err := c.chosen(ctx, late); err != nil {
			return err
		}
		if c.allDead(p.Workloads) {
			return errors.New("every workload failed")
		}
		if round >= p.Schedule.MinRounds {
			open = slices.DeleteFunc(c.open(p.Workloads), func(w model.Workload) bool { return !c.fits(w, p.Schedule.MaxTime, c.sides[0], c.sides[1]) })
		}
	}
	return nil
}

// pairs groups consecutive repeats into blocks of two.
func pairs(repeats []model.SideStep) [][2]model.SideStep {
	var blocks [][2]model.SideStep
	for i := 0; i+1 < len(repeats); i += 2 {
		blocks = append(blocks, [2]model.SideStep{repeats[i], repeats[i+1]})
	}
	return blocks
}

// readersFirst puts the blocks that only read first in their round if reads of a side have to wait for
// writes: then there is one wait per round.
func (c *comparison) readersFirst(blocks [][2]model.SideStep) [][2]model.SideStep {
	for _, s := range c.sides {
		if s.drain.confirmed {
			slices.SortStableFunc(blocks, func(a, b [2]model.SideStep) int { return s.writesIn(a[0].Step) - s.writesIn(b[0].Step) })
			break
		}
	}
	return blocks
}

// block does both repeats of a block and then judges the workload. A workload that fails on one side is
// given up on both: half a block compares nothing.
func (c *comparison) block(ctx context.Context, repeats [2]model.SideStep) error {
	schedule := c.plan().Schedule
	if repeats[0].Step.Round > schedule.MinRounds && c.spent+c.cost(c.sides[repeats[0].Side], repeats[0].Step)+c.cost(c.sides[repeats[1].Side], repeats[1].Step) > schedule.MaxTime {
		return nil
	}
	var b model.Block
	defer func() { c.second = 0 }()
	for i, v := range repeats {
		if c.dead[v.Step.Workload] {
			return nil
		}
		// A look is counted by itself.
		if c.second = 0; i == 0 && !c.sides[repeats[1].Side].replaced(repeats[1].Step) {
			c.second = c.cost(c.sides[repeats[1].Side], repeats[1].Step)
		}
		if err := c.half(ctx, v, &b); err != nil {
			return err
		}
	}
	return nil
}

// half does one repeat of a block as planned or, if it was chosen for a look, the look and those that it
// makes possible after it.
func (c *comparison) half(ctx context.Context, v model.SideStep, b *model.Block) error {
	s := c.sides[v.Side]
	if !s.replaced(v.Step) {
		return c.repeat(ctx, v, b)
	}
	return c.lookAt(s, v.Step.Workload, func(name string, seconds float64, others bool) error {
		look := v
		look.Step.Seconds, look.Step.Look = seconds, true
		if !others {
			return c.repeat(ctx, look, b)
		}
		// This look is in no block: the other side has not done the same.
		look.Step.Workload, look.Step.Block, look.Step.Place, look.Step.Offset = name, 0, 0, 0
		return c.repeat(ctx, look, nil)
	})
}

// repeat does a repeat on one side. The second one of the block b, which may be nil, completes it.
func (c *comparison) repeat(ctx context.Context, v model.SideStep, b *model.Block) error {
	s := c.sides[v.Side]
	d, err := c.step(ctx, s, v.Step, c.planned())
	if err != nil {
		return err
	}
	u := d.update()
	name := d.workload.Name
	if c.dead[name] {
		u.Message = string(s.name) + ": " + givenUp(d)
	}
	if d.failed == "" && ctx.Err() == nil {
		s.remember(d)
		samples, _ := timeline.SplitLooks(d.samples, s.plan.Schedule.Repeat)
		if b != nil && v.Side == 0 {
			b.A = samples
		} else if b != nil {
			b.B = samples
		}
		if b != nil && b.A != nil && b.B != nil && !d.again {
			c.blocks[name] = append(c.blocks[name], *b)
			known := c.judge.JudgeBlocks(d.workload, c.blocks[name])
			c.done[name] = known.Precise
			u.Contrast = &known
		}
	}
	c.tell(s, u)
	if d.again && ctx.Err() == nil {
		return c.repeat(ctx, v, b)
	}
	return ctx.Err()
}

// replaced reports whether a look replaces a repeat of the block.
func (c *comparison) replaced(b [2]model.SideStep) bool {
	return slices.ContainsFunc(b[:], func(v model.SideStep) bool { return c.sides[v.Side].replaced(v.Step) })
}

// chosen runs the blocks with a look, after the others of the round.
func (c *comparison) chosen(ctx context.Context, late [][2]model.SideStep) error {
	if len(late) == 0 {
		return nil
	}
	for _, b := range late {
		if err := c.block(ctx, b); err != nil {
			return err
		}
	}
	for _, s := range c.sides {
		c.fallen(s)
	}
	return nil
}

// unlooked returns the time that the remaining looks of both sides take, in seconds.
func (c *comparison) unlooked() float64 { return c.sides[0].unlooked() + c.sides[1].unlooked() }

// planned returns the number of guaranteed steps of both sides.
func (c *comparison) planned() int {
	return len(c.sides[0].plan.Steps) + len(c.sides[1].plan.Steps)
}

// left estimates the measuring time that remains after the current step: the rest of the block and the guaranteed
// ones, then one more round of the workloads that are not settled.
func (c *comparison) left() float64 {
	s := c.plan().Schedule
	left, more := c.certain(c.sides[0])+c.certain(c.sides[1]), 0.0
	if left <= 0 {
		more = 2 * float64(len(c.open(c.plan().Workloads))) * slot(s)
	}
	return c.within(s.MaxTime, c.second+left, more, 2*slot(s))
}
