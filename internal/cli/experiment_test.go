package cli

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/spf13/cobra"
	"golang.org/x/tools/txtar"

	"github.com/loadline/loadline/internal/ask/spec"
	"github.com/loadline/loadline/internal/cli/flags"
	"github.com/loadline/loadline/internal/cluster/kube"
	"github.com/loadline/loadline/internal/env"
	"github.com/loadline/loadline/internal/measure/load/postgres/asked"
	"github.com/loadline/loadline/internal/measure/session"
	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/plan/application"
	"github.com/loadline/loadline/internal/plan/command"
	"github.com/loadline/loadline/internal/plan/profile"
)

// parsed is what a command line asks for, without running it.
type parsed struct {
	options *options
	exp     model.Experiment
	err     error
}

// readWords parses a command line of one of the measuring verbs.
func readWords(words []string) (c parsed) {
	e := env.OS()
	var verb *cobra.Command
	var flags func(cmd *cobra.Command, args []string) (model.Experiment, error)
	switch words[0] {
	case "run":
		f := &runFlags{}
		verb, c.options = runCommand(e, f), &f.options
		flags = func(_ *cobra.Command, args []string) (model.Experiment, error) { return f.experiment(args[0]) }
	case "compare":
		f := &compareFlags{}
		verb, c.options = compareCommand(e, f), &f.options
		flags = func(_ *cobra.Command, args []string) (model.Experiment, error) {
			if len(args) < 2 {
				return model.Experiment{}, errors.New("nothing to measure")
			}
			return f.experiment(args[0], args[1])
		}
	case "sweep":
		o := &sweepOptions{}
		verb, c.options = sweepCommand(e, o), &o.options
		flags = func(cmd *cobra.Command, args []string) (model.Experiment, error) { return o.experiment(cmd, args[0]) }
	case "scale":
		o := &scaleOptions{}
		verb, c.options = scaleCommand(e, o), &o.options
		flags = func(_ *cobra.Command, args []string) (model.Experiment, error) { return o.experiment(args) }
	default:
		c.err = errors.New("no verb that measures")
		return c
	}
	verb.SilenceErrors, verb.SilenceUsage = true, true
	verb.SetOut(io.Discard)
	verb.RunE = func(cmd *cobra.Command, args []string) error {
		c.exp, c.err = c.options.requestedExperiment(e, cmd, args, func() (model.Experiment, error) { return flags(cmd, args) })
		return c.err
	}
	verb.SetArgs(words[1:])
	if c.err = verb.Execute(); c.err == nil && c.exp.Scenario == "" {
		c.err = errors.New("it asks for help")
	}
	return c
}

func readCommand(t *testing.T, words []string) parsed {
	t.Helper()
	c := readWords(words)
	if c.err != nil {
		t.Fatalf("%q: %v", words, c.err)
	}
	return c
}

// withFile returns the command with its --experiment in a temporary file.
func withFile(t *testing.T, words []string, document []byte) []string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "experiment.yaml")
	if err := os.WriteFile(file, document, 0o600); err != nil {
		t.Fatal(err)
	}
	with := append([]string{}, words...)
	for i, word := range words {
		if word == "--experiment" {
			with[i+1] = file
		}
	}
	return with
}

// fields splits a line of a script into words, separated by blanks outside
// single quotes; two single quotes within a quoted word stand for one.
func fields(line string) (words []string) {
	var word strings.Builder
	in, quoted := false, false
	end := func() {
		if in {
			words = append(words, word.String())
		}
		word.Reset()
		in = false
	}
	for i := 0; i < len(line); i++ {
		switch c := line[i]; {
		case c == '\'' && quoted && i+1 < len(line) && line[i+1] == '\'':
			word.WriteByte(c)
			i++
		case c == '\'':
			quoted, in = !quoted, true
		case !quoted && (c == ' ' || c == '\t'):
			end()
		case !quoted && c == '#' && !in:
			end()
			return words
		default:
			word.WriteByte(c)
			in = true
		}
	}
	end()
	return words
}

