package store

import (
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/iotrace"
	"github.com/loadline/loadline/internal/model/units"
)

// cardSchema is the schema name of card.json.
const cardSchema = "loadline.card/v1"

// CardKind is the kind of directory that a card describes.
type CardKind string

// The kinds of directory in a folder of results.
const (
	runCard        CardKind = "run"
	SweepCard      CardKind = "sweep"
	ScaleCard      CardKind = "scale"
	ComparisonCard CardKind = "comparison"
	// RankingCard is the kind of a folder of several systems, each with a run inside.
	RankingCard    CardKind = "ranking"
	DurabilityCard CardKind = "durability"
	TraceCard      CardKind = "trace"
	// UnknownCard is the kind of a directory that holds too little to tell.
	UnknownCard CardKind = "unknown"
)

// Card is what a list shows about a directory: a few kilobytes, computed from the report beside it
// and saved as card.json, so that a folder of thousands can be listed without reading their reports.
type Card struct {
	Schema string   `json:"schema"`
	Kind   CardKind `json:"kind"`
	ID     string   `json:"id"`
	// Started is zero if that is not known, as of numbers whose source does not say when it was measured.
	Started  time.Time `json:"started,omitzero"`
	Finished time.Time `json:"finished,omitzero"`
	// Imported is when numbers measured by another tool were imported.
	Imported time.Time    `json:"imported,omitzero"`
	Status   model.Status `json:"status"`
	Reason   string       `json:"reason,omitempty"`
	// Target and Baseline are absolute paths, or what the user typed if it is not a path; a baseline
	// is side A of a comparison.
	Target     string           `json:"target"`
	TargetKind model.TargetKind `json:"target_kind,omitempty"`
	Baseline   string           `json:"baseline,omitempty"`
	Profile    string           `json:"profile,omitempty"`
	Note       string           `json:"note,omitempty"`
	Labels     model.Labels     `json:"labels,omitempty"`
	Host       string           `json:"host,omitempty"`
	// Verdict is the worst verdict of the results; empty without results. Invalid and Warnings count
	// findings.
	Verdict  model.Verdict `json:"verdict,omitempty"`
	Invalid  int           `json:"invalid,omitempty"`
	Warnings int           `json:"warnings,omitempty"`
	Results  []CardResult  `json:"results,omitempty"`
	// Changes counts the verdicts of a comparison's rows.
	Changes map[model.Change]int `json:"changes,omitempty"`
	// Durability is the outcome of a durability test. Statement is a sentence about that outcome or
	// about a ranking.
	Durability model.DurabilityResult `json:"durability,omitempty"`
	Statement  string                 `json:"statement,omitempty"`
	// Document is the size in bytes of the document from which the card was computed. If the document
	// has another size now, it has been replaced and the card is out of date.
	Document int64 `json:"document"`
}

// CardResult is the headline result of one workload in one direction.
type CardResult struct {
	Workload  string          `json:"workload"`
	Direction model.Direction `json:"direction"`
	Metric    model.Metric    `json:"metric"`
	model.Estimate
	Verdict model.Verdict `json:"verdict"`
}

// CardOfReport returns the card of a run's report.
func CardOfReport(r *model.Report) Card {
	c := newCard(&r.Run)
	switch {
	case r.Ranking != nil:
		c.Kind, c.Target, c.Statement = RankingCard, systems(r.Ranking), firstPlace(r.Ranking)
	case r.Sweep != nil:
		c.Kind = SweepCard
	case len(r.Scales) > 0:
		c.Kind = ScaleCard
	}
	for _, res := range r.Results {
		c.Verdict = worse(c.Verdict, res.Verdict)
		if !finite(res.Estimate) {
			continue
		}
		c.Results = append(c.Results, CardResult{Workload: res.Workload, Direction: res.Direction, Metric: res.Metric,
			Estimate: res.Estimate, Verdict: res.Verdict})
	}
	c.count(r.Findings)
	if c.Invalid > 0 {
		c.Verdict = model.Invalid
	}
	return c
}

// systems returns the names of a ranking's systems.
func systems(k *model.Ranking) string {
	var names []string
	for _, s := range k.Systems {
		names = append(names, s.Name)
	}
	return strings.Join(names, ", ")
}

