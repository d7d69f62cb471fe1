package words

import (
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/units"
)

// Ran says when the run took place, how the time was spent, and how it ended.
func Ran(r *model.Report) []string {
	run := &r.Run
	if run.Imported != nil {
		return imported(run)
	}
	var parts []string
	switch run.Status {
	case model.Interrupted, model.Failed:
		parts = append(parts, string(run.Status)+Prefixed(": ", run.Reason))
	case model.Running:
		parts = append(parts, "not finished: the process that measured is gone, or still at work")
	}
	if !run.Started.IsZero() {
		parts = append(parts, When(run.Started))
	}
	return append(parts, units.FormatCount(len(run.Workloads), "workload")+repeats(r),
		Prefixed("measured in ", positiveSpan(run.MeasuredSeconds)), prefill(run.Prepare), DrawnAnew(run.Workloads, run.Volume.Size))
}

// When returns a time to the minute, with its time zone, such as "2026-01-02 15:04 UTC": a report is also read elsewhere.
func When(t time.Time) string { return t.Format("2006-01-02 15:04 MST") }

// DrawnAnew says which workloads may access a block again before all were accessed, because a map
// of the accessed blocks takes too much memory; "" if none does.
func DrawnAnew(workloads []model.Workload, size int64) string {
	var names []string
	var most int64
	for _, w := range workloads {
		if w.DrawsAnew(size) {
			names, most = append(names, w.Name), max(most, w.RandomMap(size))
		}
	}
	if len(names) == 0 {
		return ""
	}
	which := strings.Join(names, ", ")
	if len(names) > 3 {
		which = units.FormatCount(len(names), "workload")
	}
	return fmt.Sprintf("random blocks drawn anew each time by %s, as a map of those measured would take %s of memory", which, units.FormatSize(most))
}

// repeats returns, for example, ", 3–12 repeats each in random order".
func repeats(r *model.Report) string {
	s := r.Run.Schedule
	switch s.Mode {
	case model.Fixed:
		return fmt.Sprintf(", one repeat of %s each, so how repeats differ is not known", Seconds(s.Repeat))
	case model.Steady:
		return ", one repeat each until steady, so how repeats differ is not known"
	}
	if len(r.Results) == 0 {
		return ""
	}
	lo, hi, out := made(r.Results)
	left := ""
	if out > 0 {
		left = fmt.Sprintf(", of which %d left out", out)
	}
	switch {
	case lo == hi && len(r.Run.Workloads) == 1:
		return ", " + units.FormatCount(hi, "repeat") + left
	case lo == hi:
		return fmt.Sprintf(", %s each in random order", units.FormatCount(hi, "repeat")) + left
	}
	return fmt.Sprintf(", %d–%d repeats each in random order", lo, hi) + left
}

// made returns the fewest and the most repeats that were made of a workload, and how many of all are in no result: they
// began before the storage had finished with earlier writes, or before their queue had turned over. A result whose rate fell in its long repeat is made of that
// alone, and tells only if there is no other.
func made(results []model.Result) (fewest, most, out int) {
	left, found := map[int]bool{}, false
	for _, res := range results {
		for _, step := range res.LeftOut {
			left[step] = true
		}
		n := res.Repeats + len(res.LeftOut)
		switch {
		case res.Sustained.Fallen():
		case !found:
			fewest, most, found = n, n, true
		default:
			fewest, most = min(fewest, n), max(most, n)
		}
	}
	if !found {
		fewest, most = results[0].Repeats, results[0].Repeats
	}
	return fewest, most, len(left)
}

// prefill returns, for example, "prefill 4 GiB in 9 s (455 MiB/s)", or of an application "initialization
// in 9 s (data 1.5 GiB)": its data are not all that it wrote.
func prefill(p *model.Preparation) string {
	if p == nil || p.Written == 0 {
		return ""
	}
	took := units.FormatSpan(p.Seconds)
	if p.Seconds < 9.95 {
		took = fmt.Sprintf("%.1f s", p.Seconds)
	}
	if p.App != nil {
		return fmt.Sprintf("initialization in %s (data %s)", took, units.FormatSize(p.Written))
	}
	words := fmt.Sprintf("prefill %s in %s", units.FormatSize(p.Written), took)
	if p.Seconds > 0 {
		words += " (" + units.FormatBandwidth(float64(p.Written)/p.Seconds) + ")"
	}
	return words
}

func positiveSpan(seconds float64) string {
	if seconds <= 0 {
		return ""
	}
	return units.FormatSpan(seconds)
}

// Seconds formats the length of a repeat: "3 s", "2.50 s".
func Seconds(s float64) string {
	if s == math.Trunc(s) {
		return units.FormatSpan(s)
	}
	return units.FormatDuration(s)
}
