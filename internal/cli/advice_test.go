package cli

import (
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/loadline/loadline/internal/cli/flags"
	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/flagtable"
)

// TestAdvisedCommandsWork passes every command that a rule may advise (internal/judge/trust
// keeps them in a file) through a shell, as a user would, and runs it on a fake
// device: none may be refused or lack a flag that it needs.
func TestAdvisedCommandsWork(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../judge/trust/testdata/advice.txt")
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for line := range strings.Lines(string(text)) {
		// The comment after a command is for the reader.
		command, _, _ := strings.Cut(strings.TrimSpace(line), "   # ")
		// The rules' tests have a workload with a rate, which no profile has.
		lines = append(lines, strings.ReplaceAll(command, "rand-read-rate", "rand-write-lat"))
	}
	slices.Sort(lines)
	if lines = slices.Compact(lines); len(lines) < 50 {
		t.Fatalf("only %d commands: this test does not look where it should", len(lines))
	}
	results := t.TempDir()
	for _, line := range lines {
		// The device has no faults, so that an exit code other than 0 is due to the command.
		typed := strings.ReplaceAll(line, "@TARGET@", "'fake:?iops=3000&cv=0.005'")
		typed = strings.ReplaceAll(typed, "''fake:?iops=3000&cv=0.005'&seed=2'", "'fake:?iops=3000&cv=0.005&seed=2'")
		e, _, stderr := world(append(shellWords(t, typed), "-q", "--results", results, "--seed", "5")...)
		if code := Run(t.Context(), e); code != exitOK {
			t.Errorf("%s: exit code %d\n%s", line, code, stderr)
		}
	}
}

// shellWords returns the arguments that a shell passes to loadline when a command is typed.
func shellWords(t *testing.T, command string) []string {
	t.Helper()
	words, err := exec.Command("sh", "-c", strings.Replace(command, "loadline ", "printf '%s\\0' ", 1)).Output()
	if err != nil {
		t.Fatalf("%s: %v", command, err)
	}
	return strings.Split(strings.TrimSuffix(string(words), "\x00"), "\x00")
}

// TestTheComparisonOfTwoRunsCanBeTyped checks that, whatever flags two runs were typed with, the comparison
// advised in their place has no flag that compare refuses or does not know, and that display flags
// and permissions of one run do not prevent the advice.
func TestTheComparisonOfTwoRunsCanBeTyped(t *testing.T) {
	e, _, _ := world()
	flagsOf := func(name string) []string {
		c, _, err := Commands(e).Find([]string{name})
		if err != nil {
			t.Fatal(err)
		}
		return flags.Names(c)
	}
	plain := model.CommandLine{"loadline", "run", "/srv/a"}
	known := flagsOf("compare")
	// These go with --in-cluster and with --experiment.
	known = slices.DeleteFunc(known, func(name string) bool {
		return slices.Contains([]string{"detach", "hold", "service-account", "allow-programs"}, name)
	})
	for _, name := range flagsOf("run") {
		typed := append(slices.Clone(plain), "--"+name+"=x")
		for _, word := range typed.Against(typed, "/srv/a", "/srv/b") {
			if flag, _, _ := strings.Cut(strings.TrimPrefix(word, "--"), "="); strings.HasPrefix(word, "--") && !slices.Contains(known, flag) {
				t.Errorf("of two runs with --%s a comparison with %s is advised", name, word)
			}
		}
		if group := flags.GroupOf(name); (group == flagtable.Output || group == flagtable.Safety) && typed.Against(plain, "/srv/a", "/srv/b") == nil {
			t.Errorf("a run with --%s cannot be compared with one without", name)
		}
	}
}
