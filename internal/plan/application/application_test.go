package application

import (
	"strings"
	"testing"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/plan/profile"
)

// found is a machine with 8 GiB of memory and a directory with the given capacity.
func found(capacity int64) model.ProbeResult {
	return model.ProbeResult{Capacity: capacity, Environment: model.Environment{Memory: 8 << 30}, App: &model.AppState{Name: "postgres", Version: "15.1",
		Settings: []model.Setting{{Name: "shared_buffers", Value: "16384"}}}}
}

func build(p profile.Profile, ask model.AppRequest, capacity int64) (model.Plan, error) {
	for _, w := range p.Workloads {
		ask.Clients = max(ask.Clients, w.Depth)
	}
	if ask.Name == "" {
		ask.Name = "postgres"
	}
	return profile.Build(model.Experiment{Seed: 1, App: &ask}, p, model.Target{Name: "/x", Kind: model.TargetKind(ask.Name), Path: "/x"}, found(capacity))
}

func TestEveryProfileIsAPlan(t *testing.T) {
	for _, a := range applications {
		for _, name := range a.Names() {
			p, err := a.Profile(name)
			if err != nil {
				t.Fatal(err)
			}
			plan, err := build(p, model.AppRequest{Name: string(a.Kind)}, 1<<40)
			if err != nil {
				t.Errorf("%s: %v", name, err)
				continue
			}
			most := 0
			for _, w := range plan.Workloads {
				if !w.Loads() || w.App.Threads < 1 || w.App.Threads > w.Depth || w.Words == "" {
					t.Errorf("%s: %+v", name, w)
				}
				most = max(most, w.Depth)
			}
			if a.Kind == model.Etcd {
				if len(plan.Experiment.Goals) != 1 || plan.Volume.Size != 192<<20 || plan.PrefillSeconds > 10 {
					t.Errorf("%s: goals %q, %d bytes in %v s", name, plan.Experiment.Goals, plan.Volume.Size, plan.PrefillSeconds)
				}
			} else if scale := plan.Experiment.App.Scale; scale < most || plan.App.Scale != scale || plan.Volume.Size != int64(scale)*15<<20 {
				t.Errorf("%s: scale %d for %d clients, %d bytes", name, scale, most, plan.Volume.Size)
			}
			if plan.Schedule.Look != 0 || len(plan.Steps) == 0 {
				t.Errorf("%s: %+v", name, plan.Schedule)
			}
			if name == "quick" && plan.MeasureSeconds+plan.PrefillSeconds > 180 {
				t.Errorf("quick takes %v s", plan.MeasureSeconds+plan.PrefillSeconds)
			}
		}
	}
}

func TestScale(t *testing.T) {
	p := pgSmall()
	for _, x := range []struct {
		ask      model.AppRequest
		capacity int64
		scale    int
		words    string
	}{
		{model.AppRequest{}, 1 << 40, 10, ""},
		{model.AppRequest{Fit: "cached", Clients: 300}, 1 << 40, 300, ""},
		{model.AppRequest{Fit: "disk"}, 1 << 40, 1093, ""},
		{model.AppRequest{Scale: 3}, 1 << 40, 3, ""},
		{model.AppRequest{Scale: 3}, 1 << 30, 0, "needs 1.54 GiB, its log included, and /x can spare 1 GiB"},
		{model.AppRequest{Fit: "disk"}, 10 << 30, 0, "--scale 580 or less"},
	} {
		plan, err := build(p, x.ask, x.capacity)
		if x.words != "" {
			w, _ := err.(*model.WorkerError)
			if w == nil || w.Class != model.Refused || !strings.Contains(w.Message+w.Hint, x.words) {
				t.Errorf("%+v: %v", x.ask, err)
			}
			continue
		}
		if err != nil || plan.Experiment.App.Scale != x.scale {
			t.Errorf("%+v: %v, %v", x.ask, plan.Experiment.App, err)
		}
	}
}

