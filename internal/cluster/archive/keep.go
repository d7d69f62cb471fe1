// Package archive keeps what a Job's pod has measured until somebody fetches it. Its
// opinion: results must not need storage of their own, which would be the storage under
// test as often as not; so the pod that made them waits, idle, for a stated time, and
// gives them away over the way that the workers are reached by, whole and with a sum of
// every file, or not at all.
//
// Everything goes by files in one directory, so that a second process in the pod (an
// exec) can ask, stop, take and let go; what it needs is the right to write there.
package archive

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/loadline/loadline/internal/env"
)

// The names of what is kept beside the results, and never given away.
const (
	folder      = ".kept"
	statusName  = "status.json"
	stopName    = "stop"
	releaseName = "release"
)

// lookEvery is the pause between two looks for a file.
const lookEvery = 250 * time.Millisecond

// Status tells how far the work is.
type Status struct {
	// Done tells that the work has ended, with the exit code Code.
	Done bool `json:"done"`
	Code int  `json:"code"`
	// Until is when the results go, if nobody fetches them.
	Until time.Time `json:"until,omitzero"`
}

// Options are what Keep needs. All are required.
type Options struct {
	// Dir is where the work writes its results.
	Dir string
	// Limit is how long the results wait to be fetched.
	Limit time.Duration
	Now   func() time.Time
	// Say is told, once, that the results wait.
	Say func(Status)
}

// Keep does the work and then keeps its results until they are released, the limit is
// over or ctx ends. It returns the work's exit code.
func Keep(ctx context.Context, o Options, work func(context.Context) int) (code int, err error) {
	state := filepath.Join(o.Dir, folder)
	if err := os.MkdirAll(state, 0o700); err != nil {
		return 0, fmt.Errorf("the results have no place in %s: %w", o.Dir, err)
	}
	for _, name := range []string{stopName, releaseName} {
		// A word that was for an earlier work is not for this one.
		if err := os.Remove(filepath.Join(state, name)); err != nil && !errors.Is(err, os.ErrNotExist) {
			return 0, err
		}
	}
	if err := write(state, Status{}); err != nil {
		return 0, err
	}
	working, stop := context.WithCancel(ctx)
	defer stop()
	go func() {
		if appears(working, filepath.Join(state, stopName)) {
			stop()
		}
	}()
	code = work(working)
	status := Status{Done: true, Code: code, Until: o.Now().Add(o.Limit)}
	if err := write(state, status); err != nil {
		return code, err
	}
	if ctx.Err() != nil {
		// The pod is being taken away, and nobody could fetch anything from it.
		return code, nil
	}
	o.Say(status)
	waiting, cancel := context.WithTimeout(ctx, o.Limit)
	defer cancel()
	appears(waiting, filepath.Join(state, releaseName))
	return code, nil
}

// system is the time in which other processes leave their words as files.
var system env.Clock

// Ask tells how far the work in a directory is. It waits for its end, at most for
// patience.
func Ask(ctx context.Context, dir string, patience time.Duration) (Status, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	for {
		s, err := read(dir)
		if err != nil || s.Done {
			return s, err
		}
		select {
		case <-ctx.Done():
			return s, nil
		case <-system.After(lookEvery):
		}
	}
}

// Stop tells the work to end; what it has until then stays.
func Stop(dir string) error { return leave(dir, stopName) }

// Release tells that the results need not be kept any longer.
func Release(dir string) error { return leave(dir, releaseName) }

func leave(dir, name string) error {
	if _, err := read(dir); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, folder, name), nil, 0o600)
}

func read(dir string) (s Status, err error) {
	data, err := os.ReadFile(filepath.Join(dir, folder, statusName))
	if err != nil {
		return s, fmt.Errorf("nothing is kept in %s: %w", dir, err)
	}
	return s, json.Unmarshal(data, &s)
}

// write replaces the status as a whole.
func write(state string, s Status) error {
	data, err := json.Marshal(s)
	if err != nil {
		return err
	}
	fresh := filepath.Join(state, statusName+".new")
	if err := os.WriteFile(fresh, data, 0o600); err != nil {
		return err
	}
	return os.Rename(fresh, filepath.Join(state, statusName))
}

// appears waits for a file; it is false when ctx ends first.
func appears(ctx context.Context, name string) bool {
	for {
		if _, err := os.Stat(name); err == nil {
			return true
		}
		select {
		case <-ctx.Done():
			return false
		case <-system.After(lookEvery):
		}
	}
}
