package prom

import (
	"bytes"
	"errors"
	"io"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/prometheus/common/expfmt"
	promodel "github.com/prometheus/common/model"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/show/report/reporttest"
)

// parsed parses an exposition with Prometheus' own parser: one map of labels for each sample of
// each metric, with the value under "".
func parsed(t testing.TB, data []byte) map[string][]map[string]any {
	t.Helper()
	parser := expfmt.NewTextParser(promodel.LegacyValidation)
	families, err := parser.TextToMetricFamilies(bytes.NewReader(data))
	if err != nil {
		t.Fatalf("%v in\n%s", err, data)
	}
	all := map[string][]map[string]any{}
	for name, f := range families {
		if f.GetHelp() == "" || f.GetType().String() != "GAUGE" {
			t.Errorf("%s has no help, or is no gauge", name)
		}
		for _, m := range f.GetMetric() {
			sample := map[string]any{"": m.GetGauge().GetValue()}
			for _, l := range m.GetLabel() {
				sample[l.GetName()] = l.GetValue()
			}
			all[name] = append(all[name], sample)
		}
	}
	return all
}

func TestGolden(t *testing.T) {
	for name, r := range reporttest.Reports() {
		reporttest.Golden(t, name+".prom", reporttest.Written(t, func(w io.Writer) error { return Write(w, []*model.Report{r}, nil) }))
	}
	for name, c := range reporttest.Comparisons() {
		reporttest.Golden(t, "compare-"+name+".prom", reporttest.Written(t, func(w io.Writer) error { return Write(w, nil, []*model.Comparison{c}) }))
	}
}

// TestEveryMetricIsDocumentedAndKeepsToItsLabels reads all documents with the real parser.
func TestEveryMetricIsDocumentedAndKeepsToItsLabels(t *testing.T) {
	seen := map[string]bool{}
	check := func(name string, data []byte) {
		for metric, samples := range parsed(t, data) {
			seen[metric] = true
			i := slices.IndexFunc(Metrics, func(m Metric) bool { return m.Name == metric })
			if i < 0 {
				t.Errorf("%s: %s is not listed", name, metric)
				continue
			}
			for _, s := range samples {
				if len(s) != len(Metrics[i].Labels)+1 {
					t.Errorf("%s: %s has the labels %v, listed are %v", name, metric, s, Metrics[i].Labels)
				}
				if v := s[""].(float64); math.IsNaN(v) || math.IsInf(v, 0) {
					t.Errorf("%s: %s is %v", name, metric, v)
				}
			}
		}
	}
	for name, r := range reporttest.Reports() {
		check(name, reporttest.Written(t, func(w io.Writer) error { return Write(w, []*model.Report{r}, nil) }))
	}
	check("bandwidth", reporttest.Written(t, func(w io.Writer) error { return Write(w, []*model.Report{bandwidthScale()}, nil) }))
	for name, c := range reporttest.Comparisons() {
		check(name, reporttest.Written(t, func(w io.Writer) error { return Write(w, nil, []*model.Comparison{c}) }))
	}
	for _, m := range Metrics {
		if !seen[m.Name] {
			t.Errorf("no document yields %s", m.Name)
		}
		if strings.ContainsAny(m.Help, "\\\n") {
			t.Errorf("the help of %s would need escapes", m.Name)
		}
	}
}

func TestNumbersCarryTheirVerdict(t *testing.T) {
	r := reporttest.Report("invalid")
	for _, s := range parsed(t, reporttest.Written(t, func(w io.Writer) error { return Write(w, []*model.Report{r}, nil) }))["loadline_operations_per_second"] {
		if s["workload"] == r.Results[0].Workload {
			if s["verdict"] != "invalid" || s[""] != r.Results[0].Value {
				t.Errorf("%v", s)
			}
			return
		}
	}
	t.Error("the result is not there")
}

