package trust

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/histogram"
)

// The workloads that the tests judge.
var (
	iops  = model.Workload{Name: "rand-read-iops", Access: model.Random, Direction: model.Read, BlockSize: 4096, Depth: 64, Metric: model.IOPS}
	write = model.Workload{Name: "rand-write-iops", Access: model.Random, Direction: model.Write, BlockSize: 4096, Depth: 64, Metric: model.IOPS}
	lat   = model.Workload{Name: "rand-read-lat", Access: model.Random, Direction: model.Read, BlockSize: 4096, Depth: 1, Metric: model.Latency}
	rated = model.Workload{Name: "rand-read-rate", Access: model.Random, Direction: model.Read, BlockSize: 4096, Depth: 1, RateIOPS: 500, OpenLoop: true, Metric: model.IOPS}
)

func estimate(m model.Metric, v, half float64) model.Estimate {
	return model.Estimate{Unit: m.Unit(), Value: v, Low: v * (1 - half), High: v * (1 + half), Confidence: 0.95}
}

// soundRepeats is the number of repeats of each workload in a sound run.
const soundRepeats = 10

// sound is the evidence of a run in which nothing is wrong and nothing missing: each workload measured
// ten times for 3 s, 2,000 I/Os per second at depth 64 (500 at depth 1 or with a rate), on a device
// with the same counts and three replicas of an equally fast baseline.
func sound() Evidence {
	direct := true
	rec := &model.Recorded{
		Plan: model.Plan{
			Experiment: model.Experiment{Cap: model.Cap{IOPS: 100000, Bandwidth: 1 << 30}, Replicas: 3},
			Volume:     model.Volume{Target: model.Target{Name: "/srv/my data", Kind: model.Directory}, Size: 4 << 30, Engine: "io_uring", Direct: true, Prefill: true},
			Workloads:  []model.Workload{iops, write, lat, rated},
			Schedule:   model.Schedule{Mode: model.Rounds, Ramp: 1, Repeat: 3, MinRounds: soundRepeats, MaxTime: 300, Precision: 0.05},
		},
		Run: model.Run{
			Status:  model.Complete,
			Prepare: &model.Preparation{Written: 4 << 30, Proof: model.Proof{Method: "fiemap", Checked: 4 << 30}},
			Beside: model.Beside{
				Idle: &model.Counters{Seconds: 1, Idle: 1, Device: "vda", DeviceWrites: 3, DeviceWritten: 12 << 10},
				Cache: []model.CachePoint{
					{Size: 256 << 20, Warmed: 256 << 20, Rates: []float64{1990, 2000, 2010}},
					{Size: 4 << 30, Warmed: 1 << 30, Rates: []float64{1980, 2000, 2010}},
				},
			},
		},
		Environment: model.Environment{Clocksource: "tsc", Memory: 16 << 30, Storage: model.Storage{Filesystem: "ext4", Device: "vda", Bypassed: &direct}},
	}
	ev := Evidence{Recorded: rec, Baseline: &Side{Name: "/srv/local"}}
	for _, w := range rec.Plan.Workloads {
		rate, level := 2000.0, ">=64"
		if w.Depth == 1 {
			rate, level = 500, "1"
		}
		latency := float64(w.Depth) / rate
		for repeat := range soundRepeats {
			number := len(rec.Run.Steps) + 1
			step := model.Step{Number: number, Round: repeat + 1, Workload: w.Name, Ramp: 1, Seconds: 3}
			began := 5 * float64(number)
			n := uint64(2 * rate)
			window := &model.Window{Seconds: 2, DeviceReads: n, DeviceRead: n * 4096, ClientReads: n, ClientRead: n * 4096}
			counters := &model.Counters{Seconds: 4, Idle: 0.5, IOWait: 0.4, Device: "vda", DeviceReads: 2 * n, DeviceRead: 2 * n * 4096, Window: window}
			if w.Direction == model.Write {
				*window = model.Window{Seconds: 2, DeviceWrites: n, DeviceWritten: n * 4096, ClientWrites: n, ClientWritten: n * 4096}
				counters.DeviceReads, counters.DeviceRead, counters.DeviceWrites, counters.DeviceWritten = 0, 0, 2*n, 2*n*4096
			}
			var settling *model.Settling
			if before, known := rec.Plan.Workload(lastOf(rec.Run.Steps)); known && before.Writes() && !w.Writes() {
				settling = &model.Settling{Writes: 60000}
			}
			rec.Run.Steps = append(rec.Run.Steps, model.StepResult{
				Settling: settling,
				Step:     step, Started: began, Ended: began + 4.2, Held: true, DepthLevels: map[string]float64{level: 0.999, "2": 0.001},
				UserCPU: 0.05, SystemCPU: 0.1, Counters: counters,
			})
			rec.Plan.Steps = append(rec.Plan.Steps, step)
			for second := range 3 {
				flow := &model.Flow{IOs: uint64(rate), Bytes: uint64(rate * 4096), LatencySum: rate * latency}
				flow.Histogram.Add(histogram.BucketOf(uint64(latency*1e9)), uint64(rate))
				s := model.Sample{Step: number, Seconds: 1, End: began + 2 + float64(second), Read: flow}
				if w.Direction == model.Write {
					s.Read, s.Write = nil, flow
				}
				rec.Samples = append(rec.Samples, s)
			}
		}
		headline := estimate(w.Metric, rate, 0.02)
		if w.Metric == model.Latency {
			headline = estimate(w.Metric, latency, 0.02)
		}
		ev.Results = append(ev.Results, model.Result{
			Workload: w.Name, Direction: w.Direction, Metric: w.Metric, Estimate: headline, Converged: true,
			Metrics: map[model.Metric]model.Estimate{
				model.IOPS: estimate(model.IOPS, rate, 0.02), model.Bandwidth: estimate(model.Bandwidth, rate*4096, 0.02),
				model.Latency: estimate(model.Latency, latency, 0.02), model.P50: estimate(model.P50, latency, 0.02), w.Metric: headline,
			},
			Latency:   &model.LatencySummary{P50: &latency, P99: &latency},
			Sustained: &model.Sustained{State: model.Held, Looked: w.Name, Seconds: 20, IOs: 20 * rate, Bytes: 20 * rate * 4096},
		})
	}
	for _, r := range ev.Results {
		r.Metrics = maps.Clone(r.Metrics)
		ev.Baseline.Results = append(ev.Baseline.Results, r)
	}
	return ev
}

