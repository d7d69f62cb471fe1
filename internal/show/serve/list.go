package serve

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"net/url"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/loadline/loadline/internal/measure/store"
	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/units"
)

// listSchema is the schema name of the list.
const listSchema = "loadline.library/v1"

// listing is the response to a list request.
type listing struct {
	Schema string `json:"schema"`
	Folder string `json:"folder"`
	// Total counts all directories, Matches those that match the search; Runs are up to Limit of
	// them, starting at Offset.
	Total   int   `json:"total"`
	Matches int   `json:"matches"`
	Offset  int   `json:"offset"`
	Limit   int   `json:"limit"`
	Runs    []row `json:"runs"`
	// Results are the headlines available as a column, most frequent first.
	Results []headline `json:"results"`
	// Reading is set if the folder has not been read completely yet.
	Reading bool `json:"reading,omitempty"`
	// Remarks are sentences about the folder.
	Remarks []string `json:"remarks,omitempty"`
}

// row is one directory in the list. It contains the requested result, or else the first few; More
// counts the others.
type row struct {
	Path string `json:"path"`
	store.Card
	Problems []string `json:"problems,omitempty"`
	More     int      `json:"more,omitempty"`
}

// headline names a result that several runs have.
type headline struct {
	Workload  string          `json:"workload"`
	Direction model.Direction `json:"direction"`
	Metric    model.Metric    `json:"metric"`
	Runs      int             `json:"runs"`
}

// rowResults is how many results a row shows if none is requested.
const rowResults = 6

// query is what a list request asks for.
type query struct {
	words         []string
	kind          string
	sort          string
	down          bool
	offset, limit int
	// workload and direction select the result that is shown and sorted by.
	workload  string
	direction model.Direction
}

// sorts are the columns by which a list can be sorted, as comparisons in ascending order.
var sorts = map[string]func(q *query, a, b *entry) int{
	"started":  func(_ *query, a, b *entry) int { return a.dated().Compare(b.dated()) },
	"duration": func(_ *query, a, b *entry) int { return cmp.Compare(a.duration(), b.duration()) },
	"target":   func(_ *query, a, b *entry) int { return fold(a.card.Target, b.card.Target) },
	"kind":     func(_ *query, a, b *entry) int { return cmp.Compare(a.card.Kind, b.card.Kind) },
	"profile":  func(_ *query, a, b *entry) int { return fold(a.card.Profile, b.card.Profile) },
	"host":     func(_ *query, a, b *entry) int { return fold(a.card.Host, b.card.Host) },
	"status":   func(_ *query, a, b *entry) int { return cmp.Compare(a.card.Status, b.card.Status) },
	"verdict":  func(_ *query, a, b *entry) int { return cmp.Compare(a.trouble(), b.trouble()) },
	"note":     func(_ *query, a, b *entry) int { return fold(a.card.Note, b.card.Note) },
	"result":   func(q *query, a, b *entry) int { return cmp.Compare(a.value(q), b.value(q)) },
}

// missing are the columns that may be empty for a directory; such directories come last in either
// sort order.
var missing = map[string]func(q *query, e *entry) bool{
	"started":  func(_ *query, e *entry) bool { return e.dated().IsZero() },
	"duration": func(_ *query, e *entry) bool { return e.duration() == 0 },
	"target":   func(_ *query, e *entry) bool { return e.card.Target == "" },
	"profile":  func(_ *query, e *entry) bool { return e.card.Profile == "" },
	"host":     func(_ *query, e *entry) bool { return e.card.Host == "" },
	"note":     func(_ *query, e *entry) bool { return e.card.Note == "" },
	"result":   func(q *query, e *entry) bool { return math.IsNaN(e.value(q)) },
}

func fold(a, b string) int { return cmp.Compare(strings.ToLower(a), strings.ToLower(b)) }

// dated returns the time that the list shows, and sorts by: when it was measured or, if the source of imported numbers does not say,
// when they were imported.
func (e *entry) dated() time.Time {
	if e.card.Started.IsZero() {
		return e.card.Imported
	}
	return e.card.Started
}

