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

// quote is what an object's events say about its standing still.
type quote struct {
	// words are "FailedMount: no such device".
	words string
	// times is how often it was said, over span.
	times int
	span  time.Duration
	// warning tells that it is a complaint, and no remark on what is going on.
	warning bool
}

// String is the words and how often they were said.
func (q quote) String() string {
	switch {
	case q.times < 2:
		return q.words
	case q.span < time.Second:
		return fmt.Sprintf("%s, %d times", q.words, q.times)
	}
	return fmt.Sprintf("%s, %d times in %s", q.words, q.times, units.FormatSpan(q.span.Seconds()))
}

// size grows each time that the number of times has doubled, which is worth saying again.
func (q quote) size() int { return bits.Len(uint(q.times)) }

// secondary matches the words of those who wait for somebody else, or came while an earlier
// try was still at work: they say nothing of the cause.
var secondary = regexp.MustCompile(`(?i)timed out waiting|deadline ?exceeded|already exists|in progress|code = Aborted|back-?off`)

// telling picks from an object's events, the newest first, the one that tells most: a
// complaint with a cause of its own, else any complaint, else what was said last. Repeats
// and what one reason says in several wordings (with the number of a request in each) are
// counted together. Events of a reason that is over are left out. It is the zero quote when
// there is none.
func telling(newest []corev1.Event, over ...string) (q quote) {
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
		// How often somebody says that he is waiting, nobody wants to know.
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

// repeats is how often an event happened, in the older or in the newer API's way of
// counting.
func repeats(e *corev1.Event) int {
	n := max(1, int(e.Count))
	if e.Series != nil {
		n = max(n, int(e.Series.Count))
	}
	return n
}

// firstTime is when an event happened for the first time.
func firstTime(e *corev1.Event) time.Time {
	for _, t := range []time.Time{e.FirstTimestamp.Time, e.EventTime.Time} {
		if !t.IsZero() {
			return t
		}
	}
	return eventTime(e)
}

// eventWords is "FailedMount: no such device"; a message may begin with its reason.
func eventWords(e *corev1.Event) string {
	words := oneLine(e.Message)
	if strings.HasPrefix(words, e.Reason) {
		return words
	}
	return e.Reason + ": " + words
}
