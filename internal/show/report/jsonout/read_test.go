package jsonout

import (
	"bytes"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/loadline/loadline/internal/model"
)

func TestReadIsTheInverseOfWrite(t *testing.T) {
	r, c, d := full(), fullComparison(), fullDurability()
	r.Results[0].High, r.Results[0].Metrics[model.IOPS] = math.NaN(), model.Estimate{Unit: "1/s", Value: math.NaN()}
	r.Results[0].Series = []float64{1, math.NaN()}
	r.Sweep.Points[0].P99.Value = math.NaN()
	c.Rows[0].Ratio.Low = math.NaN()
	for name, pair := range map[string][2]any{
		"report":     {r, read(t, func(b *bytes.Buffer) error { return Write(b, r) }).Report},
		"comparison": {c, read(t, func(b *bytes.Buffer) error { return WriteComparison(b, c) }).Comparison},
		"durability": {d, read(t, func(b *bytes.Buffer) error { return WriteDurability(b, d) }).Durability},
	} {
		if diff := cmp.Diff(pair[0], pair[1], cmpopts.EquateNaNs()); diff != "" {
			t.Errorf("%s (-written +read):\n%s", name, diff)
		}
	}
}

func read(t *testing.T, write func(*bytes.Buffer) error) Document {
	t.Helper()
	var b bytes.Buffer
	if err := write(&b); err != nil {
		t.Fatal(err)
	}
	doc, err := Read(b.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	return doc
}

func TestReadSaysWhatIsWrong(t *testing.T) {
	for text, want := range map[string]string{
		"":                              "JSON",
		"{\n\"schema\": }":              "line 2 is not JSON",
		"[]":                            "it must not be",
		"{}":                            `has no "schema"`,
		`{"schema":"loadline.plan/v1"}`: `its schema is "loadline.plan/v1"; known are loadline.report/v1`,
		"{\"schema\":\"loadline.report/v1\",\n\"results\":[{\"workload\":7}]}": `line 2: "results.workload" is a number`,
	} {
		if _, err := Read([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}
