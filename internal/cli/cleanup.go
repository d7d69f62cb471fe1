package cli

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/loadline/loadline/internal/ask/target"
	"github.com/loadline/loadline/internal/env"
	"github.com/loadline/loadline/internal/measure/durability"
	"github.com/loadline/loadline/internal/measure/load/postgres"
	"github.com/loadline/loadline/internal/measure/session"
	"github.com/loadline/loadline/internal/measure/store"
	"github.com/loadline/loadline/internal/measure/volume"
	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/safetext"
)

func newCleanup(e *env.Env) *cobra.Command {
	var at session.Cluster
	var everywhere, force bool
	cmd := &cobra.Command{
		Use:   "cleanup DIR|postgres://… | cleanup --namespace NAME",
		Short: "Remove what a killed run left in a directory, a database or a cluster",
		Long: `Finds Loadline's own data files in DIR and removes them: regular files that
are yours, have exactly such a name and no other link, and are not in use by a running
measurement. It also removes the directories of databases that were measured there
(loadline app), after stopping their servers, and what these left in shared memory.
The file of a durability test is kept until it has been checked (durability --resume): it
is listed, with the command. Nothing else is touched, not even a file that you named (run
--create, kbench run).

Without DIR it searches a Kubernetes cluster for the pods, claims and Jobs (with their
rights) that have Loadline's label: in one namespace, or in all with --all-namespaces.
Objects of a run in progress are kept, and so is a Job whose results have not been
fetched, unless --force is given.

Exit codes: 0 success, even if there was nothing to remove; 1 something could not be
removed; 2 usage; 130 interrupted.`,
		Example: `  loadline cleanup /var/lib/postgresql
  loadline cleanup .
  loadline cleanup postgres://bench@db1/bench`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 1 || len(args) == 0 && namesCluster(cmd) {
				return nil
			}
			return exactly(1, "one DIR or postgres://…, or --namespace, --all-namespaces, --context or --kubeconfig for a cluster")(cmd, args)
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return cleanupCluster(cmd.Context(), e, at.Access, everywhere, force)
			}
			if namesCluster(cmd) {
				return model.RefusedError("a directory and a cluster cannot be cleaned in one command", "leave out "+args[0]+", or the flags for Kubernetes")
			}
			if target.IsServer(args[0]) {
				return cleanupServer(cmd.Context(), e, args[0])
			}
			return cleanupDirectory(e, args[0])
		},
	}
	registerAccess(cmd, &at)
	cmd.Flags().BoolVarP(&everywhere, "all-namespaces", "A", false, "Kubernetes: in all namespaces")
	cmd.Flags().BoolVar(&force, "force", false, "Kubernetes: also remove objects of a run that seems to be alive")
	return cmd
}

// namesCluster reports whether the flags ask for a cluster.
func namesCluster(cmd *cobra.Command) bool {
	for _, name := range []string{"namespace", "context", "kubeconfig", "all-namespaces"} {
		if cmd.Flags().Changed(name) {
			return true
		}
	}
	return false
}

func cleanupDirectory(e *env.Env, dir string) error {
	const named = "name the directory that was measured: loadline cleanup DIR"
	if info, err := os.Stat(dir); err == nil && !info.IsDir() {
		// What a target lacks to be measured does not matter here.
		return model.RefusedError(fmt.Sprintf("%s is %s: Loadline's data files are only in directories", dir, store.Kind(dir)), named)
	}
	t, err := session.ParseTarget(dir)
	if err != nil {
		return err
	}
	if t.Cluster != nil {
		return model.RefusedError(fmt.Sprintf("%s is in a Kubernetes cluster, which is cleaned up by namespace", dir), "loadline cleanup --namespace NAME, or --all-namespaces")
	}
	if t.Kind != model.Directory {
		return model.RefusedError(fmt.Sprintf("%s is not a directory: Loadline's data files are only in directories", dir), named)
	}
	files, places, err := findLeftovers(e, t.Path)
	if err != nil {
		return err
	}
	var failed error
	for _, p := range places {
		if p.Stays != "" {
			printLine(e.Stdout, "kept    %s: %s", p.Path, p.Stays)
			next := "if you do not need it: rm -r " + safetext.ShellWord(p.Path)
			if p.Held {
				next = afterRun
			}
			printLine(e.Stdout, "  next: %s", next)
			continue
		}
		if err := p.Remove(postgres.RemoveShared); err != nil {
			failed = errors.Join(failed, model.BrokenError(fmt.Sprintf("%s could not be removed: %v", p.Path, err), ""))
			continue
		}
		printLine(e.Stdout, "removed %s", p.Path)
	}
	found := map[string]bool{}
	for _, f := range files {
		found[f.Path] = true
	}
	for _, f := range files {
		why, next := keptReason(f)
		if why != "" {
			if f.Test && f.Path != f.Data() && found[f.Data()] {
				continue // the note stays with its data file, which is reported
			}
			printLine(e.Stdout, "kept    %s: %s", f.Path, why)
			printLine(e.Stdout, "  next: %s", next)
			continue
		}
		if err := f.Remove(); err != nil {
			failed = errors.Join(failed, model.BrokenError(fmt.Sprintf("%s could not be removed: %v", f.Path, err), ""))
			continue
		}
		printLine(e.Stdout, "removed %s", f.Path)
	}
	if len(files)+len(places) == 0 {
		printLine(e.Stdout, "nothing to remove in %s", dir)
	}
	return failed
}

const (
	// lockTimeout is how long a cleanup waits for files that a running loadline seems to hold:
	// after a run is killed, the kernel may release its locks only some time after its processes
	// are gone.
	lockTimeout = 2 * time.Second
	// afterRun is the hint for the files of a run that is still running.
	afterRun = "wait until that run has ended, or end it, and clean up again"
)

// findLeftovers returns what earlier runs have left in a directory.
func findLeftovers(e *env.Env, dir string) (files []volume.Leftover, places []volume.Abandoned, err error) {
	for limit := e.Now().Add(lockTimeout); ; e.Clock.Sleep(50 * time.Millisecond) {
		if files, err = volume.Leftovers(dir); err != nil {
			return nil, nil, err
		}
		if places, err = volume.AbandonedWorkDirs(dir); err != nil {
			return nil, nil, err
		}
		held := slices.ContainsFunc(files, func(f volume.Leftover) bool { return f.Held }) || slices.ContainsFunc(places, func(p volume.Abandoned) bool { return p.Held })
		if !held || !e.Now().Before(limit) {
			return files, places, nil
		}
	}
}

// keptReason returns why a leftover is not removed and what to do about it; "" if it may be
// removed. Files of a durability test are removed only once its ledger says that the test is
// over, because without them its check can no longer be done.
func keptReason(f volume.Leftover) (why, next string) {
	byHand := "if you do not need it: rm " + safetext.ShellWord(f.Path)
	switch {
	case f.Held:
		return f.Stays, afterRun
	case f.Stays != "":
		return f.Stays, byHand
	case !f.Test:
		return "", ""
	case f.Note == nil:
		return "a durability test may still have to check it, and the location of its ledger is not known",
			"loadline durability TARGET --resume DIR (DIR is in the folder given as --results, by default loadline-results); " + byHand
	}
	needed, err := durability.Needs(f.Note.Ledger, f.Data())
	resume := durability.ResumeLine(f.Note.Target, f.Note.Ledger)
	switch {
	case err != nil:
		return fmt.Sprintf("a durability test may still have to check it, and its ledger cannot be read: %v", err), resume + "; " + byHand
	case needed:
		return "a durability test still has to check it", resume
	}
	return "", ""
}
