package explain

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/loadline/loadline/internal/judge/stats"
	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/apps"
	"github.com/loadline/loadline/internal/model/budget"
	"github.com/loadline/loadline/internal/model/units"
	"github.com/loadline/loadline/internal/model/waits"
)

// sampling is what the sessions of a workload's clients waited for, over the seconds in which all of
// them were connected.
type sampling struct {
	sessions int
	// moments is the number of samples, asked the number including those that do not count, and spent
	// the time taken by all answers in seconds.
	moments, asked int
	spent, seconds float64
	bins           []waits.Bin
	// state is what a name in bins means.
	state func(name string) state
}

const (
	// fewestMoments and fewestBins are the minimum numbers for which shares are given.
	fewestMoments, fewestBins = 40, 3
	// traces is the share of a transaction below which a wait has no row of its own.
	traces = 0.005
	// bySampling is the source of sampled values.
	bySampling = "wait sampling"
)

// sampling sums up the steps of a workload; without says why there is none.
func (ev Evidence) sampling(w model.Workload) (s *sampling, without string) {
	s = &sampling{sessions: max(1, w.Depth), state: states[apps.Of(w).Kind]}
	hidden, seen := 0, 0
	for _, step := range ev.steps(w.Name) {
		c := step.App
		if c == nil || c.Transactions == 0 || c.Seconds <= 0 {
			continue
		}
		x := c.Waits
		if x == nil {
			return nil, "the run was measured by an older version"
		}
		if x.Without != "" && without == "" {
			without = x.Without
		}
		hidden += x.Hidden
		s.spent, s.asked = s.spent+x.Spent, s.asked+x.Moments()
		for _, b := range x.Bins {
			if b.Moments <= 0 {
				continue
			}
			seen = max(seen, b.Sessions()/b.Moments)
			if b.Sessions() == b.Moments*s.sessions {
				s.moments, s.bins, s.seconds = s.moments+b.Moments, append(s.bins, b), s.seconds+x.Width
			}
		}
	}
	switch {
	case s.moments >= fewestMoments && len(s.bins) >= fewestBins:
		return s, ""
	case without != "":
		return nil, without
	case hidden > 0:
		return nil, "the user may not see the state of its clients' sessions"
	case s.asked > 0 && s.moments == 0:
		return nil, fmt.Sprintf("at most %d sessions were seen at once, of %d expected", seen, s.sessions)
	}
	return nil, fmt.Sprintf("all sessions were connected for only %d samples in %s; at least %d in %s are needed", s.moments, units.FormatSpan(s.seconds), fewestMoments, units.FormatSpan(fewestBins))
}

func sessions(n int) string {
	if n == 1 {
		return "1 session"
	}
	return fmt.Sprintf("%d sessions", n)
}

// occupied is the average number of sessions in a state, and its margin: half of its 95 % interval.
type occupied struct{ mean, margin float64 }

// of sums up the requested states. Seconds are independent, moments are not: those of one second may be
// in one flush. So the interval is that of a ratio over seconds, and no smaller than that of moments at
// which all sessions do the same.
func (s *sampling) of(wanted func(name string) bool) occupied {
	total, squares := 0.0, 0.0
	counts := make([]float64, len(s.bins))
	for i, b := range s.bins {
		for name, n := range b.States {
			if wanted(name) {
				counts[i] += float64(n)
			}
		}
		total += counts[i]
	}
	m, n := float64(s.moments), float64(len(s.bins))
	if total == 0 {
		// A state with more than this share would have been seen, in 97.5 of 100 cases.
		return occupied{margin: float64(s.sessions) * min(1, -math.Log(0.025)/m)}
	}
	mean := total / m
	for i, b := range s.bins {
		off := counts[i] - mean*float64(b.Moments)
		squares += off * off
	}
	clustered := stats.StudentT(n-1) * math.Sqrt(squares*n/(n-1)) / m
	share := min(1, mean/float64(s.sessions))
	alone := stats.StudentT(m-1) * math.Sqrt(share*(1-share)/m)
	return occupied{mean, max(clustered, alone)}
}

// state is what a session's wait means for a transaction.
type state int

// The states; each session is in exactly one.
const (
	inNothing state = iota
	inClient
	inLock
	inLatch
	inRead
	inWrite
	inOthersFlush
	inOwnFlush
	inOther
)

// states says, for each application whose sessions are sampled, what the names of their waits mean.
var states = map[model.TargetKind]func(name string) state{model.Postgres: postgresState}

// in is how many sessions were in a state.
func (s *sampling) in(wanted state) occupied {
	return s.of(func(name string) bool { return s.state(name) == wanted })
}

// largest are the names of a state, the most frequent first, at most three.
func (s *sampling) largest(wanted state) string {
	counts := map[string]int{}
	for _, b := range s.bins {
		for name, n := range b.States {
			if s.state(name) == wanted && n > 0 {
				counts[name] += n
			}
		}
	}
	names := slices.SortedFunc(maps.Keys(counts), func(a, b string) int { return cmp.Or(-cmp.Compare(counts[a], counts[b]), strings.Compare(a, b)) })
	if len(names) > 3 {
		names = append(names[:3], "…")
	}
	return strings.Join(names, ", ")
}

