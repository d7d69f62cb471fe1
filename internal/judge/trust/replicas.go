package trust

import (
	"fmt"
	"slices"
	"strings"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/units"
)

var ruleReplicas = Rule{
	Name:     "replicas",
	Checks:   "every replica of the volume took part throughout",
	Evidence: "the state of the volume's replicas, queried from the storage system every few seconds (Longhorn)",
	Severity: "warning: rates differ with fewer replicas, and while one is being rebuilt",
	Advice:   "find the reason in the storage system, and measure again when the volume is healthy",
	check:    checkReplicas,
}

// checkReplicas reports lost replicas: a lost replica takes its disk's share of the reads with it, and
// its rebuild a share of all I/O. The rule applies only to volumes with several replicas.
//
// Evidence: the number of replicas in use and the times between which it changed; repeats that overlap
// such a time are named. Source: the storage system's own reports.
func checkReplicas(ev Evidence) []model.Finding {
	c := ev.Recorded.Environment.Cluster
	if c == nil || c.Backing == nil || c.Backing.Replicas < 2 {
		return nil
	}
	looks := ev.Recorded.Run.Beside.Copies
	if len(looks) == 0 {
		return notChecked("the storage system did not report how many replicas took part")
	}
	var o outcome
	degraded := map[string]bool{}
	for worker, list := range byWorker(looks) {
		affected := ev.affected(worker, list)
		if len(affected) == 0 {
			continue
		}
		for _, w := range affected {
			degraded[w] = true
		}
		o.fault(model.Finding{Severity: model.SeverityWarning, Results: affected,
			Message:  fmt.Sprintf("degraded: %s%s", volumeWords(ev, worker), copiesWords(list)),
			Evidence: map[string]any{"replicas": list},
			Next:     "find the reason in the storage system, and measure again when the volume is healthy"})
	}
	slices.SortStableFunc(o.faults, func(a, b model.Finding) int { return strings.Compare(a.Message, b.Message) })
	for _, w := range ev.workloads() {
		if !degraded[w] {
			o.pass(w)
		}
	}
	return o.findings(fmt.Sprintf("all %d replicas took part", c.Backing.Replicas), "no workload has a result")
}

func byWorker(looks []model.Copies) map[int][]model.Copies {
	all := map[int][]model.Copies{}
	for _, l := range looks {
		all[l.Worker] = append(all[l.Worker], l)
	}
	return all
}

// affected are the workloads with a repeat during which a replica may have been missing.
func (ev Evidence) affected(worker int, list []model.Copies) []string {
	var names []string
	for i, l := range list {
		if l.Count >= l.Of {
			continue
		}
		from, open := l.Since, i+1 == len(list)
		for _, s := range ev.Recorded.Run.Steps {
			if s.Worker == worker && s.Ended > from && (open || s.Started < list[i+1].At) {
				names = add(names, s.Step.Workload)
			}
		}
	}
	return names
}

// volumeWords names a volume where there are several.
func volumeWords(ev Evidence, worker int) string {
	if len(ev.Recorded.Plan.Volumes) < 2 {
		return ""
	}
	return fmt.Sprintf("volume %d: ", worker+1)
}

// copiesWords formats changes as "replicas 3 → 2 → 3 (2 from 12 s on, 3 from 25 s on)".
func copiesWords(list []model.Copies) string {
	counts, times := "", []string{}
	for i, l := range list {
		if i > 0 {
			counts += " → "
			times = append(times, fmt.Sprintf("%d from %s on", l.Count, units.FormatSpan(l.At)))
		}
		counts += fmt.Sprint(l.Count)
	}
	if len(times) == 0 {
		return fmt.Sprintf("%d of %d replicas took part", list[0].Count, list[0].Of)
	}
	return fmt.Sprintf("replicas %s (%s)", counts, strings.Join(times, ", "))
}
