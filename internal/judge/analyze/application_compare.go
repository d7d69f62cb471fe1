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

// ioDiffers describes how the I/O per transaction differs between two sides; "" if it does not differ
// or is unknown. A device's counters include all of its users: if both sides are on one device, they
// say nothing about either.
func ioDiffers(a, b *model.AppResult, apart bool) string {
	if a == nil || b == nil {
		return ""
	}
	var words []string
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
		if high-low > x.least && high > ioApart*low {
			words = append(words, fmt.Sprintf("%s %s against %s", x.name, x.write(*x.a), x.write(*x.b)))
		}
	}
	return strings.Join(words, ", ")
}

// checkTransactions withdraws the verdict on rows whose transactions did different I/O on the two
// sides, and reports them, as well as what a server did on only one side.
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
		if words := ioDiffers(ra.App, rb.App, apart); words != "" {
			for i := range c.Rows {
				if row := &c.Rows[i]; row.Workload == ra.Workload && row.Verdict != model.Unusable {
					row.Verdict, row.Needed, row.Narrow = model.Unclear, 0, 0
				}
			}
			list = append(list, model.Finding{Rule: "unlike-transactions", Severity: model.SeverityWarning, Results: []string{ra.Workload},
				Message: "a transaction of " + ra.Workload + " did not do the same I/O on both sides: " + words + ". Which storage is better cannot be told from that",
				Next:    "measure both with the same settings, scale and length of repeats"})
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
