package checks

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/show/report/reporttest"
)

// The format as a CI system reads it: these types are independent of those that write it.
type (
	readSuites struct {
		XMLName xml.Name    `xml:"testsuites"`
		Suites  []readSuite `xml:"testsuite"`
		readCounts
	}
	readCounts struct {
		Tests    int `xml:"tests,attr"`
		Failures int `xml:"failures,attr"`
		Errors   int `xml:"errors,attr"`
		Skipped  int `xml:"skipped,attr"`
	}
	readSuite struct {
		Name       string `xml:"name,attr"`
		Properties []struct {
			Name  string `xml:"name,attr"`
			Value string `xml:"value,attr"`
		} `xml:"properties>property"`
		Cases []readCase `xml:"testcase"`
		readCounts
	}
	readCase struct {
		Name  string     `xml:"name,attr"`
		Class string     `xml:"classname,attr"`
		Fail  *readCause `xml:"failure"`
		Error *readCause `xml:"error"`
		Skip  *readCause `xml:"skipped"`
		Out   string     `xml:"system-out"`
	}
	readCause struct {
		Message string `xml:"message,attr"`
		Type    string `xml:"type,attr"`
	}
)

// decoded reads JUnit XML, and compares its counts with its cases.
func decoded(t *testing.T, suites []Suite) readSuites {
	t.Helper()
	var b bytes.Buffer
	if err := WriteJUnit(&b, suites); err != nil {
		t.Fatal(err)
	}
	if !bytes.HasPrefix(b.Bytes(), []byte(JUnitMark)) {
		t.Errorf("it begins with %.80q", b.String())
	}
	var all readSuites
	d := xml.NewDecoder(&b)
	if err := d.Decode(&all); err != nil {
		t.Fatalf("%v in\n%s", err, b.String())
	}
	if rest, err := d.Token(); err != nil {
		t.Error(err)
	} else if text, isText := rest.(xml.CharData); !isText || strings.TrimSpace(string(text)) != "" {
		t.Errorf("the document is followed by %v", rest)
	}
	var sum readCounts
	for _, s := range all.Suites {
		n := readCounts{Tests: len(s.Cases)}
		for _, c := range s.Cases {
			causes := 0
			for _, x := range []struct {
				cause *readCause
				count *int
			}{{c.Fail, &n.Failures}, {c.Error, &n.Errors}, {c.Skip, &n.Skipped}} {
				if x.cause != nil {
					causes++
					*x.count++
					if x.cause.Message == "" {
						t.Errorf("%s says nothing", c.Name)
					}
				}
			}
			if causes > 1 || c.Name == "" || !strings.HasPrefix(c.Class, "loadline.") {
				t.Errorf("%+v", c)
			}
		}
		if n != s.readCounts {
			t.Errorf("%s counts %+v, and holds %+v", s.Name, s.readCounts, n)
		}
		sum = readCounts{sum.Tests + n.Tests, sum.Failures + n.Failures, sum.Errors + n.Errors, sum.Skipped + n.Skipped}
	}
	if sum != all.readCounts {
		t.Errorf("all count %+v, and hold %+v", all.readCounts, sum)
	}
	return all
}

// state returns the outcome of a case.
func state(c readCase) string {
	switch {
	case c.Fail != nil:
		return "failure " + c.Fail.Type
	case c.Error != nil:
		return "error " + c.Error.Type
	case c.Skip != nil:
		return "skipped"
	}
	return "passed"
}

// verdicts returns a comparison with each verdict.
func verdicts() *model.Comparison {
	c := reporttest.Comparisons()["comparison"]
	row := c.Rows[0]
	c.Rows = nil
	for _, v := range []model.Change{model.Better, model.Same, model.Worse, model.Unclear, model.Unusable} {
		row.Workload, row.Verdict = string(v), v
		c.Rows = append(c.Rows, row)
	}
	return c
}

