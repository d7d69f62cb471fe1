package csvout

import (
	"bytes"
	"encoding/csv"
	"errors"
	"io"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/histogram"
	"github.com/loadline/loadline/internal/show/report/reporttest"
)

// parsed reads a table back: one map for each row. Every row must have every column.
func parsed(t testing.TB, data []byte, columns []Column) []map[string]string {
	t.Helper()
	all, err := csv.NewReader(bytes.NewReader(data)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	var rows []map[string]string
	for _, cells := range all[1:] {
		row := map[string]string{}
		for i, c := range columns {
			if all[0][i] != c.Name {
				t.Fatalf("column %d is %q, documented is %q", i, all[0][i], c.Name)
			}
			row[c.Name] = cells[i]
		}
		rows = append(rows, row)
	}
	return rows
}

func TestGolden(t *testing.T) {
	for name, r := range reporttest.Reports() {
		reporttest.Golden(t, name+".csv", reporttest.Written(t, func(w io.Writer) error { return WriteEstimates(w, r) }))
	}
	for name, c := range reporttest.Comparisons() {
		reporttest.Golden(t, "compare-"+name+".csv", reporttest.Written(t, func(w io.Writer) error { return WriteComparison(w, c) }))
	}
	reporttest.Golden(t, "samples.csv", reporttest.Written(t, func(w io.Writer) error { return WriteSamples(w, recorded()) }))
}

// TestEstimatesAreThoseOfTheReport reads the table back and compares every number.
func TestEstimatesAreThoseOfTheReport(t *testing.T) {
	r := reporttest.Report("quick")
	rows := parsed(t, reporttest.Written(t, func(w io.Writer) error { return WriteEstimates(w, r) }), EstimateColumns)
	got := map[string]model.Estimate{}
	for _, row := range rows {
		var v [4]float64
		for i, name := range []string{"estimate", "low", "high", "confidence"} {
			if row[name] != "" {
				var err error
				if v[i], err = strconv.ParseFloat(row[name], 64); err != nil {
					t.Fatal(err)
				}
			}
		}
		got[row["workload"]+" "+row["direction"]+" "+row["metric"]] = model.Estimate{Unit: row["unit"], Value: v[0], Low: v[1], High: v[2], Confidence: v[3]}
	}
	compared := 0
	for _, res := range r.Results {
		for m, want := range res.Metrics {
			if want.Confidence == 0 {
				want.Low, want.High = 0, 0
			}
			key := res.Workload + " " + string(res.Direction) + " " + string(m)
			if diff := cmp.Diff(want, got[key]); diff != "" {
				t.Errorf("%s (-report +table):\n%s", key, diff)
			}
			compared++
		}
		key := res.Workload + " " + string(res.Direction) + " max"
		if got[key].Value != res.Latency.Max {
			t.Errorf("%s is %v, want %v", key, got[key].Value, res.Latency.Max)
		}
	}
	if compared < 20 {
		t.Errorf("only %d estimates were compared", compared)
	}
}

// TestUnknownIsEmpty checks results without a value, an interval or percentiles.
func TestUnknownIsEmpty(t *testing.T) {
	for name, r := range reporttest.Reports() {
		for _, row := range parsed(t, reporttest.Written(t, func(w io.Writer) error { return WriteEstimates(w, r) }), EstimateColumns) {
			for column, cell := range row {
				if strings.Contains(cell, "NaN") || strings.Contains(cell, "Inf") {
					t.Errorf("%s: %s is %q", name, column, cell)
				}
			}
			if (row["confidence"] == "") != (row["low"] == "" && row["high"] == "") && row["estimate"] != "" {
				t.Errorf("%s: an interval without confidence, or the reverse: %v", name, row)
			}
		}
	}
}

func TestNamesAreNoFormulas(t *testing.T) {
	for _, first := range []string{"=", "+", "-", "@", "\t"} {
		name := first + "1+1\"x\",\n"
		rows := parsed(t, reporttest.Written(t, func(w io.Writer) error { return WriteEstimates(w, reporttest.Hostile(name)) }), EstimateColumns)
		for _, column := range []string{"run", "target", "workload", "pattern"} {
			if got := rows[0][column]; got != "'"+name {
				t.Errorf("%s is %q", column, got)
			}
		}
	}
}

// recorded returns a run of two repeats, the second of which failed, on two workers; the third was
// in progress when the run was killed.
func recorded() *model.Recorded {
	flow := func(ios uint64, seconds float64) *model.Flow {
		f := &model.Flow{IOs: ios, Bytes: ios * 4096, LatencySum: float64(ios) * seconds}
		f.Histogram.Add(histogram.BucketOf(uint64(seconds*1e9)), ios)
		return f
	}
	rec := &model.Recorded{}
	rec.Run.ID = "20260102-030405-data"
	rec.Plan.Steps = []model.Step{{Number: 1, Round: 1, Workload: "mix"}, {Number: 2, Round: 1, Workload: "log"}, {Number: 3, Round: 2, Workload: "mix"}}
	rec.Run.Steps = []model.StepResult{{Step: rec.Plan.Steps[0]}, {Step: rec.Plan.Steps[0], Worker: 1}, {Step: rec.Plan.Steps[1], Error: "fio ended"}}
	rec.Samples = []model.Sample{
		{Step: 1, End: 2, Seconds: 1, Read: flow(700, 1e-3), Write: flow(300, 2e-3)},
		{Step: 1, Worker: 1, End: 2.01, Seconds: 1, Read: flow(10, 1e-3), Write: flow(0, 0)},
		{Step: 2, End: 5, Seconds: 0.5, Write: flow(50, 1e-4), Sync: flow(50, 3e-3)},
		{Step: 3, End: 9, Seconds: 1, Read: flow(1, 1e-3)},
	}
	return rec
}

func TestSamplesAreARowForEachSecondWorkerAndDirection(t *testing.T) {
	rows := parsed(t, reporttest.Written(t, func(w io.Writer) error { return WriteSamples(w, recorded()) }), SampleColumns)
	type key struct{ workload, worker, direction, ios, bytes, bad string }
	var got []key
	for _, r := range rows {
		got = append(got, key{r["workload"], r["worker"], r["direction"], r["ios"], r["bytes"], r["error"]})
	}
	want := []key{
		{"mix", "0", "read", "700", "2867200", "false"}, {"mix", "0", "write", "300", "1228800", "false"},
		{"mix", "1", "read", "10", "40960", "false"}, {"mix", "1", "write", "0", "0", "false"},
		{"log", "0", "write", "50", "204800", "true"}, {"log", "0", "sync", "50", "204800", "true"},
		{"mix", "0", "read", "1", "4096", "false"},
	}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(key{})); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if rows[3]["latency_mean"] != "" || rows[3]["latency_p50"] != "" {
		t.Errorf("a second without I/O has latencies: %v", rows[3])
	}
	if mean := rows[1]["latency_mean"]; mean != "0.002" {
		t.Errorf("a mean of 2 ms is %s", mean)
	}
}

type broken struct{}

func (broken) Write([]byte) (int, error) { return 0, errors.New("disk full") }

func TestABrokenStreamIsAnError(t *testing.T) {
	if WriteEstimates(broken{}, reporttest.Report("quick")) == nil || WriteComparison(broken{}, &model.Comparison{}) == nil || WriteSamples(broken{}, recorded()) == nil {
		t.Error("a full disk goes unnoticed")
	}
}

// A target that was typed as "." is known by its path.
func TestTheTargetIsItsPath(t *testing.T) {
	r := reporttest.Hostile("x")
	r.Run.Target = model.Target{Name: ".", Kind: model.Directory, Path: "/srv/data"}
	text := string(reporttest.Written(t, func(w io.Writer) error { return WriteEstimates(w, r) }))
	if !strings.Contains(text, ",/srv/data,") || strings.Contains(text, ",.,") {
		t.Errorf("%.400s", text)
	}
}
