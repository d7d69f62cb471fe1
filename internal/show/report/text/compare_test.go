package text

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/show/report/term"
	"github.com/loadline/loadline/internal/show/report/words"
)

// compared is a comparison with every verdict.
func compared() *model.Comparison {
	head := steady().Run
	head.Directory = ""
	a, b := head, head
	a.Target.Name, b.Target.Name = "/srv/old", "/srv/new"
	a.Target.Path, b.Target.Path = a.Target.Name, b.Target.Name
	b.Environment.Storage.Filesystem = "xfs"
	row := func(w model.Workload, d model.Direction, m model.Metric, before, ratio, half float64, v model.Change) model.Row {
		estimate := func(value, half float64) model.Estimate {
			return model.Estimate{Unit: m.Unit(), Value: value, Low: value * (1 - half), High: value * (1 + half), Confidence: 0.95}
		}
		margin := 0.05
		if m == model.P99 {
			margin = 0.10
		}
		return model.Row{Workload: w.Name, Direction: d, Metric: m, Description: w.Describe(), A: estimate(before, 0.021), B: estimate(before*ratio, 0.034),
			Ratio: model.Estimate{Value: ratio, Low: ratio * (1 - half), High: ratio * (1 + half), Confidence: 0.95},
			P:     0.2, Adjusted: 0.9, Margin: margin, Verdict: v, Blocks: 5, Trust: model.Valid}
	}
	unclear := row(randWriteIOPS, model.Write, model.P99, 7.9e-3, 1.06, 0.08, model.Unclear)
	unclear.Needed, unclear.Narrow, unclear.Blocks, unclear.NeededSeconds = 36, 0.03, 9, 216
	edge := row(mix, model.Write, model.IOPS, 3004, 0.94, 0.02, model.Unclear)
	edge.P, edge.Adjusted, edge.Trust = 0.0001, 0.002, model.Suspect
	holm := row(mix, model.Read, model.IOPS, 7010, 0.94, 0.02, model.Unclear)
	holm.P, holm.Adjusted = 0.02, 0.09
	unusable := row(seqReadBW, model.Read, model.Bandwidth, 635<<20, 26.4, 0.1, model.Unusable)
	unusable.Trust = model.Invalid
	lone := row(dbLog, model.Sync, model.Latency, 1.19e-3, 1, 0, model.Unclear)
	lone.Ratio.Confidence, lone.P, lone.Adjusted, lone.Blocks = 0, 1, 1, 1
	return &model.Comparison{
		Schema: model.ComparisonSchema, ID: "x", A: a, B: b, Method: model.Paired, Margins: model.Margins{Rate: 0.05, P99: 0.10}, Alpha: 0.05,
		Common: []model.Trait{{Name: "size", Value: "4 GiB"}, {Name: "engine", Value: "io_uring"}, {Name: "direct", Value: "direct=1"},
			{Name: "host", Value: "node-b"}, {Name: "kernel", Value: "6.12.9"}, {Name: "fio", Value: "3.33"}, {Name: "CPUs", Value: "2"}},
		Differences: []model.Difference{{Name: "filesystem", A: "ext4", B: "xfs"}},
		Comparable:  true,
		Rows: []model.Row{
			row(randReadIOPS, model.Read, model.IOPS, 2410, 1.008, 0.015, model.Same),
			row(randReadIOPS, model.Read, model.P99, 7.9e-3, 1, 0.02, model.Same),
			row(randWriteIOPS, model.Write, model.IOPS, 1150, 1.235, 0.03, model.Better),
			unclear,
			row(randReadLat, model.Read, model.Latency, 402e-6, 4.2, 0.05, model.Worse),
			unusable, holm, edge, lone,
		},
		Findings: []model.Finding{
			{Rule: "not-comparable", Severity: model.SeverityPassed, Message: "both sides were measured in the same way"},
			{Rule: "shared-disk", Severity: model.SeverityWarning, Message: "both sides are on the same disk (vda): deferred work (writeback, GC) of one side may slow the other",
				Next: "choose targets on different disks"},
			{Rule: "sparse", Severity: model.SeverityInvalid, Results: []string{"seq-read-bw"}, Message: "B: read holes: 3.9 GiB of 4 GiB were never written (fiemap)"},
		},
		Next:      "loadline compare /srv/old /srv/new --max-time 7m --only rand-write-iops   # at most 7 m 00 s of measuring, for 1 unclear row",
		Directory: "loadline-results/20260102-030405-compare-old-new",
	}
}

// apart is a comparison of two separate runs that are not comparable.
func apart() *model.Comparison {
	c := compared()
	c.Method, c.ID, c.Directory, c.Comparable, c.Next = model.Independent, "", "", false, ""
	c.A.Directory, c.B.Directory = "loadline-results/one", "loadline-results/two"
	c.B.Started = c.A.Started.Add(26 * time.Hour)
	c.Differences = append(c.Differences, model.Difference{Name: "size", A: "4 GiB", B: "8 GiB", NotComparable: true})
	c.Findings = []model.Finding{{Rule: "not-comparable", Severity: model.SeverityWarning,
		Message: "not comparable: size 4 GiB against 8 GiB. A change may come from that and not from the storage",
		Next:    "measure both with the same flags: loadline compare /srv/old /srv/new"}}
	c.Margins, c.Rows = model.Margins{Rate: 0.05, P99: 0.05}, c.Rows[:4]
	c.Rows[3].NeededSeconds = 288
	return c
}

