package trust

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/safetext"
	"github.com/loadline/loadline/internal/model/units"
)

// command is the command that made the run, with options added or replaced, followed by its duration as
// a shell comment: it can be pasted as is. For a run without such a recorded command (a Job's), it is
// built from the experiment; an imported one has no command to repeat (see measured). Options that the
// verb does not take are replaced by more time.
func (ev Evidence) command(options ...string) string {
	if ev.Recorded.Imported != nil {
		return ev.measured(options...)
	}
	options = ev.taken(options)
	again := ev.Recorded.Run.Again
	if again == nil || !slices.Contains([]string{"run", "compare", "sweep", "scale", "app"}, again.Verb()) {
		return ev.made(options...) + ev.takes(options)
	}
	if len(options) > 0 && again.Repeats() {
		return again.String() + "   # after this change in its file: " + model.CommandLine(options).String()
	}
	return again.With(options...).String() + ev.takes(options)
}

// taken replaces the option that only a run of one target accepts, one long repeat of each workload, by
// more time in rounds; and by more time, if that is how it was measured.
func (ev Evidence) taken(options []string) []string {
	exp := ev.Recorded.Plan.Experiment
	if ev.Recorded.Run.Comparison == "" && exp.Sweep == nil && exp.Scale == nil && exp.App == nil {
		if i := slices.Index(options, "--until-steady"); i >= 0 && ev.Recorded.Plan.Schedule.Mode == model.Steady {
			return slices.Concat(options[:i], []string{"--max-time", span(max(60, 2*ev.bound()))}, options[i+1:])
		}
		return options
	}
	for i, o := range options {
		if o == "--until-steady" || o == "--time" {
			return append(slices.Clone(options[:i]), "--max-time", span(max(60, 2*ev.Recorded.Plan.Schedule.MaxTime)))
		}
	}
	return options
}

// made is "loadline run TARGET options", or the same for a sweep with its parameters, quoted for a
// shell where needed.
func (ev Evidence) made(options ...string) string {
	if r := ev.Recorded.Plan.Experiment.Scale; r != nil {
		return ev.scaleCommand(*r, options...)
	}
	words := append([]string{"loadline", "run", ev.target()}, ev.sweep()...)
	if ev.Recorded.Plan.Experiment.Sweep != nil {
		words[1] = "sweep"
	}
	if app := ev.Recorded.Plan.Experiment.App; app != nil {
		words = []string{"loadline", "app", app.Name, ev.target()}
	}
	words = append(append(words, ev.making()...), ev.selecting(options)...)
	for _, w := range options {
		if w != "" {
			words = append(words, safetext.ShellWord(w))
		}
	}
	return strings.Join(words, " ")
}

// usualProfile is what loadline run measures if no profile is named.
const usualProfile = "standard"

// selecting is the options that select the same workloads, without those that the given options replace.
func (ev Evidence) selecting(options []string) (words []string) {
	exp := ev.Recorded.Plan.Experiment
	profile := exp.Profile
	if profile == usualProfile {
		profile = ""
	}
	if exp.App != nil || exp.Sweep != nil {
		return nil
	}
	for _, o := range []struct{ flag, value string }{
		{"--profile", profile}, {"--job", exp.Job}, {"--only", strings.Join(exp.Only, ",")}, {"--skip", strings.Join(exp.Skip, ",")},
	} {
		if o.value != "" && !slices.Contains(options, o.flag) && !(o.flag == "--skip" && slices.Contains(options, "--only")) {
			words = append(words, o.flag, safetext.ShellWord(o.value))
		}
	}
	return words
}

// scaleCommand is the same for several volumes at once.
func (ev Evidence) scaleCommand(r model.ScaleRequest, options ...string) string {
	words := []string{"loadline", "scale", ev.target()}
	for _, t := range r.Targets {
		// As typed, unless it is known where that is.
		for _, known := range ev.Recorded.Plan.Targets() {
			if known.Name == t {
				t = known.InCommand()
				break
			}
		}
		words = append(words, safetext.ShellWord(t))
	}
	words = append(words, ev.making()...)
	words = append(words, "--volumes", numbers(r.Volumes), "--workload", safetext.ShellWord(r.Workload))
	if r.Rate > 0 {
		words = append(words, "--rate", strconv.FormatFloat(r.Rate, 'g', -1, 64))
	}
	for _, w := range options {
		if w != "" {
			words = append(words, safetext.ShellWord(w))
		}
	}
	return strings.Join(words, " ")
}

// making is the option that creates the target again, if it was a file that did not exist before the
// run and was removed after it.
func (ev Evidence) making() []string {
	if v := ev.Recorded.Plan.Volume; v.Owned && v.Target.Kind == model.File {
		return []string{"--create"}
	}
	return nil
}

// sweep is the options that repeat the same sweep; none in other scenarios.
func (ev Evidence) sweep() []string {
	r := ev.Recorded.Plan.Experiment.Sweep
	if r == nil {
		return nil
	}
	var blocks []string
	for _, b := range r.BlockSizes {
		blocks = append(blocks, units.FormatBlock(b))
	}
	words := []string{"--rw", r.Pattern, "--bs", strings.Join(blocks, ",")}
	if r.Load {
		return append(words, "--load")
	}
	return append(words, "--depth", numbers(r.Depths), "--jobs", numbers(r.Jobs))
}

