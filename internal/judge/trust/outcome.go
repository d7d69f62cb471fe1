package trust

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/loadline/loadline/internal/model"
)

// outcome sorts workloads by what a rule found, so that a rule reports once per
// outcome and not once per workload.
type outcome struct {
	faults    []model.Finding
	passed    []string
	unchecked []string
	// why tells what evidence is missing.
	why string
}

func (o *outcome) fault(f model.Finding) { o.faults = append(o.faults, f) }

func (o *outcome) pass(workload string) { o.passed = add(o.passed, workload) }

func (o *outcome) miss(workload, why string) {
	o.unchecked = add(o.unchecked, workload)
	if o.why == "" {
		o.why = why
	}
}

// findings lists the faults, then who passed, then who could not be checked. A
// rule that looked at nothing is not checked, for the reason given.
func (o *outcome) findings(passed, nothing string) []model.Finding {
	list := slices.Clone(o.faults)
	if len(o.passed) > 0 {
		list = append(list, model.Finding{Severity: model.SeverityPassed, Results: o.passed, Message: passed})
	}
	if len(o.unchecked) > 0 {
		list = append(list, model.Finding{Severity: model.SeverityNotChecked, Results: o.unchecked, Message: o.why})
	}
	if len(list) == 0 {
		list = notChecked(nothing)
	}
	return list
}

// notChecked is the outcome of a rule without evidence, for the whole run.
func notChecked(why string) []model.Finding {
	return []model.Finding{{Severity: model.SeverityNotChecked, Message: why}}
}

// passedAll is the pass of a rule about the whole run.
func passedAll(message string) []model.Finding {
	return []model.Finding{{Severity: model.SeverityPassed, Message: message}}
}

// add appends a name once.
func add(names []string, name string) []string {
	if slices.Contains(names, name) {
		return names
	}
	return append(names, name)
}

// steps returns the visits of a workload.
func (ev Evidence) steps(workload string) []model.StepResult {
	var list []model.StepResult
	for _, s := range ev.Recorded.Run.Steps {
		if s.Step.Workload == workload {
			list = append(list, s)
		}
	}
	return list
}

// good returns the visits of a workload that analysis counted.
func (ev Evidence) good(workload string) []model.StepResult {
	var out []int
	for _, r := range ev.Results {
		if r.Workload == workload {
			out = r.LeftOut
		}
	}
	return slices.DeleteFunc(ev.steps(workload), func(s model.StepResult) bool {
		return s.Error != "" || slices.Contains(out, s.Step.Number)
	})
}

// workloads lists the names that have results, in their order.
func (ev Evidence) workloads() []string {
	var names []string
	for _, r := range ev.Results {
		names = add(names, r.Workload)
	}
	return names
}

// command is "loadline run TARGET options", or the same of a sweep with what it
// varies, quoted for a shell where needed.
func (ev Evidence) command(options ...string) string {
	if r := ev.Recorded.Plan.Experiment.Scale; r != nil {
		return ev.scaleCommand(*r, options...)
	}
	words := append([]string{"loadline", "run", ev.target()}, ev.sweep()...)
	if ev.Recorded.Plan.Experiment.Sweep != nil {
		words[1] = "sweep"
	}
	words = append(words, ev.making()...)
	for _, w := range options {
		if w != "" {
			words = append(words, model.ShellWord(w))
		}
	}
	return strings.Join(words, " ")
}

// scaleCommand is the same for several volumes at once.
func (ev Evidence) scaleCommand(r model.ScaleRequest, options ...string) string {
	words := []string{"loadline", "scale", ev.target()}
	for _, t := range r.Targets {
		words = append(words, model.ShellWord(t))
	}
	words = append(words, ev.making()...)
	words = append(words, "--volumes", numbers(r.Volumes), "--workload", model.ShellWord(r.Workload))
	if r.Rate > 0 {
		words = append(words, "--rate", strconv.FormatFloat(r.Rate, 'g', -1, 64))
	}
	for _, w := range options {
		if w != "" {
			words = append(words, model.ShellWord(w))
		}
	}
	return strings.Join(words, " ")
}

// making is the option that makes the target again, where that was a file that did not
// exist before the run and was removed after it.
func (ev Evidence) making() []string {
	if v := ev.Recorded.Plan.Volume; v.Owned && v.Target.Kind == model.File {
		return []string{"--create"}
	}
	return nil
}

// sweep is the options that make the same sweep again; none in other scenarios.
func (ev Evidence) sweep() []string {
	r := ev.Recorded.Plan.Experiment.Sweep
	if r == nil {
		return nil
	}
	var blocks []string
	for _, b := range r.BlockSizes {
		blocks = append(blocks, model.FormatBlock(b))
	}
	words := []string{"--rw", r.Pattern, "--bs", strings.Join(blocks, ",")}
	if r.Load {
		return append(words, "--load")
	}
	return append(words, "--depth", numbers(r.Depths), "--jobs", numbers(r.Jobs))
}

// numbers writes a list with commas.
func numbers(list []int) string {
	return strings.Join(strings.Fields(strings.Trim(fmt.Sprint(list), "[]")), ",")
}

// target is the target as one types it in a shell.
func (ev Evidence) target() string {
	target := ev.Recorded.Plan.Volume.Target.Name
	if target == "" {
		target = ev.Recorded.Plan.Experiment.Target
	}
	if ev.Recorded.Imported != nil {
		// What was imported is a name, and nothing that a command could be told.
		return "TARGET"
	}
	return model.ShellWord(target)
}

// only is the option that chooses workloads, "" when that would be all of them, or
// in a sweep, a scaling experiment or another tool's run, which have no such choice.
func (ev Evidence) only(names []string) string {
	if exp := ev.Recorded.Plan.Experiment; exp.Sweep != nil || exp.Scale != nil || ev.Recorded.Imported != nil {
		return ""
	}
	for _, w := range ev.Recorded.Plan.Workloads {
		if !slices.Contains(names, w.Name) {
			return "--only=" + strings.Join(names, ",")
		}
	}
	return ""
}

// few lists names for a sentence: the first three, and how many more.
func few(names []string) string {
	if len(names) > 3 {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:3], ", "), len(names)-3)
	}
	return strings.Join(names, ", ")
}

// percent writes a share: "12 %", "5 %", "0.4 %", ">999 %".
func percent(share float64) string {
	if share >= 9.995 {
		return ">999 %"
	}
	if share < 0.0995 {
		return strings.TrimSuffix(fmt.Sprintf("%.1f", share*100), ".0") + " %"
	}
	return fmt.Sprintf("%.0f %%", share*100)
}
