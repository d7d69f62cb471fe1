package trust

import (
	"flag"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/loadline/loadline/internal/judge/stats"
	"github.com/loadline/loadline/internal/model"
)

var update = flag.Bool("update", false, "write testdata/advice.txt anew")

// measuring matches an advised measuring command, to the end of its line.
var measuring = regexp.MustCompile(`\bloadline (run|compare|sweep|scale) .*`)

// imported is the command of a run that contains another tool's measurement.
var imported = model.CommandLine{"loadline", "import", "x=fio.json"}

// openGoals are goals that are not met, with the time that it takes to decide them.
var openGoals = []struct {
	goal  model.Goal
	needs stats.Needs
	want  string
}{
	{goalOf(iops, model.IOPS, true, model.Undecided), forSeconds(70), "loadline run '/srv/my data' --only=rand-read-iops --repeat 24 --max-time 100s   # at most 1 m 40 s"},
	{goalOf(iops, model.P99, false, model.Undecided), stats.Needs{}, "loadline run '/srv/my data' --only=rand-read-iops --max-time 10m   # at most 10 m 00 s"},
	{goalOf(iops, model.IOPS, true, model.Undecided), forSeconds(20000), "a decision would take about 7 h 24 m on this storage in its present state: find out why it varies"},
	{goalOf(iops, model.IOPS, true, model.Undecided), stats.Needs{Never: true}, "the value is so close to the limit that measuring longer would not decide it"},
	{goalOf(iops, model.IOPS, true, model.Missed), stats.Needs{}, "test whether more concurrent I/Os reach it: loadline sweep '/srv/my data' --rw randread --bs 4k --depth 128,256 --jobs 1 --max-time 3m   # at most 3 m 00 s"},
	{goalOf(iops, model.P99, false, model.Missed), stats.Needs{}, "find the depth at which it is met: loadline sweep '/srv/my data' --rw randread --bs 4k --depth 1,4,16 --jobs 1 --max-time 3m   # at most 3 m 00 s"},
	{goalOf(lat, model.P99, false, model.Missed), stats.Needs{}, ""},
	{goalOf(iops, model.IOPS, true, model.Met), forSeconds(70), ""},
	{model.Goal{Text: "of a plan that was edited", Outcome: model.Undecided}, stats.Needs{}, ""},
}

func forSeconds(s float64) stats.Needs { return stats.Needs{Known: true, Seconds: s} }

func goalOf(w model.Workload, m model.Metric, above bool, o model.Outcome) model.Goal {
	return model.Goal{Text: "x", Workload: w.Name, Direction: w.Direction, Metric: m, Above: above, Outcome: o}
}

// The advice for a goal is the command that measures just what it needs.
func TestSettle(t *testing.T) {
	for _, c := range openGoals {
		if got := Settle(sound(), nil, c.goal, c.needs); got != c.want {
			t.Errorf("%s, %s, %+v: %q, want %q", c.goal.Outcome, c.goal.Metric, c.needs, got, c.want)
		}
	}
	ev, open := sound(), goalOf(iops, model.IOPS, true, model.Undecided)
	ev.Recorded.Plan.Schedule.Mode = model.Steady
	if got := Settle(ev, nil, open, forSeconds(70)); got != "loadline run '/srv/my data' --only=rand-read-iops --time 70s   # about 1 m 20 s" {
		t.Errorf("after one long repeat: %q", got)
	}
	ev = sound()
	for i := range ev.Results {
		ev.Results[i].Verdict = model.Invalid
	}
	list := []model.Finding{{Severity: model.SeverityWarning, Next: "a"}, {Severity: model.SeverityInvalid, Results: []string{write.Name}, Next: "b"}, {Severity: model.SeverityInvalid, Results: []string{iops.Name}, Next: "c"}}
	if got := Settle(ev, list, open, forSeconds(70)); got != "c" {
		t.Errorf("of an invalid number: %q", got)
	}
	ev.Results = nil
	if got := Settle(ev, nil, open, stats.Needs{}); !strings.HasPrefix(got, "loadline run '/srv/my data' --only=rand-read-iops") {
		t.Errorf("of what was not measured: %q", got)
	}
}

