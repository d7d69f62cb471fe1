package results

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/histogram"
	"github.com/loadline/loadline/internal/model/iotrace"
	"github.com/loadline/loadline/internal/show/report/jsonout"
	"github.com/loadline/loadline/internal/show/report/markdown"
	"github.com/loadline/loadline/internal/show/report/text"
)

// load is the content of each second of a synthetic trace of 30 s.
type load struct {
	device string
	rate   float64
	mean   float64
	size   int64
	// bytes is the mean size within that class; 0 means the size of the class.
	bytes  int64
	writes uint64
	unseen float64
	method iotrace.Method
	seed   uint64
}

// saved saves a trace of the load.
func (l load) saved(t *testing.T) string {
	t.Helper()
	r := rand.New(rand.NewPCG(l.seed, 5))
	second := func(end float64, op iotrace.Operation, n uint64, mean float64, size int64, command string) iotrace.Sample {
		s := iotrace.Sample{End: end, Seconds: 1, Device: l.device, Operation: op, Size: size, Originator: iotrace.Originator{PID: 7, Command: command}, Flow: model.Flow{IOs: n, Bytes: n * uint64(size)}}
		for range n {
			v := mean * (0.5 + r.ExpFloat64()/2)
			s.Flow.Histogram.Add(histogram.BucketOf(uint64(v*1e9)), 1)
			s.Flow.LatencySum += v
		}
		return s
	}
	var seconds [][]iotrace.Sample
	for i := range 30 {
		mean := l.mean * (1 + 0.03*r.NormFloat64())
		list := []iotrace.Sample{second(float64(i+1), iotrace.Read, uint64(l.rate*(1+0.02*r.NormFloat64())), mean, l.size, "db")}
		if l.bytes > 0 {
			list[0].Flow.Bytes = list[0].Flow.IOs * uint64(l.bytes)
		}
		if l.writes > 0 {
			list = append(list, second(float64(i+1), iotrace.Write, l.writes, mean, 8192, "db"))
		}
		seconds = append(seconds, list)
	}
	if l.method == "" {
		l.method = iotrace.ByBPF
	}
	return saveTraceOf(t, iotrace.Run{Method: l.method, Seconds: 30, Request: iotrace.Request{Devices: []string{l.device}, PID: int(l.seed)}, Devices: []iotrace.Device{{Name: l.device, Number: "8:0", Unseen: &l.unseen, Counters: &iotrace.Counters{Reads: 20000}}}}, seconds...)
}

// verdicts are those of a comparison by operation, process and metric; A and B are made at different
// times.
func verdicts(t *testing.T, a, b load) (map[string]iotrace.Verdict, *iotrace.Comparison) {
	t.Helper()
	a.seed, b.seed = a.seed*2+1, b.seed*2+2
	c, err := compareSaved(t, a.saved(t), b.saved(t))
	if err != nil {
		t.Fatal(err)
	}
	m := map[string]iotrace.Verdict{}
	for _, r := range c.Rows {
		m[strings.TrimSpace(string(r.Operation)+" "+r.Command)+" "+string(r.Metric)] = r.Verdict
	}
	return m, c
}

func compareSaved(t *testing.T, a, b string) (*iotrace.Comparison, error) {
	t.Helper()
	var sides [2]*iotrace.Report
	for i, dir := range []string{a, b} {
		sides[i] = mustRead(t, dir)
	}
	// The synthetic traces have the same name and time, as two copies do.
	if _, err := CompareTraces(a, b, model.Margins{}); err == nil || !strings.Contains(err.Error(), "is a copy of") {
		t.Errorf("a copy: %v", err)
	}
	return CompareTraces(a, renamed(t, b), model.Margins{})
}

func TestTwoTracesAreComparedOperationByOperation(t *testing.T) {
	base := load{device: "sda", rate: 300, mean: 1e-3, size: 4096}
	with := func(change func(*load)) load {
		l := base
		change(&l)
		return l
	}
	for name, x := range map[string]struct {
		b    load
		want map[string]iotrace.Verdict
	}{
		"a slower device": {with(func(l *load) { l.mean = 2e-3 }), map[string]iotrace.Verdict{"read latency": iotrace.Slower, "read p50": iotrace.Slower, "read p99": iotrace.Slower, "read db latency": iotrace.Slower, "read iops": iotrace.Same}},
		"a faster device": {with(func(l *load) { l.mean = .5e-3; l.device = "nvme0n1" }), map[string]iotrace.Verdict{"read latency": iotrace.Faster, "read p99": iotrace.Faster}},
		"a smaller load":  {with(func(l *load) { l.rate = 100 }), map[string]iotrace.Verdict{"read iops": iotrace.Fewer, "read latency": iotrace.Same}},
		"larger I/Os":     {with(func(l *load) { l.size = 65536; l.mean = 2e-3 }), map[string]iotrace.Verdict{"read latency": iotrace.NotComparable, "read p99": iotrace.NotComparable, "read db p50": iotrace.NotComparable, "read iops": iotrace.Same}},
		"larger in class": {with(func(l *load) { l.bytes = 6144; l.mean = 2e-3 }), map[string]iotrace.Verdict{"read latency": iotrace.NotComparable, "read p50": iotrace.NotComparable, "read p99": iotrace.NotComparable, "read db latency": iotrace.NotComparable, "read iops": iotrace.Same}},
		"hardly larger":   {with(func(l *load) { l.bytes = 4250; l.mean = 2e-3 }), map[string]iotrace.Verdict{"read latency": iotrace.Slower, "read iops": iotrace.Same}},
		"another mix":     {with(func(l *load) { l.writes = 200; l.mean = 2e-3 }), map[string]iotrace.Verdict{"read latency": iotrace.NotComparable, "read iops": iotrace.Same}},
		"a blind trace":   {with(func(l *load) { l.unseen = 0.2 }), map[string]iotrace.Verdict{"read latency": iotrace.Unusable, "read iops": iotrace.Unusable}},
	} {
		got, c := verdicts(t, base, x.b)
		for row, want := range x.want {
			if got[row] != want {
				t.Errorf("%s: %s is %q, want %s", name, row, got[row], want)
			}
		}
		for _, r := range c.Rows {
			if (r.Verdict == iotrace.NotComparable || r.Verdict == iotrace.Unusable) != (r.Reason != "") {
				t.Errorf("%s: %s without a reason, or with one for nothing: %+v", name, r.Metric, r)
			}
		}
		if load := strings.Contains(findingWords(c.Findings), "another load"); load != (name == "a smaller load") {
			t.Errorf("%s: %s", name, findingWords(c.Findings))
		}
		if why := "not comparable: the mean sizes of the I/Os differ (of 4k to 8k, A's are of 4 KiB and B's of 6 KiB)"; strings.Contains(shown(t, name, c), why) != (name == "larger in class") {
			t.Errorf("%s: the text has no reason, or one for nothing", name)
		}
	}
}

