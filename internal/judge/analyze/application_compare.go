package analyze

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/units"
)

const (
	// ioApart is the factor by which the I/O per transaction may differ between two sides whose storage
	// is compared. Full-page writes after a checkpoint alone change it by a factor of 20; a faster side
	// completes more transactions in the same time after a checkpoint, and so has somewhat fewer of
	// them per transaction.
	ioApart = 1.25
	// readsApart is the smallest difference in reads per transaction that matters: below it, reads are
	// negligible compared with the commit.
	readsApart = 0.1
)

// ioDifference is how the I/O per transaction differs between two sides.
type ioDifference struct {
	words []string
	// more is the factor by which A's transactions did more I/O of some kind than B's, and fewer that by which they did
	// less; 1 if they did not.
	more, fewer float64
}

// ioDiffers returns how the I/O per transaction differs between two sides; there are no words if it does not differ
// or is unknown. A device's counters include all of its users: if both sides are on one device, they
// say nothing about either.
func ioDiffers(a, b *model.AppResult, apart bool) ioDifference {
	d := ioDifference{more: 1, fewer: 1}
	if a == nil || b == nil {
		return d
	}
	for _, x := range []struct {
		name  string
		a, b  *float64
		least float64
		write func(float64) string
	}{
		{"flushes", a.Flushes, b.Flushes, 0.02, units.FormatRate},
		{"log bytes", a.LogBytes, b.LogBytes, 256, units.FormatRate},
		{"reads", a.Reads, b.Reads, readsApart, units.FormatRate},
		{"device reads", a.DeviceReads, b.DeviceReads, readsApart, units.FormatRate},
	} {
		if x.a == nil || x.b == nil || x.name == "device reads" && !apart {
			continue
		}
		low, high := min(*x.a, *x.b), max(*x.a, *x.b)
		if high-low <= x.least || high <= ioApart*low {
			continue
		}
		d.words = append(d.words, fmt.Sprintf("%s %s against %s", x.name, x.write(*x.a), x.write(*x.b)))
		if *x.a > *x.b {
			d.more = max(d.more, high/low)
		} else {
			d.fewer = max(d.fewer, high/low)
		}
	}
	return d
}

// explains reports whether the difference may be why B's transactions take that many times as long as A's: the slower
// side did more I/O, enough for a good part of it. A slower side that does less, such as fewer flushes because more
// transactions wait for each, is slower all the same. A ratio of 0 is unknown.
func (d ioDifference) explains(ratio float64) bool {
	most := d.fewer
	if ratio < 1 {
		most = d.more
	}
	return !(ratio > 0) || math.Log(most) >= ioMatters*math.Abs(math.Log(ratio))
}

// ioMatters is the share of a difference on the logarithmic scale from which on the I/O per transaction may be the reason
// for it.
const ioMatters = 0.25

// slower returns how many times as long as A's a transaction of B's takes; 0 if unknown.
func slower(a, b Measured, ra, rb *model.Result) float64 {
	wA, wB := workloadOf(a.Recorded, ra.Workload), workloadOf(b.Recorded, rb.Workload)
	if wA == nil || wB == nil {
		return 0
	}
	timeA, timeB := taken(wA, ra), taken(wB, rb)
	if !(timeA > 0) || !(timeB > 0) {
		return 0
	}
	return timeB / timeA
}

