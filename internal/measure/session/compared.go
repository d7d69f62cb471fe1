package session

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/loadline/loadline/internal/measure/store"
	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/pgurl"
	"github.com/loadline/loadline/internal/model/safetext"
	"github.com/loadline/loadline/internal/model/secrets"
)

// Compared is what the names given to a comparison stand for.
type Compared int

const (
	// TwoTargets are yet to be measured.
	TwoTargets Compared = iota
	// TwoRuns and TwoTraces are saved.
	TwoRuns
	TwoTraces
	// SavedComparison is the folder of a comparison, with both sides.
	SavedComparison
)

// WhatIsCompared returns what two names stand for, and refuses two that cannot be compared.
func WhatIsCompared(a, b string) (Compared, error) {
	for _, name := range []string{a, b} {
		if store.IsComparison(name) {
			return 0, model.RefusedError(fmt.Sprintf("%s is the folder of a comparison, not one run", name),
				fmt.Sprintf("loadline compare %s, or name one of its runs: %s", safetext.ShellWord(name), safetext.ShellWord(filepath.Join(name, store.CandidateDir))))
		}
	}
	switch traceA, traceB := store.IsTrace(a), store.IsTrace(b); {
	case traceA && traceB:
		return TwoTraces, nil
	case traceA:
		return 0, mixedTrace(a, b)
	case traceB:
		return 0, mixedTrace(b, a)
	}
	switch runA, runB := store.IsRun(a), store.IsRun(b); {
	case runA && runB:
		return TwoRuns, nil
	case runA:
		return 0, mixedRun(a, b)
	case runB:
		return 0, mixedRun(b, a)
	case pgurl.Is(a) || pgurl.Is(b):
		return 0, refuseServers(a, b)
	}
	return TwoTargets, nil
}

// mixedRun refuses to compare a saved run with a target.
func mixedRun(run, target string) error {
	// Otherwise a mistyped run would be taken for a file that is yet to be created.
	_, parent := os.Stat(filepath.Dir(target))
	if _, err := os.Stat(target); errors.Is(err, fs.ErrNotExist) && parent == nil && !strings.Contains(target, ":") {
		return model.RefusedError(fmt.Sprintf("there is no %s: it is neither a saved run nor a target", target), "check the spelling: ls "+safetext.ShellWord(filepath.Dir(target)))
	}
	if _, err := ParseTarget(target); err != nil {
		return err
	}
	return model.RefusedError(fmt.Sprintf("%s is a saved run and %s is a target: the two cannot be mixed", run, target),
		"measure both targets, or run the target first and compare the two run directories")
}

// mixedTrace refuses to compare a trace with something else.
func mixedTrace(trace, other string) error {
	return model.RefusedError(trace+" is a saved trace and "+other+" is not: the two cannot be compared", "name two traces, two runs or two targets")
}

// refuseServers refuses to compare existing servers as if they were storage.
func refuseServers(a, b string) error {
	command := "loadline compare app " + string(model.Postgres) + " " + safetext.ShellWord(secrets.MaskText(a)) + " " + safetext.ShellWord(secrets.MaskText(b))
	// A name may contain a password, so the message does not quote it.
	return model.RefusedError("a PostgreSQL server that exists is measured as an application, and not as storage", command)
}

// CheckComparison refuses a directory that is not a comparison which has ended.
func CheckComparison(dir string) error {
	if !store.IsComparison(dir) {
		hint := "name two targets or two run directories: loadline compare A B"
		if dir == "app" {
			hint += "; or an application and two places: loadline compare app postgres A B"
		}
		if store.IsRun(dir) {
			return model.RefusedError(fmt.Sprintf("%s is one run: there is nothing to compare it with", dir), hint)
		}
		return model.RefusedError(fmt.Sprintf("%s is not the folder of a saved comparison: it has no runs %s and %s", dir, store.BaselineDir, store.CandidateDir), hint)
	}
	for _, side := range store.Sides {
		if store.Running(filepath.Join(dir, side)) {
			return model.RefusedError(fmt.Sprintf("the comparison in %s is still in progress", dir), "wait for its end, or interrupt it")
		}
	}
	return nil
}

// RefuseSaved refuses to measure what is saved already: the disk below a saved run is measured in another directory.
func RefuseSaved(exp model.Experiment) error {
	for _, name := range Targets(exp) {
		switch {
		case Paired(exp) && (store.IsRun(name) || store.IsComparison(name)):
			return model.RefusedError(fmt.Sprintf("%s is a saved run, and only targets are measured", name), "to compare saved runs: "+comparingRuns(exp.Baseline, exp.Target))
		case !Paired(exp) && holdsRun(name):
			return model.RefusedError(fmt.Sprintf("%s is a saved run (it holds a plan and a record of Loadline's), and only targets are measured", name),
				"to see it: loadline report "+safetext.ShellWord(name)+"; to measure the disk that it is on, name another directory there")
		}
	}
	return nil
}

func holdsRun(dir string) bool {
	f, err := store.Open(dir)
	if err != nil {
		return false
	}
	defer f.Close()
	return f.HoldsRun()
}

// comparingRuns is the command that compares two saved runs, or its form if one of the two is none.
func comparingRuns(a, b string) string {
	if !store.IsRun(a) || !store.IsRun(b) {
		a, b = "A", "B"
	}
	return "loadline compare " + safetext.ShellWord(a) + " " + safetext.ShellWord(b)
}
