package session

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/loadline/loadline/internal/env"
	"github.com/loadline/loadline/internal/measure/store"
	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/plan/profile"
)

// follower notes what it is told, without the progress.
type follower struct {
	told    []string
	refuses error
}

func (f *follower) Observe(model.Update) {}
func (f *follower) Clear()               {}

func (f *follower) Consent(_ context.Context, plans ...model.Plan) error {
	f.told = append(f.told, "consent to "+plans[len(plans)-1].Volume.Target.Name)
	return f.refuses
}

func (f *follower) Planned(_ model.Run, dir string, plans []model.Plan, found []model.ProbeResult) {
	if len(plans) != len(found) {
		f.told = append(f.told, "a plan without its probe")
	}
	_, err := os.Stat(dir)
	f.told = append(f.told, map[bool]string{true: "planned", false: "planned without a directory"}[err == nil])
}

func (f *follower) SavedBeside(what, _ string) { f.told = append(f.told, what) }

// simulated returns a short experiment on simulated storage.
func simulated(t *testing.T, scenario, target, baseline string) Request {
	t.Helper()
	exp := model.Experiment{Scenario: scenario, Target: target, Baseline: baseline, Profile: "quick", Only: []string{"rand-read-iops"}, Seed: 1, MaxPrefill: 1, Margin: 0.05, MarginP99: 0.1}
	by, err := NewRequest(exp, func(string) {})
	if err != nil {
		t.Fatal(err)
	}
	by.Again = model.CommandLine{"loadline", "run", target}
	return by
}

func TestRunSavesWhatItMeasures(t *testing.T) {
	f, results := &follower{}, t.TempDir()
	m, err := (&Places{}).Run(t.Context(), env.OS(), simulated(t, profile.Name, "fake:?iops=3000&cv=0.01", ""), Saving{Results: results, Command: []string{"loadline", "typed"}, Audience: f})
	if err != nil {
		t.Fatal(err)
	}
	rec, err := m.Recorded()
	if err := errors.Join(err, m.Err, m.Close(), m.Close()); err != nil {
		t.Fatal(err)
	}
	if m.Status != model.Complete || rec.Run.Status != model.Complete || len(rec.Samples) == 0 {
		t.Errorf("status %q, recorded %q, %d samples", m.Status, rec.Run.Status, len(rec.Samples))
	}
	if !slices.Equal(rec.Run.Command, []string{"loadline", "typed"}) || !strings.HasPrefix(rec.Run.Again.String(), "loadline run ") {
		t.Errorf("recorded the command %q, and %q to type again", rec.Run.Command, rec.Run.Again)
	}
	if diff := cmp.Diff([]string{"consent to fake:?iops=3000&cv=0.01", "planned"}, f.told); diff != "" {
		t.Errorf("told (-want +got):\n%s", diff)
	}
}

func TestRunPairSavesBothSides(t *testing.T) {
	f := &follower{}
	m, err := (&Places{}).RunPair(t.Context(), env.OS(), simulated(t, profile.Comparison, "fake:?iops=3000&seed=1", "fake:?iops=6000&seed=2"), Saving{Results: t.TempDir(), Audience: f})
	if err != nil || m.Err != nil || m.Status != model.Complete {
		t.Fatalf("%v, %+v", err, m)
	}
	defer m.Folder.Close()
	for _, side := range store.Sides {
		if !store.IsRun(filepath.Join(m.Folder.Dir(), side)) {
			t.Errorf("%s has no run %s", m.Folder.Dir(), side)
		}
	}
	if diff := cmp.Diff([]string{"consent to fake:?iops=3000&seed=1", "planned"}, f.told); diff != "" {
		t.Errorf("told (-want +got):\n%s", diff)
	}
}

// Who declines, or names a folder that cannot hold the run, leaves nothing behind.
func TestRunThatDoesNotBeginLeavesNothing(t *testing.T) {
	declined := errors.New("declined")
	one := func(f *follower, results string) error {
		_, err := (&Places{}).Run(t.Context(), env.OS(), simulated(t, profile.Name, "fake:?iops=3000", ""), Saving{Results: results, Audience: f})
		return err
	}
	two := func(f *follower, results string) error {
		_, err := (&Places{}).RunPair(t.Context(), env.OS(), simulated(t, profile.Comparison, "fake:?iops=3000", "fake:?iops=6000"), Saving{Results: results, Audience: f})
		return err
	}
	for name, run := range map[string]func(*follower, string) error{"run": one, "pair": two} {
		t.Run(name, func(t *testing.T) {
			f, results := &follower{refuses: declined}, t.TempDir()
			if err := run(f, results); !errors.Is(err, declined) {
				t.Errorf("declined: %v", err)
			}
			file := filepath.Join(results, "file")
			if err := os.WriteFile(file, nil, 0o600); err != nil {
				t.Fatal(err)
			}
			var refused *model.WorkerError
			if err := run(&follower{}, file); !errors.As(err, &refused) || refused.Class != model.Refused || !strings.Contains(refused.Hint, "--results") {
				t.Errorf("a file as the folder: %v", err)
			}
			if entries, err := os.ReadDir(results); err != nil || len(entries) != 1 {
				t.Errorf("%v: left %v", err, entries)
			}
		})
	}
}