// TestLabelsOfTheUserStandBesideOurs checks that the user's labels are on every number of their
// run, under names that none of ours has, whatever they contain.
func TestLabelsOfTheUserStandBesideOurs(t *testing.T) {
	const value = "a\"b\n\\{x=\"y\"} 東京 }#"
	for _, m := range Metrics {
		for _, name := range m.Labels {
			if strings.HasPrefix(name, "label_") {
				t.Errorf("%s has a label %s of its own", m.Name, name)
			}
		}
	}
	r := reporttest.Report("quick")
	target := r.Run.Target.Name
	r.Run.Labels = model.Labels{"target": value, "verdict": "mine", "bound": "b", "x\"} 1\nfake 2": "no name"}
	all := parsed(t, reporttest.Written(t, func(w io.Writer) error { return Write(w, []*model.Report{r}, nil) }))
	if len(all) < 8 || all["fake"] != nil {
		t.Fatalf("%d metrics", len(all))
	}
	for name, samples := range all {
		for _, s := range samples {
			if s["target"] != target || s["label_target"] != value || s["label_verdict"] != "mine" || s["verdict"] == "mine" {
				t.Errorf("%s: %v", name, s)
			}
		}
	}
	c := reporttest.Comparisons()["comparison"]
	c.A.Labels, c.B.Labels = model.Labels{"disk": "old"}, model.Labels{"disk": "new", "a_disk": "x"}
	for name, samples := range parsed(t, reporttest.Written(t, func(w io.Writer) error { return Write(w, nil, []*model.Comparison{c}) })) {
		for _, s := range samples {
			if s["label_a_disk"] != "old" || s["label_b_disk"] != "new" || s["label_b_a_disk"] != "x" {
				t.Errorf("%s: %v", name, s)
			}
		}
	}
}

// TestLabelsComeThroughUnchanged uses labels with everything that the format escapes.
func TestLabelsComeThroughUnchanged(t *testing.T) {
	name := "a\"b\\n\\\n{x=\"y\"} 東京 }\t#"
	s := parsed(t, reporttest.Written(t, func(w io.Writer) error { return Write(w, []*model.Report{reporttest.Hostile(name)}, nil) }))["loadline_run_info"][0]
	for _, label := range []string{"target", "host", "fio"} {
		if s[label] != name {
			t.Errorf("%s is %q, want %q", label, s[label], name)
		}
	}
	bad := reporttest.Hostile("x")
	bad.Run.Target.Name, bad.Run.Target.Path = "bad \xff byte", "bad \xff byte"
	if got := parsed(t, reporttest.Written(t, func(w io.Writer) error { return Write(w, []*model.Report{bad}, nil) }))["loadline_run_info"][0]["target"]; got != "bad \ufffd byte" {
		t.Errorf("a name that is not UTF-8 is %q", got)
	}
}

func TestSeveralRunsAndTheSameTwice(t *testing.T) {
	a, b := reporttest.Report("quick"), reporttest.Report("mixed")
	once, twice := reporttest.Written(t, func(w io.Writer) error { return Write(w, []*model.Report{a, b}, nil) }), reporttest.Written(t, func(w io.Writer) error { return Write(w, []*model.Report{a, b, a}, nil) })
	if !bytes.Equal(once, twice) {
		t.Error("the same run twice gives other samples")
	}
	if got := len(parsed(t, once)["loadline_run_info"]); got != 2 {
		t.Errorf("%d runs instead of 2", got)
	}
}

type broken struct{}

func (broken) Write([]byte) (int, error) { return 0, errors.New("disk full") }

func TestABrokenStreamIsAnError(t *testing.T) {
	if Write(broken{}, []*model.Report{reporttest.Report("quick")}, nil) == nil {
		t.Error("a full disk goes unnoticed")
	}
}

// Runs of several machines that began in the same second have the same ID; their labels keep them apart.
func TestRunsOfOneSecondOnSeveralMachines(t *testing.T) {
	var runs []*model.Report
	for _, node := range []string{"a", "b", "c"} {
		r := reporttest.Report("quick")
		r.Run.Labels = model.Labels{"node": node}
		runs = append(runs, r)
	}
	all := parsed(t, reporttest.Written(t, func(w io.Writer) error { return Write(w, runs, nil) }))
	if got := len(all["loadline_run_info"]); got != 3 {
		t.Errorf("%d runs", got)
	}
}

// A target that was typed as "." is known by its path: two of them are two series.
func TestTheTargetIsItsPath(t *testing.T) {
	r := reporttest.Hostile("x")
	r.Run.Target = model.Target{Name: ".", Kind: model.Directory, Path: "/srv/data"}
	for name, samples := range parsed(t, reporttest.Written(t, func(w io.Writer) error { return Write(w, []*model.Report{r}, nil) })) {
		for _, s := range samples {
			if target, has := s["target"]; has && target != "/srv/data" {
				t.Errorf("%s: %q", name, target)
			}
		}
	}
}
