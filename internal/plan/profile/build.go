package profile

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/safetext"
	"github.com/loadline/loadline/internal/model/units"
)

// Build expands an experiment into a plan: the volume with its size, the schedule and the certain
// steps. It does no I/O and is a pure function, so the caller draws exp.Seed if the user gave none. If
// something cannot be done (no space, no time, no permission to overwrite), it returns a
// *model.WorkerError of class Refused.
func Build(exp model.Experiment, p Profile, t model.Target, probe model.ProbeResult) (model.Plan, error) {
	plan, err := expand(exp, p, t, probe, 1)
	if err != nil {
		return model.Plan{}, err
	}
	plan.Steps = steps(&plan)
	plan.MeasureSeconds = measureSeconds(&plan)
	return plan, nil
}

// expand builds all of a plan but its steps, for one of the given number of sides.
func expand(exp model.Experiment, p Profile, t model.Target, probe model.ProbeResult, sides int) (model.Plan, error) {
	if exp.Seed == 0 {
		return model.Plan{}, fmt.Errorf("the experiment has no seed: draw one before building the plan")
	}
	if err := Check(p); err != nil {
		return model.Plan{}, err
	}
	if err := checkAsked(exp); err != nil {
		return model.Plan{}, err
	}
	exp.Goals = goalsOf(exp, p)
	var volume model.Volume
	var err error
	if exp.App != nil && p.Data == nil {
		return model.Plan{}, fmt.Errorf("the profile %s loads no application", p.Name)
	}
	if exp.App != nil {
		// The plan records what was chosen; the request is not modified.
		ask := *exp.App
		exp.App = &ask
		volume, err = p.Data.Choose(&ask, p.Workloads, t, probe)
	} else {
		volume, err = chooseVolume(exp, p, t, probe)
	}
	if err != nil {
		return model.Plan{}, err
	}
	plan := model.Plan{
		Schema:     model.PlanSchema,
		Experiment: exp,
		Volume:     volume,
		Workloads:  fitOffsets(p.Workloads, volume.Size),
	}
	if plan.Schedule, err = schedule(exp, p, sides); err != nil {
		return model.Plan{}, err
	}
	switch {
	case exp.App != nil:
		plan.PrefillSeconds = p.Data.Seconds(volume)
		if probe.App != nil {
			state := *probe.App
			state.Scale = exp.App.Scale
			plan.App = &state
		}
	case volume.Prefill:
		plan.PrefillSeconds = prefillSeconds(exp, volume, probe)
	}
	return plan, nil
}

// goalsOf returns the experiment's goals, or those of the profile's that concern its workloads.
func goalsOf(exp model.Experiment, p Profile) []string {
	if len(exp.Goals) > 0 {
		return exp.Goals
	}
	var goals []string
	for _, g := range p.Goals {
		if name, _, _ := strings.Cut(g, " "); slices.Contains(p.names(), name) {
			goals = append(goals, g)
		}
	}
	return goals
}

func measureSeconds(p *model.Plan) float64 {
	// A look replaces a repeat.
	sum := float64(p.Schedule.Looks)*(p.Schedule.Look-p.Schedule.Repeat) - p.ShortenedBy()
	for _, s := range p.Steps {
		sum += s.Ramp + s.Seconds + p.Schedule.Overhead
	}
	return sum
}

// slowPrefill is a rate, in bytes/s, that hardly any storage falls below when it is filled.
const slowPrefill = 10 << 20

// prefillSeconds returns the expected duration of the prefill. Before a probe this is the limit to
// which an automatic size will keep, or less if there is little to write; 0 is unknown.
func prefillSeconds(exp model.Experiment, v model.Volume, probe model.ProbeResult) float64 {
	rate := prefillRate(probe)
	switch {
	case rate > 0:
		return float64(v.Size) / rate
	case exp.Size == 0:
		return min(orDefault(exp.MaxPrefill, defaultMaxPrefill), float64(v.Size)/slowPrefill)
	}
	return 0
}

// chooseVolume chooses the volume for the workloads.
func chooseVolume(exp model.Experiment, p Profile, t model.Target, probe model.ProbeResult) (model.Volume, error) {
	v := model.Volume{Target: t, Owned: probe.MakesFile, Direct: probe.Direct, NoFlush: probe.Environment.Storage.NoFlush}
	if t.Kind != model.Directory {
		v.Path = t.Path
	}
	if len(probe.Engines) == 0 && !probe.Untried {
		return v, model.RefusedError(fmt.Sprintf("none of fio's I/O engines works on %s", t.Name), "see: loadline doctor")
	}
	var err error
	if v.Engine, err = chooseEngine(p, t, probe); err != nil {
		return v, err
	}
	writer := firstWriter(p.Workloads)
	if writer != "" && !v.Owned && t.Kind != model.Fake && !t.Is(exp.DestroyDataOn) {
		return v, model.RefusedError(
			fmt.Sprintf("workload %s writes, and %s exists: its content would be lost", writer, t.Name),
			fmt.Sprintf("add --destroy-data-on %s, or choose workloads that only read: --only '*read*'", safetext.ShellWord(t.Name)))
	}
	v.Prefill = v.Owned || writer != ""
	if err := checkAppends(p.Workloads, v); err != nil {
		return v, err
	}
	if err := checkFlushes(p.Workloads, v); err != nil {
		return v, err
	}
	if err := checkBlocks(p.Workloads, v, probe); err != nil {
		return v, err
	}
	v.Size, v.SizeReason, err = chooseSize(exp, p, v, probe)
	return v, err
}

