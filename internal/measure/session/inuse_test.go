package session

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/loadline/loadline/internal/cluster/kube"
	"github.com/loadline/loadline/internal/measure/observe"
)

// TestCleanupTakesNoRunInUse: host names and process IDs are reused, so a driver is known to be dead only
// if it was started on this very machine; for others the workers are asked.
func TestCleanupTakesNoRunInUse(t *testing.T) {
	ended := exec.Command("true")
	if err := ended.Run(); err != nil {
		t.Fatal(err)
	}
	here, name := hostname(), observe.Process(os.Getpid())
	if name == "" {
		t.Skip("skipped: processes have no name that lasts here")
	}
	place := observe.Place(name)
	gone := fmt.Sprintf("%s/%d/%s.1", here, ended.ProcessState.Pid(), place)
	again := fmt.Sprintf("%s/%d/%s.1", here, os.Getpid(), place)
	elsewhere := fmt.Sprintf("%s/%d/%s.1", here, ended.ProcessState.Pid(), "another-boot.4026531836")
	old := fmt.Sprintf("%s/%d", here, ended.ProcessState.Pid())
	running := func(driver string, age time.Duration) []kube.Object {
		return []kube.Object{{Kind: "claim", Name: "c", Run: "r", Driver: driver, Age: age}, {Kind: "pod", Name: "p", Run: "r", Driver: driver, Running: true, Age: age}}
	}
	const long = time.Hour
	for what, c := range map[string]struct {
		objects  []kube.Object
		attended bool
		fails    error
		// kept is a part of the reason why it is kept; empty if it may be removed.
		kept string
	}{
		"this process":                       {objects: running(driver(), long), kept: fmt.Sprintf("the process %d uses it", os.Getpid())},
		"a process that is gone":             {objects: running(gone, 0)},
		"one with a number that is ours now": {objects: running(again, 0)},
		"gone, and its worker is lost":       {objects: running(gone, 0), fails: errors.New("no route to host")},
		"another machine of this name":       {objects: running(elsewhere, long), attended: true, kept: "a run on " + here + " uses it"},
		"another machine, left alone":        {objects: running(elsewhere, long)},
		"another machine, just started":      {objects: running(elsewhere, time.Second), kept: "may be about to use it"},
		"another machine, not to be asked":   {objects: running(elsewhere, long), fails: errors.New("no route to host"), kept: "could not be asked (no route to host)"},
		"an older version's":                 {objects: running(old, long), attended: true, kept: "a run on " + here + " uses it"},
		"a claim whose pod is to come":       {objects: running(elsewhere, time.Second)[:1], kept: "may be waiting for it"},
		"a claim without a pod":              {objects: running(elsewhere, long)[:1]},
	} {
		t.Run(what, func(t *testing.T) {
			asked := false
			why := runsInUseBy(t.Context(), c.objects, func(_ context.Context, o kube.Object) (bool, error) {
				asked = asked || o.Name == "p"
				return c.attended, c.fails
			})["r"]
			if (why == "") != (c.kept == "") || !strings.Contains(why, c.kept) {
				t.Errorf("kept because %q, not %q", why, c.kept)
			}
			if len(c.objects) == 2 && !asked && what != "this process" {
				t.Error("its worker was not asked")
			}
		})
	}
}

// TestWorkerOutlivesItsConnection: a connection ends shortly after the process that opened it; a worker
// that another process has attached to stays.
func TestWorkerOutlivesItsConnection(t *testing.T) {
	name := observe.Process(os.Getpid())
	if name == "" {
		t.Skip("skipped: processes have no name that lasts here")
	}
	objects := []kube.Object{{Kind: "pod", Name: "p", Run: "r", Running: true, Driver: fmt.Sprintf("x/%d/%s.1", os.Getpid(), observe.Place(name))}}
	times := 0
	if alive := runsInUseBy(t.Context(), objects, func(context.Context, kube.Object) (bool, error) { times++; return times < 3, nil }); len(alive) != 0 || times != 3 {
		t.Errorf("%v after %d questions", alive, times)
	}
}
