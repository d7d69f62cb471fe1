package cli

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/loadline/loadline/internal/model/safetext"
)

// After an interruption during a cut, the advice can be pasted, from any directory: it names the target and the ledger.
func TestTheAdviceAfterAnInterruptedCut(t *testing.T) {
	// The cut must not take the ledger, so it has to be on another filesystem.
	results, err := os.MkdirTemp("/dev/shm", "it's results")
	if err != nil {
		t.Skip(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(results) })
	t.Chdir(t.TempDir())
	if err := os.Mkdir("data", 0o700); err != nil {
		t.Fatal(err)
	}
	target, err := filepath.Abs("data")
	if err != nil {
		t.Fatal(err)
	}
	said := func(want int, patterns []string, args ...string) {
		t.Helper()
		// A process of its own: it is interrupted, and starts itself as the writer.
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		cmd := exec.CommandContext(ctx, "loadline", args...)
		all, _ := cmd.CombinedOutput()
		out, code := string(all), cmd.ProcessState.ExitCode()
		for _, p := range patterns {
			if !regexp.MustCompile(p).MatchString(out) {
				t.Errorf("%q does not say %s:\n%s", args, p, out)
			}
		}
		if code != want || strings.Contains(out, "TARGET") || strings.Contains(out, "…") {
			t.Errorf("%q: exit code %d\n%s", args, code, out)
		}
	}
	relative, err := filepath.Rel(filepath.Dir(target), results)
	if err != nil {
		t.Fatal(err)
	}
	said(exitInterrupted, []string{`ran +interrupted: a cut had begun, and was not checked`, `proves +nothing yet: a cut had begun`, `loadline: interrupted: a cut had begun`},
		"durability", "data", "--writes", "50", "--cut", "kill -INT $PPID; sleep 20", "--results", relative)
	tests, _ := filepath.Glob(filepath.Join(results, "*-durability"))
	if len(tests) != 1 {
		t.Fatalf("tests: %v", tests)
	}
	resume := regexp.QuoteMeta("loadline durability " + safetext.ShellWord(target) + " --resume " + safetext.ShellWord(tests[0]))
	said(exitOK, []string{`next: bring the target back and check:\s+` + resume}, "analyze", tests[0])
	said(exitOK, []string{"kept .*: a durability test still has to check it", `next:\s+` + resume}, "cleanup", "data")
	said(exitUsage, []string{`next: name the target of the ledger:\s+` + resume}, "durability", results, "--resume", tests[0])
	notes, _ := filepath.Glob("data/.loadline-*.ledger")
	for _, note := range notes {
		if err := os.Remove(note); err != nil {
			t.Fatal(err)
		}
	}
	said(exitOK, []string{`next: find the ledger .*: grep -lF ` + target + `/\.loadline-.*\.data loadline-results/.*: loadline durability ` + target + " --resume LEDGER"}, "cleanup", "data")
	t.Chdir("/")
	said(exitOK, []string{"unproven: nothing was lost"}, "durability", target, "--resume", tests[0])
	empty(t, target)
}
