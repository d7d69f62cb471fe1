package perf

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/loadline/loadline/internal/judge/analyze"
	"github.com/loadline/loadline/internal/model"
)

// Setup is what is measured, and how.
type Setup struct {
	Name      string
	Workloads int
	Schedule  model.Schedule
	// Rounds, if not 0, is the number of rounds to measure; otherwise the
	// rule decides for each workload, as in a run.
	Rounds int
	// Looks is how many workloads have a long repeat instead of their last guaranteed one.
	Looks int
}

// Whole is one simulated run: all workloads on one storage, in rounds.
type Whole struct {
	Plan model.Plan
	// Samples are those that count as repeats, Long those of long repeats that do not.
	Samples map[string][]model.Sample
	Long    map[string][]model.Sample
	looks   int
	rec     *model.Recorded
	repeats *Repeats
	scales  []float64
	rng     *rand.Rand
	spent   float64
	tails   bool
}

func newWhole(s Storage, set Setup, seed uint64, tails bool) *Whole {
	w := &Whole{Samples: map[string][]model.Sample{}, Long: map[string][]model.Sample{}, looks: set.Looks, rec: &model.Recorded{}, repeats: NewRepeats(s, seed), tails: tails,
		rng: rand.New(rand.NewPCG(seed, 20240611))}
	w.Plan.Schedule = set.Schedule
	if w.Plan.Schedule.Looks = set.Looks; set.Looks > 0 {
		w.Plan.Schedule.Look = lookSeconds
	}
	for i := range set.Workloads {
		w.Plan.Workloads = append(w.Plan.Workloads, model.Workload{Name: fmt.Sprintf("w%02d", i), Access: model.Random,
			Direction: model.Read, BlockSize: 4096, Depth: 32, Metric: model.IOPS})
		w.scales = append(w.scales, math.Exp(s.Unlike*w.rng.NormFloat64()))
	}
	w.rec.Plan = w.Plan
	return w
}

// gap is the time between two repeats of a run, of any workload: the ramp, and fio's start and end.
func (w *Whole) gap() float64 { return w.Plan.Schedule.Ramp + w.Plan.Schedule.Overhead }

// slot returns the time of a repeat with its gap.
func (w *Whole) slot() float64 { return w.gap() + w.Plan.Schedule.Repeat }

// lookSeconds is the length of a long repeat, in seconds.
const lookSeconds = 20.0

// repeat simulates one step of a workload.
func (w *Whole) repeat(i int, look bool) {
	v := w.repeats
	seconds := int(w.Plan.Schedule.Repeat)
	if look {
		seconds = lookSeconds
	}
	w.spent += w.gap() + float64(seconds)
	v.step++
	v.pause = w.gap()
	v.clock += v.pause
	for second := range seconds {
		v.clock++
		speed := 1 + w.scales[i]*(v.speed(v.pause)-1)
		s := model.Sample{Step: v.step, End: v.clock, Seconds: 1, Look: look, Read: v.flow(math.Max(0.01, speed), w.tails)}
		w.rec.Samples = append(w.rec.Samples, s)
		name := w.Plan.Workloads[i].Name
		if second < int(w.Plan.Schedule.Repeat) {
			w.Samples[name] = append(w.Samples[name], s)
		} else {
			w.Long[name] = append(w.Long[name], s)
		}
		v.pause = 0
	}
	w.rec.Run.Steps = append(w.rec.Run.Steps, model.StepResult{Step: model.Step{Number: v.step, Workload: w.Plan.Workloads[i].Name, Look: look}})
}

// measure simulates rounds until the rule is satisfied with every workload, the time is up
// or, if set, that many rounds are over. It returns how many workloads the rule ended.
func (w *Whole) measure(stop func(w *Whole, i int) bool, rounds int) (ended int) {
	n := len(w.Plan.Workloads)
	done := make([]bool, n)
	for round := 1; rounds == 0 || round <= rounds; round++ {
		played := false
		for _, i := range w.rng.Perm(n) {
			if done[i] || rounds == 0 && round > w.Plan.Schedule.MinRounds && w.spent+w.slot() > w.Plan.Schedule.MaxTime {
				continue
			}
			w.repeat(i, i < w.looks && round == w.Plan.Schedule.MinRounds)
			played = true
			done[i] = rounds == 0 && stop(w, i)
		}
		if !played {
			break
		}
	}
	for _, d := range done {
		if d {
			ended++
		}
	}
	return ended
}

// Outcome is the result of the intervals of one metric in many simulated runs.
type Outcome struct {
	// Intervals counts those published, Open those without an upper end, and Covered those that contain the
	// truth.
	Intervals, Open, Covered int
	// Half is the relative half-width and Score the interval score (Gneiting & Raftery
	// 2007) relative to the truth, both summed over the intervals that have two ends;
	// Square is the squared relative error, summed over all.
	Half, Score, Square float64
}

// Coverage returns the share of the intervals that contain the truth.
func (o Outcome) Coverage() float64 { return float64(o.Covered) / float64(o.Intervals) }

// Known returns the half-width that an interval would have if the spread of the estimate were known.
func (o Outcome) Known() float64 { return 1.96 * math.Sqrt(o.Square/float64(o.Intervals)) }

// Width returns the mean half-width of the intervals that have two ends.
func (o Outcome) Width() float64 { return o.Half / float64(o.Intervals-o.Open) }

// MeanScore returns the mean interval score of those.
func (o Outcome) MeanScore() float64 { return o.Score / float64(o.Intervals-o.Open) }

func (o *Outcome) count(e model.Estimate, truth float64) {
	o.Intervals++
	o.Square += (e.Value/truth - 1) * (e.Value/truth - 1)
	if e.Low <= truth && (truth <= e.High || e.Open) {
		o.Covered++
	}
	if e.Open {
		o.Open++
		return
	}
	o.Half += (e.High - e.Low) / 2 / e.Value
	const alpha = 0.05
	o.Score += ((e.High - e.Low) + 2/alpha*math.Max(0, e.Low-truth) + 2/alpha*math.Max(0, truth-e.High)) / truth
}

// Outcomes are the results of a number of runs.
type Outcomes struct {
	By map[model.Metric]*Outcome
	// Seconds is the time used, Ended the share of the workloads that the rule ended.
	Seconds, Ended float64
}

// Simulate measures a storage in the given number of runs, each with its own seed, and
// applies the rule to get the intervals of the metrics.
func Simulate(s Storage, set Setup, rule Rule, truth map[model.Metric]float64, runs int) Outcomes {
	out := Outcomes{By: map[model.Metric]*Outcome{}}
	tails := false
	for m := range truth {
		out.By[m] = &Outcome{}
		tails = tails || m == model.P50 || m == model.P99
	}
	for seed := range runs {
		w := newWhole(s, set, uint64(seed), tails)
		out.Ended += float64(w.measure(rule.Stop, set.Rounds)) / float64(runs*set.Workloads)
		out.Seconds += w.spent / float64(runs)
		for i, r := range analyze.Results(w.rec) {
			for m, value := range truth {
				e, ok := r.Metrics[m]
				if !ok || e.Confidence == 0 {
					continue
				}
				out.By[m].count(rule.Estimate(w, i, m, e), value)
			}
		}
	}
	return out
}
