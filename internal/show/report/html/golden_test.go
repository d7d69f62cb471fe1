package html

import (
	"bytes"
	"io"
	"strings"
	"testing"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/show/report/jsonout"
	"github.com/loadline/loadline/internal/show/report/reporttest"
)

// The page without its script and style sheet, which are built elsewhere.
func TestGolden(t *testing.T) {
	r, c, d := reporttest.Report("scale"), &model.Comparison{Schema: model.ComparisonSchema}, reporttest.Durabilities()["nothing"]
	for name, render := range map[string]func(io.Writer) error{
		"scale": func(w io.Writer) error { return Render(w, r) },
		"together": func(w io.Writer) error {
			return RenderAll(w, jsonout.Page{Comparisons: []*model.Comparison{c}, Reports: []*model.Report{reporttest.Report("empty")}, Durability: []*model.Durability{d}})
		},
	} {
		var b bytes.Buffer
		if err := render(&b); err != nil {
			t.Fatal(err)
		}
		shell := strings.NewReplacer(script, "SCRIPT", style, "STYLE", Hash(script), "HASH-OF-SCRIPT", Hash(style), "HASH-OF-STYLE").Replace(b.String())
		reporttest.Golden(t, name+".html", []byte(shell))
	}
}
