package spec

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/modeltest"
	"github.com/loadline/loadline/internal/model/units"
)

func TestExperimentReadsWell(t *testing.T) {
	data, err := MarshalExperiment(model.Experiment{
		Scenario: "profile", Target: "/var/lib/data", Profile: "kbench", Only: []string{"rand-*"},
		Size: 20 << 30, Precision: 0.05, MaxTime: 300, MaxPrefill: 30, Seed: 1<<63 + 1, Note: "before: the upgrade",
	})
	if err != nil {
		t.Fatal(err)
	}
	want := `scenario: profile
target: /var/lib/data
profile: kbench
only:
  - rand-*
size: 20GiB
precision: 5%
max_time: 5m
max_prefill: 30s
seed: 9223372036854775809
note: "before: the upgrade"
`
	if diff := cmp.Diff(want, string(data)); diff != "" {
		t.Error(diff)
	}
}

func TestExperimentsComeBackExactly(t *testing.T) {
	words := rapid.SliceOfN(rapid.String(), 1, 3)
	seconds := rapid.OneOf(rapid.Just(0.0), rapid.Float64Range(1e-9, units.LongestTime), rapid.SampledFrom([]float64{1, 60, 300, 86400, 0.1}))
	repeat := rapid.OneOf(rapid.Just(0.0), rapid.Float64Range(units.LeastRepeat, units.LongestTime))
	rapid.Check(t, func(t *rapid.T) {
		e := model.Experiment{
			Scenario: rapid.String().Draw(t, "scenario"), Target: rapid.String().Draw(t, "target"),
			Profile: rapid.String().Draw(t, "profile"), Job: rapid.String().Draw(t, "job"),
			Size:      rapid.Int64Range(0, 1<<53).Draw(t, "size"),
			Precision: rapid.OneOf(rapid.Just(0.0), rapid.SampledFrom([]float64{.01, .05, .1}), rapid.Float64Range(1e-6, .999)).Draw(t, "precision"),
			MaxTime:   repeat.Draw(t, "max time"), MaxPrefill: seconds.Draw(t, "max prefill"),
			Time: repeat.Draw(t, "time"), RampTime: seconds.Draw(t, "ramp time"),
			UntilSteady: rapid.Bool().Draw(t, "steady"), DestroyDataOn: rapid.String().Draw(t, "destroy"),
			Seed: rapid.Uint64().Draw(t, "seed"), Note: rapid.String().Draw(t, "note"),
			Baseline: rapid.String().Draw(t, "baseline"), Repeat: rapid.SampledFrom([]int{0, 2, 3, 10, 999}).Draw(t, "repeat"),
			Margin: rapid.SampledFrom([]float64{0, .03, .1}).Draw(t, "margin"), MarginP99: rapid.SampledFrom([]float64{0, .125}).Draw(t, "p99"),
			Cap:      model.Cap{IOPS: rapid.Float64Range(0.001, 1e9).Draw(t, "cap"), Bandwidth: float64(rapid.Int64Range(0, 1<<50).Draw(t, "bandwidth"))},
			Replicas: rapid.IntRange(0, 9).Draw(t, "replicas"), CheckCache: rapid.Bool().Draw(t, "cache"),
		}
		if rapid.Bool().Draw(t, "choose") {
			e.Only, e.Skip = words.Draw(t, "only"), words.Draw(t, "skip")
			e.Goals = rapid.SliceOfN(rapid.SampledFrom([]string{"a iops > 60k", "'b c' p99 < 2ms", "rand-* bandwidth > 1GiB/s"}), 1, 3).Draw(t, "goals")
		}
		if rapid.Bool().Draw(t, "files") {
			e.ProfileText, e.JobText = someFile().Draw(t, "profile text"), someFile().Draw(t, "job text")
			e.Profile, e.Job = e.Profile+".yaml", e.Job+".fio"
		}
		if rapid.Bool().Draw(t, "place") {
			settings := rapid.MapOfN(rapid.StringMatching("[^=]+"), rapid.String(), 1, 3)
			e.FailOn = rapid.SliceOfN(rapid.SampledFrom(FailWords), 1, 3).Draw(t, "fail on")
			e.Place = model.Placement{
				Hosts: words.Draw(t, "hosts"), Create: rapid.Bool().Draw(t, "create"), AccessMode: rapid.String().Draw(t, "mode"),
				Node: rapid.String().Draw(t, "node"), NodeSelector: settings.Draw(t, "selector"), Tolerations: words.Draw(t, "tolerations"),
				Resources: settings.Draw(t, "resources"), PullSecret: rapid.String().Draw(t, "pull"), ReadyWithin: seconds.Draw(t, "ready"),
				RunAsUser: rapid.String().Draw(t, "user"), FSGroup: rapid.String().Draw(t, "group"), SELinuxLevel: rapid.String().Draw(t, "level"),
				AsRoot: rapid.Bool().Draw(t, "root"), Spread: rapid.String().Draw(t, "spread"), Keep: rapid.Bool().Draw(t, "keep"),
			}
		}
		if rapid.Bool().Draw(t, "labels") {
			e.Labels = rapid.MapOfN(rapid.StringMatching("[a-zA-Z][a-z0-9_]{0,9}"), rapid.StringMatching("[a-z=:#é'\"-]{1,9}"), 1, 3).Draw(t, "label")
		}
		if rapid.Bool().Draw(t, "sweep") {
			whole := rapid.SliceOfN(rapid.IntRange(1, 1<<20), 1, 4)
			e.Sweep = &model.SweepRequest{
				Pattern: rapid.SampledFrom([]string{"randread", "write", "randrw"}).Draw(t, "pattern"),
				Depths:  whole.Draw(t, "depths"), Jobs: whole.Draw(t, "jobs"), Load: rapid.Bool().Draw(t, "load"),
				BlockSizes: rapid.SliceOfN(rapid.Int64Range(1, 1<<40), 1, 4).Draw(t, "blocks"),
			}
		}
		if rapid.Bool().Draw(t, "scale") {
			e.Scale = &model.ScaleRequest{
				Volumes: rapid.SliceOfN(rapid.IntRange(1, 1000), 1, 4).Draw(t, "volumes"), Workload: rapid.StringN(1, -1, -1).Draw(t, "workload"),
				Rate: rapid.SampledFrom([]float64{0, 300, 1, 1e7}).Draw(t, "rate"), Targets: rapid.SampledFrom([][]string{nil, {"/a", "fake:?b"}}).Draw(t, "targets"),
			}
		}
		data, err := MarshalExperiment(e)
		if err != nil {
			t.Fatal(err)
		}
		back, err := ParseExperiment("experiment.yaml", data)
		if err != nil {
			t.Fatalf("%v\n%s", err, data)
		}
		if diff := cmp.Diff(e, back); diff != "" {
			t.Fatalf("%s\n%s", diff, data)
		}
	})
}