// duration returns how long the measurement took, in seconds; 0 if unknown, as for results measured
// elsewhere.
func (e *entry) duration() float64 {
	if e.card.Finished.IsZero() || e.card.Started.IsZero() || e.card.TargetKind == model.Foreign {
		return 0
	}
	return e.card.Finished.Sub(e.card.Started).Seconds()
}

// trouble ranks the severity of what is wrong, from nothing to worst.
func (e *entry) trouble() int {
	switch {
	case len(e.problems) > 0:
		return 5
	case e.card.Invalid > 0, e.card.Verdict == model.Invalid, e.card.Durability == model.DurabilityLostWrites, e.card.Durability == model.DurabilityCorrupt:
		return 4
	case e.card.Status == model.Failed || e.card.Status == model.Interrupted:
		return 3
	case e.card.Verdict == model.Suspect, e.card.Warnings > 0:
		return 2
	case e.card.Verdict == model.Valid, e.card.Durability != "":
		return 0
	}
	return 1
}

// value returns the value of the chosen result, or NaN without one.
func (e *entry) value(q *query) float64 {
	if r := e.result(q); r != nil {
		return r.Value
	}
	return math.NaN()
}

func (e *entry) result(q *query) *store.CardResult {
	for i := range e.card.Results {
		if r := &e.card.Results[i]; r.Workload == q.workload && (q.direction == "" || r.Direction == q.direction) {
			return r
		}
	}
	return nil
}

// parseQuery reads a list request. The error is a sentence.
func parseQuery(v url.Values) (*query, error) {
	q := &query{words: strings.Fields(strings.ToLower(v.Get("q"))), kind: v.Get("kind"), sort: cmp.Or(v.Get("sort"), "started"),
		limit: 100, workload: v.Get("workload"), direction: model.Direction(v.Get("direction"))}
	if _, ok := sorts[q.sort]; !ok {
		return nil, fmt.Errorf("a list cannot be sorted by %q; choose among %s", q.sort, strings.Join(sortNames(), ", "))
	}
	if q.sort == "result" && q.workload == "" {
		return nil, fmt.Errorf("sorting by a result needs workload=NAME")
	}
	switch order := cmp.Or(v.Get("order"), "down"); order {
	case "up", "down":
		q.down = order == "down"
	default:
		return nil, fmt.Errorf("order=%q is neither up nor down", order)
	}
	for _, n := range []struct {
		name     string
		to       *int
		min, max int
	}{{"offset", &q.offset, 0, math.MaxInt32}, {"limit", &q.limit, 1, 500}} {
		text := v.Get(n.name)
		if text == "" {
			continue
		}
		var err error
		if *n.to, err = strconv.Atoi(text); err != nil || *n.to < n.min || *n.to > n.max {
			return nil, fmt.Errorf("%s=%q is not a number from %d to %d", n.name, text, n.min, n.max)
		}
	}
	return q, nil
}

func sortNames() []string {
	var names []string
	for n := range sorts {
		names = append(names, n)
	}
	slices.Sort(names)
	return names
}

// matches reports whether the entry contains all the words and is of the requested kind.
func (q *query) matches(e *entry) bool {
	if q.kind != "" && q.kind != string(e.card.Kind) {
		return false
	}
	for _, w := range q.words {
		label, isLabel := strings.CutPrefix(w, "label:")
		if isLabel && !e.labelled(label) || !isLabel && !strings.Contains(e.text, w) {
			return false
		}
	}
	return true
}

// labelled reports whether the entry has a label: "name" with any value, "name=value" with exactly
// this value, "name=begin*" with a value that begins this way; case is ignored.
func (e *entry) labelled(wanted string) bool {
	name, value, hasValue := strings.Cut(wanted, "=")
	begin, open := strings.CutSuffix(value, "*")
	for own, is := range e.card.Labels {
		is = strings.ToLower(is)
		if strings.ToLower(own) == name && (!hasValue || is == value || open && strings.HasPrefix(is, begin)) {
			return true
		}
	}
	return false
}

