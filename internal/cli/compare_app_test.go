package cli

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/cobra"

	"github.com/loadline/loadline/internal/cli/flags"
	"github.com/loadline/loadline/internal/env"
	"github.com/loadline/loadline/internal/measure/session"
	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/plan/application"
)

// readApp parses a command line of app NAME, or of compare app NAME.
func readApp(t *testing.T, app application.Application, compared bool, words ...string) parsed {
	t.Helper()
	e := env.OS()
	f, o := &runFlags{}, &appOptions{app: app}
	make, read := appCommand, func(cmd *cobra.Command, args []string) (model.Experiment, error) {
		return f.appExperiment(e, cmd, args[0], o)
	}
	if compared {
		make, read = compareAppCommand, func(cmd *cobra.Command, args []string) (model.Experiment, error) {
			return f.compareAppExperiment(e, cmd, args, o)
		}
	}
	c := parsed{options: &o.options}
	cmd := make(e, f, o)
	cmd.RunE = func(cmd *cobra.Command, args []string) (err error) {
		c.exp, err = o.requestedExperiment(e, cmd, args, func() (model.Experiment, error) { return read(cmd, args) })
		return err
	}
	cmd.SetArgs(words)
	if err := cmd.Execute(); err != nil {
		t.Fatalf("%q: %v", words, err)
	}
	return c
}

// A comparison of an application in two places is that of the second with the first as its baseline, here, in a Job and
// repeated from its experiment.
func TestAnApplicationIsComparedWithItsFirstPlace(t *testing.T) {
	for _, c := range []struct {
		app   application.Application
		a, b  string
		flags []string
	}{
		{session.Applications()[0], "/srv/old", "/srv/my new", []string{"--seed=7", "--clients=16,1", "--margin=10%", "--fail-on=worse,unclear", "--goal=tpcb-c1 tps > 5", "--label=a=b"}},
		{session.Applications()[0], "sc:local-path", "pvc:prod/scratch", []string{"--seed=7", "--profile=quick", "--wal=pvc:prod/log", "--baseline-wal=sc:local-path", "--baseline-client-node=other", "--image=mine:1", "--set=fsync=on", "--node=n7"}},
		{session.Applications()[0], "postgres://me@old/d", "postgres://me@new/d", []string{"--seed=7", "--margin-p99=20%", "--only=tpcb-*", "--max-time=90s"}},
		{session.Applications()[1], "app", "etcd", []string{"--seed=7", "--value-size=100", "--rate=50"}},
	} {
		compared := readApp(t, c.app, true, append([]string{c.a, c.b}, c.flags...)...)
		based := readApp(t, c.app, false, append([]string{c.b, "--baseline", c.a}, c.flags...)...)
		if diff := cmp.Diff(based.exp, compared.exp); diff != "" {
			t.Errorf("%s %s: %s", c.a, c.b, diff)
		}
		if !session.Paired(compared.exp) || compared.exp.Baseline != c.a || compared.exp.Target != c.b {
			t.Errorf("%+v", compared.exp)
		}
		job, document, err := session.JobCommand(compared.exp, compared.options.places.Destroy, time.Hour)
		if err != nil {
			t.Fatal(err)
		}
		again := withFile(t, job[slices.Index(job, "--")+1:], document)
		if model.CommandLine(c.flags).Flags("image") == nil && c.a[:3] != "sc:" {
			// What is measured here by run --experiment is what a Job measures.
			if diff := cmp.Diff(compared.exp, readCommand(t, again).exp); diff != "" {
				t.Errorf("%q: %s", again, diff)
			}
		}
	}
}

// Flags of app that a comparison refuses are not offered by compare app, and all others are.
func TestFlagsOfAComparedApplication(t *testing.T) {
	for _, app := range session.Applications() {
		e, o := env.OS(), &appOptions{app: app}
		want := slices.DeleteFunc(flags.Names(appCommand(e, &runFlags{}, o)), func(name string) bool {
			return slices.Contains([]string{"baseline", traceFlag, amplificationFlag}, name)
		})
		got := flags.Names(compareAppCommand(e, &runFlags{}, &appOptions{app: app}))
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: %s", app.Kind, diff)
		}
	}
}

// Existing servers are no storage to be compared, and the command that compares them is named without a password.
func TestComparingServers(t *testing.T) {
	for _, servers := range [][]string{{"postgres://a/d", "postgres://me:hunter2@b/d"}, {t.TempDir(), "postgresql://b/d"}} {
		code, _, errs := runLoadline(t, "compare", servers[0], servers[1])
		want := "next: loadline compare app postgres " + servers[0] + " " + strings.Replace(servers[1], "hunter2", "PASSWORD", 1) + "\n"
		if code != exitUsage || !strings.Contains(errs, "is measured as an application, and not as storage") || !strings.Contains(errs, want) || strings.Contains(errs, "hunter2") {
			t.Errorf("exit code %d: %s", code, errs)
		}
	}
}
