package analyze_test

import (
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/loadline/loadline/internal/judge/analyze"
	"github.com/loadline/loadline/internal/model"
)

var margins = model.Margins{Rate: 0.05, P99: 0.10}

// sideOf is one side of a comparison: for each rate, a repeat of three seconds at that constant rate.
func sideOf(side model.Side, w model.Workload, rates ...float64) *model.Recorded {
	rec := recorded([]model.Workload{w}, nil)
	rec.Run.Comparison, rec.Run.Side, rec.Run.Status = "both", side, model.Complete
	for i, rate := range rates {
		r := done(i+1, w.Name)
		r.Step.Block = i + 1
		rec.Run.Steps = append(rec.Run.Steps, r)
		for k := range 3 {
			rec.Samples = append(rec.Samples, model.Sample{Step: i + 1, End: float64(100*i + k + 1), Seconds: 1,
				Read: flowOf(uint64(rate), 1/rate)})
		}
	}
	return rec
}

func measuredOf(rec *model.Recorded) analyze.Measured {
	return analyze.Measured{Recorded: rec, Report: &model.Report{
		Run:     model.RunInfo{Status: rec.Run.Status, Target: rec.Plan.Volume.Target, Volume: rec.Plan.Volume, Tools: rec.Run.Tools, Started: rec.Run.Started},
		Results: analyze.Results(rec)}}
}

func compare(a, b *model.Recorded) *model.Comparison {
	return analyze.Compare(measuredOf(a), measuredOf(b), margins)
}

func row(t *testing.T, c *model.Comparison, m model.Metric) model.Row {
	t.Helper()
	for _, r := range c.Rows {
		if r.Metric == m {
			return r
		}
	}
	t.Fatalf("no row for %s in %+v", m, c.Rows)
	return model.Row{}
}

func severity(c *model.Comparison, rule string) model.Severity {
	for _, f := range c.Findings {
		if f.Rule == rule {
			return f.Severity
		}
	}
	return ""
}

// Variation that both sides share at a given time cancels: with a disk that doubles its speed from
// block to block, a tenth less is still found exactly.
func TestPairsCancelWhatIsShared(t *testing.T) {
	w := reader("a")
	c := compare(sideOf(model.SideA, w, 1000, 2000, 4000, 8000), sideOf(model.SideB, w, 900, 1800, 3600, 7200))
	r := row(t, c, model.IOPS)
	if c.Method != model.Paired || r.Blocks != 4 || math.Abs(r.Ratio.Value-0.9) > 1e-9 || r.Ratio.HalfWidth() > 0.01 || r.Verdict != model.Worse {
		t.Errorf("%s: %+v", c.Method, r)
	}
	if diff := cmp.Diff(4, len(r.Changes)); diff != "" || math.Abs(r.Changes[2]+0.1) > 1e-9 {
		t.Errorf("changes %v", r.Changes)
	}
	if p99 := row(t, c, model.P99); p99.Verdict == model.Better || p99.Margin != 0.10 {
		t.Errorf("latencies grew: %+v", p99)
	}
	if severity(c, "interleaved") != model.SeverityPassed || severity(c, "not-comparable") != model.SeverityPassed || !c.Comparable {
		t.Errorf("findings %+v", c.Findings)
	}
}

func TestLatenciesAreBetterWhenLower(t *testing.T) {
	w := reader("a")
	w.Metric = model.Latency
	slow, fast := []float64{1000, 1010, 990, 1000}, []float64{1500, 1510, 1490, 1500}
	for _, c := range []struct {
		a, b []float64
		want model.Change
	}{{slow, fast, model.Better}, {fast, slow, model.Worse}, {slow, slow, model.Same}} {
		got := compare(sideOf(model.SideA, w, c.a...), sideOf(model.SideB, w, c.b...))
		if r := row(t, got, model.Latency); r.Verdict != c.want {
			t.Errorf("%v → %v: %+v", c.a, c.b, r)
		}
	}
}

func TestAnUnclearRowSaysWhatWouldSettleIt(t *testing.T) {
	w := reader("a")
	r := row(t, compare(sideOf(model.SideA, w, 1000, 1000, 1000, 1000), sideOf(model.SideB, w, 900, 1100, 950, 1060)), model.IOPS)
	if r.Verdict != model.Unclear || r.Needed <= 4 || !(r.Narrow > 0) {
		t.Errorf("%+v", r)
	}
}

