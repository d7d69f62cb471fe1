package trust

import (
	"fmt"
	"math"
	"slices"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/timeline"
	"github.com/loadline/loadline/internal/model/units"
)

var ruleSum = Rule{
	Name:     "sum",
	Checks:   "the sum over the volumes went through their devices",
	Evidence: "the total's lower bound against the bytes that the devices counted at the same time (3 %)",
	Severity: "invalid: the devices did not carry this total",
	Advice:   "look for a cache in between, and at the rule `sync`",
	check:    checkSum,
}

// sumAllowed is how far, as a share, a total may exceed the devices' counts.
const sumAllowed = 0.03

// checkSum reports a total that exceeds what the devices counted in the same repeats. Either it adds up
// rates that did not occur at the same time, or something in between answered. The rule bytes covers
// devices that do more than the volumes requested.
//
// Evidence: the devices' counts over the repeats.
func checkSum(ev Evidence) []model.Finding {
	several := ev.multiVolume()
	if len(several) == 0 {
		return nil
	}
	if why := ev.noDevice(); why != "" {
		return notChecked(why)
	}
	var o outcome
	for _, w := range several {
		read, written, ok := model.DeviceRates(ev.repeats(w.Name), ev.Recorded.Plan.NodeOf)
		if !ok {
			o.miss(w.Name, noWindow)
			continue
		}
		total, rate, seconds := ev.bandwidthLow(w.Name), read+written, 0.0
		for _, c := range timeline.Groups(ev.Recorded, w.Name) {
			seconds += c.Step.Seconds
		}
		if total*seconds < leastBytes {
			o.miss(w.Name, "too little was moved to compare the sum with")
			continue
		}
		allowed := sumAllowed + readingJitter*math.Sqrt(float64(len(timeline.Groups(ev.Recorded, w.Name))))/max(1, seconds)
		switch {
		case math.IsNaN(total):
			o.miss(w.Name, "there is no total to compare")
		case total > (1+allowed)*rate:
			o.fault(model.Finding{Severity: model.SeverityInvalid, Results: []string{w.Name},
				Message: fmt.Sprintf("not carried: the volumes of %s add up to at least %s, but their devices counted %s in the same repeats",
					w.Name, units.FormatBandwidth(total), units.FormatBandwidth(rate)),
				Evidence: map[string]any{"total_low": total, "devices": rate, "allowed": allowed},
				Next:     "see the rules sync and bytes: different start times, or a cache that answers; then " + ev.command()})
		default:
			o.pass(w.Name)
		}
	}
	return o.findings("the devices carried the sum over the volumes", "")
}

// repeats are the steps that a workload's total is made of: without the long repeats, which are only
// partly in it, unless the result is the rate that one of them fell to.
func (ev Evidence) repeats(workload string) []model.StepResult {
	fell := 0
	for _, r := range ev.Results {
		if r.Workload == workload && r.Sustained.Fallen() {
			fell = r.Sustained.Step
		}
	}
	return slices.DeleteFunc(ev.good(workload), func(s model.StepResult) bool {
		return fell > 0 && s.Step.Number != fell || fell == 0 && s.Step.Look
	})
}
