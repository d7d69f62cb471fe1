package cli

import (
	"context"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/spf13/cobra"

	"github.com/loadline/loadline/internal/ask/spec"
	"github.com/loadline/loadline/internal/env"
	"github.com/loadline/loadline/internal/measure/load/etcd"
	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/apps"
	"github.com/loadline/loadline/internal/plan/application"
	"github.com/loadline/loadline/test/lab"
)

// Cleanup finds the leftovers of a killed run, whose etcd is gone. An interrupted run
// leaves nothing.
func TestAppEtcdLeavesNothing(t *testing.T) {
	program := lab.Etcd(t)
	for name, signal := range endings {
		t.Run(name, func(t *testing.T) {
			dir := lab.ServerDir(t)
			// Wait until the server is up.
			started(t, filepath.Join(dir, ".loadline-*.app/s/client:1"), "app", "etcd", dir, "--etcd", program, "--results", t.TempDir(), "--clients", "2", "--time", "60s").end(t, signal)
			nothingLeft(t, signal, dir)
		})
	}
}

func TestAppEtcdRefuses(t *testing.T) {
	dir := lab.ServerDir(t)
	for _, x := range []struct {
		words string
		args  []string
	}{
		{"in a Kubernetes cluster, where Loadline does not start etcd yet", []string{"sc:fast"}},
		{"etcd has no profile", []string{dir, "--profile", "huge"}},
		{"--profile selects a list of loads", []string{dir, "--profile", "small", "--clients", "3"}},
		{"--latency-limit skips", []string{dir, "--latency-limit", "5ms"}},
		{"--clients 0 is not a number", []string{dir, "--clients", "0"}},
		{`--value-size "0" is not a whole number from 1`, []string{dir, "--value-size", "0"}},
		{"there is no etcd at /nowhere", []string{dir, "--etcd", "/nowhere"}},
		{"is for Loadline to say", []string{dir, "--etcd", "/bin/true", "--set", "name=x"}},
	} {
		refused(t, x.words, append([]string{"app", "etcd"}, x.args...)...)
	}
	empty(t, dir)
}

// An application that does not exist is refused by the name that was typed, with those that do.
func TestUnknownApplications(t *testing.T) {
	for _, verb := range [][]string{{"app"}, {"plan", "app"}} {
		refused(t, `there is no application "postgre" to measure; did you mean "postgres"?`, append(verb, "postgre", t.TempDir())...)
		refused(t, "choose one of postgres, etcd", append(verb, "kafka", t.TempDir())...)
	}
}

// The command advised for a run of etcd uses flags.
func TestAnEtcdsExperimentIsSpelled(t *testing.T) {
	for _, app := range []model.AppRequest{
		{Name: "etcd"},
		{Name: "etcd", Program: "/opt/my etcd", Set: []string{"snapshot-count=5"}, Ask: model.AppAsk{Options: []string{"--val-size=1024"}}},
		{Name: "etcd", Ask: model.AppAsk{Clients: []int{1, 8}, Rate: 50.5, Limit: 0.1}},
	} {
		exp := model.Experiment{Scenario: "app", Target: "/srv/x y", Profile: "quick", Seed: 5, Time: 12, App: &app, MaxPrefill: application.MaxPrefill}
		if len(app.Ask.Clients) > 0 {
			exp.Profile = "standard"
		}
		words := (&options{experimentFile: "FILE"}).commandLine(context.Background(), exp)
		if got := words[:4]; !slices.Equal(got, []string{"loadline", "app", "etcd", "/srv/x y"}) {
			t.Fatalf("%q", words)
		}
		again := &appOptions{app: etcd.Application}
		cmd := &cobra.Command{Use: "etcd DIR"}
		again.register(cmd)
		registerGoals(cmd, &again.options)
		if err := cmd.ParseFlags(words[4:]); err != nil {
			t.Errorf("%q: %v", words, err)
			continue
		}
		there, err := again.experiment(env.OS(), cmd, words[3])
		if err != nil {
			t.Errorf("%q: %v", words, err)
		}
		if diff := cmp.Diff(exp, there, cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("%q: %s", words, diff)
		}
	}
}

// The goal of etcd's profiles for flushes is etcd's bound, in the syntax of --goal.
func TestTheGoalsOfEtcdAreGoals(t *testing.T) {
	app := etcd.Application
	for _, name := range app.Names() {
		p, err := app.Profile(name)
		if err != nil {
			t.Fatal(err)
		}
		goals, err := spec.ParseGoals(p.Goals, p.Workloads)
		if err != nil || len(goals) != 1 || goals[0].Direction != model.Sync || goals[0].Metric != model.P99 || goals[0].Bound != apps.EtcdFlush {
			t.Errorf("%s: %+v, %v", name, goals, err)
		}
	}
}