func TestInvalidNumbersAreUnusable(t *testing.T) {
	w := reader("a")
	a, b := measuredOf(sideOf(model.SideA, w, 1000, 1000, 1000)), measuredOf(sideOf(model.SideB, w, 500, 500, 500))
	b.Report.Results[0].Verdict = model.Invalid
	b.Report.Findings = []model.Finding{{Rule: "sparse", Severity: model.SeverityInvalid, Message: "read holes"},
		{Rule: "precision", Severity: model.SeverityWarning, Message: "wide", Evidence: map[string]any{"half_width": 0.3}}}
	c := analyze.Compare(a, b, margins)
	for _, r := range c.Rows {
		if r.Verdict != model.Unusable || r.Trust != model.Invalid || r.Adjusted != 1 {
			t.Errorf("%+v", r)
		}
	}
	if severity(c, "sparse") != model.SeverityInvalid || severity(c, "precision") != "" {
		t.Errorf("findings %+v", c.Findings)
	}
}

// How certain a row is, the interval of its ratio says, not the precision of one side: the mark on a row always has a
// reason among the findings.
func TestPrecisionOfASideDoesNotMarkARow(t *testing.T) {
	w := reader("a")
	for name, c := range map[string]struct {
		rules []string
		trust model.Verdict
	}{
		"precision": {[]string{"precision"}, model.Valid}, "no interval": {[]string{"no interval"}, model.Suspect}, "another rule too": {[]string{"precision", "cpu"}, model.Suspect}, "another rule": {[]string{"cpu"}, model.Suspect},
	} {
		a, b := measuredOf(sideOf(model.SideA, w, 1000, 1000, 1000)), measuredOf(sideOf(model.SideB, w, 500, 500, 500))
		b.Report.Results[0].Verdict, b.Report.Findings = model.Suspect, nil
		for _, rule := range c.rules {
			f := model.Finding{Rule: rule, Severity: model.SeverityWarning, Message: rule}
			switch rule {
			case "precision":
				f.Evidence = map[string]any{"half_width": 0.3}
			case "no interval":
				f.Rule = "precision"
			}
			b.Report.Findings = append(b.Report.Findings, f)
		}
		got := analyze.Compare(a, b, margins)
		if r := row(t, got, model.IOPS); r.Trust != c.trust {
			t.Errorf("%s: the row is %s, want %s", name, r.Trust, c.trust)
		}
		if marked, said := c.trust == model.Suspect, severity(got, "cpu") == model.SeverityWarning || severity(got, "precision") == model.SeverityWarning; marked != said {
			t.Errorf("%s: findings %+v", name, got.Findings)
		}
	}
}

// Only complete blocks count: a repeat that failed, was cut off or has no partner invalidates its
// block.
func TestOnlyWholeBlocksCount(t *testing.T) {
	w := reader("a")
	a, b := sideOf(model.SideA, w, 1000, 1000, 1000, 1000, 1000), sideOf(model.SideB, w, 1000, 1000, 1, 1, 1)
	b.Run.Steps[2].Error = "EIO"
	b.Run.Steps[3].EndedEarly = true
	b.Run.Steps = b.Run.Steps[:4]
	b.Run.Status = model.Interrupted
	c := compare(a, b)
	r := row(t, c, model.IOPS)
	if r.Blocks != 2 || math.Abs(r.Ratio.Value-1) > 1e-9 {
		t.Errorf("%+v", r)
	}
	if severity(c, "partial") != model.SeverityWarning {
		t.Errorf("findings %+v", c.Findings)
	}
	// Of a side that was stopped after its guaranteed repeats none is missing; one that failed or was cut off is none.
	for planned, says := range map[int]string{2: "partial: B was interrupted after all guaranteed repeats", 3: "partial: B was interrupted; fewer repeats stand behind the rows than were planned"} {
		b.Plan.Steps = slices.Repeat([]model.Step{{Workload: w.Name}}, planned)
		if c := compare(a, b); !slices.ContainsFunc(c.Findings, func(f model.Finding) bool { return f.Message == says }) {
			t.Errorf("%d planned: findings %+v", planned, c.Findings)
		}
	}
}

func TestRunsOfTheirOwnAreNotPaired(t *testing.T) {
	w := reader("a")
	a, b := sideOf(model.SideA, w, 1000, 1010, 990, 1000), sideOf(model.SideA, w, 800, 810, 790, 800, 805)
	a.Run.Comparison, b.Run.Comparison = "", ""
	a.Run.Started, b.Run.Started = time.Unix(1000, 0), time.Unix(4600, 0)
	c := compare(a, b)
	r := row(t, c, model.IOPS)
	if c.Method != model.Independent || c.ID != "" || r.Verdict != model.Worse || r.Blocks != 4 || len(r.Changes) != 0 {
		t.Errorf("%s: %+v", c.Method, r)
	}
	if severity(c, "interleaved") != model.SeverityNote {
		t.Errorf("findings %+v", c.Findings)
	}
}

