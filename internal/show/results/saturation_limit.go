package results

import (
	"fmt"
	"slices"

	"github.com/loadline/loadline/internal/model"
)

// storageLimit is the share of the time in which a flush of the log is in progress, or of the clients' time that
// reads take, from which on the storage is called the limit.
const storageLimit = 0.9

// otherLimits are what limits a load instead of its storage, or may, if a rule warns of it; the first one that
// is found is named.
var otherLimits = []struct{ rule, words string }{
	{"full-cpu", "the processors are full, so this need not be the limit of the storage"},
	{"cpu", "others, or a limit, took processor time away, so this need not be the limit of the storage"},
	{"hot-rows", "most of them wait for each other's rows, so this need not be the limit of the storage"},
	{"connecting", "the load tool connects in turn, so this is not the limit of the storage"},
	{"others", "others use the server too, so this need not be the limit of the storage"},
	{"storage-bound", "transactions hardly wait for the storage, so this is not its limit"},
}

// limitedBy says what the rules know of the limit of a saturated load, from its first saturated point on: a
// phrase that begins with "; ".
func limitedBy(points []clientPoint, findings []model.Finding) string {
	for _, p := range points {
		for _, l := range otherLimits {
			if slices.ContainsFunc(findings, func(f model.Finding) bool { return about(f, l.rule, p.workload) }) {
				return "; with " + clients(p.clients) + " " + l.words
			}
		}
	}
	p := points[0]
	passed := func(rule string) bool {
		return slices.ContainsFunc(findings, func(f model.Finding) bool {
			return f.Rule == rule && f.Severity == model.SeverityPassed && (len(f.Results) == 0 || slices.Contains(f.Results, p.workload))
		})
	}
	const unknown = "; whether the storage is the limit is not known"
	if !passed("full-cpu") || p.app == nil {
		return unknown
	}
	share, words := 0.0, ""
	if p.app.Flushing != nil {
		share, words = *p.app.Flushing, "; a flush of its log is in progress %.0f %% of the time"
	}
	if p.app.Reading != nil && *p.app.Reading > share {
		share, words = *p.app.Reading, "; reads take %.0f %% of the clients' time"
	}
	switch {
	case words == "":
		return unknown
	case share < storageLimit:
		return fmt.Sprintf(words, 100*share)
	}
	return fmt.Sprintf(words, 100*share) + ", so the storage is the limit"
}
