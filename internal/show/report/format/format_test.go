package format

import (
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/show/report/reporttest"
	"github.com/loadline/loadline/internal/show/report/text"
)

// TestAFormatKnowsWhatItHasWritten: only a report may be replaced by another, so every file that a
// format writes begins in a way that the format recognises.
func TestAFormatKnowsWhatItHasWritten(t *testing.T) {
	cases := map[string]*Documents{}
	for name, r := range reporttest.Reports() {
		cases[name] = &Documents{Reports: []*model.Report{r}}
	}
	for name, c := range reporttest.Comparisons() {
		if name == "nothing" {
			continue // its targets have no names, unlike in any saved comparison
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
				// A format that cannot represent it says so.
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

// Numbers whose source does not say when they were measured are not dated by their import, in any format that a program reads.
func TestNumbersOfUnknownAgeAreNotDated(t *testing.T) {
	r := reporttest.Report("quick")
	r.Run.Started = time.Date(2031, 7, 8, 9, 10, 11, 0, time.UTC)
	for _, dated := range []bool{true, false} {
		if r.Run.Imported = nil; !dated {
			r.Run.Imported = &model.Import{At: r.Run.Started}
		}
		for format, words := range map[string]string{"csv": "2031-07-08", "junit": "2031-07-08", "prometheus": "loadline_run_start_timestamp_seconds{"} {
			if found := strings.Contains(string(written(t, format, &Documents{Reports: []*model.Report{r}})[0].Data), words); found != dated {
				t.Errorf("%s of a run with dated=%t: %q is there: %t", format, dated, words, found)
			}
		}
	}
}

// written returns the files of documents in a format.
func written(t *testing.T, format string, d *Documents) []File {
	t.Helper()
	f, err := Choose(format, "")
	if err != nil {
		t.Fatal(err)
	}
	files, err := f.Write(d, text.Options{Width: 120, Unicode: true})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// What was measured can be found again, whatever was typed: people are shown the absolute path and
// the machine.
func TestTheTargetCanBeFoundAgain(t *testing.T) {
	typed := model.Target{Name: ".", Kind: model.Directory, Path: "/srv/found"}
	run, other, test := reporttest.Report("quick"), reporttest.Report("quick"), reporttest.Durabilities()["durability"]
	c := reporttest.Comparisons()["comparison"]
	again := regexp.MustCompile(`\nloadline [a-z -]+ /srv/found\n`)
	for _, r := range []*model.RunInfo{&run.Run, &other.Run, &c.A, &c.B} {
		r.Target, r.Volume.Target, r.Environment.Hostname, r.Command = typed, typed, "db1", []string{"loadline", "run", "."}
	}
	test.Target, test.Environment.Hostname, test.Command = typed, "db1", []string{"loadline", "durability", "--yes", "."}
	for name, d := range map[string]*Documents{
		"a run":             {Reports: []*model.Report{run}},
		"two runs":          {Reports: []*model.Report{run, other}, Comparisons: []*model.Comparison{c}},
		"a comparison":      {Comparisons: []*model.Comparison{c}},
		"a durability test": {Durability: []*model.Durability{test}},
	} {
		for format, heading := range map[string]string{"text": "/srv/found ", "markdown": "`/srv/found` on db1"} {
			files := written(t, format, d)
			if shown, _, _ := strings.Cut(string(files[0].Data), "\n\n"); !strings.Contains(string(files[0].Data)+" ", heading) || strings.Contains(shown, " . ") || strings.Contains(shown, "`.`") {
				t.Errorf("%s of %s begins with\n%s", format, name, shown)
			}
			if doc := string(files[0].Data); format == "markdown" && !again.MatchString(doc) {
				t.Errorf("%s of %s has no command that can be typed from another directory:\n%s", format, name, doc)
			}
		}
	}
}

// TestAFormatIsChosenByNameOrExtension also checks the suggestion for a misspelled name.
func TestAFormatIsChosenByNameOrExtension(t *testing.T) {
	for _, c := range []struct{ name, file, want string }{
		{"", "", "text"}, {"", "-", "text"}, {"", "x.HTM", "html"}, {"md", "x.csv", "markdown"}, {"csv", "", "csv"}, {"", "x.prom", "prometheus"},
		{"", "x", "text"}, {"", "x.", "text"}, {"", "a.b/x", "text"}, {"", ".hidden", "text"}, {"", ".html", "html"},
	} {
		if f, err := Choose(c.name, c.file); err != nil || f.Name != c.want {
			t.Errorf("%q %q: %s, %v", c.name, c.file, f.Name, err)
		}
	}
	for _, c := range []struct{ name, file string }{{"htlm", ""}, {"", "x.pdf"}, {"", ".hidden.pdf"}} {
		if f, err := Choose(c.name, c.file); err == nil {
			t.Errorf("%q %q is taken for %s", c.name, c.file, f.Name)
		}
	}
	for only, want := range map[string]string{
		"":          "the extension of x.pdf stands for no format: .pdf is none of .html, .md, .csv, .json, .prom, .xml, .txt",
		"text json": "the extension of x.pdf stands for no format: .pdf is none of .json, .txt",
	} {
		if _, err := Choose("", "x.pdf", strings.Fields(only)...); err == nil || err.Error() != want {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

// Beside other reports, the comparison inside one takes the place of none of them.
func TestReportsBesideAComparisonInsideOne(t *testing.T) {
	for _, others := range []int{1, 2} {
		r := reporttest.Report("quick")
		r.Comparison = reporttest.Comparisons()["comparison"]
		d := &Documents{Reports: []*model.Report{r}}
		for range others {
			d.Reports = append(d.Reports, reporttest.Report("mixed"))
		}
		out := string(written(t, "text", d)[0].Data)
		if strings.Count(out, "\nsame ") != 1 || !strings.Contains(out, "Numbers side by side are not a verdict") {
			t.Errorf("beside %d others:\n%s", others, out)
		}
	}
}

// A comparison inside a report, which a run against a baseline makes, is in every format, and in each once, also if it
// is given beside the report as well.
func TestTheComparisonInsideAReport(t *testing.T) {
	r, c := reporttest.Report("quick"), reporttest.Comparisons()["comparison"]
	r.Comparison = c
	signs := map[string]string{"text": "\nsame ", "markdown": "\n- same: ", "csv": "run_a,target_a,", "prometheus": "# TYPE loadline_comparison_ratio gauge", "junit": "<testsuite ", "json": `"adjusted_p"`}
	for _, beside := range []bool{false, true} {
		for name, sign := range signs {
			d := &Documents{Reports: []*model.Report{r}, Samples: func() ([]*model.Recorded, error) { return nil, nil }}
			if beside {
				again := *c
				d.Comparisons = []*model.Comparison{&again}
			}
			files := written(t, name, d)
			all := ""
			for _, file := range files {
				all += "\n" + string(file.Data)
			}
			want := 1
			switch name {
			case "junit":
				want = 2 // its suite and that of the report
			case "json":
				want = len(c.Rows)
			}
			if n := strings.Count(all, sign); n != want {
				t.Errorf("%s has the comparison %d times, not %d (beside the report too: %v):\n%.3000s", name, n, want, beside, all)
			}
		}
	}
}

func TestExtension(t *testing.T) {
	for file, want := range map[string]string{"r.JSON": ".json", "a/b.c/r": "", "r.": "", ".report": "", "a/.report": "", ".report.html": ".html", ".html": ".html", "r.tar.gz": ".gz", "": "", "..": ""} {
		if got := Extension(file); got != want {
			t.Errorf("%q: %q, want %q", file, got, want)
		}
	}
}