// list answers a list request.
func (l *library) list(ctx context.Context, q *query) listing {
	whole := l.refresh(ctx)
	l.mu.Lock()
	entries := make([]*entry, 0, len(l.entries))
	for _, e := range l.entries {
		entries = append(entries, e)
	}
	out := listing{Schema: listSchema, Folder: l.place(), Total: len(entries), Offset: q.offset, Limit: q.limit,
		Runs: []row{}, Results: headlines(entries), Reading: !whole, Remarks: l.remarks()}
	l.mu.Unlock()
	entries = slices.DeleteFunc(entries, func(e *entry) bool { return !q.matches(e) })
	slices.SortFunc(entries, q.compare)
	out.Matches = len(entries)
	from := min(q.offset, len(entries))
	for _, e := range entries[from:min(from+q.limit, len(entries))] {
		out.Runs = append(out.Runs, e.row(q))
	}
	return out
}

// place is the folder as it is found from anywhere: "." is no title.
func (l *library) place() string {
	if full, err := filepath.Abs(l.name); err == nil {
		return full
	}
	return filepath.Clean(l.name)
}

// compare orders the list: directories without a value in the column last, ties by time, newest
// first.
func (q *query) compare(a, b *entry) int {
	if none := missing[q.sort]; none != nil {
		if ma, mb := none(q, a), none(q, b); ma != mb {
			if ma {
				return 1
			}
			return -1
		}
	}
	order := sorts[q.sort](q, a, b)
	if q.down {
		order = -order
	}
	return cmp.Or(order, b.dated().Compare(a.dated()), cmp.Compare(a.path, b.path))
}

// remarks returns what the list leaves out. It is called with the lock held.
func (l *library) remarks() (out []string) {
	if l.err != nil {
		out = append(out, fmt.Sprintf("the folder cannot be read: %v", l.err))
	}
	switch {
	case l.links == 1:
		out = append(out, "1 symbolic link was not followed")
	case l.links > 1:
		out = append(out, fmt.Sprintf("%d symbolic links were not followed", l.links))
	}
	if l.unnamed > 0 {
		out = append(out, units.FormatCount(l.unnamed, "folder")+" left out: a name that is not UTF-8 text has no address; loadline report shows such a run")
	}
	if l.cut {
		out = append(out, fmt.Sprintf("only the first %d folders were looked at: serve a narrower folder", most))
	}
	return out
}

// headlines collects the results that the entries have.
func headlines(entries []*entry) []headline {
	type key struct {
		workload  string
		direction model.Direction
		metric    model.Metric
	}
	counts := map[key]int{}
	for _, e := range entries {
		for _, r := range e.card.Results {
			counts[key{r.Workload, r.Direction, r.Metric}]++
		}
	}
	all := []headline{}
	for k, n := range counts {
		all = append(all, headline{Workload: k.workload, Direction: k.direction, Metric: k.metric, Runs: n})
	}
	slices.SortFunc(all, func(a, b headline) int {
		return cmp.Or(cmp.Compare(b.Runs, a.Runs), cmp.Compare(a.Workload, b.Workload), cmp.Compare(a.Direction, b.Direction), cmp.Compare(a.Metric, b.Metric))
	})
	const shown = 200
	return all[:min(shown, len(all))]
}

// row returns the entry as a row of the list.
func (e *entry) row(q *query) row {
	r := row{Path: e.path, Card: e.card, Problems: e.problems}
	if q.workload != "" {
		r.Results = nil
		if chosen := e.result(q); chosen != nil {
			r.Results = []store.CardResult{*chosen}
		}
	} else {
		r.Results = e.card.Results[:min(rowResults, len(e.card.Results))]
	}
	r.More = len(e.card.Results) - len(r.Results)
	return r
}