// Two runs of an application are measured again as one comparison of it, and not of the storage below.
func TestRunsOfAnApplicationAreComparedAsOne(t *testing.T) {
	w := reader("a")
	a, b := sideOf(model.SideA, w, 1000, 1010), sideOf(model.SideB, w, 800, 810)
	a.Run.Comparison, b.Run.Comparison = "", ""
	ma, mb := measuredOf(a), measuredOf(b)
	ma.Report.Run.Target.Name, mb.Report.Run.Target.Name = "/srv/a", "b c"
	ma.Report.Run.Again = model.CommandLine{"loadline", "app", "postgres", "/srv/a", "--clients=4"}
	for _, x := range []struct{ clients, want string }{
		{"4", "loadline compare app postgres /srv/a 'b c' --clients 4"}, {"8", "loadline compare app postgres /srv/a 'b c'"},
	} {
		mb.Report.Run.Again = model.CommandLine{"loadline", "app", "postgres", "b c", "--clients=" + x.clients}
		found := false
		c := analyze.Compare(ma, mb, margins)
		for _, f := range c.Findings {
			found = found || f.Rule == "interleaved" && strings.HasSuffix(f.Next, ": "+x.want)
		}
		if !found {
			t.Errorf("%s is not advised: %+v", x.want, c.Findings)
		}
	}
}

// One repeat each: compared by the published intervals, with a warning.
func TestSingleRepeatsAreComparedWithAWarning(t *testing.T) {
	w := reader("a")
	single := func(rate float64) *model.Recorded {
		rec := sideOf(model.SideA, w, rate)
		rec.Run.Comparison, rec.Plan.Schedule.Mode = "", model.Fixed
		for k := range 17 {
			rec.Samples = append(rec.Samples, model.Sample{Step: 1, End: float64(k + 4), Seconds: 1, Read: flowOf(uint64(rate)+uint64(k%3), 1/rate)})
		}
		return rec
	}
	c := compare(single(1000), single(700))
	if r := row(t, c, model.IOPS); r.Verdict != model.Worse || r.Ratio.Confidence == 0 {
		t.Errorf("%+v", r)
	}
	if severity(c, "single-repeat") != model.SeverityWarning {
		t.Errorf("findings %+v", c.Findings)
	}
}

// What both sides have in the same words is said once, and whatever differs, such as the next step, twice.
func TestWhatBothSidesHaveIsSaidOnce(t *testing.T) {
	w := reader("a")
	a, b := measuredOf(sideOf(model.SideA, w, 1000, 1000, 1000)), measuredOf(sideOf(model.SideB, w, 1000, 1000, 1000))
	finding := func(message, next string) model.Finding {
		return model.Finding{Rule: "cpu", Severity: model.SeverityInvalid, Results: []string{"a"}, Message: message, Next: next}
	}
	a.Report.Findings = []model.Finding{finding("same", "x"), finding("other", "a")}
	b.Report.Findings = []model.Finding{finding("other", "b"), finding("same", "x")}
	var got []string
	for _, f := range analyze.Compare(a, b, margins).Findings {
		if f.Rule == "cpu" {
			got = append(got, f.Message+" "+f.Next)
		}
	}
	if diff := cmp.Diff([]string{"A and B: same x", "A: other a", "B: other b"}, got); diff != "" {
		t.Error(diff)
	}
}

// A command that is advised is found from any directory.
func TestAdviceOnTwoRunsNamesTheirPlaces(t *testing.T) {
	w := reader("a")
	side := func(name string) analyze.Measured {
		m := measuredOf(sideOf("", w, 1000, 1000, 1000))
		m.Recorded.Run.Comparison = ""
		m.Report.Run.Target = model.Target{Name: name, Path: "/srv/" + name, Kind: model.Directory}
		m.Report.Run.Again = model.CommandLine{"loadline", "run", "/srv/" + name}
		return m
	}
	var next []string
	for _, f := range analyze.Compare(side("old"), side("new"), margins).Findings {
		next = append(next, f.Next)
	}
	if all := strings.Join(next, "; "); !strings.Contains(all, "loadline compare /srv/old /srv/new") {
		t.Errorf("the advice is %q", all)
	}
}