func TestARowIsATestCaseByItsVerdict(t *testing.T) {
	for _, x := range []struct {
		failOn  []string
		unclear string
	}{{nil, "skipped"}, {[]string{"worse"}, "skipped"}, {[]string{"worse", "unclear"}, "failure unclear"}} {
		all := decoded(t, Of(nil, []*model.Comparison{verdicts()}, x.failOn))
		if len(all.Suites) != 1 || len(all.Suites[0].Cases) != 5 {
			t.Fatalf("%+v", all)
		}
		want := map[string]string{"better": "passed", "same": "passed", "worse": "failure worse", "unclear": x.unclear, "unusable": "error unusable"}
		for _, c := range all.Suites[0].Cases {
			if w := want[strings.Fields(c.Name)[0]]; state(c) != w || c.Class != "loadline.comparison" {
				t.Errorf("%v: %s is %s, want %s", x.failOn, c.Name, state(c), w)
			}
		}
	}
}

func TestGoalsAndResultsAreTestCases(t *testing.T) {
	states := func(r *model.Report) (list []string) {
		for _, c := range decoded(t, Of([]*model.Report{r}, nil, nil)).Suites[0].Cases {
			list = append(list, c.Class+" "+state(c))
		}
		return list
	}
	r := reporttest.Report("goals")
	goals := slices.DeleteFunc(states(r), func(s string) bool { return !strings.HasPrefix(s, "loadline.goal") })
	if want := []string{"loadline.goal passed", "loadline.goal failure missed", "loadline.goal failure undecided"}; !slices.Equal(goals, want) {
		t.Errorf("%q, want %q", goals, want)
	}
	// A goal that cannot be decided because its number is invalid is an error, like the number
	// itself.
	r.Results[0].Verdict = model.Invalid
	r.Goals[2].Workload, r.Goals[2].Direction = r.Results[0].Workload, r.Results[0].Direction
	if list := states(r); list[0] != "loadline.result error invalid" || list[len(list)-1] != "loadline.goal error undecided" {
		t.Errorf("%q", list)
	}
	// A run that did not complete never yields a document in which everything passed.
	for _, name := range []string{"interrupted", "empty"} {
		if list := states(reporttest.Report(name)); !strings.HasPrefix(list[0], "loadline.run error") {
			t.Errorf("%s: %q", name, list)
		}
	}
	whole := reporttest.Report("quick")
	whole.Run.Labels = model.Labels{"env": "a<b"}
	whole.Findings = append(whole.Findings, model.Finding{Rule: "memory", Severity: model.SeverityInvalid, Message: "it is no disk"})
	all := decoded(t, Of([]*model.Report{whole}, nil, nil))
	if c := all.Suites[0].Cases[0]; state(c) != "error invalid" || c.Error.Message != "it is no disk" {
		t.Errorf("%+v", c)
	}
	if p := all.Suites[0].Properties; p[len(p)-1].Name != "label.env" || p[len(p)-1].Value != "a<b" {
		t.Errorf("%+v", p)
	}
}

