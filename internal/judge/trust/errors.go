package trust

import (
	"fmt"
	"slices"
	"strings"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/units"
)

// earlySeconds is how much shorter than planned a repeat may be.
const earlySeconds = 1.0

var ruleErrors = Rule{
	Name:     "errors",
	Checks:   "no repeat failed, no I/O failed or was short, no load ended early, each workload completed I/Os",
	Evidence: "the exit status, error counts, duration and samples of every repeat",
	Severity: "invalid: the repeats that succeed on a faulty device are a biased sample, and a workload whose I/Os never completed has no result",
	Advice:   "fix the cause; the tool's own output is in the run's `raw/` folder",
	check:    checkErrors,
}

// checkErrors makes a workload invalid after any failed repeat, I/O error, short I/O or early exit,
// even if other repeats succeeded: those are kept, but the repeats that succeed on a faulty device are
// a biased selection.
//
// fio with continue_on_error exits with 0 although I/Os failed; this is never a pass.
func checkErrors(ev Evidence) []model.Finding {
	var o outcome
	var idle []string
	var troubles []*trouble
	byCause := map[string]*trouble{}
	for _, w := range ev.attempted() {
		steps := ev.steps(w)
		t := ev.troubleIn(steps)
		switch {
		case len(steps) == 0:
			o.miss(w, "no repeat was recorded")
			continue
		case t.failed == 0 && !ev.failuresReported(w):
			o.miss(w, "the source does not say whether anything failed")
			continue
		case t.failed == 0 && ev.idle(w, steps):
			idle = append(idle, w)
			continue
		case t.failed == 0:
			o.pass(w)
			continue
		}
		same := byCause[t.cause]
		if same == nil {
			same = &trouble{cause: t.cause}
			byCause[t.cause], troubles = same, append(troubles, same)
		}
		same.workloads = add(same.workloads, w)
		same.failed, same.repeats = same.failed+t.failed, same.repeats+t.repeats
		same.ioErrors, same.shortIOs = same.ioErrors+t.ioErrors, same.shortIOs+t.shortIOs
	}
	for _, t := range troubles {
		o.fault(model.Finding{
			Severity: model.SeverityInvalid,
			Results:  t.workloads,
			Message:  fmt.Sprintf("incomplete: %d of %d repeats of %s failed: %s", t.failed, t.repeats, few(t.workloads), t.cause),
			Evidence: map[string]any{"failed_repeats": t.failed, "repeats": t.repeats, "io_errors": t.ioErrors, "short_ios": t.shortIOs},
			Next:     ev.repaired(t.workloads),
		})
	}
	if len(idle) > 0 {
		o.fault(model.Finding{
			Severity: model.SeverityInvalid,
			Results:  idle,
			Message:  fmt.Sprintf("no I/O of %s completed in any repeat: there is no result", few(idle)),
			Evidence: map[string]any{"ios": 0},
			Next:     "look at the storage's log and at dmesg for that time, then " + ev.command(ev.only(idle)),
		})
	}
	return o.findings("no repeat failed, no I/O failed or was short, none ended early", "no repeat was recorded")
}

// idle reports whether no I/O of a workload completed although each of its repeats lasted as long as planned. Where something was
// lost (a record, a pod, the end of an interrupted repeat), nothing is known about that.
func (ev Evidence) idle(workload string, steps []model.StepResult) bool {
	if ev.Recorded.Imported != nil || len(ev.Recorded.Damage) > 0 || slices.Contains(ev.workloads(), workload) {
		return false
	}
	own := map[int]bool{}
	for _, s := range steps {
		if s.Lost != "" || s.EndedEarly {
			return false
		}
		own[s.Step.Number] = true
	}
	return !slices.ContainsFunc(ev.Recorded.Samples, func(s model.Sample) bool {
		return own[s.Step] && slices.ContainsFunc([]*model.Flow{s.Read, s.Write, s.Sync}, func(f *model.Flow) bool { return f != nil && f.IOs > 0 })
	})
}

// trouble is one cause and all workloads that it affected.
type trouble struct {
	cause              string
	workloads          []string
	failed, repeats    int
	ioErrors, shortIOs uint64
}

// attempted lists the workloads with results or repeats.
func (ev Evidence) attempted() []string {
	names := ev.workloads()
	for _, s := range ev.Recorded.Run.Steps {
		names = add(names, s.Step.Workload)
	}
	return names
}

// troubleIn sums up the failures in a workload's repeats; the cause is that of the first one.
func (ev Evidence) troubleIn(steps []model.StepResult) trouble {
	t := trouble{repeats: len(steps)}
	for _, s := range steps {
		t.ioErrors += s.IOErrors
		t.shortIOs += s.ShortIOs
		why := wrong(s)
		if why == "" {
			continue
		}
		t.failed++
		if t.cause == "" {
			t.cause = why
		}
	}
	return t
}

// wrong says what failed in one repeat, "" if nothing did.
func wrong(s model.StepResult) string {
	planned := s.Step.Ramp + s.Step.Seconds
	switch {
	case s.Lost != "":
		// A lost pod says nothing about the storage: see the rule "interrupted".
		return ""
	case s.Error != "":
		return strings.TrimRight(s.Error, ". \n")
	case s.IOErrors > 0:
		return "I/Os failed"
	case s.ShortIOs > 0:
		return "I/Os moved fewer bytes than requested"
	case s.EndedEarly:
		return ""
	case s.Ended > s.Started && s.Ended-s.Started < planned-earlySeconds:
		return fmt.Sprintf("the load ended after %s instead of %s",
			units.FormatDuration(s.Ended-s.Started), units.FormatDuration(planned))
	}
	return ""
}
