package jsonout

import (
	"bytes"
	"encoding/json"
	"errors"
	"maps"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/histogram"
	"github.com/loadline/loadline/internal/show/report/words"
)

const schemaFile = "../../../../docs/report.schema.json"

func compiled(t *testing.T) *jsonschema.Schema {
	t.Helper()
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	s, err := c.Compile(schemaFile)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// full returns a report in which every field of the model is set, so that a field missing from the
// schema cannot hide behind "omitempty".
func full() *model.Report {
	var r model.Report
	fill(reflect.ValueOf(&r).Elem())
	r.Schema = model.ReportSchema
	r.Run.Status = model.Complete
	w := model.Workload{Name: "log", Access: model.Random, Direction: model.Mixed, ReadPercent: 70, BlockSize: 4096, Depth: 64, Jobs: 2,
		Threads: true, OffsetIncrement: 1, Sync: "fsync", Append: true, RateIOPS: 10, RateBandwidth: 4096, OpenLoop: true, OfCapacity: .5, Volumes: 3, Metric: model.IOPS, Job: "rw=randrw",
		App: model.AppLoad{Tool: "pgbench", Threads: 2, Options: "-S", Reconnect: true, Script: "SELECT 1;", Limit: .1, Published: 10, PublishedScale: 400}}
	r.Run.Workloads = []model.Workload{w}
	res := &r.Results[0]
	res.Workload, res.Direction, res.Metric, res.Verdict = w.Name, model.Read, model.IOPS, model.Valid
	res.Sustained.State = model.Fell
	res.Estimate = model.Estimate{Unit: "1/s", Value: 2998.1, Low: 2991, High: 3004.9, Confidence: 0.95, Open: true}
	res.Metrics = map[model.Metric]model.Estimate{model.IOPS: res.Estimate, model.P999: {Unit: "s", Value: 1e-3, Low: 1e-3, High: 1e-3}}
	res.Latency.Unit = "s"
	r.Findings[0].Severity = model.SeverityNote
	r.Courses[0].Direction, r.Sweep.Kind, r.Sweep.Points[0].Direction, r.Sweep.Points[0].Verdict = model.Read, model.SweepLoad, model.Read, model.Valid
	scale := &r.Scales[0]
	scale.Direction, scale.Access, scale.Metric, scale.Points[0].Verdict, scale.Laws[0].Kind = model.Write, model.Sequential, model.Bandwidth, model.Suspect, model.USLLaw
	scale.Points[0].Amplification.Direction = "write"
	for _, e := range estimatesOf(reflect.ValueOf(&r).Elem()) {
		if e.Unit == "x" {
			*e = res.Estimate
		}
	}
	for i := range r.Comparison.Rows {
		r.Comparison.Rows[i].Note = words.NoteOf(r.Comparison, r.Comparison.Rows[i])
	}
	row := &r.Ranking.Rows[0]
	row.Direction, row.Metric, row.Verdict, row.Entries[0].Trust = model.Mixed, model.Transactions, model.Unclear, model.Suspect
	group := &r.Ranking.Groups[0]
	group.Verdict, group.Entries[0].Trust, group.Pairs[0].Verdict, group.Pairs[0].Ratio.Unit = model.Better, model.Suspect, model.Worse, ""
	group.Pairs[0].Ratio.Open = false
	r.Ranking.Noise.Repeats[0].Direction, r.Ranking.Noise.Repeats[0].Metric = model.Read, model.Elapsed
	g := &r.Goals[0]
	g.Direction, g.Metric, g.Estimate, g.Outcome = model.Read, model.IOPS, res.Estimate, model.Missed
	return &r
}

// estimatesOf finds all estimates in v.
func estimatesOf(v reflect.Value) []*model.Estimate {
	var list []*model.Estimate
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			return estimatesOf(v.Elem())
		}
	case reflect.Slice:
		for i := range v.Len() {
			list = append(list, estimatesOf(v.Index(i))...)
		}
	case reflect.Struct:
		if e, ok := v.Addr().Interface().(*model.Estimate); ok {
			return []*model.Estimate{e}
		}
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				list = append(list, estimatesOf(v.Field(i))...)
			}
		}
	}
	return list
}

// fill sets every exported field to a non-zero value; a value that may contain another of its own
// type gets one, which contains none.
func fill(v reflect.Value) { fillBelow(v) }

