package engine

import (
	"context"
	"errors"
	"time"

	"github.com/loadline/loadline/internal/model"
)

// PairJudge says what is known of the rows of a workload from its blocks so far.
type PairJudge interface {
	JudgeBlocks(w model.Workload, blocks []model.Block) model.Contrast
}

// PairScheduler draws the visits of one more round of blocks over the given
// workloads. The two visits of a block follow each other.
type PairScheduler interface {
	Visits(p *model.Plan, round int, workloads []model.Workload) []model.Visit
}

// Side is one of the two things that Compare measures. Each has its own record.
type Side struct {
	Plan     model.Plan
	Workers  []*Worker
	Recorder Recorder
	Beside   Evidence
}

// CompareOptions is what Compare needs. All fields are required. The two plans
// have the same workloads and the same schedule, whose MaxTime is for both sides
// together.
type CompareOptions struct {
	A, B      Side
	Judge     PairJudge
	Scheduler PairScheduler
	Observer  Observer
	Now       func() time.Time
}

// Compare prepares both volumes in the same way and then measures them in
// blocks, a visit of one side and a visit of the other to the same workload in an
// order that is drawn at random, until the judge needs no more or the time is up.
// Both sides' steps are on one clock. Status and error are as of Execute, the
// same for both records.
func Compare(ctx context.Context, o CompareOptions) (model.Status, error) {
	c := &comparison{
		execution: newExecution(nil, o.Observer, o.Now), judge: o.Judge, scheduler: o.Scheduler,
		sides: [2]*side{
			{name: model.SideA, plan: o.A.Plan, workers: o.A.Workers, recorder: o.A.Recorder, beside: o.A.Beside},
			{name: model.SideB, plan: o.B.Plan, workers: o.B.Workers, recorder: o.B.Recorder, beside: o.B.Beside},
		},
		blocks: map[string][]model.Block{},
	}
	c.remaining = c.left
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
}

// plan is what both sides have in common of their plans.
func (c *comparison) plan() *model.Plan { return &c.sides[0].plan }

func (c *comparison) run(ctx context.Context) error {
	for _, s := range c.sides {
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

// all does the blocks.
func (c *comparison) all(ctx context.Context) error {
	p := c.plan()
	open := p.Workloads
	for round := 1; len(open) > 0; round++ {
		visits := c.scheduler.Visits(p, round, open)
		for i := 0; i+1 < len(visits); i += 2 {
			if err := c.block(ctx, visits[i], visits[i+1]); err != nil {
				return err
			}
		}
		if c.allDead(p.Workloads) {
			return errors.New("every workload failed")
		}
		if round >= p.Schedule.MinRounds {
			open = c.open(p.Workloads)
			if c.spent+2*slot(p.Schedule) > p.Schedule.MaxTime {
				return nil
			}
		}
	}
	return nil
}

// block does both visits of a block and judges the workload afterwards. What
// fails on one side is given up on both: half a block compares nothing.
func (c *comparison) block(ctx context.Context, first, second model.Visit) error {
	schedule := c.plan().Schedule
	if first.Step.Round > schedule.MinRounds && c.spent+cost(schedule, first.Step)+cost(schedule, second.Step) > schedule.MaxTime {
		return nil
	}
	var b model.Block
	for _, t := range []model.Visit{first, second} {
		if c.dead[t.Step.Workload] {
			return nil
		}
		s := c.sides[t.Side]
		d, err := c.step(ctx, s, t.Step, c.planned())
		if err != nil {
			return err
		}
		u := d.update()
		if c.dead[d.workload.Name] {
			u.Message = string(s.name) + ": " + givenUp(d)
		}
		if t.Side == 0 {
			b.A = d.samples
		} else {
			b.B = d.samples
		}
		if t == second && d.failed == "" && ctx.Err() == nil {
			name := d.workload.Name
			c.blocks[name] = append(c.blocks[name], b)
			known := c.judge.JudgeBlocks(d.workload, c.blocks[name])
			c.done[name] = known.Settled
			u.Contrast = &known
		}
		c.tell(s, u)
		if err := ctx.Err(); err != nil {
			return err
		}
	}
	return nil
}

// planned is the number of steps of both sides that are certain.
func (c *comparison) planned() int {
	return len(c.sides[0].plan.Steps) + len(c.sides[1].plan.Steps)
}

// left estimates the measuring time that remains: the certain blocks, then one
// more round of those that are not settled.
func (c *comparison) left() float64 {
	s := c.plan().Schedule
	number := c.sides[0].number + c.sides[1].number
	left := float64(len(c.sides[0].plan.Steps)+len(c.sides[1].plan.Steps)-number) * slot(s)
	if left <= 0 {
		left = 2 * float64(len(c.open(c.plan().Workloads))) * slot(s)
	}
	return min(left, max(0, s.MaxTime-c.spent))
}
