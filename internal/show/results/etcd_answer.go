package results

import (
	"fmt"
	"slices"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/apps"
	"github.com/loadline/loadline/internal/model/units"
)

// electionTimeout is how long, in seconds, etcd's followers wait for the leader before they elect
// another (etcd's --election-timeout).
const electionTimeout = 1.0

// etcdAnswer is what a decided goal means for the question whether a disk is fast enough for etcd: it
// follows the goal's own message, and is empty for other goals and undecided ones. A put waits for one
// flush, so one client gets at most as many puts per second as there were writes with a flush; the time
// of etcd and the network comes on top.
//
// A percentile does not show that a disk stalls now and then, and the time of a flush includes its
// process's wait for a processor: if the findings report either, nothing is concluded about the disk.
func etcdAnswer(w model.Workload, g model.Goal, results []model.Result, findings []model.Finding) string {
	if !w.Append && apps.Of(w).Kind != model.Etcd || g.Direction != model.Sync || g.Metric != model.P99 || g.Above || g.Bound != apps.EtcdFlush || g.Outcome == model.Undecided {
		return ""
	}
	asks := ", which asks for a p99 of its log's flushes under " + g.Metric.Format(g.Bound)
	stalled := longestStall(findings, w.Name)
	answer := ""
	switch {
	case g.Outcome == model.Missed && fullProcessors(findings, w.Name):
		return ": too slow for etcd" + asks + "; but the processors were full or taken away, and the time of a flush holds the wait for one, so it is not known whether this disk is to blame"
	case g.Outcome == model.Missed:
		answer = ": this disk is too slow for etcd" + asks
	case stalled >= electionTimeout:
		answer = fmt.Sprintf(": that is what etcd asks for; but nothing was answered for %s, and followers elect another leader after %s (etcd's --election-timeout), so this does not say that it is fast enough for etcd",
			units.FormatDuration(stalled), units.FormatDuration(electionTimeout))
	case dropsFlushes(findings, w.Name):
		answer = ": that is what etcd asks for; but these flushes were not passed on to the disk, so this does not say that it is fast enough for etcd"
	default:
		answer = ": this disk is fast enough for etcd" + asks
	}
	for _, r := range results {
		if w.Loads() && r.Workload == w.Name && r.Direction == model.Write && !w.OpenLoop {
			answer += fmt.Sprintf("; with %s about %s puts/s", clients(w.Depth), units.FormatRate(r.Metrics[model.Transactions].Value))
		} else if rate, ok := r.Metrics[model.IOPS]; ok && !w.Loads() && r.Workload == w.Name && r.Direction == model.Write {
			answer += fmt.Sprintf("; a single client gets at most about %s puts/s", units.FormatRate(rate.Value))
		}
	}
	return answer
}

// about reports whether a rule warns about a workload.
func about(f model.Finding, rule, workload string) bool {
	return f.Rule == rule && (f.Severity == model.SeverityWarning || f.Severity == model.SeverityInvalid) && (len(f.Results) == 0 || slices.Contains(f.Results, workload))
}

// fullProcessors reports whether a rule found that the processors were full.
func fullProcessors(findings []model.Finding, workload string) bool {
	return slices.ContainsFunc(findings, func(f model.Finding) bool { return about(f, "cpu", workload) || about(f, "full-cpu", workload) })
}

// dropsFlushes reports whether a rule found that flushes did not reach the disk. Invalid numbers, which
// that rule also reports, get no answer.
func dropsFlushes(findings []model.Finding, workload string) bool {
	return slices.ContainsFunc(findings, func(f model.Finding) bool { return about(f, "memory", workload) })
}

// longestStall is the longest time in seconds for which the storage, or the server on it, answered
// nothing; 0 if there was none, or if the measuring machine stalled.
func longestStall(findings []model.Finding, workload string) (seconds float64) {
	for _, f := range findings {
		if cause, ok := f.Evidence["cause"].(string); about(f, "stall", workload) && ok && cause == string(model.StallStorage) {
			stalled, _ := f.Evidence["seconds"].(float64)
			seconds = max(seconds, stalled)
		}
	}
	return seconds
}