// TestExperimentsTravel checks that whatever the commands of the scripts ask for stays the same when
// written as YAML and read again, and so does the plan made from it.
func TestExperimentsTravel(t *testing.T) {
	scripts, err := filepath.Glob("testdata/script/*.txtar")
	if err != nil || len(scripts) == 0 {
		t.Fatal(scripts, err)
	}
	seen, planned := map[string]int{}, 0
	for _, script := range scripts {
		archive, err := txtar.ParseFile(script)
		if err != nil {
			t.Fatal(err)
		}
		t.Run(filepath.Base(script), func(t *testing.T) {
			dir := t.TempDir()
			for _, f := range archive.Files {
				path := filepath.Join(dir, f.Name)
				if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, f.Data, 0o600)); err != nil {
					t.Fatal(err)
				}
			}
			t.Chdir(dir)
			for line := range strings.SplitSeq(string(archive.Comment), "\n") {
				_, after, found := strings.Cut(strings.ReplaceAll(line, "$WORK", dir), "loadline ")
				words := fields(strings.TrimPrefix(after, "plan "))
				if !found || strings.HasPrefix(line, "#") || len(words) == 0 {
					continue
				}
				here := readWords(words)
				if here.err != nil {
					// The scripts also contain commands that are refused.
					here = readWords(append([]string{"run"}, words...))
				}
				if here.err != nil || here.exp.Target == here.exp.Baseline {
					continue
				}
				data, err := spec.MarshalExperiment(here.exp)
				if err != nil {
					t.Fatalf("%s: %v", line, err)
				}
				parsed, err := spec.ParseExperiment("experiment.yaml", data)
				if err != nil {
					// An experiment that the command or planning refuses need not be readable.
					if _, planErr := plansOf(here); planErr == nil && !(strings.HasPrefix(line, "exits 2 ") && refusedHere(here)) {
						t.Errorf("%s: %v", line, err)
					}
					continue
				}
				if diff := cmp.Diff(here.exp, parsed, cmpopts.EquateEmpty()); diff != "" {
					t.Errorf("%s: %s", line, diff)
				}
				// The equivalent flags ask for the same experiment.
				if _, planErr := plansOf(here); planErr != nil {
					// What is refused has no flags.
				} else if here.exp.App != nil {
					// TestAnApplicationsExperimentIsSpelled checks the flags of applications.
				} else if byFlags := readWords(command.Of(here.exp, here.options.places.Destroy, session.Applications())[1:]); byFlags.err != nil {
					t.Errorf("%s: %q: %v", line, command.Of(here.exp, here.options.places.Destroy, session.Applications()), byFlags.err)
				} else if diff := cmp.Diff(here.exp, byFlags.exp, cmpopts.EquateEmpty()); diff != "" {
					t.Errorf("%s: %s", line, diff)
				}
				// The experiment contains its files: those outside may change.
				t.Chdir(t.TempDir())
				again := []string{"run", "--experiment", ""}
				for _, name := range here.options.places.Destroy {
					again = append(again, "--destroy-data-on="+name)
				}
				if group := here.exp.Place.FSGroup; group != "" {
					again = append(again, "--fs-group="+group)
				}
				if here.options.programs {
					again = append(again, "--"+programsFlag)
				}
				there := readWords(withFile(t, again, data))
				if there.err != nil {
					if _, planErr := plansOf(here); planErr == nil {
						t.Errorf("%s: %v", line, there.err)
					}
					t.Chdir(dir)
					continue
				}
				t.Chdir(dir)
				seen[here.exp.Scenario]++
				if diff := cmp.Diff(here.exp, there.exp, cmpopts.EquateEmpty()); diff != "" {
					t.Errorf("%s: %s", line, diff)
				}
				plans, err := plansOf(here)
				same, err2 := plansOf(there)
				if (err == nil) != (err2 == nil) || err != nil && err.Error() != err2.Error() {
					t.Errorf("%s: %v, then %v", line, err, err2)
				}
				if diff := cmp.Diff(plans, same, cmpopts.EquateEmpty()); diff != "" {
					t.Errorf("%s: %s", line, diff)
				}
				planned += len(plans)
			}
		})
	}
	for _, scenario := range []string{"profile", "baseline", "compare", "sweep", "scale"} {
		if seen[scenario] < 3 {
			t.Errorf("%d experiments of %s were tried", seen[scenario], scenario)
		}
	}
	if planned < 30 {
		t.Errorf("%d plans were made", planned)
	}
}

