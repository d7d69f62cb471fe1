package kube

import (
	"fmt"
	"math/bits"
	"regexp"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/loadline/loadline/internal/model/units"
)

// quote is what an object's events say about why it makes no progress.
type quote struct {
	// words are, for example, "FailedMount: no such device".
	words string
	// times is how often it was reported, over span.
	times int
	span  time.Duration
	// warning is set if it is a complaint rather than a progress message.
	warning bool
}

// String returns the message and how often it was reported.
func (q quote) String() string {
	switch {
	case q.times < 2:
		return q.words
	case q.span < time.Second:
		return fmt.Sprintf("%s, %d times", q.words, q.times)
	}
	return fmt.Sprintf("%s, %d times in %s", q.words, q.times, units.FormatSpan(q.span.Seconds()))
}

// size grows whenever the count has doubled, which is worth reporting again.
func (q quote) size() int { return bits.Len(uint(q.times)) }

// secondary matches messages of components that wait for another one, or that were called while an
// earlier attempt was still in progress: they say nothing about the cause.
var secondary = regexp.MustCompile(`(?i)timed out waiting|deadline ?exceeded|already exists|in progress|code = Aborted|back-?off`)

// mostInformative picks the most informative of an object's events, which are sorted newest first: a
// complaint that names a cause, else any complaint, else the latest event. Repetitions, and
// different wordings of one reason (with a request's number in each), are counted together. Events
// of reasons in over, which no longer apply, are left out. Without events it returns the zero
// quote.
func mostInformative(newest []corev1.Event, over ...string) (q quote) {
	rank := func(e *corev1.Event) int {
		switch {
		case e.Type != corev1.EventTypeWarning:
			return 1
		case secondary.MatchString(e.Reason + ": " + e.Message):
			return 2
		}
		return 3
	}
	best := -1
	for i := range newest {
		e := &newest[i]
		if !slices.Contains(over, e.Reason) && (best < 0 || rank(e) > rank(&newest[best])) {
			best = i
		}
	}
	if best < 0 {
		return q
	}
	chosen := &newest[best]
	q.words, q.warning = eventWords(chosen), rank(chosen) > 1
	if !q.warning {
		// The number of progress messages is of no interest.
		return q
	}
	first := eventTime(chosen)
	for i := range newest {
		e := &newest[i]
		if e.Reason != chosen.Reason || rank(e) != rank(chosen) {
			continue
		}
		q.times += repeats(e)
		if t := firstTime(e); t.Before(first) {
			first = t
		}
	}
	q.span = eventTime(chosen).Sub(first)
	return q
}

// repeats returns how often an event happened, as counted by the older or the newer API.
func repeats(e *corev1.Event) int {
	n := max(1, int(e.Count))
	if e.Series != nil {
		n = max(n, int(e.Series.Count))
	}
	return n
}

// firstTime returns when an event first happened.
func firstTime(e *corev1.Event) time.Time {
	for _, t := range []time.Time{e.FirstTimestamp.Time, e.EventTime.Time} {
		if !t.IsZero() {
			return t
		}
	}
	return eventTime(e)
}

// eventWords returns, for example, "FailedMount: no such device"; a message may already begin with
// its reason.
func eventWords(e *corev1.Event) string {
	words := oneLine(e.Message)
	if strings.HasPrefix(words, e.Reason) {
		return words
	}
	return e.Reason + ": " + words
}