// chooseEngine uses the profile's engine on a file or device, else the best that works. Other targets
// have only one engine. If none was tried, the plan leaves it open unless the profile names one.
func chooseEngine(p Profile, t model.Target, probe model.ProbeResult) (string, error) {
	works, best := probe.Engines, ""
	if !probe.Untried {
		best = works[0]
	}
	local := t.Kind == model.Directory || t.Kind == model.File || t.Kind == model.BlockDevice
	switch {
	case p.Engine == "" || !local:
		return best, nil
	case probe.Untried || slices.Contains(works, p.Engine):
		return p.Engine, nil
	}
	return "", model.RefusedError(
		fmt.Sprintf("profile %s uses fio's engine %s, which does not work on %s; %s", p.Name, p.Engine, t.Name, strings.Join(works, " and ")+" do"),
		"see: loadline doctor; or use --profile standard, which takes what works")
}

// firstWriter returns the name of the first workload that writes, or "".
func firstWriter(workloads []model.Workload) string {
	for _, w := range workloads {
		if w.Writes() {
			return w.Name
		}
	}
	return ""
}

// prefillRate returns the expected rate of the prefill in bytes/s; if writing was not probed, the read
// rate is the best guess. 0 is unknown.
func prefillRate(probe model.ProbeResult) float64 {
	if probe.WriteBandwidth > 0 {
		return probe.WriteBandwidth
	}
	return probe.ReadBandwidth
}

// fitOffsets adapts the workloads to the volume: dbench uses an offset increment of 500 MiB for 4 jobs,
// which needs 2 GiB.
func fitOffsets(workloads []model.Workload, size int64) []model.Workload {
	fitted := make([]model.Workload, len(workloads))
	for i, w := range workloads {
		fitted[i] = w.Fit(size)
	}
	return fitted
}

// CheckAsked rejects what contradicts itself, whatever the target, before anything is created on one: the
// figures of a run (sides is 1) or of a comparison (2), and a size that is too small for the workloads. Errors
// are refusals.
func CheckAsked(exp model.Experiment, p Profile, sides int) error {
	if sides > 1 {
		if err := checkPaired(exp); err != nil {
			return err
		}
	}
	if err := checkAsked(exp); err != nil {
		return err
	}
	return checkSize(exp.Size, p.Workloads)
}

// repeatTime returns the flag that says how long a repeat is, and its value in seconds, which is 0 if repeats have the profile's length.
func repeatTime(exp model.Experiment) (flag string, seconds float64) {
	if exp.UntilSteady && exp.Time == 0 {
		return "--max-time", exp.MaxTime
	}
	return "--time", exp.Time
}

// checkAsked rejects contradictory figures in the experiment.
func checkAsked(exp model.Experiment) error {
	for _, f := range []struct {
		flag  string
		value float64
	}{
		{"--max-time", exp.MaxTime}, {"--max-prefill", exp.MaxPrefill}, {"--time", exp.Time},
		{"--ramp-time", exp.RampTime}, {"--size", float64(exp.Size)}, {"--precision", exp.Precision},
	} {
		if f.value < 0 || math.IsNaN(f.value) || math.IsInf(f.value, 0) {
			return model.RefusedError(fmt.Sprintf("%s must be a positive figure", f.flag), "")
		}
		if f.value > units.LongestTime && f.flag != "--size" {
			return model.RefusedError(fmt.Sprintf("%s is longer than a year, the longest time that Loadline takes", f.flag), fmt.Sprintf("ask for %dh or less", units.LongestTime/3600))
		}
	}
	if exp.Precision >= 1 {
		return model.RefusedError(fmt.Sprintf("--precision %g %% is not a valid precision: it is a share of the value, below 100 %%", exp.Precision*100),
			"ask for 5%, or for 1% when there is time")
	}
	if flag, given := repeatTime(exp); given > 0 && given < units.LeastRepeat {
		return model.RefusedError(fmt.Sprintf("%s %s is shorter than the one second that a sample takes", flag, units.FormatDuration(given)), fmt.Sprintf("write %s 1s or more, or leave it out", flag))
	}
	if exp.Time > 0 && exp.UntilSteady {
		return model.RefusedError("--time and --until-steady contradict each other: a repeat has a fixed length, or it ends when it is steady",
			"give one of the two")
	}
	switch {
	case exp.Repeat < 0 || exp.Repeat == 1:
		return model.RefusedError(fmt.Sprintf("--repeat %d is not enough: without a second repeat there is no interval", exp.Repeat), "ask for 2 or more")
	case exp.Repeat > units.MostRepeats:
		return model.RefusedError(fmt.Sprintf("--repeat %d is more than the %d repeats that one measurement can have", exp.Repeat, units.MostRepeats), fmt.Sprintf("ask for %d or fewer", units.MostRepeats))
	case exp.Repeat > 0 && (exp.Time > 0 || exp.UntilSteady):
		return model.RefusedError("--repeat goes with rounds, and --time and --until-steady make one repeat per workload", "leave one of them out")
	}
	return nil
}
