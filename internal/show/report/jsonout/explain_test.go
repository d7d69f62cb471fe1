package jsonout

import (
	"bytes"
	"math"
	"reflect"
	"testing"

	"github.com/loadline/loadline/internal/model/budget"
)

// fullExplanation returns an explanation in which every field is set.
func fullExplanation() *budget.Explanation {
	var x budget.Explanation
	fill(reflect.ValueOf(&x).Elem())
	x.Schema = budget.Schema
	b := &x.Runs[0].Budgets[0]
	b.Rows[0].Part, b.Residual.Part, b.Counterfactuals[0].Part, b.Counts[0].Unit = budget.Flush, budget.Residual, budget.Flush, "B"
	b.Amplification[0].Direction = "write"
	c := &x.Comparisons[0]
	c.Changes[0].Part, c.DifferentCounts[0].Unit = budget.Device, "1"
	return &x
}

func explanationDocument(t *testing.T, x *budget.Explanation) any {
	return decoded(t, func(b *bytes.Buffer) error { return WriteExplanation(b, x) })
}

func TestExplanationsFitTheirSchema(t *testing.T) {
	schema := schemaOf(t, "explanation")
	unknown := fullExplanation()
	unknown.Runs[0].Budgets[0].Closure, unknown.Comparisons[0].Ratio = math.NaN(), math.Inf(1)
	bare := &budget.Explanation{Schema: budget.Schema, Runs: []budget.Side{{Budgets: []budget.Budget{{Workload: "x", Operation: "read", Residual: budget.Row{Part: budget.Residual, Name: "x"}}}}}}
	for name, x := range map[string]*budget.Explanation{"full": fullExplanation(), "not finite": unknown, "bare": bare} {
		if err := schema.Validate(explanationDocument(t, x)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	check(t, "explanation", explanationDocument(t, fullExplanation()), schema)
	for name, spoil := range map[string]func(*budget.Explanation){
		"another schema":      func(x *budget.Explanation) { x.Schema = "loadline.explanation/v9" },
		"no run":              func(x *budget.Explanation) { x.Runs = nil },
		"an unknown part":     func(x *budget.Explanation) { x.Runs[0].Budgets[0].Rows[0].Part = "luck" },
		"a row without words": func(x *budget.Explanation) { x.Runs[0].Budgets[0].Rows[0].Name = "" },
		"a negative rate":     func(x *budget.Explanation) { x.Runs[0].Budgets[0].Counterfactuals[0].Rate = -1 },
		"no law":              func(x *budget.Explanation) { x.Runs[0].Budgets[0].Counterfactuals[0].Law = "" },
		"a unit of its own":   func(x *budget.Explanation) { x.Comparisons[0].DifferentCounts[0].Unit = "KiB" },
	} {
		x := fullExplanation()
		spoil(x)
		if schema.Validate(explanationDocument(t, x)) == nil {
			t.Errorf("the schema accepts %s", name)
		}
	}
}

// The schema contains every part that a row may be about.
func TestTheSchemaKnowsEveryPart(t *testing.T) {
	schema := schemaOf(t, "explanation")
	for _, p := range budget.Parts {
		x := fullExplanation()
		x.Runs[0].Budgets[0].Rows[0].Part = p
		if err := schema.Validate(explanationDocument(t, x)); err != nil {
			t.Errorf("%s: %v", p, err)
		}
	}
}
