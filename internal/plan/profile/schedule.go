package profile

import (
	"fmt"
	"math"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/units"
)

// Times in seconds. The ramp of a repeat covers the start of fio's jobs and the first requests;
// overhead is fio's start and end, in addition to ramp and repeat.
const (
	defaultRepeat  = 3.0
	defaultRamp    = 0.5
	defaultMaxTime = 300.0
	shortestRepeat = 1.0
	overhead       = 0.35
	defaultRounds  = 3
	// defaultBlocks is even, so that each side comes first equally often.
	defaultBlocks   = 4
	defaultAccuracy = 0.05
	// span is the minimum time between the beginnings of a workload's first and last repeat. Storage
	// drifts over seconds (write-back, garbage collection, neighbours): back-to-back repeats see the
	// same momentary state, agree too well, and the interval becomes too narrow. With three or more
	// workloads the others fill the time; with one or two, more rounds are needed.
	span = 15.0
	// lookSeconds is the length of a look, a long uninterrupted repeat that shows the sustained rate:
	// it uses up a burst credit that would refill while other workloads are measured. To make room for
	// it, repeats may be shortened to lookRepeat, the shortest for which device counters can be
	// compared.
	lookSeconds = 20.0
	lookRepeat  = 2.0
	// appOverhead is what an application's repeat takes in addition to ramp and measured part: a
	// checkpoint, reading the counters twice, starting the load tool, and the second by which it outlasts
	// the repeat.
	appOverhead = 2.0
	// rounding is a tolerance for floating-point errors in sums of times.
	rounding = 1e-6
)

// schedule decides how the time is spent on the given number of sides, which are measured alternately:
// 1 in a run, 2 in a comparison.
func schedule(exp model.Experiment, p Profile, sides int) (model.Schedule, error) {
	s := model.Schedule{
		Ramp: orDefault(p.Ramp, defaultRamp), Overhead: overhead, Seed: exp.Seed,
		Precision: orDefault(exp.Precision, orDefault(p.Precision, defaultAccuracy)), MinRounds: 1,
	}
	if exp.App != nil {
		s.Overhead = appOverhead
	}
	n := len(p.Workloads)
	switch {
	case exp.Time > 0:
		// Kbench: 20 s after a ramp of 5 s. A fixed time is binding, so the limit only leaves room for
		// slow starts.
		s.Mode, s.Repeat = model.Fixed, exp.Time
		s.Ramp = orDefault(exp.RampTime, min(5, exp.Time/4))
		if needs := float64(n) * (s.Ramp + s.Repeat); exp.MaxTime > 0 && exp.MaxTime < needs {
			return s, model.RefusedError(fmt.Sprintf("--time %s makes one repeat per workload, which takes %s for %s with ramps: more than --max-time %s", units.FormatSpan(exp.Time), units.FormatSpan(needs),
				units.FormatCount(n, "workload"), units.FormatSpan(exp.MaxTime)), "leave out --max-time, give less --time, or choose fewer workloads with --only")
		}
		s.MaxTime = max(exp.MaxTime, float64(n)*(s.Ramp+s.Repeat+5))
		return s, nil
	case exp.UntilSteady:
		// The limit is per workload here: the rule itself ends a repeat early.
		s.Mode, s.Repeat = model.Steady, orDefault(exp.MaxTime, defaultMaxTime)
		s.MaxTime = float64(n) * (s.Ramp + s.Repeat + 5)
		return s, nil
	}
	s.Mode = model.Rounds
	s.Repeat = orDefault(p.Repeat, defaultRepeat)
	s.MaxTime = orDefault(exp.MaxTime, orDefault(p.MaxTime, defaultMaxTime))
	s.MinRounds = defaultRounds
	fromProfile := exp.MaxTime == 0 && p.MaxTime > 0
	if sides > 1 {
		s.MinRounds = defaultBlocks
		if exp.MaxTime == 0 {
			looks := lookable(p.Workloads)
			if exp.App != nil {
				looks = 0
			}
			s.MaxTime = timeForSides(s, n, sides, looks)
		}
	}
	if exp.Repeat > 0 {
		s.MinRounds = exp.Repeat
	}
	plain, err := fitTime(s, n, sides, fromProfile)
	if err != nil || exp.App != nil {
		return plain, err
	}
	fitted := fitLooks(s, plain, p.Workloads, sides)
	fitted.ShortWriteLook = p.ShortWriteLook && fitted.Looks > 0
	return fitted, nil
}

// fitLooks gives each direction a look on each side, or as many as there is time for without making
// repeats much shorter. plain is the schedule without looks.
func fitLooks(s, plain model.Schedule, workloads []model.Workload, sides int) model.Schedule {
	least := min(plain.Repeat, lookRepeat)
	for n := lookable(workloads); n > 0; n-- {
		part := s
		part.MaxTime -= float64(sides*n) * (lookSeconds - least)
		fitted, err := fitTime(part, len(workloads), sides, false)
		if err == nil && fitted.Repeat >= least {
			fitted.MaxTime, fitted.Look, fitted.Looks = s.MaxTime, lookSeconds, n
			return fitted
		}
	}
	return plain
}

