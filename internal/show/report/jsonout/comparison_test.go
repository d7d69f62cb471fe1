package jsonout

import (
	"bytes"
	"encoding/json"
	"math"
	"reflect"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/show/report/words"
)

func comparisonSchema(t *testing.T) *jsonschema.Schema {
	t.Helper()
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	s, err := c.Compile("../../../../docs/comparison.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// fullComparison has every field set, like full.
func fullComparison() *model.Comparison {
	var c model.Comparison
	fill(reflect.ValueOf(&c).Elem())
	head := full().Run
	c.Schema, c.A, c.B, c.Method = model.ComparisonSchema, head, head, model.Paired
	row := &c.Rows[0]
	row.Direction, row.Metric, row.Verdict, row.Trust = model.Sync, model.P99, model.Unclear, model.Suspect
	row.A = model.Estimate{Unit: "s", Value: 1e-3, Low: 0.9e-3, High: 1.1e-3, Confidence: 0.95, Open: true}
	row.B = row.A
	row.Ratio = model.Estimate{Value: 1.02, Low: 0.97, High: 1.08, Confidence: 0.95}
	c.Findings[0].Severity = model.SeverityWarning
	row.Note = words.NoteOf(&c, *row)
	return &c
}

func writtenComparison(t *testing.T, c *model.Comparison) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := WriteComparison(&b, c); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func validateComparison(t *testing.T, doc []byte) error {
	t.Helper()
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(doc))
	if err != nil {
		t.Fatal(err)
	}
	return comparisonSchema(t).Validate(v)
}

func TestComparisonsFitTheSchema(t *testing.T) {
	unknown := fullComparison()
	unknown.Rows[0].Ratio.High, unknown.Rows[0].Changes = math.Inf(1), nil
	bare := &model.Comparison{Method: model.Independent, Alpha: 0.05}
	bare.A.Status, bare.B.Status = model.Complete, model.Interrupted
	for name, c := range map[string]*model.Comparison{"full": fullComparison(), "not finite": unknown, "empty": bare} {
		if err := validateComparison(t, writtenComparison(t, c)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestTheComparisonSchemaRefuses(t *testing.T) {
	for name, spoil := range map[string]func(*model.Comparison){
		"another schema":       func(c *model.Comparison) { c.Schema = "loadline.comparison/v9" },
		"an unknown verdict":   func(c *model.Comparison) { c.Rows[0].Verdict = "faster" },
		"an unknown method":    func(c *model.Comparison) { c.Method = "guessed" },
		"a p above one":        func(c *model.Comparison) { c.Rows[0].P = 1.5 },
		"a side without a run": func(c *model.Comparison) { c.B.Status = "done" },
		"a margin of it all":   func(c *model.Comparison) { c.Margins.Rate = 1 },
		"a ratio with a unit":  func(c *model.Comparison) { c.Rows[0].Ratio.Unit = "s" },
	} {
		c := fullComparison()
		spoil(c)
		if validateComparison(t, writtenComparison(t, c)) == nil {
			t.Errorf("the schema accepts %s", name)
		}
	}
}

func TestEveryFieldOfAComparisonIsInTheSchema(t *testing.T) {
	var doc any
	if err := json.Unmarshal(writtenComparison(t, fullComparison()), &doc); err != nil {
		t.Fatal(err)
	}
	check(t, "comparison", doc, comparisonSchema(t))
}

func TestComparisonsReadBack(t *testing.T) {
	var back model.Comparison
	if err := json.Unmarshal(writtenComparison(t, fullComparison()), &back); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(fullComparison(), &back); diff != "" {
		t.Errorf("(-written +read):\n%s", diff)
	}
}