func renderComparison(t *testing.T, c *model.Comparison, o Options) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := RenderComparison(&b, c, o); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestRenderComparison(t *testing.T) {
	nothing := compared()
	nothing.Rows, nothing.Findings, nothing.Next = nil, nil, ""
	for _, c := range []struct {
		name string
		c    *model.Comparison
		o    Options
	}{
		{"compare", compared(), Options{Width: 120, Unicode: true}},
		{"compare-80", compared(), Options{Width: 80, Unicode: true}},
		{"compare-ascii-60", compared(), Options{Width: 60}},
		{"compare-colour", compared(), Options{Width: 100, Unicode: true, Color: true}},
		{"compare-brief", compared(), Options{Width: 100, Unicode: true, Brief: true}},
		{"compare-apart", apart(), Options{Width: 100, Unicode: true}},
		{"compare-nothing", nothing, Options{Width: 100, Unicode: true}},
	} {
		t.Run(c.name, func(t *testing.T) { golden(t, c.name, renderComparison(t, c.c, c.o)) })
	}
}

func TestGoalsAreShown(t *testing.T) {
	r := steady()
	r.Goals = []model.Goal{
		{Text: "rand-read-iops iops > 20k", Outcome: model.Met, Message: "21.4k IOPS [21.0k, 21.9k IOPS]"},
		{Text: "rand-read-iops p99 < 5ms", Outcome: model.Missed, Message: "7.90 ms [7.70, 8.10 ms]"},
		{Text: "rand-write-iops iops > 10k", Outcome: model.Undecided, Message: "9.98k IOPS [9.90k, 10.1k IOPS] contains the bound",
			Next: "loadline run /srv/data --only rand-write-iops --repeat 14 --max-time 60s   # at most 1 m 10 s"},
	}
	golden(t, "goals", render(t, r, Options{Width: 100, Unicode: true}))
}

func TestCompareHead(t *testing.T) {
	plan := model.Plan{Volume: steady().Run.Volume, Workloads: steady().Run.Workloads,
		Schedule: model.Schedule{Mode: model.Rounds, Ramp: 0.5, Repeat: 3, MinRounds: 4, MaxTime: 600}, MeasureSeconds: 92, PrefillSeconds: 9}
	other := plan
	other.Volume.Target.Name, other.Volume.Target.Path = "/srv/new", "/srv/new"
	var b bytes.Buffer
	env := steady().Run.Environment
	if err := CompareHead(&b, [2]model.Plan{plan, other}, [2]model.Environment{env, env}, map[string]string{"fio": "3.33"}, Options{Width: 80, Unicode: true}); err != nil {
		t.Fatal(err)
	}
	golden(t, "compare-head", b.Bytes())
}

func TestChangesInWords(t *testing.T) {
	for ratio, want := range map[float64]string{1: "0.0%", 1.0004: "0.0%", 1.008: "+0.8%", 0.92: "−8.0%", 0.5: "−50%", 1.235: "+24%", 2.5: "+150%", 4.2: "×4.2", 26.4: "×26", 0.01: "−99%"} {
		if got := words.Change(ratio, 1); got != want {
			t.Errorf("%g is written %q, want %q", ratio, got, want)
		}
	}
}

// No line is wider than the terminal, whatever the names are; only a command is not broken.
func TestComparisonsFitTheirWidth(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := compared()
		c.A.Target.Path = rapid.StringN(1, 60, -1).Draw(t, "path")
		c.Findings[1].Message = rapid.String().Draw(t, "message")
		width := rapid.IntRange(56, 200).Draw(t, "width")
		var b bytes.Buffer
		if err := RenderComparison(&b, c, Options{Width: width, Unicode: rapid.Bool().Draw(t, "unicode")}); err != nil {
			t.Fatal(err)
		}
		for _, line := range strings.Split(b.String(), "\n") {
			if term.Columns(line) > width && !strings.HasPrefix(strings.TrimSpace(line), "loadline compare /srv/old /srv/new --max-time") {
				t.Fatalf("%q is wider than %d", line, width)
			}
		}
	})
}

func TestAComparisonOnABrokenStreamIsAnError(t *testing.T) {
	if RenderComparison(broken{}, compared(), Options{}) == nil {
		t.Error("a broken stream is no error")
	}
}

// One next step is written once, however many goals and findings have it.
func TestANextStepIsWrittenOnce(t *testing.T) {
	r := steady()
	const next = "loadline run /srv/data --only rand-write-iops --repeat 14"
	for _, text := range []string{"rand-write-iops iops > 10k", "rand-write-iops p99 < 5ms"} {
		r.Goals = append(r.Goals, model.Goal{Text: text, Outcome: model.Undecided, Message: "the number is invalid", Next: next})
	}
	r.Findings = append(r.Findings, model.Finding{Rule: "sparse", Severity: model.SeverityInvalid, Results: []string{"rand-write-iops"}, Message: "holes", Next: next})
	if n := strings.Count(string(render(t, r, Options{Width: 100, Unicode: true})), next); n != 1 {
		t.Errorf("it is written %d times", n)
	}
}

// A line that names the hidden columns gives each a name of its own.
func TestHiddenColumnsHaveNames(t *testing.T) {
	text := string(renderComparison(t, compared(), Options{Width: 60, Unicode: true}))
	for _, name := range []string{"interval of A", "interval of B"} {
		if flat := strings.Join(strings.Fields(text), " "); strings.Count(flat, name) != 1 {
			t.Errorf("%q is not named once in\n%s", name, text)
		}
	}
}
