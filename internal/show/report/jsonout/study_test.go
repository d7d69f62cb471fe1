package jsonout

import (
	"bytes"
	"encoding/json"
	"math"
	"reflect"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/hardware"
	"github.com/loadline/loadline/internal/model/study"
)

// fullStudy has every field set, like full.
func fullStudy() *study.Study {
	var s study.Study
	fill(reflect.ValueOf(&s).Elem())
	s.Schema = study.Schema
	x := &s.Scales[0]
	x.Scale.Scale, x.Scale.Binds = full().Scales[0], hardware.LimitNetwork
	x.Scale.Claims[0].Of = "volume"
	x.Latency.Direction, x.Nodes.Verdict, s.Control[0].Verdict, s.Slips[0].Kind = model.Write, study.LineNotShown, study.InLine, "claim"
	l := x.Limit
	l.Binding, l.Rival, l.Resources[0].Resource, l.Unknown[0] = hardware.LimitDiskIOPS, hardware.LimitCPU, hardware.LimitDiskIOPS, hardware.LimitSpace
	s.Rebuild.Binding = hardware.LimitDiskBandwidth
	for _, e := range estimatesOf(reflect.ValueOf(&s).Elem()) {
		if e.Unit == "x" {
			*e = model.Estimate{Unit: "1", Value: 2, Low: 1.9, High: 2.1, Confidence: 0.95, Open: true}
		}
	}
	return &s
}

// fullReference has every field set, and a part of each kind.
func fullReference() *study.Reference {
	scale := full().Scales[0]
	return &study.Reference{Schema: study.ReferenceSchema, Title: "x", Sources: []string{"x"}, Chapters: []study.Chapter{{ID: "x", Title: "x", Level: 1, Missing: "x",
		Parts: []study.Part{{Text: "x"}, {Items: []string{"x"}}, {Table: &study.Grid{Titles: []string{"x"}, Numeric: []bool{true}, Rows: [][]string{{"x"}}}}, {Scale: &scale}}}}}
}

// decoded returns the output of write, decoded as arbitrary JSON.
func decoded(t *testing.T, write func(*bytes.Buffer) error) any {
	t.Helper()
	var b bytes.Buffer
	if err := write(&b); err != nil {
		t.Fatal(err)
	}
	var doc any
	if err := json.Unmarshal(b.Bytes(), &doc); err != nil {
		t.Fatal(err)
	}
	return doc
}

func studyDocument(t *testing.T, s *study.Study) any {
	return decoded(t, func(b *bytes.Buffer) error { return WriteStudy(b, s) })
}

func referenceDocument(t *testing.T, r *study.Reference) any {
	return decoded(t, func(b *bytes.Buffer) error { return WriteReference(b, r) })
}

func schemaOf(t *testing.T, name string) *jsonschema.Schema {
	t.Helper()
	s, err := jsonschema.NewCompiler().Compile("../../../../docs/" + name + ".schema.json")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestStudiesFitTheirSchema(t *testing.T) {
	schema := schemaOf(t, "study")
	unknown := fullStudy()
	unknown.Scales[0].Limit.Excess.Low, unknown.Scales[0].Scale.Laws[0].Error = math.Inf(-1), math.NaN()
	empty := &study.Study{Schema: study.Schema, Name: "x", Scales: []study.Scale{{Scale: study.PublishedScale{Scale: model.Scale{Direction: model.Read, Metric: model.IOPS}}, Limit: &study.Limit{}}}}
	for name, s := range map[string]*study.Study{"full": fullStudy(), "not finite": unknown, "empty": empty} {
		if err := schema.Validate(studyDocument(t, s)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	check(t, "study", studyDocument(t, fullStudy()), schema)
	for name, spoil := range map[string]func(*study.Study){
		"another schema":      func(s *study.Study) { s.Schema = "loadline.study/v9" },
		"no name":             func(s *study.Study) { s.Name = "" },
		"an unknown resource": func(s *study.Study) { s.Scales[0].Limit.Binding = "luck" },
		"an unknown verdict":  func(s *study.Study) { s.Scales[0].Nodes.Verdict = "maybe" },
		"an unknown slip":     func(s *study.Study) { s.Slips[0].Kind = "typo" },
		"a law of our own":    func(s *study.Study) { s.Scales[0].Scale.Laws[0].Kind = "moore" },
		"a claim of nobody":   func(s *study.Study) { s.Scales[0].Scale.Claims[0].Of = "half" },
		"certainty":           func(s *study.Study) { s.Rebuild.Largest[0].Volume.Confidence = 1 },
		"a silent slip":       func(s *study.Study) { s.Slips[0].Message = "" },
	} {
		s := fullStudy()
		spoil(s)
		if schema.Validate(studyDocument(t, s)) == nil {
			t.Errorf("the schema accepts %s", name)
		}
	}
}

func TestReferencesFitTheirSchema(t *testing.T) {
	schema := schemaOf(t, "reference")
	if err := schema.Validate(referenceDocument(t, fullReference())); err != nil {
		t.Error(err)
	}
	part := func(r *study.Reference, i int) *study.Part { return &r.Chapters[0].Parts[i] }
	for name, spoil := range map[string]func(*study.Reference){
		"another schema":            func(r *study.Reference) { r.Schema = "loadline.reference/v9" },
		"no chapter":                func(r *study.Reference) { r.Chapters = nil },
		"a chapter of level 3":      func(r *study.Reference) { r.Chapters[0].Level = 3 },
		"an identifier with blanks": func(r *study.Reference) { r.Chapters[0].ID = "a b" },
		"an empty part":             func(r *study.Reference) { *part(r, 0) = study.Part{} },
		"a part of two kinds":       func(r *study.Reference) { part(r, 0).Items = []string{"x"} },
		"a table without titles":    func(r *study.Reference) { part(r, 2).Table.Titles = nil },
		"an unknown metric":         func(r *study.Reference) { part(r, 3).Scale.Metric = "charm" },
	} {
		r := fullReference()
		spoil(r)
		if schema.Validate(referenceDocument(t, r)) == nil {
			t.Errorf("the schema accepts %s", name)
		}
	}
	// Every field of every kind of part is documented.
	doc := referenceDocument(t, fullReference()).(map[string]any)
	chapter := doc["chapters"].([]any)[0].(map[string]any)
	together := map[string]any{}
	for _, p := range chapter["parts"].([]any) {
		for key, value := range p.(map[string]any) {
			together[key] = value
		}
	}
	chapter["parts"] = []any{together}
	check(t, "reference", doc, schema)
}
