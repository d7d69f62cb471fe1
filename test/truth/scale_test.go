package truth

import (
	"context"
	"encoding/json"
	"io"
	"math"
	"testing"
	"time"

	"github.com/loadline/loadline/internal/env"
	"github.com/loadline/loadline/internal/judge/analyze"
	"github.com/loadline/loadline/internal/judge/trust"
	"github.com/loadline/loadline/internal/measure/agent"
	"github.com/loadline/loadline/internal/measure/engine"
	"github.com/loadline/loadline/internal/measure/load"
	"github.com/loadline/loadline/internal/measure/load/fio"
	"github.com/loadline/loadline/internal/measure/place/local"
	"github.com/loadline/loadline/internal/measure/store"
	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/test/lab"
)

// Volumes on three devices of 1,000 IOPS each: the total is 1,000 per device
// in use, however many volumes there are, and the devices' own counters agree.
// They have the machine to themselves: beside others the devices are short of processor time.
func TestVolumesAddUpToTheirDevices(t *testing.T) {
	runWithRetry(t, demand{class: quiet, seconds: 60, slots: capacity[quiet]}, volumesAddUp)
}

func volumesAddUp(t testing.TB) {
	t.Helper()
	args := []string{"scale"}
	for range 3 {
		args = append(args, lab.Block(t, lab.Throttled(t, lab.Throttle{IOPS: 1000, Size: 64 << 20})))
	}
	o := command(t.Context(), t, append(args, "--volumes", "1,2,3,6,9", "--repeat", "2", "--max-time", "44s", "--precision", "20%", "--format", "json", "--results", t.TempDir())...)
	if err := json.Unmarshal([]byte(o.stdout), &o.report); err != nil || len(o.report.Scales) != 1 {
		t.Fatalf("exit code %d, %v: %s", o.code, err, o.stdout)
	}
	s := o.report.Scales[0]
	truth := map[int]float64{1: 1000, 2: 2000, 3: 3000, 6: 3000, 9: 3000}
	if len(s.Points) != len(truth) {
		t.Errorf("%d points, want %d", len(s.Points), len(truth))
	}
	short := false
	for _, p := range s.Points {
		want := truth[p.Volumes]
		if p.Device == nil {
			t.Fatalf("%d volumes: the devices counted nothing", p.Volumes)
		}
		t.Logf("%d volumes: %.0f (%.0f to %.0f), the devices counted %.0f, fairness %.3f, starts %.0f ms apart", p.Volumes, p.Total.Value, p.Total.Low, p.Total.High,
			p.Device.Value, p.Fairness, 1e3*p.StartSpread)
		// If the machine lacks processor time, the devices themselves fall short
		// of their setting, and their counters show that too. They never exceed it.
		starved := p.Device.Value < .985*want
		short = short || starved
		if math.Abs(p.Total.Value/want-1) > .03 && !(starved && p.Total.Value > .93*p.Device.Value && p.Total.Value < want) {
			t.Errorf("%d volumes: %.0f in all, want %.0f; the devices counted %.0f", p.Volumes, p.Total.Value, want, p.Device.Value)
		}
		if sum := float64(p.Volumes) * p.PerVolume.Value; math.Abs(sum/p.Total.Value-1) > 1e-9 || len(p.Each) != p.Volumes {
			t.Errorf("%d volumes of %g are %g; %v", p.Volumes, p.PerVolume.Value, p.Total.Value, p.Each)
		}
		// Three volumes of 64 in flight share a loop device's 128 slots, and the last one
		// has to wait: 0.83 to 0.99 were seen with nine.
		fair := .95
		if p.Volumes > 6 {
			fair = .7
		}
		if p.Fairness < fair {
			t.Errorf("%d volumes: fairness %g: %v", p.Volumes, p.Fairness, p.Each)
		}
	}
	if l := s.Law(); l == nil || l.Kind != model.SaturationLaw || l.Capacity == nil {
		t.Errorf("the law is %+v", l)
	} else if !short && (math.Abs(l.Capacity.Value/3000-1) > .03 || math.Abs(l.Knee-3) > .2) {
		t.Errorf("at most %g, from %g volumes on; want 3000 from 3 on", l.Capacity.Value, l.Knee)
	}
}

// Of two volumes, one is on a device of 1,000 IOPS and one on a device of 200: rule
// fairness says that the mean applies to neither, and rule sum that the total is right.
func TestAnUnfairShareIsNamed(t *testing.T) { runWithRetry(t, demand{seconds: 17, slots: 2}, unfair) }