// TestAdvice compares the commands that the rules advise with a file. The tests of the command line
// execute each of them on a simulated device, which is called @TARGET@ here.
func TestAdvice(t *testing.T) {
	commands := []model.CommandLine{
		{"loadline", "run", "@TARGET@", "--profile=quick", "--size=256MiB", "--skip=seq-*", "--max-time=80s", "--goal=rand-read-iops iops > 1"},
		{"loadline", "run", "@TARGET@", "--time=20s", "--ramp-time=1s"},
		{"loadline", "run", "@TARGET@", "--until-steady"},
		{"loadline", "compare", "@TARGET@", "@TARGET@&seed=2", "--profile=quick", "--repeat=5"},
		{"loadline", "sweep", "@TARGET@", "--rw=randread", "--bs=4k", "--depth=1,4"},
		{"loadline", "scale", "@TARGET@", "--volumes=1,2", "--workload=rand-read-iops"},
		nil,
		imported,
	}
	advised := map[string]bool{}
	for _, command := range commands {
		for _, g := range openGoals {
			ev := sound()
			ev.Recorded.Run.Again, ev.Recorded.Plan.Volume.Target.Name = command, "@TARGET@"
			next := Settle(ev, nil, g.goal, g.needs)
			if found := measuring.FindString(next); found != "" && command.Verb() == "run" {
				advised[found] = true
			}
		}
		for _, c := range faults {
			ev := c.evidence()
			ev.Recorded.Run.Again, ev.Recorded.Plan.Volume.Target.Name = command, "@TARGET@"
			c.spoil(&ev)

			exp := &ev.Recorded.Plan.Experiment
			switch command.Verb() {
			case "import":
				ev.Recorded.Imported = &model.Imported{}
			case "compare":
				ev.Recorded.Run.Comparison = "x"
			case "sweep":
				exp.Sweep = &model.SweepRequest{Pattern: "randread", BlockSizes: []int64{4096}, Depths: []int{1, 4}, Jobs: []int{1}}
			case "scale":
				exp.Scale = &model.ScaleRequest{Volumes: []int{1, 2}, Workload: "rand-read-iops"}
			}
			for _, f := range Check(ev) {
				found := measuring.FindString(f.Next)
				if ev.Recorded.Imported != nil && found != "" {
					if strings.Contains(found, "#") || strings.Contains(found, "--only") {
						t.Errorf("%s: advice to repeat what another tool did: %s", f.Rule, f.Next)
					}
					found = strings.Replace(found, "TARGET", "@TARGET@", 1)
				}
				if found != "" {
					advised[found] = true
				}
			}
		}
	}
	var lines []string
	for line := range advised {
		lines = append(lines, line)
	}
	slices.Sort(lines)
	const file = "testdata/advice.txt"
	got := strings.Join(lines, "\n") + "\n"
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("the advice has changed; go test ./internal/judge/trust -update, and run the tests of internal/cli (-want +got):\n%s", diff)
	}
}

// A sweep whose one cell is not precise asks for the time that this takes in all cells together, and says that storage
// would take too long only where it would.
func TestASweepAsksForTheTimeOfItsCells(t *testing.T) {
	for half, want := range map[float64]string{0.08: "--max-time 14m", 0.02: "--max-time 10m", 0.3: "would take about"} {
		ev := sound()
		ev.Recorded.Plan.Experiment.Sweep = &model.SweepRequest{Pattern: "randread", Depths: []int{1}, BlockSizes: []int64{4096}, Jobs: []int{1}}
		ev.Recorded.Plan.Workloads = nil
		for i := range 28 {
			ev.Recorded.Plan.Workloads = append(ev.Recorded.Plan.Workloads, model.Workload{Name: fmt.Sprintf("cell%02d", i), Direction: model.Read})
		}
		ev.Recorded.Run.Steps = []model.StepResult{{Step: model.Step{Number: 1, Workload: "cell00"}, Ended: 9}}
		ev.Results = []model.Result{{Workload: "cell00", Direction: model.Read, Estimate: model.Estimate{Value: 1000, Low: 1000 * (1 - half), High: 1000 * (1 + half), Confidence: 0.95}}}
		if got := ev.longer([]string{"cell00"}); !strings.Contains(got, want) {
			t.Errorf("±%g: %q, want %q", half, got, want)
		}
	}
}

