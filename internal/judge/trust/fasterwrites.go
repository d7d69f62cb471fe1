package trust

import (
	"fmt"
	"slices"
	"strings"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/safetext"
)

var ruleFasterWrites = Rule{
	Name:     "faster-writes",
	Checks:   "no write is faster than on the underlying storage",
	Evidence: "every metric of every write and flush of target and baseline; a durability test",
	Severity: "invalid until a durability test of the target has passed: durability unproven",
	Advice:   "`loadline durability TARGET`",
	check:    checkFasterWrites,
}

// writeMetrics are the metrics by which writes are compared.
var writeMetrics = []model.Metric{model.IOPS, model.Bandwidth, model.Latency, model.P50, model.P99}

// checkFasterWrites reports writes that are faster than the disk, which is impossible if they are on
// the disk when they are acknowledged. A persistent cache in front can cause this, and so can not
// writing at all: until a durability test distinguishes the two, the number proves nothing.
//
// Evidence: paired results; bounds are compared.
func checkFasterWrites(ev Evidence) []model.Finding {
	if ev.Baseline == nil {
		return notChecked(noBaseline)
	}
	var o outcome
	for _, r := range ev.Results {
		if r.Direction == model.Read {
			continue
		}
		b, ok := ev.Baseline.below(r)
		if !ok {
			o.miss(r.Workload, "the baseline has no valid result to compare it with")
			continue
		}
		metric, compared := model.Metric(""), false
		for _, m := range writeMetrics {
			here, hasHere := r.Metrics[m]
			there, hasThere := b.Metrics[m]
			if !hasHere || !hasThere {
				continue
			}
			compared = true
			if metric == "" && beats(m, here, there) {
				metric = m
			}
		}
		switch {
		case !compared:
			o.miss(r.Workload, "the baseline has no valid result to compare it with")
		case metric == "":
			o.pass(r.Workload)
		default:
			o.fault(ev.fasterWrite(r, b, metric))
		}
	}
	return o.findings("no write is faster than on the baseline", "no workload writes")
}

func (ev Evidence) fasterWrite(r, b model.Result, m model.Metric) model.Finding {
	here, there := r.Metrics[m], b.Metrics[m]
	what := "writes"
	if r.Direction == model.Sync {
		what = "flushes"
	}
	compared := fmt.Sprintf("%s of %s beat %s (%s %s against %s)", what, r.Workload, ev.Baseline.Name, m,
		m.Format(here.Value), m.Format(there.Value))
	proven, why := model.DurabilityProven(ev.Recorded.Durability, ev.Recorded.Plan.Volume.Target)
	f := model.Finding{Severity: model.SeverityInvalid, Results: []string{r.Workload},
		Message:  "durability unproven: " + compared + ", which means either a persistent cache, or acknowledging before the data is safe",
		Evidence: map[string]any{"metric": string(m), "here": here.Value, "baseline": there.Value, "durability": why},
		Next:     "loadline durability " + strings.Join(slices.Concat([]string{ev.target()}, ev.making(), ev.overwriting()), " ") + " --run " + ev.directory() + " --cut COMMAND   (a command that cuts its power)"}
	if proven {
		f.Severity = model.SeverityNote
		f.Message = "faster than its disk: " + compared + "; its durability test has passed, so it probably has a persistent cache"
		f.Next = "to measure the disk, write more than the cache holds: a larger --size and --until-steady"
	}
	return f
}

// overwriting is the option that permits a command to overwrite the target, if the run had to be given it.
func (ev Evidence) overwriting() []string {
	if p := &ev.Recorded.Plan; p.Volume.DestroyDataOn+p.Experiment.DestroyDataOn == "" {
		return nil
	}
	return []string{"--destroy-data-on", ev.target()}
}

// directory is the run's own directory, as typed in a shell.
func (ev Evidence) directory() string {
	if ev.Recorded.Directory == "" {
		return "DIR"
	}
	return safetext.ShellWord(ev.Recorded.Directory)
}
