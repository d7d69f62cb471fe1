package trust

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/loadline/loadline/internal/model"
)

// outcome sorts workloads by what a rule found, so that a rule reports once per outcome and not once
// per workload.
type outcome struct {
	faults    []model.Finding
	passed    []string
	unchecked []string
	// why is the evidence that is missing.
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

// findings lists the faults, then the workloads that passed, then those that could not be checked. A
// rule that had nothing to judge is not checked, for the reason given.
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

// add appends a name if it is not in the list.
func add(names []string, name string) []string {
	if slices.Contains(names, name) {
		return names
	}
	return append(names, name)
}

// steps returns the repeats of a workload.
func (ev Evidence) steps(workload string) []model.StepResult {
	var list []model.StepResult
	for _, s := range ev.Recorded.Run.Steps {
		if s.Step.Workload == workload {
			list = append(list, s)
		}
	}
	return list
}

// good returns the repeats of a workload that analysis counted.
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

// appends reports whether all workloads write like a log: nothing is read, and each write is flushed.
func (ev Evidence) appends() bool {
	for _, name := range ev.workloads() {
		if w, known := ev.Recorded.Plan.Workload(name); !known || !w.Append {
			return false
		}
	}
	return len(ev.Results) > 0
}

// nothingRead is why a rule about reads had nothing to judge; otherwise is the reason unless all
// workloads write like a log.
func (ev Evidence) nothingRead(otherwise string) string {
	if ev.appends() {
		return "nothing is read: a log is written to new space"
	}
	return otherwise
}

// few formats names for a sentence: the first three, and how many more.
func few(names []string) string {
	if len(names) > 3 {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:3], ", "), len(names)-3)
	}
	return strings.Join(names, ", ")
}

// plusMinus is a half-width as tables have it: "±5%".
func plusMinus(share float64) string { return "±" + strings.ReplaceAll(percent(share), " %", "%") }

// percent formats a share: "12 %", "5 %", "0.4 %", ">999 %".
func percent(share float64) string {
	if share >= 9.995 {
		return ">999 %"
	}
	if share > 0 && share < 0.0005 {
		return strconv.FormatFloat(share*100, 'f', -1, 64) + " %" // what was asked for: nothing measured is so small
	}
	if share < 0.0995 {
		return strings.TrimSuffix(fmt.Sprintf("%.1f", share*100), ".0") + " %"
	}
	return fmt.Sprintf("%.0f %%", share*100)
}