// However a run failed, the command that repeats it is said to take as long: what was measured until then does not tell.
func TestARepeatedCommandTakesAsLongAfterAnyFailure(t *testing.T) {
	failures := map[string]func(*Evidence){
		"interrupted": func(ev *Evidence) {
			ev.Recorded.Run.Status, ev.Recorded.Run.Steps = model.Interrupted, ev.Recorded.Run.Steps[:2]
		},
		"killed": func(ev *Evidence) {
			ev.Recorded.Run.Status, ev.Recorded.Run.Steps = model.Running, ev.Recorded.Run.Steps[:5]
		},
		"failed at once": func(ev *Evidence) { ev.Recorded.Run.Status, ev.Recorded.Run.Steps = model.Failed, nil },
		"failed in preparation": func(ev *Evidence) {
			ev.Recorded.Run.Status, ev.Recorded.Run.Steps, ev.Recorded.Run.Prepare = model.Failed, nil, nil
		},
		"failed repeats": func(ev *Evidence) {
			for i := range ev.Recorded.Run.Steps {
				s := &ev.Recorded.Run.Steps[i]
				s.Error, s.Ended = "no space left on device", s.Started+0.1
			}
		},
	}
	for mode, want := range map[model.Mode]string{model.Rounds: "   # at most 5 m 30 s", model.Fixed: "   # about 50 s", model.Steady: "   # at most 50 s"} {
		for name, fail := range failures {
			ev := sound()
			ev.Recorded.Plan.Schedule.Mode, ev.Recorded.Plan.PrefillSeconds, ev.Recorded.Run.Prepare.Seconds = mode, 27, 27
			fail(&ev)
			if got := ev.takes(nil); got != want {
				t.Errorf("%s, %s: %q, want %q", mode, name, got, want)
			}
			if got := ev.takes([]string{"--max-time", "60s"}); mode == model.Rounds && got != "   # at most 1 m 30 s" {
				t.Errorf("%s: %q", name, got)
			}
		}
	}
	ev := sound()
	ev.Recorded.Run.Prepare.Seconds = 27
	if got := ev.takes(nil); got != "   # about 3 m 20 s" {
		t.Errorf("after a whole run: %q", got)
	}
}

// What was not prefilled is expected to take as long as it may, not as long as a short probe promises: a cache may have
// answered the probe.
func TestThePrefillThatDidNotEndMayTakeAsLongAsItsLimit(t *testing.T) {
	ev := sound()
	ev.Recorded.Run.Status, ev.Recorded.Run.Steps, ev.Recorded.Run.Prepare = model.Interrupted, nil, nil
	ev.Recorded.Plan.PrefillSeconds, ev.Recorded.Plan.Experiment.MaxPrefill = 1, 60
	if got := ev.takes(nil); got != "   # at most 6 m 10 s" {
		t.Errorf("%q", got)
	}
	ev.Recorded.Plan.PrefillSeconds, ev.Recorded.Plan.Experiment.MaxPrefill, ev.Recorded.Plan.Experiment.Size = 0, 0, 1<<40
	if got := ev.takes(nil); got != "   # at most 5 m 00 s after the prefill" {
		t.Errorf("nothing is known of the prefill: %q", got)
	}
}

// A comparison prepares and measures two sides.
func TestAComparisonTakesTheTimeOfBothSides(t *testing.T) {
	ev := sound()
	ev.Recorded.Run.Prepare.Seconds = 27
	ev.Recorded.Run.Comparison = "x"
	const beside = 2 * besideSide
	if got, want := ev.takes(nil), lasts("at most", 300+2*27+beside); got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if got, want := ev.takes([]string{"--size", "8GiB"}), lasts("at most", 300+2*54+beside); got != want {
		t.Errorf("with twice the size: %q, want %q", got, want)
	}
	// Fewer workloads share the same time.
	if got, want := ev.takes([]string{"--only=" + lat.Name}), lasts("at most", 300+2*27+beside); got != want {
		t.Errorf("one workload: %q, want %q", got, want)
	}
}

// A command that is advised without a recorded one names the target's place, which is found from any directory.
func TestAdviceNamesThePlace(t *testing.T) {
	ev := sound()
	ev.Recorded.Run.Again = nil
	ev.Recorded.Plan.Volume.Target = model.Target{Name: ".", Path: "/srv/data", Kind: model.Directory}
	if got := ev.command(); !strings.HasPrefix(got, "loadline run /srv/data ") {
		t.Errorf("%q", got)
	}
}
