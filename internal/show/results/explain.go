package results

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/loadline/loadline/internal/judge/explain"
	"github.com/loadline/loadline/internal/measure/store"
	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/amplification"
	"github.com/loadline/loadline/internal/model/budget"
	"github.com/loadline/loadline/internal/model/iotrace"
	"github.com/loadline/loadline/internal/model/safetext"
	"github.com/loadline/loadline/internal/model/suggest"
)

// ExplainOptions say what to explain.
type ExplainOptions struct {
	// Runs are one or two directories of runs or imports, or one of a comparison.
	Runs []string
	// Only names the requested workloads, or has patterns of their names; empty means all.
	Only []string
	// TraceSeconds is the length of the traces of an imported document that does not say it; 0 if
	// unknown.
	TraceSeconds float64
}

// Explain says where the time of an operation went in one run, or compares two. Remarks are sentences
// on what could not be read.
func Explain(o ExplainOptions) (x *budget.Explanation, remarks []string, err error) {
	runs := o.Runs
	if len(runs) == 1 && store.IsComparison(runs[0]) {
		runs = []string{filepath.Join(runs[0], store.BaselineDir), filepath.Join(runs[0], store.CandidateDir)}
	}
	if len(runs) == 2 && sameDirectory(runs[0], runs[1]) {
		return nil, nil, model.RefusedError(fmt.Sprintf("%s and %s are the same run", runs[0], runs[1]), "name two, or one")
	}
	var sides []explain.Evidence
	for _, dir := range runs {
		ev, said, err := evidence("explain", dir)
		if err != nil {
			return nil, nil, err
		}
		ev.TraceSeconds = o.TraceSeconds
		sides, remarks = append(sides, ev), append(remarks, said...)
	}
	only, err := chosen(o.Only, sides)
	if err != nil {
		return nil, nil, err
	}
	x = &budget.Explanation{Schema: budget.Schema, Runs: []budget.Side{}}
	for _, ev := range sides {
		ev.Only = only
		x.Runs = append(x.Runs, explain.Run(ev))
	}
	if len(x.Runs) == 2 {
		x.Comparisons = explain.Compare(&x.Runs[0], &x.Runs[1])
	}
	return x, remarks, nil
}

// chosen are the workloads of all runs that match the names and patterns.
func chosen(patterns []string, sides []explain.Evidence) (names []string, err error) {
	var all []string
	for _, ev := range sides {
		for _, w := range ev.Recorded.Plan.Workloads {
			if !slices.Contains(all, w.Name) {
				all = append(all, w.Name)
			}
		}
	}
	slices.Sort(all)
	for _, pattern := range patterns {
		before := len(names)
		for _, name := range all {
			fits, err := path.Match(pattern, name)
			if err != nil {
				return nil, model.RefusedError(fmt.Sprintf("--only %q is not a pattern: a bracket is open or empty", pattern), "write a name, or a pattern such as 'rand-*'")
			}
			if fits || pattern == name {
				names = append(names, name)
			}
		}
		if len(names) == before {
			sentence := fmt.Sprintf("there is no workload %q", pattern)
			if near := suggest.Nearest(pattern, all); near != "" {
				sentence += fmt.Sprintf("; did you mean %q?", near)
			}
			return nil, model.RefusedError(sentence, "there are "+strings.Join(all, ", "))
		}
	}
	return names, nil
}

// evidence reads a run directory for a verb, and what was traced beside it.
func evidence(verb, dir string) (ev explain.Evidence, remarks []string, err error) {
	switch info, err := os.Stat(dir); {
	case err != nil:
		return ev, nil, noSuchRun(dir)
	case !info.IsDir():
		return ev, nil, model.RefusedError(dir+" is a file, and loadline "+verb+" takes the raw data of a run", "name its directory")
	case IsDurability(dir), store.IsTrace(dir), store.IsComparison(dir):
		return ev, nil, model.RefusedError(dir+" is not the directory of one run", "name that of a run; of a comparison only it alone, or one of its sides")
	case len(store.RankedRuns(dir)) > 0:
		systems := store.RankedRuns(dir)
		for i := range systems {
			systems[i] = safetext.ShellWord(systems[i])
		}
		next := "name one of them, such as " + systems[0]
		if verb == "explain" {
			next = "name one of them, or two: loadline explain " + strings.Join(systems[:min(2, len(systems))], " ")
		}
		return ev, nil, model.RefusedError(dir+" holds several systems", next)
	case store.Running(dir):
		return ev, nil, stillRunning("run", dir)
	}
	rec, err := store.Read(dir)
	if err != nil {
		return ev, nil, err
	}
	for _, damage := range rec.Damage {
		remarks = append(remarks, dir+": "+damage)
	}
	ev = explain.Evidence{Recorded: rec, Report: Assemble(rec)}
	ev.Report.Run.Directory = dir
	addDisks(&ev, dir)
	if err := addTrace(&ev, dir); err != nil {
		remarks = append(remarks, fmt.Sprintf("%s: the trace beside it cannot be used: %v", dir, err))
	}
	return ev, remarks, nil
}

// addTrace adds the trace made beside the run in a directory, if there is one. A trace that missed too
// much is ignored: its numbers per operation would be too low, and nothing would show that.
func addTrace(ev *explain.Evidence, dir string) error {
	t, err := store.ReadRunTrace(dir, store.TraceDir)
	if err != nil || t == nil {
		return err
	}
	if why := incomplete(&t.Run); why != "" {
		return errors.New(why)
	}
	ev.Trace, ev.TraceBegan = t.Samples, t.Run.Started
	return nil
}

// addDisks adds what the disks behind the volumes of a run counted, or why that is incomplete.
func addDisks(ev *explain.Evidence, dir string) {
	if behind := ev.Recorded.Run.Beside.Behind; behind == nil || behind.NotCounted != "" {
		return
	}
	t, err := store.ReadRunTrace(dir, amplification.Directory)
	switch {
	case err != nil:
		ev.Disks = &explain.Disks{Incomplete: err.Error()}
	case t == nil:
	case t.Run.Status != model.Complete:
		ev.Disks = &explain.Disks{Incomplete: cmp.Or(t.Run.Reason, "the record of the disks' counters ends early")}
	case len(t.Damage) > 0:
		ev.Disks = &explain.Disks{Incomplete: t.Damage[0]}
	default:
		ev.Disks = &explain.Disks{Samples: t.Samples, Began: t.Run.Started, Incomplete: uncountable(ev.Recorded.Run.Beside.Behind, &t.Run)}
	}
}

// uncountable names a disk behind the volumes whose counters were not there at the beginning and the end of a
// record; "" if there is none.
func uncountable(behind *amplification.Behind, run *iotrace.Run) string {
	if behind == nil {
		return ""
	}
	for _, d := range behind.Disks {
		i := slices.IndexFunc(run.Devices, func(x iotrace.Device) bool { return x.Name == d.Device })
		if d.Device == "" || i < 0 || run.Devices[i].Counters == nil {
			return "the counters of " + cmp.Or(d.Device, d.Path+" of "+d.Node) + " could not be read"
		}
	}
	return ""
}

// explained adds to the report of a run where the time of its operations went. An unreadable trace is
// ignored here: loadline explain reports it.
func explained(rec *model.Recorded, r *model.Report) *model.Report {
	ev := explain.Evidence{Recorded: rec, Report: r}
	_ = addTrace(&ev, rec.Directory)
	addDisks(&ev, rec.Directory)
	explain.Amplify(ev, r.Scales)
	if found := explain.Run(ev).Budgets; len(found) > 0 {
		r.Budgets = found
	}
	return r
}