func fillBelow(v reflect.Value, above ...reflect.Type) {
	switch v.Kind() {
	case reflect.String:
		v.SetString("x")
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int, reflect.Int64:
		v.SetInt(7)
	case reflect.Uint64:
		v.SetUint(7)
	case reflect.Float64:
		v.SetFloat(0.5)
	case reflect.Pointer:
		if i := slices.Index(above, v.Type().Elem()); i >= 0 && slices.Contains(above[i+1:], v.Type().Elem()) {
			return
		}
		v.Set(reflect.New(v.Type().Elem()))
		fillBelow(v.Elem(), above...)
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		fillBelow(v.Index(0), above...)
	case reflect.Map:
		v.Set(reflect.MakeMap(v.Type()))
		key, value := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
		fillBelow(key, above...)
		fillBelow(value, above...)
		v.SetMapIndex(key, value)
	case reflect.Interface:
		v.Set(reflect.ValueOf("x"))
	case reflect.Array:
		for i := range v.Len() {
			fillBelow(v.Index(i), above...)
		}
	case reflect.Struct:
		if v.Type() == reflect.TypeFor[time.Time]() {
			v.Set(reflect.ValueOf(time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)))
			return
		}
		if v.Type() == reflect.TypeFor[histogram.Histogram]() {
			var h histogram.Histogram
			h.Add(7, 7)
			v.Set(reflect.ValueOf(h))
			return
		}
		for i := range v.NumField() {
			// Fields that no document contains, such as an open file, stay empty.
			if v.Type().Field(i).Tag.Get("json") != "-" {
				fillBelow(v.Field(i), append(slices.Clone(above), v.Type())...)
			}
		}
	}
}

func written(t *testing.T, r *model.Report) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := Write(&b, r); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func validate(t *testing.T, doc []byte) error {
	t.Helper()
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(doc))
	if err != nil {
		t.Fatal(err)
	}
	return compiled(t).Validate(v)
}

