package jsonout

import (
	"bytes"
	"encoding/json"
	"reflect"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/iotrace"
)

// fullTrace returns a trace in which every field of the model is set.
func fullTrace() *iotrace.Report {
	var t iotrace.Report
	fill(reflect.ValueOf(&t).Elem())
	half := .5
	t.Schema, t.Run.Schema, t.Run.Status, t.Run.Method = iotrace.Schema, iotrace.RunSchema, model.Complete, iotrace.ByBPF
	t.Run.Devices[0].Operations = map[iotrace.Operation]iotrace.Counts{iotrace.FlushWait: {Queued: 1, QueuedBytes: 2, Issued: 3, IssuedBytes: 4, Done: 5, DoneBytes: 6, Merged: 7, MergedBytes: 8, Requeued: 9, Errors: 10}}
	t.Run.Devices[0].Unseen = &half
	t.Rows[0].Operation, t.Kinds[0].Operation = iotrace.Read, iotrace.Flush
	known := map[model.Metric]model.Estimate{model.IOPS: full().Results[0].Estimate}
	t.Rows[0].Metrics, t.Kinds[0].Metrics, t.Kinds[0].Sizes[0].Metrics = known, known, known
	t.Kinds[0].Course, t.Run.Environment = &full().Courses[0], full().Run.Environment
	t.Findings[0].Severity = model.SeverityNote
	return &t
}

func TestTraceIsWhatItsSchemaSays(t *testing.T) {
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	schema, err := c.Compile("../../../../docs/trace.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	for name, doc := range map[string]*iotrace.Report{"full": fullTrace(), "bare": {Schema: iotrace.Schema,
		Run: iotrace.Run{Schema: iotrace.RunSchema, Status: model.Interrupted, Method: iotrace.ByCounters}, Rows: []iotrace.Row{}, Kinds: []iotrace.Kind{}, Findings: []model.Finding{}}} {
		var b bytes.Buffer
		if err := WriteTrace(&b, doc); err != nil {
			t.Fatal(err)
		}
		var tree any
		if err := json.Unmarshal(b.Bytes(), &tree); err != nil {
			t.Fatal(err)
		}
		if err := schema.Validate(tree); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if name == "full" {
			check(t, "trace", tree, schema)
		}
		if read, err := Read(b.Bytes()); err != nil || read.Trace == nil || len(read.Trace.Rows) != len(doc.Rows) {
			t.Errorf("%s: read as %+v, %v", name, read, err)
		}
		// The schema rejects an invalid value.
		tree.(map[string]any)["run"].(map[string]any)["method"] = "guess"
		if schema.Validate(tree) == nil {
			t.Error("a method that there is not is allowed")
		}
	}
}

func TestTraceComparisonIsWhatItsSchemaSays(t *testing.T) {
	schema, err := jsonschema.NewCompiler().Compile("../../../../docs/trace-comparison.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	var c iotrace.Comparison
	fill(reflect.ValueOf(&c).Elem())
	known, run := full().Results[0].Estimate, fullTrace().Run
	c.Schema, c.A, c.B, c.Alpha, c.Findings = iotrace.ComparisonSchema, run, run, 0.05, full().Findings
	r := &c.Rows[0]
	r.Operation, r.Metric, r.A, r.B, r.Ratio, r.P, r.Adjusted, r.Verdict = iotrace.Read, model.P99, known, known, model.Estimate{Value: 1, Low: 1, High: 1, Open: true}, 0.5, 0.5, iotrace.NotComparable
	var b bytes.Buffer
	if err := WriteTraceComparison(&b, &c); err != nil {
		t.Fatal(err)
	}
	var tree any
	if err := json.Unmarshal(b.Bytes(), &tree); err != nil {
		t.Fatal(err)
	}
	if err := schema.Validate(tree); err != nil {
		t.Error(err)
	}
	row := schema.Properties["rows"].Items2020
	check(t, "row", tree.(map[string]any)["rows"].([]any)[0], row)
}