// numbers formats a list with commas.
func numbers(list []int) string {
	return strings.Join(strings.Fields(strings.Trim(fmt.Sprint(list), "[]")), ",")
}

// target is the target as typed in a shell, so that it is found from any directory.
func (ev Evidence) target() string {
	target := ev.Recorded.Plan.Volume.Target.InCommand()
	if target == "" {
		target = ev.Recorded.Plan.Experiment.Target
	}
	if ev.Recorded.Imported != nil {
		// An imported target is only a name, which a command cannot use.
		return "TARGET"
	}
	return safetext.ShellWord(target)
}

// only is the option that selects workloads; "" if it would select all, or in a sweep, a scaling
// experiment or another tool's run, which have no such selection.
func (ev Evidence) only(names []string) string {
	if ev.cells() || ev.Recorded.Imported != nil {
		return ""
	}
	for _, w := range ev.Recorded.Plan.Workloads {
		if !slices.Contains(names, w.Name) {
			return "--only=" + strings.Join(names, ",")
		}
	}
	return ""
}

// Times of advised measurements, in seconds.
const (
	// longestAdvised is the longest measurement that is advised without mentioning its length, and
	// shortestAdvised the shortest one if the time cannot be computed.
	longestAdvised, shortestAdvised = 3600.0, 60.0
	// unsettled is the minimum for storage that is not clearly steady: the interval of a shorter
	// measurement is not relied on, however narrow it is.
	unsettled = 150.0
	// spare is the factor by which the advised time exceeds the computed time: the variation between
	// repeats that it is computed from is itself known only roughly.
	spare = 1.3
	// rampBefore is the ramp and the start of a repeat of a fixed length.
	rampBefore = 7.0
)

// longer is the command that gives the named workloads the time that they need: an interval narrows
// with the square root of the time. If they need more than an hour, it says so, and what an hour
// achieves.
func (ev Evidence) longer(names []string) string {
	s, only := ev.Recorded.Plan.Schedule, ev.only(names)
	if seconds := ev.countFor(names, s.Precision); seconds > 0 && s.Precision > 0 {
		return ev.uncounted(names, seconds)
	}
	need := ev.need(names)
	switch {
	case need == 0:
		need = max(shortestAdvised, 2*ev.bound())
	case need > longestAdvised:
		reached := fmt.Sprintf("%.0f%%", math.Ceil(100*s.Precision*math.Sqrt(need/longestAdvised)))
		if within := math.Sqrt(need/longestAdvised) * s.Precision; within < 0.9 {
			return fmt.Sprintf("%s would take %s on this storage in its present state: find out why it varies, or measure for an hour: ", plusMinus(s.Precision), about(need)) +
				ev.command(only, "--precision", reached, "--max-time", span(longestAdvised))
		}
		return fmt.Sprintf("%s would take %s on this storage in its present state: find out why it varies", plusMinus(s.Precision), about(need))
	case ev.cells():
		// A cell has its share of the time; what it had was not enough.
		need = max(need, 2*s.MaxTime)
	}
	return ev.command(only, "--max-time", span(need))
}

// need is the time in seconds after which the named workloads alone would have the requested precision;
// 0 if that cannot be computed.
func (ev Evidence) need(names []string) float64 {
	s, sum := ev.Recorded.Plan.Schedule, 0.0
	for _, name := range names {
		took, times := ev.took(name), 0.0
		for _, r := range ev.Results {
			h := r.HalfWidth()
			if r.Workload != name || r.Direction == model.Sync || r.Converged {
				continue
			}
			if r.Confidence == 0 || math.IsNaN(h) || math.IsInf(h, 0) || s.Precision <= 0 {
				return 0
			}
			times = max(times, spare*h*h/(s.Precision*s.Precision))
		}
		sum += took * times
	}
	if sum == 0 {
		return 0
	}
	sum += s.Look * float64(min(len(names), s.Looks))
	if ev.cells() {
		// They share the time.
		sum *= float64(len(ev.Recorded.Plan.Workloads)) / float64(len(names))
	}
	// In rounds, all are measured over the whole time.
	sum = max(unsettled, sum)
	if ev.Recorded.Run.Comparison != "" {
		// The time of a comparison is for both sides.
		return 2 * sum
	}
	return sum
}

// cells reports whether the workloads are the cells of a sweep or of a scaling experiment, all of which are always measured.
func (ev Evidence) cells() bool {
	exp := ev.Recorded.Plan.Experiment
	return exp.Sweep != nil || exp.Scale != nil
}

// bound is the value of --max-time, in seconds, that gives the same time again.
func (ev Evidence) bound() float64 {
	if s := ev.Recorded.Plan.Schedule; s.Mode == model.Steady {
		return s.Repeat
	}
	return ev.Recorded.Plan.Schedule.MaxTime
}

