package reporttest_test

import (
	"bytes"
	"io"
	"regexp"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/safetext"
	"github.com/loadline/loadline/internal/show/report/csvout"
	"github.com/loadline/loadline/internal/show/report/html"
	"github.com/loadline/loadline/internal/show/report/jsonout"
	"github.com/loadline/loadline/internal/show/report/markdown"
	"github.com/loadline/loadline/internal/show/report/prom"
	"github.com/loadline/loadline/internal/show/report/reporttest"
	"github.com/loadline/loadline/internal/show/report/text"
)

// evil is what no renderer may pass on, between two words that mark the place.
const evil = "\x1b[35m\x1b]0;title\x07\x1b]8;;http://b.example\x1b\\\x1b[2J\r\nFAKED: all is well\b\x7f\u009b31m\u009d\u202e\u2066\u2069\u200f\u00ad\xff\ufeff"

// documents returns all documents, each once unchanged except for its strings.
func documents(all bool) (reports []*model.Report, comparisons []*model.Comparison, tests []*model.Durability) {
	name := "word" + evil + "word"
	for _, r := range reporttest.Reports() {
		reporttest.Everywhere(r, name, all)
		reports = append(reports, r)
	}
	for _, c := range reporttest.Comparisons() {
		reporttest.Everywhere(c, name, all)
		comparisons = append(comparisons, c)
	}
	for _, d := range reporttest.Durabilities() {
		reporttest.Everywhere(d, name, all)
		tests = append(tests, d)
	}
	return reports, comparisons, tests
}

// forms returns the output of each renderer for all documents.
func forms(t *testing.T, o text.Options, all bool) map[string]string {
	reports, comparisons, tests := documents(all)
	written := map[string]string{}
	form := func(name string, write func(io.Writer) error) {
		var b bytes.Buffer
		if err := write(&b); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		written[name] += b.String()
	}
	for _, r := range reports {
		form("text", func(w io.Writer) error { return text.Render(w, r, o) })
		form("markdown", func(w io.Writer) error { return markdown.Render(w, r) })
		form("csv", func(w io.Writer) error { return csvout.WriteEstimates(w, r) })
		form("csv", func(w io.Writer) error { return csvout.WriteScales(w, r) })
		form("csv", func(w io.Writer) error { return csvout.WriteLaws(w, r) })
		form("json", func(w io.Writer) error { return jsonout.Write(w, r) })
		form("prometheus", func(w io.Writer) error { return prom.Write(w, []*model.Report{r}, nil) })
		plan := model.Plan{Volume: r.Run.Volume, Volumes: r.Run.Volumes, Workloads: r.Run.Workloads, Schedule: r.Run.Schedule}
		form("text", func(w io.Writer) error { return text.Head(w, &plan, r.Run.Environment, r.Run.Tools, o) })
	}
	for _, c := range comparisons {
		form("text", func(w io.Writer) error { return text.RenderComparison(w, c, o) })
		form("markdown", func(w io.Writer) error { return markdown.RenderComparison(w, c) })
		form("csv", func(w io.Writer) error { return csvout.WriteComparison(w, c) })
		form("json", func(w io.Writer) error { return jsonout.WriteComparison(w, c) })
	}
	for _, d := range tests {
		form("text", func(w io.Writer) error { return text.RenderDurability(w, d, o) })
		form("markdown", func(w io.Writer) error { return markdown.RenderDurability(w, d) })
		form("json", func(w io.Writer) error { return jsonout.WriteDurability(w, d) })
	}
	form("text", func(w io.Writer) error { return text.RenderSeveral(w, reports, comparisons, o) })
	form("page", func(w io.Writer) error {
		return html.RenderAll(w, jsonout.Page{Comparisons: comparisons, Reports: reports, Durability: tests})
	})
	// In the page, only the data island is not ours.
	_, island, _ := strings.Cut(written["page"], `id="loadline-data">`)
	written["page"], _, _ = strings.Cut(island, "</script>")
	return written
}

var paint = regexp.MustCompile("\x1b\\[[0-9;]*m")

// No format passes on what a terminal would interpret, wherever in a document it is.
func TestNothingFromOutsideReachesATerminal(t *testing.T) {
	for name, o := range map[string]text.Options{"plain": {Width: 100}, "colour": {Width: 100, Unicode: true, Color: true}} {
		for _, all := range []bool{false, true} {
			for form, out := range forms(t, o, all) {
				if !strings.Contains(out, "word") {
					t.Errorf("%s shows none of the strings", form)
				}
				if form == "text" && o.Color {
					if strings.Contains(out, "\x1b[35m"+"]0;title") || regexp.MustCompile("word\x1b\\[35m").MatchString(out) {
						t.Errorf("%s %s: a foreign colour gets through", form, name)
					}
					out = paint.ReplaceAllString(out, "")
				}
				if form == "markdown" {
					out = strings.ReplaceAll(out, "\u200b", "") // which prevents mentions and is invisible
				}
				for i, r := range out {
					if unicode.IsControl(r) && r != '\n' && r != '\t' || safetext.Invisible(r) {
						t.Errorf("%s %s: %U gets through: %q", form, name, r, out[max(0, i-40):min(len(out), i+20)])
						break
					}
				}
				if !utf8.ValidString(out) {
					t.Errorf("%s %s is no UTF-8", form, name)
				}
				fenced := false
				for line := range strings.Lines(out) {
					// A job file keeps its lines, between fences that it cannot close.
					if form == "markdown" && strings.HasPrefix(line, "```") {
						fenced = !fenced
					}
					if strings.HasPrefix(line, "FAKED") && form != "csv" && !fenced {
						t.Errorf("%s %s: a name adds the line %q", form, name, line)
						break
					}
				}
			}
		}
	}
}
