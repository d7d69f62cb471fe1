package cli

import (
	"context"
	"errors"
	"flag"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/loadline/loadline/internal/env"
	"github.com/loadline/loadline/test/lab"
)

// sideBySide is how many parallel tests run at once, however few processors there are: they
// mostly wait for commands, which mostly wait themselves.
const sideBySide = 6

func TestMain(m *testing.M) {
	if err := flag.Set("test.parallel", strconv.Itoa(sideBySide)); err != nil {
		panic(err)
	}
	lab.Share()
	testscript.Main(m, map[string]func(){
		"loadline": func() {
			ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
			defer stop()
			os.Exit(Run(ctx, env.OS()))
		},
	})
}

// TestScript runs the files of testdata/script: whole commands, their output and
// their exit codes. "exits N CMD…" runs a command that must end with code N. "advised N FILE COMMAND
// [WORD=TEXT…]" finds the command, a regular expression, in what was printed, replaces placeholders such as TARGET, and
// gives the last match to a shell, as a user would; it must end with code N.
// $DOCS is the folder of the manuals, $FOREIGN that of other tools' results.
func TestScript(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script",
		Setup: func(e *testscript.Env) error {
			docs, err := filepath.Abs("../../docs")
			foreign, err2 := filepath.Abs("../foreign/imported/testdata")
			e.Setenv("DOCS", docs)
			if program, err := exec.LookPath("loadline"); err == nil {
				e.Setenv("LOADLINE", program)
			}
			e.Setenv("FOREIGN", foreign)
			return errors.Join(err, err2)
		},
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){
			"exits":   exits,
			"advised": advised,
		},
	})
}

func exits(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) < 2 || neg {
		ts.Fatalf("usage: exits CODE COMMAND [ARG…]")
	}
	want, err := strconv.Atoi(args[0])
	if err != nil {
		ts.Fatalf("exits: %v", err)
	}
	got := 0
	if err := ts.Exec(args[1], args[2:]...); err != nil {
		var exit *exec.ExitError
		if !errors.As(err, &exit) {
			ts.Fatalf("%s: %v", args[1], err)
		}
		got = exit.ExitCode()
	}
	if got != want {
		ts.Fatalf("%s ended with code %d, want %d", args[1], got, want)
	}
}
