package session

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"

	"github.com/loadline/loadline/internal/ask/spec"
	"github.com/loadline/loadline/internal/measure/store"
	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/plan/application"
	"github.com/loadline/loadline/internal/plan/profile"
	"github.com/loadline/loadline/test/lab"
)

// A run's experiment can be measured again with run --experiment from any directory, or by someone who
// received it: it contains no path that depends on where it was typed.
func TestASavedExperimentMeansTheSameFromAnywhere(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(dir)
	if err := os.Mkdir("log", 0o700); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"disk.img", "other.img"} {
		if err := os.WriteFile(name, make([]byte, 4096), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, x := range []struct{ typed, saved model.Experiment }{
		{model.Experiment{Target: "."}, model.Experiment{Target: dir}},
		{model.Experiment{Target: "disk.img", DestroyDataOn: "disk.img"}, model.Experiment{Target: dir + "/disk.img", DestroyDataOn: dir + "/disk.img"}},
		{model.Experiment{Target: "./disk.img", Baseline: "other.img", Scenario: model.OnBaseline}, model.Experiment{Target: dir + "/disk.img", Baseline: dir + "/other.img"}},
		{model.Experiment{Target: "disk.img", Scale: &model.ScaleRequest{Workload: "rand-read-iops", Volumes: []int{1, 2}, Targets: []string{"other.img"}}},
			model.Experiment{Target: dir + "/disk.img", Scale: &model.ScaleRequest{Workload: "rand-read-iops", Volumes: []int{1, 2}, Targets: []string{dir + "/other.img"}}}},
		{model.Experiment{Scenario: application.Scenario, Target: ".", App: &model.AppRequest{Name: "postgres", Log: "log"}},
			model.Experiment{Target: dir, App: &model.AppRequest{Name: "postgres", Log: dir + "/log"}}},
		{model.Experiment{Scenario: profile.Comparison, Target: ".", Baseline: "log", App: &model.AppRequest{Name: "postgres", Log: "./log/../log", BaselineLog: "."}},
			model.Experiment{Target: dir, Baseline: dir + "/log", App: &model.AppRequest{Name: "postgres", Log: dir + "/log", BaselineLog: dir}}},
		{model.Experiment{Scenario: application.Scenario, Target: "sc:fast", App: &model.AppRequest{Name: "postgres", Log: "sc:log"}},
			model.Experiment{Target: "sc:fast", App: &model.AppRequest{Name: "postgres", Log: "sc:log"}}},
		{model.Experiment{Scenario: application.Scenario, Target: ".", App: &model.AppRequest{Name: "etcd", Program: "bin/../etcd"}},
			model.Experiment{Target: dir, App: &model.AppRequest{Name: "etcd", Program: dir + "/etcd"}}},
		{model.Experiment{Scenario: application.Scenario, Target: ".", App: &model.AppRequest{Name: "etcd", Program: "/opt/etcd"}},
			model.Experiment{Target: dir, App: &model.AppRequest{Name: "etcd", Program: "/opt/etcd"}}},
		// The chosen scale goes with the memory, and the goals of a comparison with its profile: neither could be asked for.
		{model.Experiment{Scenario: application.Scenario, Target: ".", App: &model.AppRequest{Name: "postgres", Fit: "disk", Scale: 300}},
			model.Experiment{Target: dir, App: &model.AppRequest{Name: "postgres", Fit: "disk"}}},
		{model.Experiment{Scenario: application.Scenario, Target: ".", App: &model.AppRequest{Name: "postgres", Scale: 300}},
			model.Experiment{Target: dir, App: &model.AppRequest{Name: "postgres", Scale: 300}}},
		{model.Experiment{Scenario: profile.Comparison, Target: "disk.img", Baseline: "other.img", Goals: []string{"a iops > 1"}}, model.Experiment{Target: dir + "/disk.img", Baseline: dir + "/other.img"}},
		{model.Experiment{Scenario: model.OnBaseline, Target: "disk.img", Baseline: "other.img", Goals: []string{"a iops > 1"}},
			model.Experiment{Target: dir + "/disk.img", Baseline: dir + "/other.img", Goals: []string{"a iops > 1"}}},
		{model.Experiment{Target: "fake:?iops=5"}, model.Experiment{Target: "fake:?iops=5"}},
		{model.Experiment{Target: "sc:fast?size=20Gi"}, model.Experiment{Target: "sc:fast?size=20Gi"}},
		{model.Experiment{Target: "data", Place: model.Placement{Hosts: []string{"n1"}}}, model.Experiment{Target: "data"}},
	} {
		if x.typed.Scenario == "" {
			x.typed.Scenario = "profile"
		}
		p := Prepared{Plan: model.Plan{Experiment: x.typed}}
		w, err := p.Create(t.TempDir(), model.Run{}, time.Now)
		if err != nil {
			t.Fatal(err)
		}
		_, text, err := store.ReadExperiment(w.Dir())
		if err != nil {
			t.Fatal(err)
		}
		got, err := spec.ParseExperiment("experiment.yaml", text)
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		x.saved.Scenario, x.saved.Place = x.typed.Scenario, x.typed.Place
		if diff := cmp.Diff(x.saved, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", x.typed.Target, diff)
		}
		if diff := cmp.Diff(x.typed, p.Plan.Experiment); diff != "" {
			t.Errorf("the plan's own experiment has changed: %s", diff)
		}
	}
}

// An experiment keeps the link by which a device was named: after the next boot, the device that the link leads to
// today may be another disk, and the permission to overwrite it must not go along.
func TestASavedExperimentKeepsTheNameOfADevice(t *testing.T) {
	if os.Geteuid() != 0 {
		lab.Unavailable(t, "a device's node is made by root")
	}
	dir := t.TempDir()
	t.Chdir(dir)
	if err := unix.Mknod("sdb", unix.S_IFBLK|0o600, int(unix.Mkdev(7, 250))); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("sdb", "by-id"); err != nil {
		t.Fatal(err)
	}
	for _, typed := range []string{"by-id", dir + "/by-id"} {
		got := repeatable(model.Experiment{Target: typed, DestroyDataOn: typed})
		if want := (model.Experiment{Target: dir + "/by-id", DestroyDataOn: dir + "/by-id"}); !cmp.Equal(want, got) {
			t.Errorf("%s (-want +got):\n%s", typed, cmp.Diff(want, got))
		}
	}
}
