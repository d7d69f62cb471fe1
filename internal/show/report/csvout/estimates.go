package csvout

import (
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/show/report/words"
)

// EstimateColumns are the columns of WriteEstimates.
var EstimateColumns = []Column{
	{"run", "the run's name"},
	{"started", "when it began (RFC 3339); empty if that is not known"},
	{"target", "as it was typed"},
	{"workload", "the workload's name"},
	{"direction", "read, write, or sync (a flush)"},
	{"pattern", "the workload in short"},
	{"access", "rand or seq; empty for the load on an application, as block_size and jobs are"},
	{"block_size", "bytes of each I/O"},
	{"depth", "I/Os in flight for each job, or an application's clients"},
	{"jobs", "concurrent submitters"},
	{"metric", "iops, bandwidth, tps, records, elapsed, latency (the mean), p50 … p99.99, max; what a transaction cost: wal_flushes … device_written"},
	{"unit", "1/s, B/s or s; 1/transaction or B/transaction; 1 for a share"},
	{"estimate", "the value"},
	{"low", "lower end of the interval; empty without one"},
	{"high", "upper end"},
	{"confidence", "its coverage, such as 0.95"},
	{"headline", "true for the metric that the precision was asked of"},
	{"converged", "true when the headline is as precise as was asked"},
	{"seconds", "measured time"},
	{"repeats", "number of repeats"},
	{"verdict", "valid, suspect or invalid: of all metrics of the workload"},
	{"findings", "the rules that found something, separated by blanks"},
}

// WriteEstimates writes one row for each metric of each result of the reports. The labels of the
// runs are additional columns at the end.
func WriteEstimates(w io.Writer, reports ...*model.Report) error {
	names := labelled(runsOf(reports)...)
	t := newTable(w, withLabels(EstimateColumns, names, labelColumn))
	for _, r := range reports {
		workloads := map[string]model.Workload{}
		for _, w := range r.Run.Workloads {
			workloads[w.Name] = w
		}
		for i := range r.Results {
			res := &r.Results[i]
			pattern := []string{"", "", "", ""}
			if w, known := workloads[res.Workload]; known && w.Loads() {
				pattern[2] = count(w.Depth)
			} else if known && w.Job == "" {
				pattern = []string{string(w.Access), strconv.FormatInt(w.BlockSize, 10), count(w.Depth), count(w.JobCount())}
			}
			row := func(metric, unit string, e model.Estimate) {
				t.row(slices.Concat(
					[]string{text(r.Run.ID), instant(r.Run.Began()), text(r.Run.Target.Place()), text(res.Workload), string(res.Direction), text(res.Description)},
					pattern, []string{metric, unit}, estimate(e),
					[]string{strconv.FormatBool(metric == string(res.Metric)), strconv.FormatBool(res.Converged), number(res.Seconds), count(res.Repeats),
						string(res.Verdict), text(strings.Join(res.Findings, " "))}, labels(&r.Run, names))...)
			}
			for _, e := range words.Estimates(res) {
				row(string(e.Metric), e.Unit, e.Estimate)
			}
			for _, c := range words.Costs(res.App) {
				if c.Value != nil {
					row(c.Name, c.Unit, model.Estimate{Value: *c.Value})
				}
			}
		}
	}
	return t.end()
}