// someFile generates file contents: arbitrary text, or lines with a meaning in YAML.
func someFile() *rapid.Generator[string] {
	line := rapid.OneOf(rapid.StringMatching(`[ a-z:#'"|>&*!%@{}\[\],.\\?-]{0,12}`), rapid.SampledFrom([]string{"", "---", "...", "a: b", "  - x: {y: 1} # z", "[job]", "rw=randread", "\tx", "y ", "é"}))
	lines := rapid.Custom(func(t *rapid.T) string {
		return strings.Join(rapid.SliceOfN(line, 1, 8).Draw(t, "lines"), "\n") + rapid.SampledFrom([]string{"\n", "\n", "\n", "", "\n\n", "\r\n"}).Draw(t, "end")
	})
	return rapid.OneOf(lines, lines, lines, rapid.String())
}

// What is advised for a time is a time.
func TestTimesAreAdvisedThatAreAccepted(t *testing.T) {
	for text, want := range map[string]string{"20": "write 20s", "1e9": "write it like 3s", "-1": "write it like 3s", "-1s": "write it like 3s", "1e9s": "write at most 8760h"} {
		_, err := ParseExperiment("e.yaml", []byte("scenario: profile\ntarget: /x\nmax_prefill: "+text+"\n"))
		if e := modeltest.Refused(t, err); !strings.Contains(e.Hint, want) {
			t.Errorf("%s: %s\nnext: %s, want %s", text, e.Message, e.Hint, want)
		}
	}
}

