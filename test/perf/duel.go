package perf

import (
	"math"
	"math/rand/v2"

	"github.com/loadline/loadline/internal/judge/analyze"
	"github.com/loadline/loadline/internal/model"
)

// Duel is a comparison with a known truth.
type Duel struct {
	Name string
	// Effect is the true speed of B as a multiple of A's.
	Effect float64
	// Shared sides have the noise of one disk, like two directories on it;
	// otherwise each has its own. Drift is what a shared disk loses per repeat.
	Shared bool
	Drift  float64
	// Gap is the time in seconds between two blocks of the workload.
	Gap   float64
	Start func(r *rand.Rand) func(pause float64) float64
	// Blocks, if not 0, is a fixed number of blocks; otherwise the rule decides,
	// with a minimum of 4 blocks and a maximum of 40.
	Blocks int
}

// Verdicts counts the results of the rate's row in many simulated comparisons.
type Verdicts struct {
	Runs int
	// Different counts adjusted p below 5 %, Claimed better or worse.
	Different, Claimed, Same, Unclear int
	// P99 counts adjusted p below 5 % of the row of the 99th percentile.
	P99 int
	// Covered counts the intervals that contain the true ratio; Half and Blocks are
	// summed over the runs.
	Covered, Blocks int
	Half            float64
}

// Share returns n as a share of the runs, as text.
func (v Verdicts) Share(n int) float64 { return float64(n) / float64(v.Runs) }

// duelWorkload is the compared workload: its rows are the rate and the p99.
var duelWorkload = model.Workload{Name: "w", Access: model.Random, Direction: model.Read, BlockSize: 4096, Depth: 32, Metric: model.IOPS}

// Fight runs the real judge and the real analysis to compare two simulated sides.
func Fight(d Duel, margins model.Margins, runs int) Verdicts {
	v := Verdicts{Runs: runs}
	for seed := range runs {
		c := d.run(uint64(seed), margins)
		row := c.Rows[0]
		v.Blocks += row.Blocks
		v.Half += row.Ratio.HalfWidth()
		if row.Ratio.Low <= d.Effect && d.Effect <= row.Ratio.High {
			v.Covered++
		}
		if row.Adjusted < c.Alpha {
			v.Different++
		}
		if len(c.Rows) > 1 && c.Rows[1].Adjusted < c.Alpha {
			v.P99++
		}
		switch row.Verdict {
		case model.Better, model.Worse:
			v.Claimed++
		case model.Same:
			v.Same++
		default:
			v.Unclear++
		}
	}
	return v
}

// fighter is one side with its record.
type fighter struct {
	repeats *Repeats
	rec     *model.Recorded
	speed   func(pause float64) float64
}

func (d Duel) fighter(r *rand.Rand, speed func(float64) float64, factor float64, side model.Side) *fighter {
	rec := &model.Recorded{}
	rec.Plan.Workloads, rec.Plan.Schedule = []model.Workload{duelWorkload}, model.Schedule{Mode: model.Rounds, Precision: 0.05, MinRounds: 4}
	rec.Run.Comparison, rec.Run.Side, rec.Run.Status = "duel", side, model.Complete
	if d.Blocks > 0 {
		rec.Plan.Schedule.MinRounds = d.Blocks
	}
	return &fighter{repeats: &Repeats{rng: r}, rec: rec, speed: func(pause float64) float64 { return factor * speed(pause) }}
}

// run simulates one comparison.
func (d Duel) run(seed uint64, margins model.Margins) *model.Comparison {
	r := rand.New(rand.NewPCG(seed, 20240517))
	speedA := d.Start(r)
	speedB := speedA
	if !d.Shared {
		speedB = d.Start(r)
	}
	repeat := 0.0
	drifting := func(speed func(float64) float64) func(float64) float64 {
		return func(pause float64) float64 {
			if pause > 0 {
				repeat++
			}
			return speed(pause) * math.Exp(d.Drift*repeat)
		}
	}
	a := d.fighter(r, drifting(speedA), 1, model.SideA)
	b := d.fighter(r, drifting(speedB), d.Effect, model.SideB)
	judge := analyze.BlockJudge{Margins: margins}
	var blocks []model.Block
	clock := 0.0
	aFirst := false
	for n := 1; ; n++ {
		if n%2 == 1 {
			aFirst = r.IntN(2) == 0
		} else {
			aFirst = !aFirst
		}
		first, second := a, b
		if !aFirst {
			first, second = b, a
		}
		// Each side's own noise continues through its own pause.
		pause := d.Gap
		clock = first.play(n, clock+d.Gap, pause)
		if d.Shared {
			pause = 0.85
		}
		clock = second.play(n, clock+0.85, pause)
		blocks = append(blocks, model.Block{A: a.last(n), B: b.last(n)})
		if d.Blocks > 0 && n >= d.Blocks || n >= 40 {
			break
		}
		if d.Blocks == 0 && n >= 4 && judge.JudgeBlocks(duelWorkload, blocks).Precise {
			break
		}
	}
	return analyze.Compare(a.measured(), b.measured(), margins)
}

// play simulates a repeat of three seconds that begins at the given time.
func (f *fighter) play(block int, begin, pause float64) float64 {
	f.repeats.step, f.repeats.clock = block, begin
	f.repeats.speed = f.speed
	f.repeats.pause = pause
	for range 3 {
		f.repeats.second()
	}
	f.rec.Run.Steps = append(f.rec.Run.Steps, model.StepResult{Step: model.Step{Number: block, Round: block, Block: block, Workload: "w"}})
	return f.repeats.clock
}

func (f *fighter) last(block int) []model.Sample { return f.repeats.Samples[3*(block-1):] }

func (f *fighter) measured() analyze.Measured {
	f.rec.Samples = f.repeats.Samples
	return analyze.Measured{Recorded: f.rec, Report: &model.Report{Results: analyze.Results(f.rec)}}
}
