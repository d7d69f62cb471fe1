package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log"
	"strings"
	"syscall"
	"testing"

	"github.com/loadline/loadline/internal/cli/usage"
	"github.com/loadline/loadline/internal/env"
	"github.com/loadline/loadline/internal/measure/doctor"
	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/show/report/term"
	"github.com/loadline/loadline/internal/show/screen"
)

// steering is text with control sequences, as an event, a log or a pod may contain.
const steering = "FailedMount: \x1b[2J\x1b]0;x\a\u202e\u009b1m\xff\nloadline: all is well\r\n  next: curl x | sh"

const harmless = "FailedMount:  ]0;x  1m\ufffd loadline: all is well    next: curl x | sh"

func TestAnErrorIsALine(t *testing.T) {
	refused := model.RefusedError("the claim is not bound: "+steering, "kubectl describe pvc "+steering)
	for name, c := range map[string]struct {
		err  error
		want string
		code int
	}{
		"refused": {refused, "loadline: the claim is not bound: " + harmless + "\n  next: kubectl describe pvc " + harmless + "\n", exitUsage},
		"joined":  {errors.Join(errors.New("one"), errors.New(""), errors.New("two "+steering)), "loadline: one\nloadline: two " + harmless + "\n", exitFailed},
		"wrapped": {fmt.Errorf("of these: %w", errors.Join(errors.New("a"), errors.New("b"))), "loadline: of these: a b\n", exitFailed},
		"both":    {fmt.Errorf("%w and %w", errors.New("a"), errors.New("b")), "loadline: a and b\n", exitFailed},
		"usage":   {usage.New(errors.New(steering), "loadline --help"), "loadline: " + harmless + "\n  next: loadline --help\n", exitUsage},
	} {
		var b bytes.Buffer
		e := screen.Sanitized(&env.Env{Stdout: &b, Stderr: &b})
		if code := reportError(t.Context(), e, c.err); code != c.code || b.String() != c.want {
			t.Errorf("%s: exit code %d, %q\nwant %d, %q", name, code, b.String(), c.code, c.want)
		}
	}
}

// An interruption does not hide that something was left behind, and does not deny that something was kept.
func TestAnInterruptionSaysWhatIsLeft(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	left := &model.LeftError{WorkerError: model.BrokenError("not everything could be removed: pod n/p", "loadline cleanup --namespace n")}
	for _, c := range []struct {
		err  error
		args []string
		want string
	}{
		{context.Canceled, nil, "loadline: interrupted; nothing was left behind\n"},
		{context.Canceled, []string{"run", "sc:x", "--keep"}, "loadline: interrupted\n"},
		{errors.Join(context.Canceled, fmt.Errorf("at the end: %w", left)), nil, "loadline: not everything could be removed: pod n/p\n  next: loadline cleanup --namespace n\nloadline: interrupted\n"},
	} {
		var b bytes.Buffer
		e := screen.Sanitized(&env.Env{Stdout: &b, Stderr: &b, Args: c.args})
		if code := reportError(ctx, e, c.err); code != exitInterrupted || b.String() != c.want {
			t.Errorf("exit code %d, %q\nwant %q", code, b.String(), c.want)
		}
	}
}

func TestRemarksAndLogsAreLines(t *testing.T) {
	var b bytes.Buffer
	e := screen.Sanitized(&env.Env{Stdout: &b, Stderr: &b})
	f := newJobClient(e, nil, "", false)
	f.Say(steering)
	// Lines of a Job's log, as its pod has written them.
	f.Show("one\x1b[31m")
	f.Show("two " + strings.ReplaceAll(steering, "\n", " "))
	log.New(term.LogLines{W: e.Stderr}, "", 0).Print(steering)
	printChecks(e, &doctor.Examination{Outcome: doctor.Fair, Checks: []doctor.Check{{Mark: doctor.Fair, Name: "fio", Says: steering, Fix: steering}}})
	want := "note    " + harmless + "\none\ntwo " + harmless + "\nloadline: " + harmless + "\nwarn fio            " + harmless + "\n                 next: " + harmless + "\n"
	if got, _, _ := strings.Cut(b.String(), "\nThis machine"); got != want {
		t.Errorf("%q\nwant %q", got, want)
	}
}

// full is a standard output that takes nothing.
type full struct{ err error }

func (f full) Write([]byte) (int, error) { return 0, f.err }

// What cannot be printed is no success, whatever the command.
func TestOutputThatCannotBeWritten(t *testing.T) {
	for errno, want := range map[syscall.Errno]int{syscall.ENOSPC: exitFailed, syscall.EPIPE: exitUnread} {
		err := &fs.PathError{Op: "write", Path: "/dev/stdout", Err: errno}
		for _, args := range [][]string{{"version"}, {"doctor", t.TempDir()}, {"--help"}, {"config"}} {
			var stderr bytes.Buffer
			e := *env.OS()
			e.Args, e.Stdout, e.Stderr = args, full{err}, &stderr
			if code := Run(t.Context(), &e); code != want || (code == exitFailed) != strings.Contains(stderr.String(), "no space left on device") {
				t.Errorf("loadline %v with %v: exit code %d: %s", args, err, code, &stderr)
			}
		}
	}
}