// checkTransactions withdraws the verdict on rows whose transactions did different I/O on the two
// sides, as far as that may be the reason, and reports them, as well as what a server did on only one side.
func checkTransactions(c *model.Comparison, a, b Measured) []model.Finding {
	var list []model.Finding
	var said []string
	deviceA, deviceB := a.Recorded.Environment.Storage.Device, b.Recorded.Environment.Storage.Device
	apart := deviceA != "" && deviceB != "" && sharedDisk(a.Recorded.Environment.Storage, b.Recorded.Environment.Storage) == ""
	for _, ra := range a.Report.Results {
		rb := find(b.Report.Results, ra.Workload, ra.Direction)
		if rb == nil || ra.App == nil || rb.App == nil || slices.Contains(said, ra.Workload) {
			continue
		}
		said = append(said, ra.Workload)
		if d := ioDiffers(ra.App, rb.App, apart); len(d.words) > 0 {
			list = append(list, withholdDifferent(c, ra.Workload, d, slower(a, b, &ra, rb)))
		}
		for _, x := range []struct {
			name string
			a, b *float64
		}{{"checkpoints", ra.App.Checkpoints, rb.App.Checkpoints}, {"autovacuum", ra.App.Vacuums, rb.App.Vacuums}} {
			if x.a == nil || x.b == nil || (*x.a > 0) == (*x.b > 0) {
				continue
			}
			side, n := model.SideA, math.Max(*x.a, *x.b)
			if *x.b > 0 {
				side = model.SideB
			}
			list = append(list, model.Finding{Rule: "one-sided", Severity: model.SeverityWarning, Results: []string{ra.Workload},
				Message:  fmt.Sprintf("in %s, %s ran while it was measured on %s only (%.0f times)", ra.Workload, x.name, side, n),
				Evidence: map[string]any{"side": string(side), "times": n},
				Next:     "measure longer, so that both sides see them, or with --set autovacuum=off and a longer checkpoint_timeout"})
		}
	}
	return list
}

// withholdDifferent withdraws the verdicts on a workload's rows that may come from its transactions' different I/O, and
// returns what is said about it.
func withholdDifferent(c *model.Comparison, workload string, d ioDifference, ratio float64) model.Finding {
	words := strings.Join(d.words, ", ")
	decided := slices.ContainsFunc(c.Rows, func(r model.Row) bool {
		return r.Workload == workload && (r.Verdict == model.Better || r.Verdict == model.Worse)
	})
	if !decided || d.explains(ratio) {
		withhold(c, workload)
		return model.Finding{Rule: "different-transactions", Severity: model.SeverityWarning, Results: []string{workload},
			Message: "a transaction of " + workload + " did not do the same I/O on both sides: " + words + ". Which storage is better cannot be told from that",
			Next:    "measure both with the same settings, scale and length of repeats"}
	}
	return model.Finding{Rule: "different-transactions", Severity: model.SeverityNote, Results: []string{workload},
		Message: "a transaction of " + workload + " did not do the same I/O on both sides: " + words + ". That does not explain which side is slower: what is called better or worse is so all the same"}
}

// checkSkipped withdraws the verdict on latencies that are not known because a side skipped transactions, and says so: only
// that those were slower is known.
func checkSkipped(c *model.Comparison, a, b Measured) (list []model.Finding) {
	var said []string
	for i := range c.Rows {
		row := &c.Rows[i]
		p, percentile := row.Metric.Percentile()
		if row.Verdict == model.Unusable || row.Metric != model.Latency && !percentile {
			continue
		}
		skipped := [2]float64{}
		for k, side := range []Measured{a, b} {
			if r := find(side.Report.Results, row.Workload, row.Direction); r != nil {
				skipped[k] = skippedShare(r)
			}
		}
		if most := mostSkipped(p); skipped[0] <= most && skipped[1] <= most {
			continue
		}
		row.Verdict, row.Needed, row.Narrow = model.Unclear, 0, 0
		if slices.Contains(said, row.Workload) {
			continue
		}
		said = append(said, row.Workload)
		list = append(list, model.Finding{Rule: "skipped-transactions", Severity: model.SeverityWarning, Results: []string{row.Workload},
			Message: fmt.Sprintf("in %s, side A skipped %.2g %% of the transactions that were due and side B %.2g %%, because they were late: latencies that include them are not known, and are not compared",
				row.Workload, 100*skipped[0], 100*skipped[1]),
			Evidence: map[string]any{"a": skipped[0], "b": skipped[1]},
			Next:     "compare at a rate that both sides can do: a lower --rate"})
	}
	return list
}
