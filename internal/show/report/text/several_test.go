package text

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/show/report/reporttest"
	"github.com/loadline/loadline/internal/show/report/term"
)

func renderSeveral(t testing.TB, reports []*model.Report, comparisons []*model.Comparison, o Options) string {
	t.Helper()
	var b bytes.Buffer
	if err := RenderSeveral(&b, reports, comparisons, o); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// three returns three runs, the second of which is compared with the first.
func three() ([]*model.Report, []*model.Comparison) {
	a, b, c := steady(), noisy(), sparse()
	b.Run.ID, c.Run.ID, c.Run.Target.Path, c.Results = "later", "last", "/srv/other", c.Results[1:4]
	row := model.Row{Workload: "rand-write-iops", Direction: model.Write, Metric: model.IOPS, A: a.Results[1].Estimate, B: b.Results[1].Estimate,
		Ratio: model.Estimate{Value: 0.81, Low: 0.7, High: 0.9, Confidence: 0.95}, Verdict: model.Worse}
	return []*model.Report{a, b, c}, []*model.Comparison{{A: a.Run, B: b.Run, Rows: []model.Row{row}}}
}

func TestSeveral(t *testing.T) {
	reports, comparisons := three()
	golden(t, "several-120", []byte(renderSeveral(t, reports, comparisons, Options{Width: 120, Unicode: true})))
	golden(t, "several-80-ascii", []byte(renderSeveral(t, reports, nil, Options{Width: 80})))
	golden(t, "several-50-colour", []byte(renderSeveral(t, reports, comparisons, Options{Width: 50, Unicode: true, Color: true})))
	golden(t, "several-nothing", []byte(renderSeveral(t, []*model.Report{reporttest.Report("empty"), reporttest.Report("empty")}, nil, Options{Width: 80, Unicode: true})))
}

// Points that others have published are drawn.
func TestCharts(t *testing.T) {
	golden(t, "charts-scale-80", render(t, reporttest.Report("scale"), Options{Width: 80, Unicode: true}))
	golden(t, "charts-scale-60-ascii", render(t, reporttest.Report("scale"), Options{Width: 60}))
}

// The additions fit every width too, however many runs there are.
func TestSeveralAndChartsFitEveryWidth(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		o := Options{Width: rapid.IntRange(48, 200).Draw(rt, "width"), Color: rapid.Bool().Draw(rt, "color"), Unicode: rapid.Bool().Draw(rt, "unicode")}
		reports, comparisons := three()
		for range rapid.IntRange(0, 4).Draw(rt, "more") {
			reports = append(reports, steady())
		}
		reports[0].Run.Target.Path = rapid.StringN(0, 40, 120).Draw(rt, "target")
		wide := o
		wide.Width = max(60, o.Width)
		for _, out := range []struct {
			text  string
			width int
		}{{renderSeveral(t, reports, comparisons, o), o.Width}, {string(render(t, reporttest.Report("mixed"), wide)), wide.Width}} {
			for line := range strings.Lines(escape.ReplaceAllString(out.text, "")) {
				line = strings.TrimSuffix(line, "\n")
				if n := term.Columns(line); n > out.width && !typed(line) {
					rt.Fatalf("%d columns where %d are there: %q", n, out.width, line)
				}
				for _, c := range line {
					if c < ' ' || c == 0x7f || !o.Unicode && c > 0x7e {
						rt.Fatalf("character %q in %q", c, line)
					}
				}
			}
		}
	})
}

// Runs of several machines that began in the same second have the same ID, and their directories may be named
// alike, too: a change stays in its own column.
func TestRunsOfOneSecond(t *testing.T) {
	for name, distinguish := range map[string]func(*model.RunInfo, int){
		"directory": func(r *model.RunInfo, i int) { r.Directory = fmt.Sprint("n", i) },
		"start":     func(r *model.RunInfo, i int) { r.Started = r.Started.Add(time.Duration(i) * time.Millisecond) },
		"host":      func(r *model.RunInfo, i int) { r.Environment.Hostname = fmt.Sprint("n", i) },
	} {
		reports, comparisons := three()
		start := reports[0].Run.Started
		for i, r := range reports {
			r.Run.ID, r.Run.Directory, r.Run.Started, r.Run.Environment.Hostname = "one", "loadline-results/one", start, "n"
			distinguish(&r.Run, i)
		}
		comparisons[0].A, comparisons[0].B = reports[0].Run, reports[1].Run
		for i, want := range []*model.Comparison{nil, comparisons[0], nil} {
			if got := withFirst(reports, comparisons, i); got != want {
				t.Errorf("runs that differ in their %s: column %d has %v", name, i, got)
			}
		}
	}
}

// Each run's goals stand below the table, under its letter.
func TestGoalsOfSeveral(t *testing.T) {
	reports := []*model.Report{reporttest.Report("quick"), reporttest.Report("goals")}
	out := renderSeveral(t, reports, nil, Options{Width: 120, Unicode: true})
	for _, g := range reports[1].Goals {
		if !strings.Contains(out, fmt.Sprintf("%s: %s: ", g.Outcome, g.Text)) {
			t.Errorf("%s is missing", g.Text)
		}
	}
	if len(reports[1].Goals) == 0 || !strings.Contains(out, "\nB goals ") || strings.Contains(out, "A goals") {
		t.Errorf("it is not said whose goals they are:\n%s", out)
	}
}