func unfair(t testing.TB) {
	t.Helper()
	o := command(t.Context(), t, "scale", "--volumes", "2", "--repeat", "2", "--max-time", "12s", "--format", "json", "--results", t.TempDir(),
		lab.Block(t, lab.Throttled(t, lab.Throttle{IOPS: 1000, Size: 64 << 20})),
		lab.Block(t, lab.Throttled(t, lab.Throttle{IOPS: 200, Size: 64 << 20})))
	if err := json.Unmarshal([]byte(o.stdout), &o.report); err != nil {
		t.Fatalf("exit code %d, %v: %s", o.code, err, o.stdout)
	}
	if !o.finding("fairness", model.SeverityWarning) || !o.finding("sum", model.SeverityPassed) {
		t.Errorf("findings: %+v", o.report.Findings)
	}
}

// late is a load generator that starts two seconds late for one of the volumes.
type late struct {
	load.Driver
	by time.Duration
}

func (d late) Run(ctx context.Context, req model.StartRequest, begin func(), emit func(model.Event)) (model.StepResult, error) {
	begin()
	time.Sleep(d.by)
	req.At = 0
	return d.Driver.Run(ctx, req, load.BeginNow, func(ev model.Event) {
		if ev.Sample != nil {
			ev.Sample.End += d.by.Seconds()
		}
		emit(ev)
	})
}

// A volume that starts two seconds after the other is reported by rule sync, and what the
// first one did alone is not in the total: together they have 1,000 IOPS.
func TestAStaggeredStartIsNamed(t *testing.T) { runWithRetry(t, demand{seconds: 11}, staggered) }

func staggered(t testing.TB) {
	t.Helper()
	d := lab.Throttled(t, lab.Throttle{IOPS: 1000, Size: 64 << 20})
	world := env.OS()
	var workers []*engine.Worker
	v := model.Volume{Target: model.Target{Name: d.URI, Kind: model.NBD, URI: d.URI}, Size: d.Size, Engine: "nbd", Direct: true}
	w := model.Workload{Name: "read-x2", Access: model.Random, Direction: model.Read, BlockSize: 4096, Depth: 16, Volumes: 2, Metric: model.IOPS}
	plan := model.Plan{
		Schema:     model.PlanSchema,
		Experiment: model.Experiment{Scale: &model.ScaleRequest{Volumes: []int{2}, Workload: "read"}}, Volume: v, Workloads: []model.Workload{w},
		Schedule: model.Schedule{Mode: model.Fixed, MinRounds: 1, MaxTime: 60}, Steps: []model.Step{{Number: 1, Round: 1, Workload: w.Name, Ramp: 1, Seconds: 6}},
	}
	for i := range 2 {
		by := time.Duration(2*i) * time.Second
		worker, err := engine.Connect(t.Context(), local.InProcess(t.Context(), func(ctx context.Context, in io.Reader, out io.Writer) error {
			tool := fio.Tool(world, nil)
			tool.Driver = late{tool.Driver, by}
			return agent.Serve(ctx, in, out, agent.Options{Env: world, RunID: "staggered", Tools: load.Tools{tool}})
		}))
		if err != nil {
			t.Fatal(err)
		}
		defer worker.Close()
		workers, plan.Volumes = append(workers, worker), append(plan.Volumes, v)
	}
	record, err := store.Create(t.TempDir(), world.Now, store.Start{Plan: plan, Run: model.Run{ID: "staggered", Started: world.Now()}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := engine.Execute(t.Context(), engine.Options{Plan: plan, Workers: workers, Judge: analyze.Judge{}, Recorder: record, Observer: unwatched{}, Now: world.Now}); err != nil {
		t.Fatal(err)
	}
	rec, err := store.Read(record.Dir())
	if err != nil {
		t.Fatal(err)
	}
	results := analyze.Results(rec)
	var named bool
	for _, f := range trust.Check(trust.Evidence{Recorded: rec, Results: results}) {
		if f.Rule == "sync" {
			t.Logf("%s: %s", f.Severity, f.Message)
			named = f.Severity == model.SeverityInvalid
		}
	}
	if !named {
		t.Error("nobody says that the volumes began one after the other")
	}
	if len(results) != 1 || results[0].Value > 1030 {
		t.Errorf("%+v, want some 1000: the sum while both ran", results)
	}
}

type unwatched struct{}

func (unwatched) Observe(model.Update) {}
