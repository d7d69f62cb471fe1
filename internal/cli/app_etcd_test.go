package cli

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/spf13/cobra"

	"github.com/loadline/loadline/internal/ask/spec"
	"github.com/loadline/loadline/internal/env"
	"github.com/loadline/loadline/internal/measure/volume"
	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/plan/application"
	"github.com/loadline/loadline/test/lab"
)

// openDir is a directory that the server's user can get into, with a short name.
func openDir(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "app")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	if err := os.Chmod(dir, 0o711); err != nil {
		t.Fatal(err)
	}
	return dir
}

// What the profile says of a disk without an etcd, and an etcd on that disk say the same of its
// flushes. On ext4 a flush of a log is two or three writes, one after the other, of 4 ms each here.
func TestTheEtcdProfileSaysWhatAnEtcdSays(t *testing.T) {
	etcd := lab.Etcd(t)
	lab.Lock(t)
	dir := lab.Filesystem(t, lab.Block(t, lab.Delayed(t, time.Millisecond, 4*time.Millisecond)), "ext4")
	if err := os.Chmod(dir, 0o711); err != nil {
		t.Fatal(err)
	}
	brief := []string{"--results", t.TempDir(), "--format", "json", "-q", "--time", "8s", "--ramp-time", "1s"}
	code, alone := report(t, append([]string{"run", dir, "--profile", "etcd", "--size", "64M"}, brief...)...)
	i := slices.IndexFunc(alone.Results, func(r model.Result) bool { return r.Direction == model.Sync })
	if i < 0 {
		t.Fatalf("exit code %d: %+v", code, alone.Results)
	}
	flush := alone.Results[i].Metrics[model.Latency].Value
	code, app := report(t, append([]string{"app", "etcd", dir, "--etcd", etcd, "--profile", "small"}, brief...)...)
	if len(app.Results) != 1 || app.Results[0].App == nil || app.Results[0].App.FlushTime == nil {
		t.Fatalf("exit code %d: %+v", code, app.Results)
	}
	cost := app.Results[0].App
	t.Logf("a flush takes %.2f ms without an etcd, and %.2f ms in one; %.3f flushes and %.0f B of log for each put of %.2f ms",
		flush*1e3, *cost.FlushTime*1e3, *cost.Flushes, *cost.LogBytes, app.Results[0].Metrics[model.Latency].Value*1e3)
	if ratio := *cost.FlushTime / flush; ratio < 0.7 || ratio > 1.5 {
		t.Errorf("a flush takes %v s without an etcd, and %v s in one", flush, *cost.FlushTime)
	}
	if *cost.Flushes < 0.98 || *cost.Flushes > 1.2 || *cost.Flushing < 0.7 {
		t.Errorf("%+v", cost)
	}
	if len(app.Goals) != 1 || len(alone.Goals) != 1 {
		t.Errorf("%+v; %+v", alone.Goals, app.Goals)
	}
	left, err := filepath.Glob(filepath.Join(dir, ".loadline*"))
	if err != nil || len(left) > 0 {
		t.Errorf("%v is left, %v", left, err)
	}
}

// What a run that was killed leaves is found by cleanup, and its etcd is gone. One that is
// interrupted leaves nothing.
func TestAppEtcdLeavesNothing(t *testing.T) {
	etcd := lab.Etcd(t)
	program := filepath.Join(t.TempDir(), "loadline")
	if said, err := exec.Command("go", "build", "-o", program, "../../cmd/loadline").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, said)
	}
	for name, signal := range map[string]syscall.Signal{"interrupted": syscall.SIGINT, "killed": syscall.SIGKILL} {
		t.Run(name, func(t *testing.T) {
			dir := openDir(t)
			ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
			defer cancel()
			cmd := exec.CommandContext(ctx, program, "app", "etcd", dir, "--etcd", etcd, "--results", t.TempDir(), "--clients", "2", "--time", "60s")
			var errs bytes.Buffer
			cmd.Stderr = &errs
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			// Until the server is there.
			for {
				if found, _ := filepath.Glob(filepath.Join(dir, ".loadline-*.app/s/client:1")); len(found) > 0 {
					break
				}
				if ctx.Err() != nil {
					t.Fatalf("no server: %s", errs.String())
				}
				time.Sleep(50 * time.Millisecond)
			}
			_ = cmd.Process.Signal(signal)
			err := cmd.Wait()
			if signal == syscall.SIGINT {
				if code := cmd.ProcessState.ExitCode(); code != exitInterrupted {
					t.Errorf("exit code %d (%v): %s", code, err, errs.String())
				}
				empty(t, dir)
				return
			}
			if left, _ := filepath.Glob(filepath.Join(dir, ".loadline-*.app")); len(left) != 1 {
				t.Fatalf("a kill left %v", left)
			}
			var said bytes.Buffer
			e := env.OS()
			e.Args, e.Stdout = []string{"cleanup", dir}, &said
			if code := Run(t.Context(), e); code != exitOK || !strings.Contains(said.String(), "removed "+dir) {
				t.Errorf("cleanup: %d, %s", code, said.String())
			}
			empty(t, dir)
			if ids := volume.ProcessesIn(dir); len(ids) > 0 {
				t.Errorf("processes are left: %v", ids)
			}
		})
	}
}

