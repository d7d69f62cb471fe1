package serve

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"

	"github.com/loadline/loadline/internal/judge/analyze"
	"github.com/loadline/loadline/internal/measure/store"
	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/iotrace"
	"github.com/loadline/loadline/internal/show/report/jsonout"
)

// mostBeside is the maximum number of directories shown side by side: a chart with more lines is
// unreadable.
const mostBeside = 6

// viewSchema is the schema name of a view.
const viewSchema = "loadline.view/v1"

// view contains what a page is drawn from: the documents of one directory or of several.
type view struct {
	Schema string `json:"schema"`
	// Runs are the directories, one for each of Reports in the same order; those of durability
	// tests and of traces follow, in the order in which they were asked for.
	Runs    []viewed          `json:"runs"`
	Reports []json.RawMessage `json:"reports"`
	// Beside are the traces recorded alongside the runs, in the same order, null for a run without
	// one; absent if no run has one.
	Beside      []json.RawMessage `json:"beside,omitempty"`
	Comparisons []json.RawMessage `json:"comparisons"`
	Durability  []json.RawMessage `json:"durability"`
	// Traces are shown if there are no runs.
	Traces []json.RawMessage `json:"traces,omitempty"`
	// Remarks are sentences, such as what is wrong with a directory or why there is no comparison.
	Remarks []string `json:"remarks"`
}

// viewed is one directory in a view.
type viewed struct {
	Path    string         `json:"path"`
	Kind    store.CardKind `json:"kind"`
	Running bool           `json:"running"`
}

// view answers a request for the documents of one or several directories.
func (s *Server) view(w http.ResponseWriter, r *http.Request) {
	paths, err := asked(r.URL.Query())
	if err != nil {
		fail(w, http.StatusBadRequest, err.Error())
		return
	}
	select {
	case s.heavy <- struct{}{}:
		defer func() { <-s.heavy }()
	case <-r.Context().Done():
		return
	}
	b := &viewBuilder{server: s, view: view{Schema: viewSchema, Runs: []viewed{}, Reports: []json.RawMessage{}, Comparisons: []json.RawMessage{},
		Durability: []json.RawMessage{}, Remarks: []string{}}}
	for _, p := range paths {
		if err := b.add(r.Context(), p, len(paths) > 1); err != nil {
			fail(w, http.StatusNotFound, err.Error())
			return
		}
	}
	if len(paths) > 1 {
		b.compare(r.Context())
	}
	if len(b.view.Traces) > 0 && len(b.view.Reports)+len(b.view.Durability) > 0 {
		b.view.Traces = nil
		b.view.Remarks = append(b.view.Remarks, "a trace cannot be shown beside reports: open it alone")
	}
	if !b.traced {
		b.view.Beside = nil
	}
	b.view.Runs = append(b.view.Runs, b.tests...)
	reply(w, http.StatusOK, b.view)
}

// asked returns the paths of a request: each once, and not too many.
func asked(v url.Values) ([]string, error) {
	var paths []string
	seen := map[string]bool{}
	for _, p := range v["run"] {
		if !seen[p] {
			seen[p] = true
			paths = append(paths, p)
		}
	}
	switch {
	case len(paths) == 0:
		return nil, errors.New("no run is named: add run=PATH, once or several times")
	case len(paths) > mostBeside:
		return nil, fmt.Errorf("%d runs are too many side by side: choose at most %d", len(paths), mostBeside)
	}
	return paths, nil
}

// viewBuilder collects the documents of a view.
type viewBuilder struct {
	server *Server
	view   view
	tests  []viewed
	// sides are the measurements behind the reports, as far as they can be compared.
	sides []analyze.Measured
	// traced is set if one of the runs has a trace recorded alongside it.
	traced bool
}

// add adds a directory. With beside, a comparison is represented by its side B, because a
// comparison cannot be part of another one.
func (b *viewBuilder) add(ctx context.Context, p string, beside bool) error {
	o, err := b.server.library.open(ctx, p)
	if err != nil {
		return err
	}
	defer o.close()
	for _, problem := range o.problems {
		b.remark(p, problem)
	}
	switch o.card.Kind {
	case store.DurabilityCard:
		return b.addTest(o)
	case store.TraceCard:
		return b.addTrace(o)
	case store.ComparisonCard:
		if !beside {
			return b.addComparison(ctx, o)
		}
		b.remark(p, "of this comparison its side B is shown")
		return b.add(ctx, p+"/"+store.CandidateDir, beside)
	case store.RankingCard:
		if beside {
			b.remark(p, "a ranking cannot be shown beside reports; choose among its systems")
			return nil
		}
	}
	return b.addRun(o, beside)
}

func (b *viewBuilder) remark(path, sentence string) {
	b.view.Remarks = append(b.view.Remarks, path+": "+sentence)
}

// addRun adds a run: its saved report, or one computed from the data available.
func (b *viewBuilder) addRun(o *opened, compare bool) error {
	doc, report, err := b.server.report(o)
	if err != nil {
		b.remark(o.path, "it cannot be shown: "+err.Error())
		return nil
	}
	b.view.Runs = append(b.view.Runs, viewed{Path: o.path, Kind: o.card.Kind, Running: o.isRunning()})
	b.view.Reports = append(b.view.Reports, doc)
	b.view.Beside = append(b.view.Beside, b.beside(o))
	side := analyze.Measured{Report: report}
	if compare {
		if side.Recorded, err = store.ReadFS(o.files, o.dir); err != nil {
			b.remark(o.path, "its raw data cannot be read: "+err.Error())
		}
	}
	b.sides = append(b.sides, side)
	return nil
}

