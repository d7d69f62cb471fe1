package format

import (
	"testing"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/show/report/reporttest"
	"github.com/loadline/loadline/internal/show/report/text"
)

// TestAFormatKnowsWhatItHasWritten: only a report may be replaced by another, so every
// file that a format writes begins in a way that it knows again.
func TestAFormatKnowsWhatItHasWritten(t *testing.T) {
	cases := map[string]*Documents{}
	for name, r := range reporttest.Reports() {
		cases[name] = &Documents{Reports: []*model.Report{r}}
	}
	for name, c := range reporttest.Comparisons() {
		if name == "nothing" {
			continue // its targets have no names, as no comparison that is saved
		}
		cases["comparison "+name] = &Documents{Comparisons: []*model.Comparison{c}}
	}
	if len(cases) < 5 {
		t.Fatalf("only %d documents", len(cases))
	}
	for name, d := range cases {
		d.Samples = func() ([]*model.Recorded, error) { return nil, nil }
		for _, f := range formats {
			files, err := f.Write(d, text.Options{Width: 120, Unicode: true})
			if err != nil {
				// A form that cannot hold it says so.
				continue
			}
			for _, file := range files {
				head := file.Data[:min(len(file.Data), 4<<10)]
				if len(head) > 0 && !f.ours(head) {
					t.Errorf("%s%s of %s is not known again: %.60q", f.Name, file.Suffix, name, head)
				}
			}
		}
	}
}

// TestAFormatIsChosenByNameOrExtension also tells what is near a wrong name.
func TestAFormatIsChosenByNameOrExtension(t *testing.T) {
	for _, c := range []struct{ name, file, want string }{
		{"", "", "text"}, {"", "-", "text"}, {"", "x.HTM", "html"}, {"md", "x.csv", "markdown"}, {"csv", "", "csv"}, {"", "x.prom", "prometheus"},
	} {
		if f, err := Choose(c.name, c.file); err != nil || f.Name != c.want {
			t.Errorf("%q %q: %s, %v", c.name, c.file, f.Name, err)
		}
	}
	for _, c := range []struct{ name, file string }{{"htlm", ""}, {"", "x"}, {"", "x.pdf"}} {
		if f, err := Choose(c.name, c.file); err == nil {
			t.Errorf("%q %q is taken for %s", c.name, c.file, f.Name)
		}
	}
}