// sampledRows are the rows of a transaction with sampled sessions: each session is in one state at each
// moment, so by Little's law the time in a state is its number of sessions divided by the rate. Flushes
// and reads use the server's own times, which are more accurate, as long as they belong to these
// transactions alone; so the sum is checked against something that was not sampled.
func sampledRows(b *budget.Budget, t transaction) (residual string) {
	s := t.sampled
	add := func(part budget.Part, name string, o occupied, less float64, of string) {
		seconds := o.mean/t.rate - less
		if seconds < traces*t.seen {
			return
		}
		margin := o.margin / t.rate
		how := fmt.Sprintf("%s of %s ÷ rate", few(o.mean), sessions(s.sessions))
		if of != "" {
			how += ", " + of
		}
		b.Rows = append(b.Rows, budget.Row{Part: part, Name: name, Seconds: seconds, Margin: margin, Of: how, Source: bySampling})
	}
	atClient, atNothing := s.in(inClient), s.in(inNothing)
	onClient, onServer := 0.0, 0.0
	if p := t.processor; p != nil {
		// Some of it is within what the server calls a wait, such as the system call for a flush.
		onClient, onServer = min(p.ClientCPU, (atClient.mean+atClient.margin)/t.rate), min(p.ServerCPU, (atNothing.mean+atNothing.margin)/t.rate)
		b.Rows = append(b.Rows, budget.Row{Part: budget.ClientCPU, Name: t.app.Tool + ", on a processor", Seconds: onClient, Source: "scheduler"})
		add(budget.RoundTrips, "round trips", atClient, onClient, "less "+t.app.Tool+" on a processor")
		b.Rows = append(b.Rows, budget.Row{Part: budget.ServerCPU, Name: "server, on a processor", Seconds: onServer, Source: "scheduler"})
		add(budget.RunQueue, "server, waiting for a processor", atNothing, onServer, "no wait event, less on a processor")
	} else {
		add(budget.RoundTrips, t.app.Tool+" and round trips", atClient, 0, "")
		add(budget.ServerCPU, "server, with no wait event", atNothing, 0, "on a processor or waiting for one")
	}
	add(budget.Locks, "other transactions' locks", s.in(inLock), 0, s.largest(inLock))
	add(budget.Latches, "internal locks (LWLocks)", s.in(inLatch), 0, s.largest(inLatch))
	if t.reading != nil && !t.shared {
		b.Rows = append(b.Rows, budget.Row{Part: budget.Reads, Name: "reads of pages not in its cache", Seconds: *t.reading, Source: t.app.Title})
	} else {
		add(budget.Reads, "reads of pages not in its cache", s.in(inRead), 0, "")
	}
	add(budget.WALWrite, "writing the WAL", s.in(inWrite), 0, "")
	add(budget.FlushQueue, "another session's flush", s.in(inOthersFlush), 0, "")
	flush, name := s.in(inOwnFlush), "flush of the WAL"
	if t.clients > 1 {
		name = "own flush of the WAL"
	}
	if t.waits() && !t.shared {
		own := *t.flushes * *t.flush
		b.Rows = append(b.Rows, budget.Row{Part: budget.Flush, Name: name, Seconds: own, Of: times(*t.flushes, "flush", "flushes") + units.FormatDuration(*t.flush), Source: t.app.Title})
		b.Notes = append(b.Notes, fmt.Sprintf("own flushes: %s per transaction by the server's timing, %s ± %s sampled", units.FormatDuration(own), units.FormatDuration(flush.mean/t.rate), units.FormatDuration(flush.margin/t.rate)))
	} else {
		add(budget.Flush, name, flush, 0, "")
	}
	if other := s.largest(inOther); other != "" {
		add(budget.OtherWaits, "other waits", s.in(inOther), 0, other)
	}
	b.Notes = append(b.Notes, s.cost())
	if !slices.ContainsFunc(b.Rows, func(r budget.Row) bool { return r.Source == t.app.Title }) {
		b.Notes = append(b.Notes, "every part comes from sampling, so the closure shows only that all sessions were seen")
	}
	if t.bound() {
		b.Notes = append(b.Notes, t.grouping())
	}
	b.Missing = append(b.Missing, budget.Missing{What: "enough samples", Measure: "measure again for longer (--max-time), on a machine that does nothing else"})
	return "sampling error, waits below 0.5 %"
}

// queued reports whether one transaction at a time holds the lock that nearly all others wait for, and
// flushes while it does: then its flush is no longer than the time from one transaction to the next.
func (t transaction) queued() bool {
	if t.sampled == nil || t.clients < 2 || !t.waits() || *t.flushes < 1-lawful || *t.flushes > 1+lawful || *t.flush**t.flushes*t.rate > 1+lawful {
		return false
	}
	// A session that waits for a lock briefly holds one of the server's internal locks.
	return t.sampled.in(inLock).mean > 0 && t.sampled.in(inLock).mean+t.sampled.in(inLatch).mean >= (1-lawful)*float64(t.clients-1)
}

// bySamples reports whether a budget has sampled rows.
func bySamples(b *budget.Budget) bool {
	return slices.ContainsFunc(b.Rows, func(r budget.Row) bool { return r.Source == bySampling })
}

// cost says how many samples were taken, and how long that took.
func (s *sampling) cost() string {
	each := s.spent / float64(max(1, s.asked))
	return fmt.Sprintf("wait sampling: %s, %d samples in %s; each took %s to answer", sessions(s.sessions), s.moments, units.FormatSpan(s.seconds), units.FormatDuration(each))
}
