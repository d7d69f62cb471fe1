package asked

import (
	"strings"
	"testing"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/plan/application"
	"github.com/loadline/loadline/internal/plan/profile"
)

// planOf plans a profile on a machine with 8 GiB of memory and a directory with the given capacity.
func planOf(p profile.Profile, ask model.AppRequest, capacity int64) (model.Plan, error) {
	for _, w := range p.Workloads {
		ask.Clients = max(ask.Clients, w.Depth)
	}
	ask.Name, p.Data = "postgres", &Application.Data
	found := model.ProbeResult{Capacity: capacity, Environment: model.Environment{Memory: 8 << 30}, App: &model.AppState{Name: "postgres", Version: "15.1",
		Settings: []model.Setting{{Name: "shared_buffers", Value: "16384"}}}}
	return profile.Build(model.Experiment{Seed: 1, App: &ask}, p, model.Target{Name: "/x", Kind: model.Postgres, Path: "/x"}, found)
}

func TestScale(t *testing.T) {
	p := small()
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
		plan, err := planOf(p, x.ask, x.capacity)
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
		plan, err := planOf(whitepaper(), x.ask, x.capacity)
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

func TestAskedLoads(t *testing.T) {
	p, err := own(application.Ask{Clients: []int{2, 8}, Threads: 4, Rate: 100, Limit: .1, Options: []string{"--protocol=prepared"}})
	if err != nil || len(p.Workloads) != 2 {
		t.Fatalf("%+v %v", p, err)
	}
	w := p.Workloads[1]
	if w.Name != "tpcb-c8-rate100" || !w.OpenLoop || w.RateIOPS != 100 || w.Metric != model.Latency || w.App.Options != "--builtin=tpcb-like\n--protocol=prepared" || p.Workloads[0].App.Threads != 2 {
		t.Errorf("%+v", w)
	}
	if p, err = own(application.Ask{Script: "SELECT 1;"}); err != nil || p.Workloads[0].App.Options != "" || p.Workloads[0].Name != "script-c16" {
		t.Errorf("%+v %v", p, err)
	}
	for _, bad := range []application.Ask{{Load: "tpcc"}, {Clients: []int{0}}, {Clients: []int{2, 2}}, {Limit: 1}, {Rate: -1}, {Threads: -1}, {Load: "tpcb", Script: "x"}, {Script: "-- nothing\n"}} {
		if _, err := own(bad); err == nil {
			t.Errorf("%+v was taken", bad)
		}
	}
	if (application.Ask{}).Given() || !(application.Ask{Connect: true}).Given() {
		t.Error("whether anything was asked for is not seen")
	}
}
