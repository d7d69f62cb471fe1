package store

import (
	"fmt"
	"slices"

	"github.com/loadline/loadline/internal/model"
)

// Even a step of hours on the fastest server counts far less than mostCounted, and no step takes less
// than shortest or more than longest seconds. Beyond that, sums and ratios would overflow.
const (
	mostCounted       = 1e15
	shortest, longest = 1e-9, 1e9
)

// dropCounts removes an application's counts from steps where they are impossible, and records that
// as damage.
func dropCounts(rec *model.Recorded) {
	if idle := rec.Run.Beside.Idle; idle != nil && !plausibleCounters(idle) {
		rec.Run.Beside.Idle = nil
		rec.Damage = append(rec.Damage, runFile+": the processors' time without load is below 0, or more than there is, so it is left out")
	}
	for i := range rec.Run.Steps {
		s := &rec.Run.Steps[i]
		if s.Counters != nil && !plausibleCounters(s.Counters) {
			s.Counters = nil
			rec.Damage = append(rec.Damage, fmt.Sprintf("%s: the processors' time of step %d is below 0, or more than there is, so it is left out", runFile, s.Step.Number))
		}
		if s.App != nil && s.App.Processor != nil && s.App.Processor.Seconds == 0 {
			s.App.Processor = nil // in no time, nothing was counted
		}
		if s.App != nil && !plausibleCounts(s.App) {
			s.App = nil
			rec.Damage = append(rec.Damage, fmt.Sprintf("%s: step %d counts what cannot be (below 0, or beyond any number of I/Os and seconds), so its counts are left out", runFile, s.Step.Number))
		}
	}
}

// plausibleCounters reports whether the shares of processor time can be ones.
func plausibleCounters(c *model.Counters) bool {
	shares, spans := []float64{c.Idle, c.Steal, c.IOWait, c.BusiestCPU}, []float64{c.Seconds, c.OwnCPU, c.Throttled}
	return !slices.ContainsFunc(shares, func(v float64) bool { return !(v >= 0 && v <= 1) }) &&
		!slices.ContainsFunc(spans, func(v float64) bool { return !(v >= 0 && v <= longest) })
}

// dropDistance takes away how far the client is said to be from its server if that is not possible.
func dropDistance(rec *model.Recorded) {
	if rec.Run.Prepare == nil || rec.Run.Prepare.App == nil {
		return
	}
	s := rec.Run.Prepare.App
	for _, v := range []float64{s.RoundTrip, s.Connection} {
		if !(v >= 0 && v <= longest) {
			s.RoundTrip, s.Connection = 0, 0
			rec.Damage = append(rec.Damage, runFile+": its round trip or connection takes less than 0 s or more than any timeout, so both are left out")
			return
		}
	}
}

func plausibleCounts(c *model.AppCounts) bool {
	counts := []float64{float64(c.Transactions), float64(c.Failed), float64(c.Skipped), float64(c.ToolTransactions), c.ToolRate}
	for _, v := range []*float64{c.Flushes, c.Commits, c.LogBytes, c.PageImages, c.Hits, c.Reads, c.Checkpoints, c.Vacuums} {
		if v != nil {
			counts = append(counts, *v)
		}
	}
	spans, lengths := []float64{c.LatencySum, c.Connect}, []float64{c.Seconds}
	for _, v := range []*float64{c.FlushSeconds, c.CommitSeconds, c.ReadSeconds} {
		if v != nil {
			spans = append(spans, *v)
		}
	}
	for _, t := range c.FlushTimes {
		spans, counts = append(spans, t[0]), append(counts, t[1])
	}
	if p := c.Processor; p != nil {
		spans, lengths = append(spans, p.ServerCPU, p.ServerWait, p.ClientCPU, p.ClientWait), append(lengths, p.Seconds)
	}
	if w := c.Waits; w != nil {
		spans, lengths = append(spans, w.Spent), append(lengths, w.Width)
		counts = append(counts, float64(w.Sessions), float64(w.Hidden))
	}
	return !slices.ContainsFunc(counts, func(v float64) bool { return !(v >= 0 && v <= mostCounted) }) &&
		!slices.ContainsFunc(spans, func(v float64) bool { return !(v >= 0 && v <= longest) }) &&
		!slices.ContainsFunc(lengths, func(v float64) bool { return v != 0 && !(v >= shortest && v <= longest) })
}
