package jsonout_test

import (
	"io"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/show/report/jsonout"
	"github.com/loadline/loadline/internal/show/report/reporttest"
)

func TestGolden(t *testing.T) {
	reports, c, d := reporttest.Reports(), reporttest.Comparisons()["comparison"], reporttest.Durabilities()["lost-writes"]
	for _, name := range []string{"empty", "scale"} {
		reporttest.Golden(t, name+".json", reporttest.Written(t, func(w io.Writer) error { return jsonout.Write(w, reports[name]) }))
	}
	reporttest.Golden(t, "comparison.json", reporttest.Written(t, func(w io.Writer) error { return jsonout.WriteComparison(w, c) }))
	reporttest.Golden(t, "durability.json", reporttest.Written(t, func(w io.Writer) error { return jsonout.WriteDurability(w, d) }))
	reporttest.Golden(t, "several.json", reporttest.Written(t, func(w io.Writer) error {
		return jsonout.WriteSeveral(w, []*model.Report{reports["empty"], reports["empty"]}, []*model.Comparison{{Schema: model.ComparisonSchema}})
	}))
}

// A document that was written and read back is written the same: no information is lost.
func TestADocumentComesBack(t *testing.T) {
	type document struct{ first, again []byte }
	again := func(first []byte, write func(io.Writer, jsonout.Document) error) document {
		doc, err := jsonout.Read(first)
		if err != nil {
			t.Fatal(err)
		}
		return document{first, reporttest.Written(t, func(w io.Writer) error { return write(w, doc) })}
	}
	documents := map[string]document{}
	for name, r := range reporttest.Reports() {
		documents[name] = again(reporttest.Written(t, func(w io.Writer) error { return jsonout.Write(w, r) }),
			func(w io.Writer, d jsonout.Document) error { return jsonout.Write(w, d.Report) })
	}
	for name, c := range reporttest.Comparisons() {
		documents["comparison "+name] = again(reporttest.Written(t, func(w io.Writer) error { return jsonout.WriteComparison(w, c) }),
			func(w io.Writer, d jsonout.Document) error { return jsonout.WriteComparison(w, d.Comparison) })
	}
	for name, d := range reporttest.Durabilities() {
		documents["durability "+name] = again(reporttest.Written(t, func(w io.Writer) error { return jsonout.WriteDurability(w, d) }),
			func(w io.Writer, d jsonout.Document) error { return jsonout.WriteDurability(w, d.Durability) })
	}
	for name, d := range documents {
		if diff := cmp.Diff(string(d.first), string(d.again)); diff != "" {
			t.Errorf("%s (-written +written again):\n%.2000s", name, diff)
		}
	}
}