// beside returns the trace recorded alongside a run, or nil if there is none yet.
func (b *viewBuilder) beside(o *opened) json.RawMessage {
	if o.isRunning() {
		return nil
	}
	doc, err := store.ReadRunTraceReport(o.root)
	if err == nil && doc != nil {
		err = isOf(doc, store.TraceDir+"/"+store.ReportFile, iotrace.Schema)
	}
	if err != nil {
		b.remark(o.path, "the trace beside it cannot be shown: "+err.Error())
		return nil
	}
	b.traced = b.traced || doc != nil
	return doc
}

// addComparison adds both sides of a comparison, and its document if there is one.
func (b *viewBuilder) addComparison(ctx context.Context, o *opened) error {
	for _, side := range store.Sides {
		if err := b.add(ctx, o.path+"/"+side, true); err != nil {
			b.remark(o.path, err.Error())
		}
	}
	doc, err := o.document(store.ComparisonFile, model.ComparisonSchema)
	if err == nil {
		doc, err = withNotes(doc)
	}
	switch {
	case err == nil:
		b.view.Comparisons = append(b.view.Comparisons, doc)
	case !o.isRunning():
		b.remark(o.path, err.Error())
	}
	return nil
}

// withNotes returns a comparison's document with the notes on its rows, which one saved by an earlier version lacks.
func withNotes(doc json.RawMessage) (json.RawMessage, error) {
	read, err := jsonout.Read(doc)
	if err != nil {
		return nil, err
	}
	var buf bytes.Buffer
	err = jsonout.WriteComparison(&buf, read.Comparison)
	return buf.Bytes(), err
}

// addTest adds a durability test.
func (b *viewBuilder) addTest(o *opened) error {
	doc, err := o.document(store.ReportFile, model.DurabilitySchema)
	if err != nil {
		b.remark(o.path, err.Error())
		return nil
	}
	b.view.Durability = append(b.view.Durability, doc)
	b.tests = append(b.tests, viewed{Path: o.path, Kind: o.card.Kind, Running: o.isRunning()})
	return nil
}

// addTrace adds a finished trace.
func (b *viewBuilder) addTrace(o *opened) error {
	doc, err := o.document(store.ReportFile, iotrace.Schema)
	if err != nil {
		b.remark(o.path, err.Error())
		return nil
	}
	b.view.Traces = append(b.view.Traces, doc)
	b.tests = append(b.tests, viewed{Path: o.path, Kind: o.card.Kind, Running: o.isRunning()})
	return nil
}

// compare compares every run with the first one.
func (b *viewBuilder) compare(ctx context.Context) {
	for i := 1; i < len(b.sides) && ctx.Err() == nil; i++ {
		a, c := b.sides[0], b.sides[i]
		if a.Recorded == nil || c.Recorded == nil {
			continue
		}
		if b.view.Runs[0].Running || b.view.Runs[i].Running {
			b.remark(b.view.Runs[i].Path, "it is compared with "+b.view.Runs[0].Path+" when both have come to their end")
			continue
		}
		result, err := b.server.options.compare(a, c)
		if err == nil {
			var buf bytes.Buffer
			if err = jsonout.WriteComparison(&buf, result); err == nil {
				b.view.Comparisons = append(b.view.Comparisons, buf.Bytes())
				continue
			}
		}
		b.remark(b.view.Runs[i].Path, "it cannot be compared with "+b.view.Runs[0].Path+": "+err.Error())
	}
}

// report returns a run's report, as a document and decoded: the saved one, or a computed one while
// the run continues or if the saved one contains less than the raw data supports.
func (s *Server) report(o *opened) (json.RawMessage, *model.Report, error) {
	doc, saved := o.document(store.ReportFile, model.ReportSchema)
	if saved == nil && !o.isRunning() {
		d, err := jsonout.Read(doc)
		if err != nil {
			saved = fmt.Errorf("%s cannot be read: %w", store.ReportFile, err)
		} else if r := d.Report; r.Charted() {
			return doc, r, nil
		}
	}
	rec, err := store.ReadFS(o.files, o.dir)
	if err != nil {
		if saved != nil {
			return nil, nil, err
		}
		rec = nil
	}
	if rec == nil || len(rec.Samples) == 0 && saved == nil {
		d, err := jsonout.Read(doc)
		return doc, d.Report, err
	}
	r := s.options.assemble(rec)
	var buf bytes.Buffer
	if err := jsonout.Write(&buf, r); err != nil {
		return nil, nil, err
	}
	return buf.Bytes(), r, nil
}

// document reads a document of the directory, which must have the given schema.
func (o *opened) document(name, schema string) (json.RawMessage, error) {
	data, err := store.ReadDocument(o.files, name)
	if err == nil {
		err = isOf(data, name, schema)
	}
	if err != nil {
		return nil, err
	}
	return data, nil
}

// isOf refuses a document that does not have the given schema.
func isOf(data []byte, name, schema string) error {
	var head struct {
		Schema string `json:"schema"`
	}
	switch err := json.Unmarshal(data, &head); {
	case err != nil:
		return fmt.Errorf("%s cannot be read: %w", name, err)
	case head.Schema != schema:
		return fmt.Errorf("%s is of schema %q, not %q", name, head.Schema, schema)
	}
	return nil
}