func TestReportsFitTheSchema(t *testing.T) {
	for name, r := range map[string]*model.Report{
		"full":  full(),
		"empty": {Run: model.RunInfo{Status: model.Interrupted, Started: time.Unix(0, 0)}},
		"not finite": func() *model.Report {
			r := full()
			r.Results[0].Value, r.Results[0].High = math.NaN(), math.Inf(1)
			r.Results[0].Series = []float64{1, math.Inf(-1)}
			return r
		}(),
	} {
		if err := validate(t, written(t, r)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestTheSchemaRefuses checks that the schema does not accept everything.
func TestTheSchemaRefuses(t *testing.T) {
	for name, spoil := range map[string]func(*model.Report){
		"another schema":        func(r *model.Report) { r.Schema = "loadline.report/v9" },
		"an unknown verdict":    func(r *model.Report) { r.Results[0].Verdict = "good" },
		"an unknown severity":   func(r *model.Report) { r.Findings[0].Severity = "fatal" },
		"an unknown status":     func(r *model.Report) { r.Run.Status = "done" },
		"certainty":             func(r *model.Report) { r.Results[0].Confidence = 1 },
		"a unit of its own":     func(r *model.Report) { r.Results[0].Unit = "IOPS" },
		"a nameless result":     func(r *model.Report) { r.Results[0].Workload = "" },
		"a silent finding":      func(r *model.Report) { r.Findings[0].Message = "" },
		"a negative time":       func(r *model.Report) { r.Results[0].Seconds = -1 },
		"an unknown metric":     func(r *model.Report) { r.Results[0].Metrics["speed"] = r.Results[0].Estimate },
		"an unknown sweep":      func(r *model.Report) { r.Sweep.Kind = "spiral" },
		"a law of our own":      func(r *model.Report) { r.Scales[0].Laws[0].Kind = "moore" },
		"an unknown order":      func(r *model.Report) { r.Ranking.Rows[0].Verdict = "won" },
		"a ranking by charm":    func(r *model.Report) { r.Ranking.Rows[0].Metric = "charm" },
		"more than all I/Os":    func(r *model.Report) { r.Courses[0].Tail[0].Above = 1.5 },
		"an estimate sans unit": func(r *model.Report) { r.Results[0].Metrics[model.IOPS] = model.Estimate{} },
	} {
		r := full()
		spoil(r)
		if validate(t, written(t, r)) == nil {
			t.Errorf("the schema accepts %s", name)
		}
	}
	doc := bytes.Replace(written(t, full()), []byte(`"verdict": "valid",`), nil, 1)
	if validate(t, doc) == nil {
		t.Error("the schema accepts a result without a verdict")
	}
}

func TestTheSchemaAcceptsNewFields(t *testing.T) {
	doc := bytes.Replace(written(t, full()), []byte(`"verdict": "valid",`), []byte(`"verdict": "valid", "mood": "calm",`), 1)
	if err := validate(t, doc); err != nil {
		t.Error(err)
	}
}

// TestEveryFieldIsInTheSchema compares the keys of a full document with the schema's properties, so
// that a new field must be documented.
func TestEveryFieldIsInTheSchema(t *testing.T) {
	var doc any
	if err := json.Unmarshal(written(t, full()), &doc); err != nil {
		t.Fatal(err)
	}
	check(t, "report", doc, compiled(t))
}

func check(t *testing.T, where string, doc any, s *jsonschema.Schema) {
	s = deref(s)
	switch v := doc.(type) {
	case []any:
		if items, ok := s.Items2020, len(v) > 0; ok && items != nil {
			check(t, where+"[]", v[0], items)
		}
	case map[string]any:
		properties := properties(s)
		if len(properties) == 0 {
			return // a map with arbitrary keys
		}
		for _, key := range slices.Sorted(maps.Keys(v)) {
			p := properties[key]
			if p == nil {
				t.Errorf("the schema does not describe %s.%s", where, key)
				continue
			}
			check(t, where+"."+key, v[key], p)
		}
		for _, key := range slices.Sorted(maps.Keys(properties)) {
			if _, there := v[key]; !there && deref(properties[key]) != s {
				t.Errorf("the schema describes %s.%s, which no document has", where, key)
			}
		}
	}
}

// deref resolves a schema's reference.
func deref(s *jsonschema.Schema) *jsonschema.Schema {
	for s.Ref != nil {
		s = s.Ref
	}
	return s
}

// properties returns a schema's own properties and those of the schemas that it combines.
func properties(s *jsonschema.Schema) map[string]*jsonschema.Schema {
	s = deref(s)
	all := maps.Clone(s.Properties)
	for _, part := range s.AllOf {
		for key, p := range properties(part) {
			if all == nil {
				all = map[string]*jsonschema.Schema{}
			}
			if all[key] == nil {
				all[key] = p
			}
		}
	}
	return all
}

func TestNumbersThatAreNotFiniteBecomeNull(t *testing.T) {
	r := full()
	r.Results[0].Low, r.Results[0].RepeatValues = math.Inf(-1), []float64{1, math.NaN()}
	r.Findings[0].Evidence = map[string]any{"ratio": math.NaN(), "deep": []any{math.Inf(1)}, "text": "-1.7976931348623157e+308 \" <&>"}
	doc := string(written(t, r))
	for _, want := range []string{`"low": null`, `"ratio": null`, `"-1.7976931348623157e+308 \" <&>"`} {
		if !strings.Contains(doc, want) {
			t.Errorf("%s is missing in %s", want, doc)
		}
	}
	if strings.Count(doc, "null") != 4 {
		t.Errorf("%d nulls, want 4", strings.Count(doc, "null"))
	}
	if !math.IsInf(r.Results[0].Low, -1) || !math.IsNaN(r.Findings[0].Evidence["ratio"].(float64)) {
		t.Error("the report itself was changed")
	}
}

func TestASeriesIsALine(t *testing.T) {
	r := full()
	r.Results[0].RepeatValues, r.Results[0].Findings = []float64{1, math.NaN(), 2.5}, []string{"a [1,\n2]", "b"}
	r.Courses[0].Heat.Cells = [][3]uint64{{0, 1, 2}, {3, 4, 5}}
	doc := string(written(t, r))
	for _, want := range []string{`"repeat_values": [1, null, 2.5],`, `"cells": [[0, 1, 2], [3, 4, 5]]`, "\"a [1,\\n2]\",\n        \"b\""} {
		if !strings.Contains(doc, want) {
			t.Errorf("%s is missing in %s", want, doc)
		}
	}
}

func TestWhatIsWrittenReadsBack(t *testing.T) {
	var back model.Report
	if err := json.Unmarshal(written(t, full()), &back); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(full(), &back); diff != "" {
		t.Errorf("(-written +read):\n%s", diff)
	}
	if !bytes.Equal(written(t, full()), written(t, &back)) {
		t.Error("the form is not canonical: writing it again gives other bytes")
	}
}

type broken struct{}

func (broken) Write([]byte) (int, error) { return 0, errors.New("disk full") }

func TestFailuresAreErrors(t *testing.T) {
	if Write(broken{}, full()) == nil {
		t.Error("a broken stream is no error")
	}
	r := full()
	r.Findings[0].Evidence["f"] = func() {}
	if Write(&bytes.Buffer{}, r) == nil {
		t.Error("a function was written as JSON")
	}
}