// plansOf plans a command for fake storage. Other targets cannot be planned without touching them,
// so for them only the experiment is compared.
func plansOf(c parsed) ([]model.Plan, error) {
	request, err := session.NewRequest(c.exp, func(string) {})
	if err != nil {
		return nil, err
	}
	request.ID = "test"
	for _, name := range session.Targets(c.exp) {
		if !strings.HasPrefix(name, "fake:") || len(c.exp.Place.Hosts) > 0 {
			return []model.Plan{{Workloads: request.Profile.Workloads}}, nil
		}
	}
	if session.Paired(c.exp) {
		pair, err := c.options.places.PreparePair(context.Background(), env.OS(), request)
		if err != nil {
			return nil, err
		}
		return pair.Plans[:], pair.Close()
	}
	prep, err := c.options.places.Prepare(context.Background(), env.OS(), request)
	if err != nil {
		return nil, err
	}
	return []model.Plan{prep.Plan}, prep.Close()
}

// refusedHere reports whether a command that a script expects to be refused is refused for what it asks, before anything is looked at.
func refusedHere(c parsed) bool {
	c.exp.Target, c.exp.Place = "fake:", model.Placement{}
	_, err := plansOf(c)
	return err != nil
}

// For an application run from an experiment, the advised command uses flags: flags that
// change the experiment are refused beside --experiment.
func TestAnApplicationsExperimentIsSpelled(t *testing.T) {
	for _, app := range []model.AppRequest{
		{Name: "postgres"},
		{Name: "postgres", Scale: 7, Set: []string{"fsync=off", "shared_buffers=1GB"}, Ask: model.AppAsk{Options: []string{"--protocol=prepared"}}},
		{Name: "postgres", Image: "registry.example/postgres:16"},
		{Name: "postgres", Fit: "disk", Ask: model.AppAsk{Load: "simple", Clients: []int{1, 8}, Threads: 2, Connect: true, Rate: 50.5, Limit: 0.1}},
	} {
		exp := model.Experiment{Scenario: "app", Target: "/srv/x y", Profile: "quick", Seed: 5, Time: 12, Only: []string{"tpcb-*"}, Goals: []string{"tpcb-c1 tps > 5"}, App: &app, MaxPrefill: application.MaxPrefill}
		if app.Ask.Load != "" {
			exp.Profile = "standard"
		}
		o := &options{experimentFile: "FILE"}
		words := o.commandLine(context.Background(), exp)
		if got := words[:4]; !slices.Equal(got, []string{"loadline", "app", "postgres", "/srv/x y"}) {
			t.Fatalf("%q", words)
		}
		again := &appOptions{app: asked.Application}
		cmd := &cobra.Command{Use: "postgres DIR"}
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

// Flags for where to save and to measure are no part of an experiment, but of the command that is advised
// after it; those that a Job typed in its pod are not.
func TestWhatAnExperimentLeavesOutIsAdvised(t *testing.T) {
	exp := model.Experiment{Scenario: profile.Name, Target: "sc:x", Profile: profile.Default, Seed: 5}
	ctx := flags.WithCommandLine(context.Background(), model.CommandLine{"loadline", "run", "--experiment=FILE", "--results=/srv/y z", "--namespace=n", "--quiet"})
	for file, want := range map[string]bool{"FILE": true, kube.ExperimentPath: false} {
		o := &options{experimentFile: file}
		if got := o.commandLine(ctx, exp).String(); strings.Contains(got, " --results '/srv/y z' --namespace n") != want || strings.Contains(got, "FILE") || strings.Contains(got, "quiet") {
			t.Errorf("%s: %s", file, got)
		}
	}
	// On this machine they would be refused: a namespace may come from the configuration.
	exp.Target = "/srv/x"
	if got := (&options{experimentFile: "FILE"}).commandLine(ctx, exp).String(); !strings.Contains(got, "--results '/srv/y z'") || strings.Contains(got, "namespace") {
		t.Errorf("outside of a cluster: %s", got)
	}
}