// The published settings use scale 400 by default; --fit adapts them to this machine's memory, here 8
// GiB.
func TestWhitepaper(t *testing.T) {
	for _, x := range []struct {
		ask      model.AppRequest
		capacity int64
		scale    int
		words    string
	}{
		{model.AppRequest{}, 1 << 40, 400, "that of the published test; more than a quarter of the memory (8 GiB)"},
		{model.AppRequest{Fit: "cached"}, 1 << 40, 136, "as near to the published test's as stays in memory, and within a quarter of the memory: reads need no disk; larger than shared_buffers (128 MiB)"},
		{model.AppRequest{Fit: "disk"}, 1 << 40, 1093, "twice the memory"},
		{model.AppRequest{Scale: 250}, 1 << 40, 250, "as asked by --scale"},
		{model.AppRequest{}, 4 << 30, 0, "--fit cached (what stays in memory), --scale 170 or less"},
	} {
		plan, err := build(pgWhitepaper(), x.ask, x.capacity)
		if err != nil {
			if w, _ := err.(*model.WorkerError); w == nil || !strings.Contains(w.Hint, x.words) || x.scale > 0 {
				t.Errorf("%+v: %v", x.ask, err)
			}
			continue
		}
		if plan.Experiment.App.Scale != x.scale || !strings.Contains(plan.Volume.SizeReason, x.words) {
			t.Errorf("%+v: %d, %s", x.ask, plan.Experiment.App.Scale, plan.Volume.SizeReason)
		}
		if w := plan.Workloads; len(w) != 3 || w[0].App.Published != 10 || w[1].Depth != 100 || w[1].App.Threads != 4 || w[1].App.Published != 1e6 || !w[2].App.Reconnect || w[2].App.Threads != 1 {
			t.Errorf("%+v", w)
		}
	}
}

func TestMake(t *testing.T) {
	p, err := pgMake(Ask{Clients: []int{2, 8}, Threads: 4, Rate: 100, Limit: .1, Options: []string{"--protocol=prepared"}})
	if err != nil || len(p.Workloads) != 2 {
		t.Fatalf("%+v %v", p, err)
	}
	w := p.Workloads[1]
	if w.Name != "tpcb-c8-rate100" || !w.OpenLoop || w.RateIOPS != 100 || w.Metric != model.Latency || w.App.Options != "--builtin=tpcb-like\n--protocol=prepared" || p.Workloads[0].App.Threads != 2 {
		t.Errorf("%+v", w)
	}
	if p, err = pgMake(Ask{Script: "SELECT 1;"}); err != nil || p.Workloads[0].App.Options != "" || p.Workloads[0].Name != "script-c16" {
		t.Errorf("%+v %v", p, err)
	}
	for _, bad := range []Ask{{Load: "tpcc"}, {Clients: []int{0}}, {Clients: []int{2, 2}}, {Limit: 1}, {Rate: -1}, {Threads: -1}, {Load: "tpcb", Script: "x"}} {
		if _, err := pgMake(bad); err == nil {
			t.Errorf("%+v was taken", bad)
		}
	}
	if (Ask{}).Given() || !(Ask{Connect: true}).Given() {
		t.Error("whether anything was asked for is not seen")
	}
}

func TestEtcdMake(t *testing.T) {
	p, err := etcdMake(Ask{Clients: []int{2, 8}, Rate: 100, Limit: .1, Options: []string{"--val-size=1024"}})
	if err != nil || len(p.Workloads) != 2 || len(p.Goals) != 1 || p.Goals[0] != "put-c2-rate100 sync p99 < 10ms" {
		t.Fatalf("%+v %v", p, err)
	}
	w := p.Workloads[1]
	if w.Name != "put-c8-rate100" || !w.OpenLoop || w.RateIOPS != 100 || w.Metric != model.Latency || w.App.Options != "--val-size=1024" || w.App.Limit != .1 || w.App.Tool != "etcd" {
		t.Errorf("%+v", w)
	}
	for _, bad := range []Ask{{Load: "tpcb"}, {Script: "x"}, {Threads: 2}, {Connect: true}, {Clients: []int{0}}, {Limit: 1}} {
		if _, err := etcdMake(bad); err == nil {
			t.Errorf("%+v was taken", bad)
		}
	}
	if _, err := build(etcdSmall(), model.AppRequest{Name: "etcd"}, 100<<20); err == nil || !strings.Contains(err.Error(), "takes 192 MiB to begin with") {
		t.Errorf("%v", err)
	}
}

// Databases' load generators take any rate, so it is not rounded, and not refused as for fio.
func TestRatesNeedNotBeWhole(t *testing.T) {
	for name, make := range map[string]func(Ask) (profile.Profile, error){"postgres": pgMake, "etcd": etcdMake} {
		for _, rate := range []float64{7.6, 0.2} {
			p, err := make(Ask{Clients: []int{2}, Rate: rate})
			if err != nil {
				t.Errorf("%s, %g/s: %v", name, rate, err)
				continue
			}
			plan, err := build(p, model.AppRequest{Name: name, Ask: Ask{Rate: rate}}, 1<<40)
			if err != nil || plan.Workloads[0].RateIOPS != rate {
				t.Errorf("%s, %g/s: %+v, %v", name, rate, plan.Workloads, err)
			}
		}
	}
}
