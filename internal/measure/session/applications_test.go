package session

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/loadline/loadline/internal/ask/spec"
	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/apps"
	"github.com/loadline/loadline/internal/plan/profile"
)

// planApplication plans an experiment with an application on a machine with 8 GiB of memory and enough
// space.
func planApplication(app model.AppRequest, exp model.Experiment) (model.Plan, error) {
	exp.Scenario, exp.Seed, exp.App, exp.Target = "app", 1, &app, "/x"
	r, err := applicationRequest(exp)
	if err != nil {
		return model.Plan{}, err
	}
	found := model.ProbeResult{Capacity: 1 << 40, Environment: model.Environment{Memory: 8 << 30}, App: &model.AppState{Name: app.Name}}
	return r.Build(r.Experiment, r.Profile, model.Target{Name: "/x", Kind: model.TargetKind(app.Name), Path: "/x"}, found)
}

func TestEveryProfileOfAnApplicationIsAPlan(t *testing.T) {
	for _, a := range Applications() {
		for _, name := range a.Names() {
			plan, err := planApplication(model.AppRequest{Name: string(a.Kind)}, model.Experiment{Profile: name})
			if err != nil {
				t.Errorf("%s %s: %v", a.Kind, name, err)
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

// Those who judge and render a saved run know its application by the load tool that its workloads name.
func TestEveryApplicationIsKnownByItsLoadTool(t *testing.T) {
	for _, a := range Applications() {
		if a.Title == "" || a.Process == "" {
			t.Errorf("%s: title %q, process %q", a.Kind, a.Title, a.Process)
		}
		for _, p := range a.Profiles {
			for _, w := range p().Workloads {
				if known := apps.Of(w).Kind; known != a.Kind {
					t.Errorf("%s: package apps takes %s, loaded by %q, for a workload of %q", a.Kind, w.Name, w.App.Tool, known)
				}
			}
		}
		if _, err := profile.Lookup(a.LogProfile); a.FlushTimes && err != nil {
			t.Errorf("%s: nothing measures its flushes one by one: %v", a.Kind, err)
		}
	}
}

// Applications' load generators take any rate, so it is not rounded, and not refused as for fio.
func TestRatesOfApplicationsNeedNotBeWhole(t *testing.T) {
	for _, a := range Applications() {
		for _, rate := range []float64{7.6, 0.2} {
			plan, err := planApplication(model.AppRequest{Name: string(a.Kind), Ask: model.AppAsk{Clients: []int{2}, Rate: rate}}, model.Experiment{Profile: "standard"})
			if err != nil || plan.Workloads[0].RateIOPS != rate {
				t.Errorf("%s, %g/s: %+v, %v", a.Kind, rate, plan.Workloads, err)
			}
		}
	}
}

// An application is asked for by its flags: each has a place in the request of its own, and says what it
// takes.
func TestTheFlagsOfApplications(t *testing.T) {
	for _, a := range Applications() {
		var r model.AppRequest
		places := map[any]string{}
		for _, f := range append(append(a.Flags[:0:0], a.Flags...), a.BaselineFlags...) {
			if f.Name == "" || f.Usage == "" || (f.To == nil) == (f.Option == "") {
				t.Errorf("%s: %+v", a.Kind, f)
				continue
			}
			if f.Option != "" {
				continue
			}
			to := f.To(&r)
			if other, twice := places[to]; twice {
				t.Errorf("%s: --%s and --%s store their values in one place", a.Kind, f.Name, other)
			}
			places[to] = f.Name
			if _, number := to.(*int); number && (f.Least < 1 || f.Most < f.Least) {
				t.Errorf("%s: --%s has no bounds", a.Kind, f.Name)
			}
		}
		if h := a.Help; h.Targets == "" || h.Target == "" || h.Short == "" || h.Long == "" || h.Examples == "" || h.PlanLong == "" || h.PlanExamples == "" || h.Baseline == "" {
			t.Errorf("%s: its help is incomplete", a.Kind)
		}
		if (a.Pods == nil) != (a.Data.Claim == nil) {
			t.Errorf("%s: in a cluster it needs both, what pods run and the size of a claim", a.Kind)
		}
	}
}

// A profile of the user's own is taken over whole.
func TestOwnProfilesLoseNothing(t *testing.T) {
	text := "name: x\ntitle: T\nrepeat_time: 4s\nramp: 1s\nshorter_long_write: true\nmax_time: 60s\nprecision: 3%\nengine: libaio\nsize: 1GiB\ngoals: ['w iops > 5']\n" +
		"workloads:\n- {name: w, access: rand, direction: read, block_size: 4KiB, depth: 1}\n"
	p, err := namedProfile(model.Experiment{Profile: "own.yaml", ProfileText: text}, func(string) {})
	if err != nil {
		t.Fatal(err)
	}
	if p.Name != "own.yaml" || p.Title != "T" || p.Repeat != 4 || p.Ramp != 1 || !p.ShortWriteLook || p.MaxTime != 60 || p.Precision != 0.03 || p.Engine != "libaio" || p.Size != 1<<30 ||
		len(p.Goals) != 1 || len(p.Workloads) != 1 {
		t.Errorf("%+v", p)
	}
	if p.Data != nil {
		t.Error("a profile for storage has the data of an application")
	}
}

// What a flag stores is saved with the experiment, and read again.
func TestRequestsOfApplicationsAreSaved(t *testing.T) {
	for _, a := range Applications() {
		for _, f := range append(append(a.Flags[:0:0], a.Flags...), a.BaselineFlags...) {
			r := model.AppRequest{Name: string(a.Kind)}
			if f.Option != "" {
				r.Ask.Options = []string{f.Option + "5"}
			} else {
				switch to := f.To(&r).(type) {
				case *string:
					*to = "x"
				case *bool:
					*to = true
				case *int:
					*to = 5
				case *[]int:
					*to = []int{1, 16}
				case *[]string:
					*to = []string{"a=1"}
				case *float64:
					*to = 0.5
				}
			}
			text, err := spec.MarshalExperiment(model.Experiment{Scenario: "app", Target: "/x", Seed: 1, App: &r})
			if err != nil {
				t.Fatal(err)
			}
			again, err := spec.ParseExperiment("x.yaml", text)
			if err != nil || again.App == nil {
				t.Errorf("--%s: %v\n%s", f.Name, err, text)
				continue
			}
			if diff := cmp.Diff(r, *again.App, cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("--%s: %s", f.Name, diff)
			}
			if err := a.CheckRequest(r); err != nil {
				t.Errorf("--%s of %s: %v", f.Name, a.Kind, err)
			}
		}
		other := model.AppRequest{Name: string(a.Kind), Program: "/bin/x", Scale: 7, Clients: 9}
		if err := a.CheckRequest(other); err == nil {
			t.Errorf("%s takes both a program and a scale", a.Kind)
		}
	}
}
