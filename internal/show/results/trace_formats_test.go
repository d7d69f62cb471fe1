package results

import (
	"bytes"
	"encoding/csv"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/loadline/loadline/internal/measure/store"
	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/iotrace"
	"github.com/loadline/loadline/internal/show/report/format"
	"github.com/loadline/loadline/internal/show/report/markdown"
	"github.com/loadline/loadline/internal/show/report/text"
)

// twoUsers is a trace of 30 s in which one process reads and one with a hostile name writes.
func twoUsers(t *testing.T) string {
	t.Helper()
	var seconds [][]iotrace.Sample
	for i := range 30 {
		seconds = append(seconds, []iotrace.Sample{traceSample(float64(i+1), iotrace.Read, 4096, iotrace.Originator{PID: 7, Command: "fio", Cgroup: "/a"}, 600+uint64(i%7)),
			traceSample(float64(i+1), iotrace.Write, 8192, iotrace.Originator{PID: 8, Command: "=cmd|@a`</details>", Cgroup: "/b|c"}, 40)})
	}
	unseen := 0.02
	return saveTraceOf(t, iotrace.Run{Method: iotrace.ByBPF, Seconds: 30, Devices: []iotrace.Device{{Name: "sda", Number: "8:0", Unseen: &unseen, Counters: &iotrace.Counters{Reads: 18000, Writes: 1200}}}}, seconds...)
}

// written is a trace in a format.
func written(t *testing.T, dir, name string) []format.File {
	t.Helper()
	d, err := Read([]string{dir})
	if err != nil {
		t.Fatal(err)
	}
	f, err := format.Choose(name, "")
	if err != nil {
		t.Fatal(err)
	}
	files, err := f.Write(&d.Documents, text.Options{Width: 200, Unicode: true})
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	for _, file := range files {
		if !format.IsReport(file.Data) {
			t.Errorf("%s%s is not known as one of ours: %.80q", name, file.Suffix, file.Data)
		}
	}
	return files
}

