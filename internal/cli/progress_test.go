package cli

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// toldEvents runs a command with --progress json and returns its events. Every line must
// fit the schema and have no unknown fields.
func toldEvents(t *testing.T, want int, args ...string) (events []map[string]any) {
	t.Helper()
	schema, err := jsonschema.NewCompiler().Compile("../../docs/progress.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	e, _, stderr := world(append(args, "--progress", "json")...)
	if code := Run(t.Context(), e); code != want {
		t.Fatalf("exit code %d, want %d\n%s", code, want, stderr)
	}
	for lines := bufio.NewScanner(bytes.NewReader(stderr.Bytes())); lines.Scan(); {
		line, err := jsonschema.UnmarshalJSON(strings.NewReader(lines.Text()))
		if err != nil {
			t.Fatalf("%v in %q", err, lines.Text())
		}
		if err := schema.Validate(line); err != nil {
			t.Errorf("%v\n%s", err, lines.Text())
		}
		var event map[string]any
		if err := json.Unmarshal(lines.Bytes(), &event); err != nil {
			t.Fatal(err)
		}
		for name := range event {
			if schema.Properties[name] == nil {
				t.Errorf("the schema does not know %s:\n%s", name, lines.Text())
			}
		}
		events = append(events, event)
	}
	if len(events) == 0 || events[len(events)-1]["event"] != "end" || events[len(events)-1]["exit_code"] != float64(want) {
		t.Fatalf("the last event is no end with the exit code %d:\n%s", want, stderr)
	}
	return events
}

// kinds returns the events of the named kinds.
func kinds(events []map[string]any, names ...string) (of []map[string]any) {
	for _, e := range events {
		if slices.Contains(names, fmt.Sprint(e["event"])) {
			of = append(of, e)
		}
	}
	return of
}

// TestProgressAsEvents checks each kind of measurement against the schema, and its events against
// what the fake device can do.
func TestProgressAsEvents(t *testing.T) {
	results := t.TempDir()
	events := toldEvents(t, 0, "run", "fake:?iops=3000&cv=0.002", "--profile", "quick", "--only", "rand-read-iops,seq-read-bw", "--seed", "7", "--results", results, "--label", "env=staging")
	plan := kinds(events, "plan")
	if len(plan) != 1 || plan[0]["labels"].(map[string]any)["env"] != "staging" || len(plan[0]["workloads"].([]any)) != 2 {
		t.Fatalf("the plan is %v", plan)
	}
	if dirs, _ := filepath.Glob(filepath.Join(results, "*")); len(dirs) != 1 || plan[0]["directory"] != dirs[0] || plan[0]["run"] != filepath.Base(dirs[0]) {
		t.Errorf("%v, and the plan says %v", dirs, plan[0])
	}
	begun, done, seconds := kinds(events, "repeat"), kinds(events, "result"), 0
	if len(begun) < 6 || len(begun) != len(done) {
		t.Errorf("%d repeats have begun and %d ended", len(begun), len(done))
	}
	last, elapsed, left := map[any]map[string]any{}, 0.0, 0.0
	for _, e := range kinds(events, "repeat", "second", "result") {
		remaining, _ := e["remaining"].(float64)
		if e["event"] == "second" && remaining > left+0.01 {
			t.Errorf("%g s remained, and a moment later %g s: %v", left, remaining, e)
		}
		left = remaining
		if at := e["elapsed"].(float64); at < elapsed {
			t.Errorf("time goes back from %g: %v", elapsed, e)
		} else {
			elapsed = at
		}
		if e["number"].(float64) > e["planned"].(float64) {
			t.Errorf("more repeats than are planned: %v", e)
		}
		value, _ := e["value"].(float64)
		if e["event"] == "second" {
			seconds++
		}
		if e["event"] != "repeat" && e["workload"] == "rand-read-iops" && (value < 2900 || value > 3100 || e["unit"] != "1/s" || e["metric"] != "iops") {
			t.Errorf("a device of 3000/s: %v", e)
		}
		if e["event"] == "result" {
			last[e["workload"]] = e
		}
	}
	for name, e := range last {
		if i, ok := e["interval"].(map[string]any); !ok || i["low"].(float64) > e["value"].(float64) || i["high"].(float64) < e["value"].(float64) || e["converged"] != true {
			t.Errorf("%v ends with %v", name, e)
		}
	}
	if seconds < 12 || len(last) != 2 {
		t.Errorf("%d seconds of %d workloads", seconds, len(last))
	}
}

// TestProgressOfAComparisonAsEvents checks that repeats of the two sides are distinguished, and that
// events contain what is known of the change.
func TestProgressOfAComparisonAsEvents(t *testing.T) {
	events := toldEvents(t, 0, "compare", "fake:?iops=3000&seed=1", "fake:?iops=6000&seed=2", "--profile", "quick", "--only", "rand-read-iops", "--seed", "7", "--results", t.TempDir())
	changes := 0
	for _, e := range kinds(events, "second", "result") {
		value, want := e["value"].(float64), map[any]float64{"A": 3000, "B": 6000}[e["side"]]
		if value < 0.8*want || value > 1.2*want {
			t.Errorf("a side of %g/s: %v", want, e)
		}
		if change, ok := e["change"].(map[string]any); ok {
			changes++
			if change["metric"] == "iops" && change["ratio"].(float64) < 1.5 {
				t.Errorf("twice as fast is %v", change)
			}
		}
	}
	if changes < 3 {
		t.Errorf("%d changes are told", changes)
	}
}

// TestProgressOfWhatGoesWrongAsEvents checks that a failure reported to the user is an event, and that
// with several volumes the seconds are reported per worker.
func TestProgressOfWhatGoesWrongAsEvents(t *testing.T) {
	events := toldEvents(t, 1, "run", "fake:?iops=3000&fail-after=5", "--profile", "quick", "--only", "rand-read-iops", "--results", t.TempDir())
	failed := slices.ContainsFunc(kinds(events, "result"), func(e map[string]any) bool { return strings.Contains(fmt.Sprint(e["error"]), "Input/output error") })
	said := slices.ContainsFunc(kinds(events, "message"), func(e map[string]any) bool { return strings.Contains(fmt.Sprint(e["message"]), "Input/output error") })
	if !failed || !said {
		t.Errorf("failed %v, said %v", failed, said)
	}
	refused := toldEvents(t, 2, "run", "/there/is/no such\x1b[31m", "--results", t.TempDir())
	if len(refused) < 2 || !strings.Contains(fmt.Sprint(refused[0]["message"]), "/there/is/no such") {
		t.Errorf("%v", refused)
	}
	workers := map[any]bool{}
	for _, e := range kinds(toldEvents(t, 0, "scale", "fake:?iops=3000", "--volumes", "1,2", "--max-time", "30s", "--results", t.TempDir()), "second") {
		workers[e["worker"]] = true
	}
	if !workers[nil] || !workers[0.0] || !workers[1.0] || len(workers) != 3 {
		t.Errorf("the seconds are of the workers %v", workers)
	}
}

// TestProgressIsAskedForRightly checks that a wrong use of --progress is explained.
func TestProgressIsAskedForRightly(t *testing.T) {
	for _, c := range []struct{ args, says string }{
		{"run fake: --progress jsn", `did you mean "json"?`}, {"run fake: --progress json --quiet", "leave one of them out"},
	} {
		e, _, stderr := world(strings.Fields(c.args)...)
		if code := Run(t.Context(), e); code != exitUsage || !strings.Contains(stderr.String(), c.says) {
			t.Errorf("%s: exit code %d, %s", c.args, code, stderr)
		}
	}
	e, _, stderr := world("run", "fake:?iops=3000&cv=0.002", "--profile", "quick", "--only", "rand-read-iops", "--results", t.TempDir())
	if code := Run(t.Context(), e); code != 0 || strings.Contains(stderr.String(), "{") || !strings.Contains(stderr.String(), ": rand-read-iops 3.00k IOPS") {
		t.Errorf("without --progress json: %d\n%s", code, stderr)
	}
}
