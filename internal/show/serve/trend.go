package serve

import (
	"cmp"
	"context"
	"net/http"
	"slices"

	"github.com/loadline/loadline/internal/measure/store"
	"github.com/loadline/loadline/internal/model"
)

// trendSchema is the schema name of a trend.
const trendSchema = "loadline.trend/v1"

// mostPoints is the maximum number of runs in a trend: the latest ones.
const mostPoints = 500

// trend is one result over the runs that match a search, oldest first.
type trend struct {
	Schema    string          `json:"schema"`
	Workload  string          `json:"workload"`
	Direction model.Direction `json:"direction"`
	Metric    model.Metric    `json:"metric"`
	Points    []trendPoint    `json:"points"`
	// Earlier counts the runs before the first point, OtherMetric those whose result of that name has
	// another metric, Undated those of which it is not known when they were measured.
	Earlier     int `json:"earlier,omitempty"`
	OtherMetric int `json:"other_metric,omitempty"`
	Undated     int `json:"undated,omitempty"`
}

// trendPoint is the result of one run.
type trendPoint struct {
	Path    string `json:"path"`
	Started string `json:"started"`
	Target  string `json:"target"`
	Host    string `json:"host,omitempty"`
	Note    string `json:"note,omitempty"`
	store.CardResult
}

// directions are those that a result can have.
var directions = []model.Direction{model.Read, model.Write, model.Mixed, model.Sync}

// trend answers a request for one result over runs.
func (s *Server) trend(w http.ResponseWriter, r *http.Request) {
	q, err := parseQuery(r.URL.Query())
	switch {
	case err != nil:
		fail(w, http.StatusBadRequest, err.Error())
	case q.workload == "" || !slices.Contains(directions, q.direction):
		// The answer repeats the direction, and its schema has no other.
		fail(w, http.StatusBadRequest, "a trend is of one result: add workload=NAME and direction=read, write, mixed or sync")
	default:
		reply(w, http.StatusOK, s.library.trend(r.Context(), q))
	}
}

// trend collects the named result from all matching entries. Runs whose start time is unknown are
// counted, but have no place in the order of time.
func (l *library) trend(ctx context.Context, q *query) trend {
	l.refresh(ctx)
	l.mu.Lock()
	out := trend{Schema: trendSchema, Workload: q.workload, Direction: q.direction, Points: []trendPoint{}}
	var found []*entry
	metrics := map[model.Metric]int{}
	for _, e := range l.entries {
		switch r := e.result(q); {
		case r == nil || !q.matches(e):
		case e.card.Started.IsZero():
			out.Undated++
		default:
			found = append(found, e)
			metrics[r.Metric]++
		}
	}
	l.mu.Unlock()
	for m, n := range metrics {
		if best := metrics[out.Metric]; out.Metric == "" || n > best || n == best && m < out.Metric {
			out.Metric = m
		}
	}
	slices.SortFunc(found, func(a, b *entry) int {
		return cmp.Or(a.card.Started.Compare(b.card.Started), cmp.Compare(a.path, b.path))
	})
	for _, e := range found {
		r := e.result(q)
		if r.Metric != out.Metric {
			out.OtherMetric++
			continue
		}
		out.Points = append(out.Points, trendPoint{Path: e.path, Started: e.card.Started.UTC().Format("2006-01-02T15:04:05Z"), Target: e.card.Target, Host: e.card.Host, Note: e.card.Note, CardResult: *r})
	}
	out.Earlier = max(0, len(out.Points)-mostPoints)
	out.Points = out.Points[out.Earlier:]
	return out
}