// TestFilesWithinAnExperimentReadWell: an embedded profile looks as it was written.
func TestFilesWithinAnExperimentReadWell(t *testing.T) {
	const text = "# mine\nname: own\n\nworkloads:\n  - {name: a, access: rand}\n"
	data, err := MarshalExperiment(model.Experiment{Scenario: "profile", Target: "/x", Profile: "own.yaml", ProfileText: text, Place: model.Placement{Node: "n1", Resources: map[string]string{"memory": "1Gi", "cpu": "2"}}})
	if err != nil {
		t.Fatal(err)
	}
	want := `scenario: profile
target: /x
profile: own.yaml
place:
  node: n1
  resources:
    - cpu=2
    - memory=1Gi
profile_text: |
  # mine
  name: own

  workloads:
    - {name: a, access: rand}
`
	if diff := cmp.Diff(want, string(data)); diff != "" {
		t.Error(diff)
	}
}

func TestExperimentErrorsPointAtTheirPlace(t *testing.T) {
	for yaml, want := range map[string]string{
		"scenario: profile\ntarget: /x\nprecison: 5%\n":                                "experiment.yaml:3:1: unknown field \"precison\"; did you mean \"precision\"?\n   3 | precison: 5%\n     | ^",
		"scenario: profile\ntarget: /x\nprecision: 500%\n":                             "experiment.yaml:3:12: precision is \"500%\", but must be more than 0 and less than 100 %\n   3 | precision: 500%\n     |            ^",
		"scenario: profile\n":                                                          "experiment.yaml:1:1: the field \"target\" is missing\n   1 | scenario: profile\n     | ^",
		"scenario: scale\ntarget: /x\nscale: {volumes: [1], workload: w, rate: 2.5}\n": "experiment.yaml:3:42: rate is \"2.5\", but must be a whole number from 1 to 1000000000, because fio keeps to no other rate\n   3 | scale: {volumes: [1], workload: w, rate: 2.5}\n     |                                          ^",
		"scenario: profile\ntarget: /x\ntime: 1ms\n":                                   "experiment.yaml:3:7: time is shorter than the one second that a sample takes\n   3 | time: 1ms\n     |       ^",
		"scenario: profile\ntarget: /x\nuntil_steady: true\nmax_time: 0.5s\n":          "experiment.yaml:4:11: max_time is shorter than the one second that a sample takes\n   4 | max_time: 0.5s\n     |           ^",
		"scenario: profile\ntarget: /x\nprofile_text: |\n  workloads: []\n":            "experiment.yaml:3:1: profile_text is the content of a file, but \"profile\" names none\n   3 | profile_text: |\n     | ^",
		"scenario: profile\ntarget: /x\nprofile: quick\nprofile_text: 'a: b'\n":        "experiment.yaml:4:1: profile_text is the content of a file, but \"profile\" names none\n   4 | profile_text: 'a: b'\n     | ^",
		"scenario: profile\ntarget: /x\nprofile: a\njob_text: '[a]'\n":                 "experiment.yaml:4:1: job_text is the content of a file, but \"job\" names none\n   4 | job_text: '[a]'\n     | ^",
		"scenario: profile\ntarget: /x\ngoals:\n  - a iops > 5\n  - x\n":               "experiment.yaml:5:5: \"x\": a > or < is missing\n   5 |   - x\n     |     ^",
		"scenario: profile\ntarget: /x\nseed: -1\n":                                    "experiment.yaml:3:7: seed is \"-1\", but must be a whole number up to 18446744073709551615\n   3 | seed: -1\n     |       ^",
		"scenario: profile\ntarget: /x\nuntil_steady: on\n":                            "experiment.yaml:3:15: unknown value of until_steady \"on\"\n   3 | until_steady: on\n     |               ^",
		"scenario: profile\ntarget: /x\nonly: rand\n":                                  "experiment.yaml:3:7: the field \"only\" takes a list: lines that begin with a dash\n   3 | only: rand\n     |       ^",
	} {
		_, err := ParseExperiment("experiment.yaml", []byte(yaml))
		if e := modeltest.Refused(t, err); e.Message != want {
			t.Errorf("got\n%s\nwant\n%s", e.Message, want)
		}
	}
}