// LookTime returns the time in seconds for the looks at workloads.
func LookTime(workloads []model.Workload) float64 { return float64(lookable(workloads)) * lookSeconds }

// lookable returns in how many directions the workloads can have a look: not for an open loop, which
// only offers a set rate.
func lookable(workloads []model.Workload) int {
	seen := map[model.Direction]bool{}
	for _, w := range workloads {
		for _, d := range w.Directions() {
			seen[d] = seen[d] || !w.OpenLoop
		}
	}
	n := 0
	for _, closed := range seen {
		if closed {
			n++
		}
	}
	return n
}

// timeForSides returns the default time of a comparison: as much per side as for a run, and enough for
// repeats as long as in a run and the same number of looks on each side.
func timeForSides(s model.Schedule, n, sides, looks int) float64 {
	run := s
	run.MinRounds = defaultRounds
	run, err := fitTime(run, n, 1, false)
	if err != nil {
		return float64(sides) * s.MaxTime
	}
	return float64(sides) * max(s.MaxTime, float64(n*s.MinRounds)*slot(run)+float64(looks)*lookSeconds)
}

// fitTime shortens the repeats of n workloads on each side until the certain rounds fit into MaxTime,
// and adds rounds if repeats would otherwise be too close together.
func fitTime(s model.Schedule, n, sides int, fromProfile bool) (model.Schedule, error) {
	repeats := float64(n * sides * s.MinRounds)
	if repeats*slot(s) > s.MaxTime+rounding {
		// Samples are one second each, so repeats are a whole number of seconds.
		s.Repeat = min(s.Repeat, math.Floor(s.MaxTime/repeats-s.Ramp-s.Overhead+rounding))
	}
	if s.Repeat < shortestRepeat {
		shortest := s.Ramp + s.Overhead + shortestRepeat
		limit := "--max-time"
		if fromProfile {
			limit = "the profile's max_time"
		}
		hint := fmt.Sprintf("use --max-time %s or more", typedTime(repeats*shortest))
		if repeats*shortest > units.LongestTime {
			hint = fewerRepeats(s.MaxTime, float64(n*sides)*shortest)
		}
		if fit := int(s.MaxTime / (float64(sides*s.MinRounds) * shortest)); fit > 0 {
			hint += fmt.Sprintf(", or measure at most %s", units.FormatCount(fit, "workload"))
		}
		what := units.FormatCount(n, "workload")
		if sides > 1 {
			what += " on both sides"
		}
		return s, model.RefusedError(
			fmt.Sprintf("%d rounds of %s take at least %s, more than %s %s: every repeat needs %s to start and 1 s to measure",
				s.MinRounds, what, units.FormatSpan(math.Ceil(repeats*shortest)), limit, units.FormatSpan(s.MaxTime), units.FormatDuration(s.Ramp+s.Overhead)),
			hint)
	}
	for float64(s.MinRounds-1)*float64(n*sides)*slot(s) < span && float64((s.MinRounds+1)*n*sides)*slot(s) <= s.MaxTime {
		s.MinRounds++
	}
	return s, nil
}

// fewerRepeats returns what to ask for instead of rounds that would take more than a year. A round takes
// at least round of the available seconds.
func fewerRepeats(available, round float64) string {
	switch n := math.Floor(available / round); {
	case n >= 2:
		return fmt.Sprintf("use --repeat %.0f or less", n)
	case 2*round <= units.LongestTime:
		return fmt.Sprintf("use --repeat 2 --max-time %s", typedTime(2*round))
	}
	return "measure fewer workloads"
}

// slot returns the total time of one repeat.
func slot(s model.Schedule) float64 { return s.Ramp + s.Repeat + s.Overhead }

// steps returns the repeats that are certain.
func steps(p *model.Plan) []model.Step {
	var list []model.Step
	if p.Schedule.Mode == model.Rounds {
		for round := 1; round <= p.Schedule.MinRounds; round++ {
			list = append(list, Round(p, round, p.Workloads, len(list)+1)...)
		}
		return list
	}
	order := make([]int, len(p.Workloads))
	for i := range order {
		order[i] = i
	}
	readersFirst(order, p.Workloads)
	for i, k := range order {
		list = append(list, model.Step{
			Number: i + 1, Round: 1, Workload: p.Workloads[k].Name, Ramp: p.Schedule.Ramp, Seconds: p.Schedule.Repeat,
		})
	}
	return list
}

func orDefault(value, otherwise float64) float64 {
	if value > 0 {
		return value
	}
	return otherwise
}

// typedTime returns a time that is at least as long as these seconds, as people type it: 90s, 25m, 72h.
func typedTime(seconds float64) string {
	switch {
	case seconds > 10*3600:
		return fmt.Sprintf("%.0fh", math.Ceil(seconds/3600))
	case seconds > 10*60:
		return fmt.Sprintf("%.0fm", math.Ceil(seconds/60))
	}
	return fmt.Sprintf("%.0fs", math.Ceil(seconds))
}