// firstPlace says which system comes first over all tests, as far as the numbers tell.
func firstPlace(k *model.Ranking) string {
	if len(k.Groups) == 0 {
		return "nothing was ranked"
	}
	var first []string
	for _, e := range k.Groups[len(k.Groups)-1].Entries {
		if e.First == 1 {
			first = append(first, k.Systems[e.System].Name)
		}
	}
	switch len(first) {
	case 0:
		return "no system can be ranked over all tests"
	case 1:
		return first[0] + " comes first over all tests"
	}
	return "unclear which comes first over all tests: " + strings.Join(first, ", ")
}

// CardOfComparison returns the card of a comparison measured as one.
func CardOfComparison(r *model.Comparison) Card {
	c := newCard(&r.B)
	c.Kind, c.ID, c.Baseline, c.Changes = ComparisonCard, r.ID, r.A.Target.Place(), map[model.Change]int{}
	if r.A.Status != model.Complete {
		c.Status, c.Reason = r.A.Status, r.A.Reason
	}
	for _, row := range r.Rows {
		c.Changes[row.Verdict]++
		c.Verdict = worse(c.Verdict, row.Trust)
	}
	c.count(r.Findings)
	return c
}

// CardOfDurability returns the card of a durability test.
func CardOfDurability(d *model.Durability) Card {
	c := Card{Schema: cardSchema, Kind: DurabilityCard, ID: d.ID, Started: d.Started, Finished: d.Finished, Status: d.Status, Reason: d.Reason,
		Target: d.Target.Place(), TargetKind: d.Target.Kind, Host: d.Environment.Hostname, Durability: d.Result, Statement: d.Statement, Labels: d.Labels}
	c.count(d.Findings)
	return c
}

// CardOfTrace returns the card of a trace.
func CardOfTrace(t *iotrace.Report) Card {
	r := &t.Run
	target := r.Request.Target
	if target == "" {
		target = strings.Join(r.Request.Devices, ", ")
	}
	c := Card{Schema: cardSchema, Kind: TraceCard, ID: r.ID, Started: r.Started, Finished: r.Finished, Status: r.Status, Reason: r.Reason,
		Target: target, Host: r.Environment.Hostname, Labels: r.Labels}
	var ios uint64
	for _, k := range t.Kinds {
		ios += k.IOs
	}
	c.Statement = fmt.Sprintf("%d I/Os in %s", ios, units.FormatDuration(r.Seconds))
	c.count(t.Findings)
	return c
}

func newCard(r *model.RunInfo) Card {
	c := Card{Schema: cardSchema, Kind: runCard, ID: r.ID, Started: r.Started, Finished: r.Finished, Status: r.Status, Reason: r.Reason,
		Target: r.Target.Place(), TargetKind: r.Target.Kind, Profile: r.Profile, Note: r.Note, Labels: r.Labels, Host: r.Environment.Hostname}
	if im := r.Imported; im != nil {
		c.dateImported(im.At, im.Measured)
	}
	return c
}

// dateImported sets the times of numbers measured by another tool. Until then Started is when they were imported, if the source does
// not say when they were measured.
func (c *Card) dateImported(at, measured time.Time) {
	if c.Imported = at; at.IsZero() {
		c.Imported = c.Started
	}
	if c.Started = measured; measured.IsZero() {
		c.Finished = time.Time{}
	}
}

func (c *Card) count(findings []model.Finding) {
	for _, f := range findings {
		switch f.Severity {
		case model.SeverityInvalid:
			c.Invalid++
		case model.SeverityWarning:
			c.Warnings++
		}
	}
}

// worse returns the worse of two verdicts; "" means no verdict.
func worse(a, b model.Verdict) model.Verdict {
	rank := map[model.Verdict]int{model.Valid: 1, model.Suspect: 2, model.Invalid: 3}
	if rank[b] > rank[a] {
		return b
	}
	return a
}

// finite reports whether JSON can represent the estimate.
func finite(e model.Estimate) bool {
	for _, v := range []float64{e.Value, e.Low, e.High} {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return false
		}
	}
	return true
}

// File returns the file of the card; size is that of the document that is saved beside it, in bytes.
func (c Card) File(size int) (File, error) {
	c.Schema, c.Document = cardSchema, int64(size)
	data, err := document(c)
	if err != nil {
		return File{}, fmt.Errorf("%s cannot be saved: %w", CardFile, err)
	}
	return File{Name: CardFile, Data: data}, nil
}
