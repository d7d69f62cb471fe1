package progress

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/show/report/reporttest"
)

// stream returns a stream whose clock stands still.
func stream() (*Lines, *bytes.Buffer) {
	var b bytes.Buffer
	return New(&b, func() time.Time { return time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC) }), &b
}

// TestNamesStayWithinTheirLine checks that, whatever a workload or a target is called, there is one
// line of JSON for each event, without anything that a terminal would interpret.
func TestNamesStayWithinTheirLine(t *testing.T) {
	l, b := stream()
	l.Begin()
	plan := model.Plan{Workloads: []model.Workload{{Name: reporttest.Nasty, Metric: model.IOPS}}}
	plan.Volume.Target.Name = reporttest.Nasty + "\xff"
	l.Plan(reporttest.Nasty, reporttest.Nasty, nil, plan)
	l.Observe(model.Update{Step: &model.Step{Number: 1, Round: 1, Workload: reporttest.Nasty}, Workload: &plan.Workloads[0]})
	l.Observe(model.Update{Result: &model.StepResult{Error: reporttest.Nasty}, Message: reporttest.Nasty})
	fmt.Fprint(l, "see nbd://bob:hunter2@x/disk\nhalf a ")
	fmt.Fprint(l, "line")
	l.End(1)
	lines := strings.Split(strings.TrimSuffix(b.String(), "\n"), "\n")
	if len(lines) != 7 {
		t.Errorf("%d lines:\n%s", len(lines), b)
	}
	for i, line := range lines {
		var e event
		if err := json.Unmarshal([]byte(line), &e); err != nil {
			t.Errorf("%v in %s", err, line)
		}
		if i == 1 && e.Workload != reporttest.Nasty {
			t.Errorf("the workload is %q", e.Workload)
		}
	}
	if strings.ContainsAny(b.String(), "\x1b\u202e\r") || strings.Contains(b.String(), "hunter2") {
		t.Errorf("%q", b)
	}
	if !strings.Contains(lines[5], `"half a line"`) || !strings.Contains(lines[6], `"exit_code":1`) {
		t.Errorf("it ends with\n%s\n%s", lines[5], lines[6])
	}
}

// TestWhatIsNotKnownIsAbsent checks that there is no number that JSON cannot represent, no
// remaining time without a plan, and no interval without a confidence.
func TestWhatIsNotKnownIsAbsent(t *testing.T) {
	l, b := stream()
	l.Begin()
	w := model.Workload{Name: "w", Metric: model.P99, Direction: model.Read}
	l.Observe(model.Update{Unplanned: true, Left: 9, Progress: &model.Progress{Phase: "probe", Done: math.NaN(), Total: 2}})
	l.Observe(model.Update{Elapsed: 1, Left: -1, Step: &model.Step{Number: 1, Round: 1, Workload: "w"}, Workload: &w, Steps: 3})
	l.Observe(model.Update{Elapsed: 2, Left: 30, Sample: &model.Sample{Seconds: 1}})
	l.Observe(model.Update{Elapsed: 3, Left: 0, Result: &model.StepResult{}, Judgement: &model.Judgement{Metric: model.P99, Estimate: model.Estimate{Value: 0.5, Low: 0.4, High: math.Inf(1), Confidence: 0.95, Open: true}}})
	var all []map[string]any
	for line := range strings.Lines(b.String()) {
		var e map[string]any
		if err := json.Unmarshal([]byte(line), &e); err != nil {
			t.Fatalf("%v in %s", err, line)
		}
		all = append(all, e)
	}
	for i, absent := range [][]string{{"done", "remaining", "eta", "workload"}, {"remaining", "eta", "value"}, {"value", "unit"}, {"remaining", "worker"}} {
		for _, name := range absent {
			if v, there := all[i][name]; there {
				t.Errorf("event %d has %s: %v", i, name, v)
			}
		}
	}
	if all[2]["remaining"] != 30.0 || all[2]["eta"] != "2026-01-02T03:04:35Z" {
		t.Errorf("%v", all[2])
	}
	if i := all[3]["interval"].(map[string]any); i["high"] != nil || i["low"] != 0.4 || all[3]["value"] != 0.5 {
		t.Errorf("%v", all[3])
	}
}