func TestATraceIsWrittenInEveryFormat(t *testing.T) {
	dir := twoUsers(t)
	for name, wants := range map[string][]string{
		"text":     {"fio", "±", "2 % unseen"},
		"markdown": {"### Trace of", "**! warning**: sda: 2 % unseen", "| `fio` | 7 | `sda` | read | 18085 |", "95% CI", "±"},
		"html":     {`<meta name="generator" content="loadline">`, `"traces":[`, `"course":{"workload":"sda"`},
		"json":     {`"schema": "loadline.trace/v1"`, `"p99":`, `"bars":`},
	} {
		files := written(t, dir, name)
		for _, want := range wants {
			if !bytes.Contains(files[0].Data, []byte(want)) {
				t.Errorf("%s has no %q:\n%.3000s", name, want, files[0].Data)
			}
		}
	}
	md := string(written(t, dir, "markdown")[0].Data)
	if strings.Contains(md, "@a") || strings.Count(md, "</details>") != strings.Count(md, "<details>") {
		t.Errorf("a name means something in the Markdown:\n%s", md)
	}
	for _, name := range []string{"prometheus", "junit"} {
		f, _ := format.Choose(name, "")
		d, _ := Read([]string{dir})
		if _, err := f.Write(&d.Documents, text.Options{}); err == nil || !strings.Contains(err.Error(), "a trace cannot be written as") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// The name of an operation is the file's, which anybody may have made: it means nothing to
// Markdown, and is no formula.
func TestAnOperationsNameMeansNothing(t *testing.T) {
	const evil, other = "=cmd|`@a`\n\n# big\n</details><b>", "@x,\"y\"\r\n| z |"
	var seconds [][]iotrace.Sample
	for i := range 30 {
		who := iotrace.Originator{PID: 7, Command: "db"}
		seconds = append(seconds, []iotrace.Sample{traceSample(float64(i+1), evil, 4096, who, 600), traceSample(float64(i+1), other, 8192, who, 300), traceSample(float64(i+1), iotrace.FlushWait, 0, who, 20)})
	}
	run := iotrace.Run{Method: iotrace.ByBPF, Seconds: 30, Devices: []iotrace.Device{{Name: "sda", Number: "8:0"}}}
	dir := saveTraceOf(t, run, seconds...)
	md := string(written(t, dir, "markdown")[0].Data)
	mayMean := func(what, md string) {
		t.Helper()
		bars := -1
		for line := range strings.Lines(md) {
			if strings.HasPrefix(line, "#") && !strings.HasPrefix(line, "### T") {
				t.Errorf("%s: a heading: %q", what, line)
			}
			n := strings.Count(line, "|")
			if n > 0 && bars > 0 && n != bars {
				t.Errorf("%s: a row of %d cells in a table of %d: %q", what, n-1, bars-1, line)
			}
			bars = n
		}
		if strings.Contains(md, "@a") || strings.Contains(md, "<b>") || strings.Count(md, "</details>") != strings.Count(md, "<details>") {
			t.Errorf("%s: an operation means something:\n%s", what, md)
		}
	}
	mayMean("a trace", md)
	if !strings.Contains(md, "| flush-wait |") {
		t.Errorf("an operation of ours has another name:\n%s", md)
	}
	for _, file := range written(t, dir, "csv") {
		rows, err := csv.NewReader(bytes.NewReader(file.Data)).ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		at, seen := slices.Index(rows[0], "operation"), map[string]bool{}
		for _, row := range rows[1:] {
			if seen[row[at]] = true; strings.ContainsAny(row[at][:1], "=+-@\t\r") {
				t.Errorf("%q is a formula", row[at])
			}
		}
		if len(seen) != 3 {
			t.Errorf("operations of %s: %v", file.Suffix, seen)
		}
	}
	// Two names that are not known keep their own sizes.
	for _, k := range mustRead(t, dir).Kinds {
		if want := map[iotrace.Operation]int64{evil: 4096, other: 8192}[k.Operation]; want != 0 && (len(k.Sizes) != 1 || k.Sizes[0].Size != want) {
			t.Errorf("%q has sizes %+v", k.Operation, k.Sizes)
		}
	}
	again := renamed(t, saveTraceOf(t, run, seconds[:29]...))
	c, err := CompareTraces(dir, again, model.Margins{})
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := markdown.RenderTraceComparison(&b, c); err != nil {
		t.Fatal(err)
	}
	mayMean("a comparison", b.String())
}

// The tables hold what the samples hold: every I/O once in each scope, and in the raw rows.
func TestTheTablesOfATraceAddUp(t *testing.T) {
	dir := twoUsers(t)
	files := written(t, dir, "csv")
	if len(files) != 2 || files[1].Suffix != "-samples" {
		t.Fatalf("%d files", len(files))
	}
	table := func(data []byte) (map[string]int, [][]string) {
		rows, err := csv.NewReader(bytes.NewReader(data)).ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		at := map[string]int{}
		for i, name := range rows[0] {
			at[name] = i
		}
		return at, rows[1:]
	}
	number := func(s string) float64 {
		v, err := strconv.ParseFloat(s, 64)
		if err != nil {
			t.Error(err)
		}
		return v
	}
	const all = 18085 + 1200
	at, rows := table(files[0].Data)
	sums := map[string]float64{}
	for _, row := range rows {
		if row[at["metric"]] == "latency" {
			sums[row[at["scope"]]] += number(row[at["ios"]])
		}
		if row[at["metric"]] == "p50" && (row[at["low"]] == "" || number(row[at["low"]]) > number(row[at["estimate"]])) && number(row[at["ios"]]) > 18000 {
			t.Errorf("a p50 without an interval: %v", row)
		}
		if c := row[at["command"]]; strings.HasPrefix(c, "=") {
			t.Errorf("%q is a formula", c)
		}
	}
	if sums["all"] != all || sums["size"] != all || sums["process"] != all {
		t.Errorf("%v I/Os, want %d in each scope", sums, all)
	}
	at, rows = table(files[1].Data)
	raw := 0.0
	for _, row := range rows {
		raw += number(row[at["ios"]])
		if mean := number(row[at["latency_mean"]]); math.Abs(mean-1e-3) > 1e-9 {
			t.Errorf("a mean of %g s", mean)
		}
	}
	if len(rows) != 60 || raw != all {
		t.Errorf("%d rows with %g I/Os, want 60 with %d", len(rows), raw, all)
	}
}

// The report is a function of the samples: computed again it is the same to the byte, and
// its page stands beside it.
func TestATracesReportIsAFunctionOfItsSamples(t *testing.T) {
	dir := twoUsers(t)
	var docs [2][]byte
	for i := range docs {
		if _, err := Analyze(dir); err != nil {
			t.Fatal(err)
		}
		data, err := os.ReadFile(filepath.Join(dir, store.ReportFile))
		if err != nil {
			t.Fatal(err)
		}
		docs[i] = data
	}
	if !bytes.Equal(docs[0], docs[1]) {
		t.Error("the same samples give another report")
	}
	if page, err := os.ReadFile(filepath.Join(dir, store.PageFile)); err != nil || !bytes.Contains(page, []byte(`"traces":[`)) {
		t.Errorf("the page: %v", err)
	}
	if e := mustRead(t, dir).Kinds[0].Metrics[model.IOPS]; e.Confidence != 0.95 || e.Low > 602.8 || e.High < 602.8 {
		t.Errorf("%+v", e)
	}
}

func mustRead(t *testing.T, dir string) *iotrace.Report {
	t.Helper()
	d, err := Read([]string{dir})
	if err != nil || len(d.Traces) != 1 {
		t.Fatal(err)
	}
	return d.Traces[0]
}
