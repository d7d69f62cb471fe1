package jsonout

import (
	"bytes"
	"encoding/json"
	"reflect"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/loadline/loadline/internal/model"
)

// fullTrace is a trace in which every field of the model is set.
func fullTrace() *model.Trace {
	var t model.Trace
	fill(reflect.ValueOf(&t).Elem())
	half := .5
	t.Schema, t.Run.Schema, t.Run.Status, t.Run.Method = model.TraceSchema, model.TraceRunSchema, model.Complete, model.TraceByBPF
	t.Run.Devices[0].Operations = map[model.TraceOperation]model.TraceCounts{model.TraceFlushWait: {Queued: 1, QueuedBytes: 2, Issued: 3, IssuedBytes: 4, Done: 5, DoneBytes: 6, Merged: 7, MergedBytes: 8, Requeued: 9, Errors: 10}}
	t.Run.Devices[0].Unseen = &half
	t.Rows[0].Operation, t.Kinds[0].Operation = model.TraceRead, model.TraceFlush
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
	for name, doc := range map[string]*model.Trace{"full": fullTrace(), "bare": {Schema: model.TraceSchema,
		Run: model.TraceRun{Schema: model.TraceRunSchema, Status: model.Interrupted, Method: model.TraceByCounters}, Rows: []model.TraceRow{}, Kinds: []model.TraceKind{}, Findings: []model.Finding{}}} {
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
		// What the schema does not allow is found by it.
		tree.(map[string]any)["run"].(map[string]any)["method"] = "guess"
		if schema.Validate(tree) == nil {
			t.Error("a method that there is not is allowed")
		}
	}
}