// Two runs of one target, such as before and after an upgrade, are not measured at once: that command would be refused.
func TestAdviceOnTwoRunsOfOneTarget(t *testing.T) {
	w := reader("a")
	side := func(size int64, flags ...string) analyze.Measured {
		m := measuredOf(sideOf("", w, 1000, 1000, 1000))
		m.Recorded.Run.Comparison = ""
		m.Report.Run.Target = model.Target{Name: "data", Path: "/srv/data", Kind: model.Directory}
		m.Report.Run.Volume.Size = size
		m.Report.Run.Again = append(model.CommandLine{"loadline", "run", "/srv/data", "--profile=quick"}, flags...)
		return m
	}
	next := func(a, b analyze.Measured) (all string) {
		for _, f := range analyze.Compare(a, b, margins).Findings {
			if f.Rule == "not-comparable" && f.Severity == model.SeverityWarning {
				all += f.Next
			} else if strings.Contains(f.Next, "loadline compare") {
				t.Errorf("%s advises %q", f.Rule, f.Next)
			}
		}
		return all
	}
	if got, want := next(side(1<<30, "--size=1GiB", "--quiet"), side(2<<30, "--size=2GiB")), "measure B again with the flags of A: loadline run /srv/data --profile quick --size 1GiB"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if got, want := next(side(1<<30), side(2<<30)), "measure it again, each time with the same flags"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// No command makes targets of two kinds comparable. Where one does, it repeats what both runs have in common.
func TestAdviceOnTwoRunsRepeatsWhatTheyHaveInCommon(t *testing.T) {
	w := reader("a")
	side := func(name string, kind model.TargetKind, engine string, flags ...string) analyze.Measured {
		m := measuredOf(sideOf("", w, 1000, 1000, 1000))
		m.Recorded.Run.Comparison = ""
		m.Report.Run.Target = model.Target{Name: name, Path: name, Kind: kind}
		m.Report.Run.Volume.Engine = engine
		m.Report.Run.Again = append(model.CommandLine{"loadline", "run", name, "--profile=quick"}, flags...)
		return m
	}
	device := side("/dev/b", model.BlockDevice, "libaio", "--destroy-data-on=/dev/b", "--precision=5%")
	for _, f := range analyze.Compare(side("/srv/a", model.Directory, "io_uring"), device, margins).Findings {
		if f.Rule == "not-comparable" && f.Next != "compare two targets of one kind" || strings.Contains(f.Next, "loadline compare") {
			t.Errorf("%s advises %q", f.Rule, f.Next)
		}
	}
	want := "loadline compare /dev/a /dev/b --profile quick --destroy-data-on /dev/b"
	for _, f := range analyze.Compare(side("/dev/a", model.BlockDevice, "io_uring"), device, margins).Findings {
		if f.Rule == "not-comparable" && f.Next != "measure both with the same flags: "+want || f.Rule == "interleaved" && !strings.HasSuffix(f.Next, ": "+want) {
			t.Errorf("%s advises %q", f.Rule, f.Next)
		}
	}
}

func TestUnlikeThingsAreMarked(t *testing.T) {
	w := reader("a")
	disk := func(side model.Side) *model.Recorded {
		rec := sideOf(side, w, 1000, 1000, 1000)
		rec.Plan.Volume = model.Volume{Target: model.Target{Name: "/x", Kind: model.Directory}, Size: 4 << 30, Engine: "io_uring", Direct: true}
		rec.Run.Tools = map[string]string{"fio": "3.33"}
		return rec
	}
	for name, spoil := range map[string]func(*model.Recorded){
		"kind":   func(r *model.Recorded) { r.Plan.Volume.Target.Kind = model.BlockDevice },
		"size":   func(r *model.Recorded) { r.Plan.Volume.Size++ },
		"engine": func(r *model.Recorded) { r.Plan.Volume.Engine = "libaio" },
		"direct": func(r *model.Recorded) { r.Plan.Volume.Direct = false },
	} {
		b := disk(model.SideB)
		spoil(b)
		c := compare(disk(model.SideA), b)
		if c.Comparable || severity(c, "not-comparable") != model.SeverityWarning || len(c.Differences) != 1 || c.Differences[0].Name != name ||
			c.Differences[0].A == c.Differences[0].B {
			t.Errorf("%s: comparable %v, differences %+v", name, c.Comparable, c.Differences)
		}
	}
	b := disk(model.SideB)
	b.Run.Tools["fio"] = "3.42"
	b.Plan.Volume.Target.Kind = model.File
	if c := compare(disk(model.SideA), b); !c.Comparable || len(c.Differences) != 1 || c.Differences[0].NotComparable {
		t.Errorf("another fio: %+v", c.Differences)
	}
}

func TestADiskThatBothShareIsNamed(t *testing.T) {
	w := reader("a")
	on := func(a, b model.Storage) model.Severity {
		ma, mb := measuredOf(sideOf(model.SideA, w, 1, 1)), measuredOf(sideOf(model.SideB, w, 1, 1))
		ma.Report.Run.Environment.Storage, mb.Report.Run.Environment.Storage = a, b
		return severity(analyze.Compare(ma, mb, margins), "shared-disk")
	}
	vda := model.Storage{Device: "vda1", DeviceChain: []string{"vda1", "vda"}}
	loop := model.Storage{Device: "loop0", DeviceChain: []string{"loop0", "vda1", "vda"}}
	other := model.Storage{Device: "vdb1", DeviceChain: []string{"vdb1", "vdb"}}
	for _, c := range []struct {
		a, b model.Storage
		want model.Severity
	}{{vda, loop, model.SeverityWarning}, {vda, vda, model.SeverityWarning}, {vda, other, ""}, {model.Storage{}, model.Storage{}, ""}} {
		if got := on(c.a, c.b); got != c.want {
			t.Errorf("%v and %v: %q", c.a.DeviceChain, c.b.DeviceChain, got)
		}
	}
}

func TestWhatIsNotComparedIsSaid(t *testing.T) {
	a, b := sideOf(model.SideA, reader("a"), 1000, 1000), sideOf(model.SideB, reader("a"), 1000, 1000)
	a.Plan.Workloads = append(a.Plan.Workloads, reader("only"), reader("other"))
	deeper := reader("other")
	deeper.Depth = 8
	b.Plan.Workloads = append(b.Plan.Workloads, deeper)
	c := compare(a, b)
	for _, f := range c.Findings {
		if f.Rule == "not-compared" {
			if !strings.Contains(f.Message, "only (only in A)") || !strings.Contains(f.Message, "other (same name") {
				t.Error(f.Message)
			}
			return
		}
	}
	t.Errorf("findings %+v", c.Findings)
}

// Exchanging the sides inverts every verdict and ratio.
func TestComparisonsAreSymmetric(t *testing.T) {
	turned := map[model.Change]model.Change{model.Better: model.Worse, model.Worse: model.Better, model.Same: model.Same, model.Unclear: model.Unclear}
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(2, 8).Draw(t, "blocks")
		rates := rapid.SliceOfN(rapid.Float64Range(900, 1100), n, n)
		a, b := sideOf(model.SideA, reader("a"), rates.Draw(t, "a")...), sideOf(model.SideB, reader("a"), rates.Draw(t, "b")...)
		there, back := compare(a, b), compare(b, a)
		for i, r := range there.Rows {
			o := back.Rows[i]
			// The margin is in percent of A, so the inverse of 1+m is 1/(1+m), not 1-m: the two
			// directions may differ only if a bound lies between these.
			m, edge := r.Margin, false
			for _, bound := range []float64{r.Ratio.Low, r.Ratio.High} {
				edge = edge || between(1-m, bound, 1/(1+m)) || between(1+m, bound, 1/(1-m))
			}
			if math.Abs(r.B.Value/r.A.Value/r.Ratio.Value-1) > 1e-9 {
				t.Fatalf("the columns contradict the change: %+v", r)
			}
			if math.Abs(r.Ratio.Value*o.Ratio.Value-1) > 1e-9 || !edge && turned[r.Verdict] != o.Verdict {
				t.Fatalf("%+v\nand turned over\n%+v", r, o)
			}
		}
	})
}

// between reports whether x lies from low to high, allowing for rounding errors.
func between(low, x, high float64) bool { return x > low-1e-9 && x < high+1e-9 }

// The judge during the run and the comparison of the record agree.
func TestTheJudgeSaysWhatTheRecordSays(t *testing.T) {
	w := reader("a")
	a, b := sideOf(model.SideA, w, 1000, 1020, 990, 1005), sideOf(model.SideB, w, 995, 1015, 1000, 1000)
	var blocks []model.Block
	for n := 1; n <= 4; n++ {
		blocks = append(blocks, model.Block{A: a.Samples[3*n-3 : 3*n], B: b.Samples[3*n-3 : 3*n]})
	}
	known := analyze.BlockJudge{Margins: margins}.JudgeBlocks(w, blocks)
	a.Plan.Schedule.MinRounds, b.Plan.Schedule.MinRounds = 4, 4
	if diff := cmp.Diff(row(t, compare(a, b), known.Metric).Ratio, known.Ratio); diff != "" || known.Blocks != 4 {
		t.Errorf("%+v\n%s", known, diff)
	}
	if (analyze.BlockJudge{Margins: margins}).JudgeBlocks(w, blocks[:1]).Precise {
		t.Error("one block settles it")
	}
}