// lastOf is the workload of the last step, "" before the first.
func lastOf(steps []model.StepResult) string {
	if len(steps) == 0 {
		return ""
	}
	return steps[len(steps)-1].Step.Workload
}

// only returns a rule's findings other than passes, in short form.
func only(findings []model.Finding, rule string) []string {
	var list []string
	for _, f := range findings {
		if f.Rule == rule && f.Severity != model.SeverityPassed {
			line := string(f.Severity) + " " + strings.Join(f.Results, ",")
			list = append(list, strings.TrimSpace(line))
		}
	}
	return list
}

func TestASoundRunPassesEveryRule(t *testing.T) {
	for _, c := range []struct {
		name  string
		run   Evidence
		rules []Rule
	}{{"one volume", sound(), rules}, {"several volumes", soundMultiVolume(), slices.Concat(rules, multiVolumeRules)}} {
		var passed, names []string
		for _, f := range Check(c.run) {
			if f.Severity != model.SeverityPassed {
				t.Errorf("%s: %s: %s %v: %s", c.name, f.Rule, f.Severity, f.Results, f.Message)
			}
			passed = append(passed, f.Rule)
		}
		for _, r := range c.rules {
			names = append(names, r.Name)
		}
		if diff := cmp.Diff(names, passed); diff != "" {
			t.Errorf("%s (-rules +passed):\n%s", c.name, diff)
		}
	}
}

