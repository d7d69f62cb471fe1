package trust

import (
	"fmt"

	"github.com/loadline/loadline/internal/model"
)

var ruleNetwork = Rule{
	Name:     "network",
	Checks:   "no network card was full",
	Evidence: "the bytes that each machine's busiest network card of known speed counted over each repeat (85 % of its speed)",
	Severity: "warning: the network is the limit",
	Advice:   "use a faster network, or place volumes on the node that uses them",
	check:    checkNetwork,
}

// networkMost is the maximum utilization of a network card.
const networkMost = 0.85

// checkNetwork reports that the network between workers and storage is the limit, and not the storage.
// The card's speed applies to each direction separately.
//
// Evidence: the counters of the machine's own cards.
func checkNetwork(ev Evidence) []model.Finding {
	several := ev.multiVolume()
	if len(several) == 0 {
		return nil
	}
	var o outcome
	for _, w := range several {
		worst, known := 0.0, false
		var card model.Link
		for _, s := range ev.good(w.Name) {
			if s.Counters == nil || s.Counters.Link == nil || s.Counters.Seconds <= 0 {
				continue
			}
			known = true
			l := *s.Counters.Link
			if use := float64(max(l.Received, l.Sent)) / s.Counters.Seconds / l.Speed; use > worst {
				worst, card = use, l
			}
		}
		switch {
		case !known:
			o.miss(w.Name, "no network card of known speed was counted where the workers run")
		case worst > networkMost:
			o.fault(model.Finding{Severity: model.SeverityWarning, Results: []string{w.Name},
				Message:  fmt.Sprintf("network-limited: %s was %s full during %s, so the storage behind it may be faster", card.Name, percent(worst), w.Name),
				Evidence: map[string]any{"use": worst, "card": card.Name, "speed": card.Speed, "allowed": networkMost},
				Next:     "find out who uses it (sar -n DEV 1), or measure volumes on the node that uses them"})
		default:
			o.pass(w.Name)
		}
	}
	return o.findings("no network card was full", "")
}