func TestAppEtcdRefuses(t *testing.T) {
	dir := openDir(t)
	for _, x := range []struct {
		words string
		args  []string
	}{
		{"in a Kubernetes cluster, where Loadline does not start etcd yet", []string{"sc:fast"}},
		{"etcd has no profile", []string{dir, "--profile", "huge"}},
		{"--profile is a list of loads", []string{dir, "--profile", "small", "--clients", "3"}},
		{"--latency-limit skips", []string{dir, "--latency-limit", "5ms"}},
		{"--clients 0 is no number", []string{dir, "--clients", "0"}},
		{"has no option", []string{dir, "--value-size", "0"}},
		{"there is no etcd at /nowhere", []string{dir, "--etcd", "/nowhere"}},
		{"is for Loadline to say", []string{dir, "--etcd", "/bin/true", "--set", "name=x"}},
	} {
		var out, errs bytes.Buffer
		e := env.OS()
		e.Args, e.Stdout, e.Stderr = append([]string{"app", "etcd"}, x.args...), &out, &errs
		if code := Run(t.Context(), e); code != exitUsage || !strings.Contains(errs.String(), x.words) {
			t.Errorf("%v: exit code %d, %s", x.args, code, errs.String())
		}
	}
	empty(t, dir)
}

// The advice of a run of etcd is typed by flags.
func TestAnEtcdsExperimentIsSpelled(t *testing.T) {
	for _, app := range []model.AppRequest{
		{Name: "etcd"},
		{Name: "etcd", Program: "/opt/my etcd", Set: []string{"snapshot-count=5"}, Ask: model.AppAsk{Options: []string{"--val-size=1024"}}},
		{Name: "etcd", Ask: model.AppAsk{Clients: []int{1, 8}, Rate: 50.5, Limit: 0.1}},
	} {
		exp := model.Experiment{Scenario: "app", Target: "/srv/x y", Profile: "quick", Seed: 5, Time: 12, App: &app, MaxPrefill: defaultMaxPrefill}
		if len(app.Ask.Clients) > 0 {
			exp.Profile = "standard"
		}
		words := (&options{again: "FILE"}).typed(context.Background(), exp)
		if got := words[:4]; !slices.Equal(got, []string{"loadline", "app", "etcd", "/srv/x y"}) {
			t.Fatalf("%q", words)
		}
		var again etcdOptions
		cmd := &cobra.Command{Use: "etcd DIR"}
		again.register(cmd)
		registerGoals(cmd, &again.options)
		if err := cmd.ParseFlags(words[4:]); err != nil {
			t.Errorf("%q: %v", words, err)
			continue
		}
		there, err := again.experiment(cmd, words[3])
		if err != nil {
			t.Errorf("%q: %v", words, err)
		}
		if diff := cmp.Diff(exp, there, cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("%q: %s", words, diff)
		}
	}
}

// What its profiles ask of the flushes is etcd's bound, read as --goal is.
func TestTheGoalsOfEtcdAreGoals(t *testing.T) {
	app, err := application.Lookup("etcd")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range app.Names() {
		p, err := app.Profile(name)
		if err != nil {
			t.Fatal(err)
		}
		goals, err := spec.ParseGoals(p.Goals, p.Workloads)
		if err != nil || len(goals) != 1 || goals[0].Direction != model.Sync || goals[0].Metric != model.P99 || goals[0].Bound != model.EtcdFlush {
			t.Errorf("%s: %+v, %v", name, goals, err)
		}
	}
}