func findingWords(list []model.Finding) (words string) {
	for _, f := range list {
		words += f.Message + "; "
	}
	return words
}

// shown checks that every form of a comparison contains what a reader must be told, and its document
// against its schema. It returns the text.
func shown(t *testing.T, name string, c *iotrace.Comparison) string {
	t.Helper()
	var plain, md, doc bytes.Buffer
	for _, err := range []error{text.RenderTraceComparison(&plain, c, text.Options{Width: 140, Unicode: true}), markdown.RenderTraceComparison(&md, c), jsonout.WriteTraceComparison(&doc, c)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	for form, words := range map[string]string{"text": plain.String(), "markdown": md.String(), "json": doc.String()} {
		flat := strings.Join(strings.Fields(words), " ")
		if !strings.Contains(flat, "not interleaved") || strings.Contains(flat, "better") || !strings.Contains(flat, string(c.Rows[0].Verdict)) {
			t.Errorf("%s as %s:\n%s", name, form, words)
		}
	}
	schema, err := jsonschema.NewCompiler().Compile("../../../docs/trace-comparison.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	var tree any
	if err := json.Unmarshal(doc.Bytes(), &tree); err != nil {
		t.Fatal(err)
	}
	if err := schema.Validate(tree); err != nil {
		t.Errorf("%s: %v", name, err)
	}
	tree.(map[string]any)["rows"].([]any)[0].(map[string]any)["verdict"] = "better"
	if schema.Validate(tree) == nil {
		t.Error("the schema has a trace that is better")
	}
	return strings.Join(strings.Fields(plain.String()), " ")
}

// Between two traces of the same load on the same device, no difference is found.
func TestEqualTracesDoNotDiffer(t *testing.T) {
	wrong := 0
	for seed := range uint64(40) {
		l := load{device: "sda", rate: 200, mean: 1e-3, size: 4096, seed: seed}
		got, _ := verdicts(t, l, l)
		for row, v := range got {
			if v != iotrace.Same && v != iotrace.Unclear {
				t.Logf("seed %d: %s is %s", seed, row, v)
				wrong++
				break
			}
		}
	}
	if wrong > 4 {
		t.Errorf("%d of 40 pairs of equal traces differ", wrong)
	}
}

func TestTracesThatCannotBeComparedAreRefused(t *testing.T) {
	a := load{device: "sda", rate: 50, mean: 1e-3, size: 4096}.saved(t)
	b := renamed(t, load{device: "sda", rate: 50, mean: 1e-3, size: 4096, method: iotrace.ByCounters, seed: 1}.saved(t))
	counted := load{device: "sda", rate: 50, mean: 1e-3, size: 4096, method: iotrace.ByCounters, seed: 1}.saved(t)
	perf := renamed(t, load{device: "sda", rate: 50, mean: 1e-3, size: 4096, method: iotrace.ByPerf, seed: 1}.saved(t))
	for want, dirs := range map[string][2]string{"are the same trace": {a, a}, "BPF, the other by the device's counters": {a, b}, "perf events, the other by the device's": {perf, counted}, "could be the method's": {perf, a}} {
		if _, err := CompareTraces(dirs[0], dirs[1], model.Margins{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

// renamed gives a saved trace another name.
func renamed(t *testing.T, dir string) string {
	t.Helper()
	file := filepath.Join(dir, "trace.json")
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, bytes.ReplaceAll(data, []byte("20261122-120000-sda-trace"), []byte("20261122-130000-sda-trace")), 0o600); err != nil {
		t.Fatal(err)
	}
	return dir
}

// The counters give one mean size for all I/Os of an operation: that says little about their sizes, and
// the comparison says so.
func TestSizesAreNotCheckedByTheCounters(t *testing.T) {
	for method, want := range map[iotrace.Method]bool{iotrace.ByCounters: true, iotrace.ByBPF: false} {
		a := load{device: "sda", rate: 50, mean: 1e-3, size: 4096, method: method}.saved(t)
		b := renamed(t, load{device: "sda", rate: 50, mean: 1e-3, size: 4096, method: method, seed: 1}.saved(t))
		c, err := CompareTraces(a, b, model.Margins{})
		if err != nil {
			t.Fatal(err)
		}
		if got := slices.ContainsFunc(c.Findings, func(f model.Finding) bool { return f.Rule == "sizes" && f.Severity == model.SeverityNotChecked }); got != want {
			t.Errorf("%s: %+v", method, c.Findings)
		}
	}
}
