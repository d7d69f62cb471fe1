package cleanup

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/loadline/loadline/internal/env"
	"github.com/loadline/loadline/internal/measure/durability"
	"github.com/loadline/loadline/internal/measure/load/postgres"
	"github.com/loadline/loadline/internal/measure/session"
	"github.com/loadline/loadline/internal/measure/store"
	"github.com/loadline/loadline/internal/measure/volume"
	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/safetext"
)

// Directory removes the data files and databases that killed runs have left in a directory. The error joins
// what could not be removed; anything else that is not a directory of this machine is refused.
func Directory(e *env.Env, dir string, tell func(Found)) (Outcome, error) {
	const named = "name the directory that was measured: loadline cleanup DIR"
	if info, err := os.Stat(dir); err == nil && !info.IsDir() {
		// What a target lacks to be measured does not matter here.
		return Outcome{}, model.RefusedError(fmt.Sprintf("%s is %s: Loadline's data files are only in directories", dir, store.Kind(dir)), named)
	}
	t, err := session.ParseTarget(dir)
	if err != nil {
		return Outcome{}, err
	}
	if t.Cluster != nil {
		return Outcome{}, model.RefusedError(fmt.Sprintf("%s is in a Kubernetes cluster, which is cleaned up by namespace", dir), "loadline cleanup --namespace NAME, or --all-namespaces")
	}
	if t.Kind != model.Directory {
		return Outcome{}, model.RefusedError(fmt.Sprintf("%s is not a directory: Loadline's data files are only in directories", dir), named)
	}
	files, places, err := findLeftovers(e, t.Path)
	if err != nil {
		return Outcome{}, err
	}
	var failed error
	for _, p := range places {
		if p.Stays != "" {
			next := "if you do not need it: rm -r " + safetext.ShellWord(p.Path)
			if p.Held {
				next = afterRun
			}
			tell(Found{Name: p.Path, Stays: p.Stays, Next: next})
			continue
		}
		failed = errors.Join(failed, remove(p.Path, tell, func() error { return p.Remove(postgres.RemoveShared) }))
	}
	found := map[string]bool{}
	for _, f := range files {
		found[f.Path] = true
	}
	for _, f := range files {
		if why, next := keptReason(f); why != "" {
			if f.Test && f.Path != f.Data() && found[f.Data()] {
				continue // the note stays with its data file, which is reported
			}
			tell(Found{Name: f.Path, Stays: why, Next: next})
			continue
		}
		failed = errors.Join(failed, remove(f.Path, tell, f.Remove))
	}
	return Outcome{Where: dir, Nothing: len(files)+len(places) == 0}, failed
}

// remove removes a file or a directory and reports it.
func remove(path string, tell func(Found), do func() error) error {
	if err := do(); err != nil {
		return model.BrokenError(fmt.Sprintf("%s could not be removed: %v", path, err), "")
	}
	tell(Found{Name: path})
	return nil
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
		// The file is in the directory that is the test's target, and every ledger names its file.
		return "a durability test may still have to check it, and the location of its ledger is not known",
			"find the ledger in the folder that was given as --results: grep -lF " + safetext.ShellWord(f.Data()) + " loadline-results/*/" + durability.LedgerFile +
				"; then check what it says: loadline durability " + safetext.ShellWord(filepath.Dir(f.Path)) + " --resume LEDGER; " + byHand
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