// A number that passes is shown with its verdict, and with the rules that warn of it; its goal as well.
func TestWhatPassesIsShownWithItsVerdict(t *testing.T) {
	estimate := model.Estimate{Unit: "1/s", Value: 3000, Low: 2990, High: 3010, Confidence: 0.95}
	r := &model.Report{Results: []model.Result{{Workload: "reads", Direction: model.Read, Metric: model.IOPS, Estimate: estimate, Verdict: model.Suspect},
		{Workload: "writes", Direction: model.Write, Metric: model.IOPS, Estimate: model.Estimate{Value: 3000}, Verdict: model.Valid}},
		Findings: []model.Finding{{Rule: "size", Severity: model.SeverityWarning, Results: []string{"reads"}}, {Rule: "cpu", Severity: model.SeverityWarning, Results: []string{"reads"}},
			{Rule: "size", Severity: model.SeverityWarning, Results: []string{"reads"}}, {Rule: "depth", Severity: model.SeverityNote}},
		Goals: []model.Goal{{Text: "g", Workload: "reads", Direction: model.Read, Outcome: model.Met, Message: "3.00k IOPS [2.99k, 3.01k IOPS]"}}}
	row := model.Row{Workload: "reads", Metric: model.IOPS, A: estimate, B: estimate, Ratio: model.Estimate{Value: 1, Low: 0.99, High: 1.01, Confidence: 0.95}, Verdict: model.Same, Margin: 0.05, Trust: model.Suspect}
	other := row
	other.Workload, other.Trust = "writes", model.Valid
	c := &model.Comparison{Rows: []model.Row{row, other}, Findings: r.Findings}
	unlike := &model.Comparison{Rows: []model.Row{other}, Findings: []model.Finding{{Rule: "not-comparable", Severity: model.SeverityWarning}}}
	var got []string
	for _, s := range decoded(t, Of([]*model.Report{r}, []*model.Comparison{c, unlike}, nil)).Suites {
		for _, k := range s.Cases {
			got = append(got, k.Out)
		}
	}
	const same = "same: 3.00k IOPS → 3.00k IOPS, 0.0% [−1.0%, +1.0%], margin ±5.0%"
	want := []string{"3.00k IOPS (95 % CI [2.99k, 3.01k IOPS]); suspect: size, cpu", "3.00k IOPS, without an interval; valid", "3.00k IOPS [2.99k, 3.01k IOPS]; suspect: size, cpu",
		same + "; suspect: size, cpu", same + "; valid", same + "; valid; warning: not-comparable"}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// hostile are texts with a special meaning in XML or in a workflow command.
var hostile = []string{reporttest.Nasty, "]]><failure/>", "\x00\x01\ufffe\xff", "x\n::error::y\r\n::set-output name=a::b", "::stop-commands::x", "a%0A::error::b", "a,title=b:c", "##[error]x"}

func TestHostileNamesStayText(t *testing.T) {
	for _, text := range hostile {
		for _, suites := range [][]Suite{Of([]*model.Report{reporttest.Hostile(text)}, nil, nil), Of(nil, []*model.Comparison{reporttest.HostileComparison(text)}, nil)} {
			if all := decoded(t, suites); len(all.Suites) != 1 || len(all.Suites[0].Cases) == 0 {
				t.Errorf("%q: %+v", text, all)
			}
			var b bytes.Buffer
			if err := WriteAnnotations(&b, suites); err != nil {
				t.Fatal(err)
			}
			for line := range strings.Lines(b.String()) {
				m := regexp.MustCompile(`^::(?:error|warning) title=([^:,]*)::([^\n]*)\n$`).FindStringSubmatch(line)
				if m == nil {
					t.Errorf("%q: %q is no command", text, line)
					continue
				}
				if strings.ContainsFunc(m[2], unicode.IsControl) || regexp.MustCompile(`%[^2]|%2[^5C]`).MatchString(m[2]) {
					t.Errorf("%q: %q", text, m[2])
				}
			}
			if s := Summary(suites); strings.Contains(s, "\n") || strings.Contains(s, "<") {
				t.Errorf("%q", s)
			}
		}
	}
}

func TestEscapesOfWorkflowCommands(t *testing.T) {
	if got, want := command("error", "a:b,c%d\n", "a:b,c%d\r\ne"), "::error title=a%3Ab%2Cc%25d%0A::a:b,c%25d%0D%0Ae\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestAnnotationsAreAsManyAsAreShown(t *testing.T) {
	c := verdicts()
	bad := c.Rows[2]
	for i := range 30 {
		bad.Workload = fmt.Sprint("w", i)
		c.Rows = append(c.Rows, bad)
	}
	var b bytes.Buffer
	if err := WriteAnnotations(&b, Of(nil, []*model.Comparison{c}, nil)); err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(b.String(), "::error "); n != 10 || !strings.Contains(b.String(), "::23 more are in the report\n") {
		t.Errorf("%d errors:\n%s", n, b.String())
	}
	if n := strings.Count(b.String(), "::warning "); n != 1 {
		t.Errorf("%d warnings", n)
	}
	if s := Summary(Of(nil, []*model.Comparison{c}, nil)); s != "**Loadline ✗** 31 failed, 1 invalid, 1 unclear, 2 passed" {
		t.Error(s)
	}
}

type full struct{}

func (full) Write([]byte) (int, error) { return 0, io.ErrShortWrite }

func TestABrokenStreamIsAnError(t *testing.T) {
	suites := Of(nil, []*model.Comparison{verdicts()}, nil)
	if WriteJUnit(full{}, suites) == nil || WriteAnnotations(full{}, suites) == nil {
		t.Error("a full disk goes unnoticed")
	}
}

// A disk that has lost writes breaks the build, whatever its speed.
func TestLostWritesAreATestCase(t *testing.T) {
	for result, want := range map[model.DurabilityResult]int{model.DurabilityLostWrites: 1, model.DurabilityClean: 0} {
		suites := Of([]*model.Report{{Durability: []model.Durability{{Result: result, Statement: "what it has shown"}}}}, nil, nil)
		if got := counts(suites...)[broken]; got != want {
			t.Errorf("%s: %d errors", result, got)
		}
	}
}

// The time of a suite is how long the run took, or both sides of a comparison; a case without a time of its own has none.
func TestJUnitHasElapsedTimes(t *testing.T) {
	began := time.Date(2026, 11, 20, 10, 0, 0, 0, time.UTC)
	run := model.RunInfo{Started: began, Finished: began.Add(23 * time.Second), MeasuredSeconds: 14}
	later := run
	later.Finished = began.Add(24 * time.Second)
	row := model.Row{Workload: "a", Metric: model.IOPS, Verdict: model.Same}
	report := &model.Report{Run: run, Results: []model.Result{{Workload: "a", Seconds: 13.997}}}
	unended := &model.Report{Run: model.RunInfo{MeasuredSeconds: 14}}
	var b bytes.Buffer
	if err := WriteJUnit(&b, Of([]*model.Report{report, unended}, []*model.Comparison{
		{A: run, B: later, Method: model.Paired, Rows: []model.Row{row}},
		{A: run, B: run, Method: model.Independent, Rows: []model.Row{row}},
	}, nil)); err != nil {
		t.Fatal(err)
	}
	var times []string
	for _, m := range regexp.MustCompile(`<test(suite|case) [^>]*?time="([^"]*)"`).FindAllStringSubmatch(b.String(), -1) {
		times = append(times, m[1]+" "+m[2])
	}
	if want := []string{"suite 23.000", "case 13.997", "suite 14.000", "suite 24.000", "suite 46.000"}; !slices.Equal(times, want) {
		t.Errorf("%q, want %q", times, want)
	}
}

// A workload that was planned and has no result is an error, with what was found; one of an import is not, as it may never have run.
func TestAWorkloadWithoutAResultIsATestCase(t *testing.T) {
	r := &model.Report{
		Run:      model.RunInfo{Status: model.Complete, Workloads: []model.Workload{{Name: "reads"}, {Name: "writes"}}},
		Results:  []model.Result{{Workload: "writes", Direction: model.Write, Verdict: model.Valid}},
		Findings: []model.Finding{{Rule: "errors", Severity: model.SeverityInvalid, Results: []string{"reads"}, Message: "no I/O completed"}},
	}
	cases := decoded(t, Of([]*model.Report{r}, nil, nil)).Suites[0].Cases
	if c := cases[len(cases)-1]; len(cases) != 2 || c.Name != "reads" || state(c) != "error not measured" || c.Error.Message != "it has no result: no I/O completed" {
		t.Errorf("%+v", cases)
	}
	r.Run.Imported = &model.Import{}
	if cases := decoded(t, Of([]*model.Report{r}, nil, nil)).Suites[0].Cases; len(cases) != 1 {
		t.Errorf("%+v", cases)
	}
}
