package jsonout

import (
	"bytes"
	"encoding/json"
	"reflect"
	"testing"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/loadline/loadline/internal/model"
)

func compiledDurability(t *testing.T) *jsonschema.Schema {
	t.Helper()
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	s, err := c.Compile("../../../../docs/durability.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// fullDurability is a report in which every field of the model is set.
func fullDurability() *model.Durability {
	var d model.Durability
	fill(reflect.ValueOf(&d).Elem())
	d.Schema, d.Status, d.Result, d.Sync = model.DurabilitySchema, model.Complete, model.DurabilityClean, "fsync"
	d.Cuts[0].Kind = model.CutCommand
	d.Findings[0].Severity = model.SeverityNote
	return &d
}

func writtenDurability(t *testing.T, d *model.Durability) any {
	t.Helper()
	var b bytes.Buffer
	if err := WriteDurability(&b, d); err != nil {
		t.Fatal(err)
	}
	var doc any
	if err := json.Unmarshal(b.Bytes(), &doc); err != nil {
		t.Fatal(err)
	}
	return doc
}

func TestDurabilityFitsItsSchema(t *testing.T) {
	schema := compiledDurability(t)
	for name, d := range map[string]*model.Durability{
		"full": fullDurability(),
		"begun": {Schema: model.DurabilitySchema, Status: model.Running, Started: time.Unix(0, 0), Sync: "none",
			Result: model.DurabilityUnproven},
	} {
		if err := schema.Validate(writtenDurability(t, d)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	check(t, "durability", writtenDurability(t, fullDurability()), schema)
	for name, spoil := range map[string]func(*model.Durability){
		"safety":           func(d *model.Durability) { d.Result = "safe" },
		"certainty":        func(d *model.Durability) { *d.Bound = 0 },
		"an unknown cut":   func(d *model.Durability) { d.Cuts[0].Kind = "axe" },
		"an unknown flush": func(d *model.Durability) { d.Sync = "prayer" },
		"a negative loss":  func(d *model.Durability) { d.Cuts[0].Lost = -1 },
		"another schema":   func(d *model.Durability) { d.Schema = model.ReportSchema },
	} {
		d := fullDurability()
		spoil(d)
		if schema.Validate(writtenDurability(t, d)) == nil {
			t.Errorf("the schema accepts %s", name)
		}
	}
}