// took is the time in seconds that a workload was measured for, ramps included.
func (ev Evidence) took(workload string) (seconds float64) {
	counted := map[int]bool{}
	for _, s := range ev.steps(workload) {
		// Several workers make one repeat together.
		if !counted[s.Step.Number] {
			counted[s.Step.Number] = true
			seconds += s.Ended - s.Started
		}
	}
	return seconds
}

// whole reports whether a workload was measured as planned: only then does the time that it took say how long it takes
// again.
func (ev Evidence) whole(workload string) bool {
	steps := ev.steps(workload)
	return ev.Recorded.Run.Status == model.Complete && len(steps) > 0 &&
		!slices.ContainsFunc(steps, func(s model.StepResult) bool { return s.Error != "" || s.Lost != "" })
}

// again returns how many workloads the options choose (n), how long they take in all when they are measured again, in seconds, and
// the word to put before that time ("at most" or "about"). If one of them was not measured as planned, the time is that of the plan.
func (ev Evidence) again(options []string) (word string, seconds, n float64) {
	whole := true
	for _, w := range ev.Recorded.Plan.Workloads {
		if chosen(options, w.Name) {
			seconds, n, whole = seconds+ev.took(w.Name), n+1, whole && ev.whole(w.Name)
		}
	}
	s := ev.Recorded.Plan.Schedule
	each := n * (s.Ramp + s.Repeat + s.Overhead)
	seconds *= ev.sides()
	switch {
	case ev.sides() > 1 && s.MaxTime > 0:
		// Both sides advise the same command, and each knows only its own repeats. Fewer workloads have more blocks
		// each, until their changes are known or the time is up.
		return "at most", s.MaxTime, n
	case whole || s.Repeat <= 0:
	case s.Mode == model.Fixed:
		return "about", each, n
	case s.Mode == model.Steady:
		return "at most", each, n
	case s.MaxTime > 0:
		return "at most", s.MaxTime, n
	}
	return "about", seconds, n
}

// prefill is how long, in seconds, the volume is written before it is measured: as long as before the run or, if it did not come
// to that, as long as it may take; 0 if that is unknown.
func (ev Evidence) prefill() float64 {
	if p := ev.Recorded.Run.Prepare; p != nil {
		return p.Seconds
	}
	return ev.Recorded.Plan.MostPrefill()
}

// sides is how many targets a command like the run's prepares and measures.
func (ev Evidence) sides() float64 {
	if ev.Recorded.Run.Comparison != "" {
		return 2
	}
	return 1
}

// takes says how long the command with these options takes, as a shell comment; "" if unknown.
func (ev Evidence) takes(options []string) string {
	about, seconds, n := ev.again(options)
	each := 1.0
	if ev.Recorded.Plan.Schedule.Mode == model.Steady {
		each = n // here, --max-time applies to each workload
	}
	for i, o := range options[:max(0, len(options)-1)] {
		t, err := time.ParseDuration(options[i+1])
		switch {
		case err != nil:
		case o == "--max-time":
			about, seconds = "at most", each*t.Seconds()
		case o == "--time":
			about, seconds = "about", n*(t.Seconds()+rampBefore)
		}
	}
	if seconds <= 0 || slices.Contains(options, "--until-steady") {
		return ""
	}
	write := ev.prefill() * ev.sides()
	if write == 0 && ev.Recorded.Run.Prepare == nil && ev.Recorded.Plan.Volume.Prefill {
		return lasts(about, seconds) + " after the prefill"
	}
	for i, o := range options {
		if size := ev.Recorded.Plan.Volume.Size; o == "--size" && i+1 < len(options) && size > 0 {
			if larger, err := units.ParseSize(options[i+1]); err == nil {
				write *= float64(larger) / float64(size)
			}
		}
	}
	if ev.sides() > 1 {
		seconds += ev.sides() * besideSide
	}
	return lasts(about, seconds+write)
}

// besideSide is how long, in seconds, a side of a comparison is probed, watched while idle and checked for its load generator.
const besideSide = 5.0

// lasts is a time in seconds as a shell comment behind a command.
func lasts(about string, seconds float64) string {
	return "   # " + about + " " + units.FormatSpan(math.Ceil(seconds/10)*10)
}

// chosen reports whether the options include a workload: all of them, or those of --only.
func chosen(options []string, workload string) bool {
	for _, o := range options {
		if list, ok := strings.CutPrefix(o, "--only="); ok {
			return slices.Contains(strings.Split(list, ","), workload)
		}
	}
	return true
}

// span formats seconds for a flag, rounded up: "90s", "12m". No flag takes more than a year.
func span(seconds float64) string {
	seconds = min(seconds, units.LongestTime)
	if seconds > 120 {
		return fmt.Sprintf("%.0fm", math.Ceil(seconds/60))
	}
	return fmt.Sprintf("%.0fs", math.Ceil(seconds/10)*10)
}

// about returns how long something would take that takes more than an hour. Beyond a day the estimate
// is too rough to be given in hours.
func about(seconds float64) string {
	if seconds > 24*longestAdvised {
		return "days"
	}
	return "about " + units.FormatSpan(seconds)
}