// A phase with a time limit says in how many seconds that ends it.
func TestAPhaseHasItsLimit(t *testing.T) {
	for want, p := range map[string]model.Progress{
		`"rate":5,"limit_in":23,"unit":"B"}`: {Phase: model.PhasePrefill, Done: 1, Total: 400, Rate: 5, Limit: 23},
		`"rate":5,"unit":"B"}`:               {Phase: model.PhasePrefill, Done: 1, Total: 400, Rate: 5},
	} {
		l, b := stream()
		l.Begin()
		if l.Observe(model.Update{Left: 30, Progress: &p}); !strings.Contains(b.String(), want) {
			t.Errorf("no %s in %s", want, b)
		}
	}
}

// A narrow interval that has not converged says why; one that has does not.
func TestAnIntervalThatIsNotObservedForLongEnough(t *testing.T) {
	for want, j := range map[string]model.Judgement{
		`"converged":false,"observed":42,"observe_for":63`: {Precise: true, Observed: 42, ObserveFor: 63},
		`"converged":true}`:  {Precise: true, Converged: true},
		`"converged":false}`: {Observed: 42, ObserveFor: 63},
	} {
		l, b := stream()
		l.Begin()
		l.Observe(model.Update{Step: &model.Step{Number: 1, Round: 1, Workload: "w"}, Workload: &model.Workload{Name: "w", Metric: model.IOPS}})
		j.Metric, j.Estimate = model.IOPS, model.Estimate{Value: 100, Low: 98, High: 102, Confidence: 0.95}
		l.Observe(model.Update{Elapsed: 3, Result: &model.StepResult{}, Judgement: &j})
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %s in %s", want, b)
		}
	}
}

func TestUntilItBeginsTextStaysText(t *testing.T) {
	l, b := stream()
	fmt.Fprint(l, "note    x\npart")
	if b.String() != "note    x\npart" || l.On() {
		t.Errorf("%q", b)
	}
}

// A second of an application says how often its log was lately flushed, if that is known; the update
// that knew it is no event of its own.
func TestASecondHasItsFlushes(t *testing.T) {
	l, b := stream()
	l.Begin()
	w := model.Workload{Name: "w", Metric: model.Transactions, Direction: model.Write}
	second := model.Update{Sample: &model.Sample{Seconds: 1, Write: &model.Flow{IOs: 800}}}
	l.Observe(model.Update{Step: &model.Step{Number: 1, Round: 1, Workload: "w"}, Workload: &w})
	l.Observe(second)
	l.Observe(model.Update{Progress: &model.Progress{Phase: model.PhaseMeasure, Flushes: 801.5}})
	l.Observe(second)
	var told []string
	for line := range strings.Lines(b.String()) {
		var e event
		if err := json.Unmarshal([]byte(line), &e); err != nil {
			t.Fatalf("%v in %s", err, line)
		}
		if told = append(told, e.Event); e.Flushes != nil {
			told = append(told, fmt.Sprint(*e.Flushes))
		}
	}
	if got, want := strings.Join(told, " "), "repeat second second 801.5"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// An interval that tells nothing is left out, and a target that was typed as "." is its path.
func TestWhatSaysNothingIsLeftOut(t *testing.T) {
	if i := intervalOf(model.Estimate{Value: 1.2, Low: 3.1e-10, High: 17.66, Confidence: 0.95}); i != nil {
		t.Errorf("%+v", i)
	}
	if i := intervalOf(model.Estimate{Value: 1.2, Low: 0.9, High: 1.6, Confidence: 0.95}); i == nil || i.Low != 0.9 {
		t.Errorf("%+v", i)
	}
	var b bytes.Buffer
	l := New(&b, time.Now)
	l.Begin()
	l.Plan("r", "d", nil, model.Plan{Volume: model.Volume{Target: model.Target{Name: ".", Kind: model.Directory, Path: "/srv/data"}}})
	if !strings.Contains(b.String(), `"targets":["/srv/data"]`) {
		t.Errorf("%s", b.String())
	}
}

// Repeats are counted without gaps, also where planned ones are left out.
func TestRepeatsAreCounted(t *testing.T) {
	l, b := stream()
	l.Begin()
	w := model.Workload{Name: "w", Metric: model.IOPS}
	for _, number := range []int{1, 2, 4} {
		l.Observe(model.Update{Step: &model.Step{Number: number, Round: number, Workload: "w"}, Workload: &w, Steps: 4})
	}
	var numbers []int
	for line := range strings.Lines(b.String()) {
		var e struct {
			Event  string `json:"event"`
			Number int    `json:"number"`
		}
		if err := json.Unmarshal([]byte(line), &e); err != nil {
			t.Fatal(err)
		}
		if e.Event == "repeat" {
			numbers = append(numbers, e.Number)
		}
	}
	if !slices.Equal(numbers, []int{1, 2, 3}) {
		t.Error(numbers)
	}
}