// TestNoEvidenceIsNeverAPass applies to every present and future rule.
func TestNoEvidenceIsNeverAPass(t *testing.T) {
	bare := Evidence{Results: []model.Result{{Workload: "w", Direction: model.Read, Metric: model.IOPS}}}
	several := bare
	several.Recorded = &model.Recorded{Plan: model.Plan{Workloads: []model.Workload{{Name: "w", Volumes: 2}}}}
	for _, ev := range []Evidence{{}, {Recorded: &model.Recorded{}}, bare, several} {
		seen := map[string]bool{}
		for _, f := range Check(ev) {
			seen[f.Rule] = true
			if f.Severity != model.SeverityNotChecked {
				t.Errorf("%s without evidence: %s: %s", f.Rule, f.Severity, f.Message)
			}
			if f.Message == "" {
				t.Errorf("%s does not say why it was not checked", f.Rule)
			}
		}
		wanted := rules
		if ev.Recorded != nil && len(ev.multiVolume()) > 0 {
			wanted = slices.Concat(rules, multiVolumeRules)
		}
		for _, r := range wanted {
			if !seen[r.Name] {
				t.Errorf("%s said nothing", r.Name)
			}
		}
	}
}

func TestEveryFaultSaysWhyAndWhatNext(t *testing.T) {
	for _, c := range faults {
		ev := c.evidence()
		c.spoil(&ev)
		for _, f := range Check(ev) {
			if f.Severity != model.SeverityInvalid && f.Severity != model.SeverityWarning && f.Severity != model.SeverityNote {
				continue
			}
			if f.Message == "" || f.Next == "" || len(f.Evidence) == 0 {
				t.Errorf("%s: %s lacks a message, what comes next, or evidence: %+v", c.name, f.Rule, f)
			}
			if strings.Contains(f.Next, "loadline run /srv/my data") {
				t.Errorf("%s: %q cannot be typed: the path has a blank", c.name, f.Next)
			}
		}
	}
}

func TestFaultsAreFoundAndNothingElse(t *testing.T) {
	for _, c := range faults {
		t.Run(c.rule+"/"+c.name, func(t *testing.T) {
			ev := c.evidence()
			c.spoil(&ev)
			findings := Check(ev)
			if diff := cmp.Diff(c.want, only(findings, c.rule)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			for _, f := range findings {
				// A rate that changed did not hold, whatever the long repeat says, and may drift besides.
				changed := f.Severity == model.SeverityNotChecked &&
					(f.Rule == "sustained" && slices.Contains([]string{"burst", "cliff", "drift"}, c.rule) ||
						f.Rule == "drift" && slices.Contains([]string{"burst", "cliff", "modes", "warm-up"}, c.rule))
				if f.Rule != c.rule && f.Severity != model.SeverityPassed && !slices.Contains(c.also, f.Rule) && !changed {
					t.Errorf("%s also speaks: %s %v: %s", f.Rule, f.Severity, f.Results, f.Message)
				}
				if f.Rule == c.rule && c.says != "" && f.Severity != model.SeverityPassed && !strings.Contains(f.Message, c.says) {
					t.Errorf("%q lacks %q", f.Message, c.says)
				}
			}
		})
	}
}

func TestApplyTakesTheWorst(t *testing.T) {
	results := []model.Result{{Workload: "a"}, {Workload: "b"}, {Workload: "c", Findings: []string{"old"}}}
	Apply(results, []model.Finding{
		{Rule: "run-note", Severity: model.SeverityNote},
		{Rule: "bad", Severity: model.SeverityInvalid, Results: []string{"a"}},
		{Rule: "odd", Severity: model.SeverityWarning, Results: []string{"a", "b"}},
		{Rule: "odd", Severity: model.SeverityWarning, Results: []string{"b"}},
		{Rule: "unknown", Severity: model.SeverityNotChecked},
		{Rule: "fine", Severity: model.SeverityPassed},
	})
	want := []model.Result{
		{Workload: "a", Verdict: model.Invalid, Findings: []string{"run-note", "bad", "odd"}},
		{Workload: "b", Verdict: model.Suspect, Findings: []string{"run-note", "odd"}},
		{Workload: "c", Verdict: model.Valid, Findings: []string{"run-note"}},
	}
	if diff := cmp.Diff(want, results); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
