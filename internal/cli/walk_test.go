package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/loadline/loadline/internal/env"
)

// inManual returns the commands of a walkthrough in the README, which begins at its marker.
func inManual(t *testing.T, walk string) [][]string {
	t.Helper()
	text, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, after, found := strings.Cut(string(text), "<!-- begin walk "+walk+" -->\n")
	block, _, ended := strings.Cut(after, "<!-- end walk -->")
	if !found || !ended {
		t.Fatalf("the README has lost its walk %q", walk)
	}
	var commands [][]string
	for _, m := range regexp.MustCompile(`(?m)^\$ loadline (.*)$`).FindAllStringSubmatch(block, -1) {
		line, _, _ := strings.Cut(m[1], "   #")
		var words []string
		for _, w := range regexp.MustCompile(`'([^']*)'|(\S+)`).FindAllStringSubmatch(line, -1) {
			words = append(words, w[1]+w[2])
		}
		commands = append(commands, words)
	}
	if len(commands) < 2 {
		t.Fatalf("the walk %q has %d commands", walk, len(commands))
	}
	return commands
}

// planned runs the plan of a command: nothing is measured, but everything that its flags, files
// and rights would cause to be refused is.
func planned(t *testing.T, args []string) (code int, stderr string) {
	t.Helper()
	e := env.OS()
	var out, errs bytes.Buffer
	e.Args, e.Stdin, e.Stdout, e.Stderr, e.Output = args, strings.NewReader(""), &out, &errs, env.Terminal{Width: 80, Unicode: true}
	code = Run(t.Context(), e)
	return code, out.String() + errs.String()
}

// TestTheWalksOnThisMachineArePlanned plans the README's walkthroughs on a laptop and on a host;
// TestExamples of test/truth runs them.
func TestTheWalksOnThisMachineArePlanned(t *testing.T) {
	dir := t.TempDir()
	for _, walk := range []string{"laptop", "host"} {
		plans := 0
		for _, words := range inManual(t, walk) {
			at := slices.IndexFunc(words, func(w string) bool { return w == "." || strings.HasPrefix(w, "/var/lib/") })
			if words[0] != "run" || at < 0 {
				continue
			}
			plans++
			args := slices.Concat([]string{"plan", dir, "--size", "32MiB"}, words[1:at], words[at+1:])
			if code, stderr := planned(t, args); code != 0 {
				t.Errorf("the walk %q, %q: exit code %d: %s", walk, words, code, stderr)
			}
		}
		if plans == 0 {
			t.Errorf("the walk %q has nothing to plan", walk)
		}
	}
}

// TestTheWalkInAClusterIsPlanned plans the README's walkthrough with a StorageClass against a server
// that has the class and refuses to create anything.
func TestTheWalkInAClusterIsPlanned(t *testing.T) {
	s, file := playedCluster(t, storageClass("fast", "example.com/disk"), storageClass("local-path", "example.com/disk"))
	plans := 0
	for _, words := range inManual(t, "class") {
		if words[0] != "plan" && words[0] != "run" {
			continue
		}
		// A plan has no baseline: each side is planned.
		targets := []string{words[1]}
		if at := slices.Index(words, "--baseline"); at > 0 {
			targets = append(targets, words[at+1])
			words = slices.Delete(words, at, at+2)
		}
		for _, target := range targets {
			args := slices.Concat([]string{"plan", target}, words[2:], []string{"--kubeconfig", file, "--image", "loadline:test"})
			plans++
			if code, stderr := planned(t, args); code != 0 || len(changes(s)) > 0 {
				t.Errorf("%q: exit code %d, %q made: %s", args, code, changes(s), stderr)
			}
		}
	}
	if plans < 2 {
		t.Errorf("%d plans: this test does not look where it should", plans)
	}
}

// TestTheExampleFilesArePlanned plans every profile and job file of examples/.
func TestTheExampleFilesArePlanned(t *testing.T) {
	readme, err := os.ReadFile("../../examples/README.md")
	if err != nil {
		t.Fatal(err)
	}
	seen := 0
	for flag, pattern := range map[string]string{"--profile": "profiles/*.yaml", "--job": "fio/*.fio", "": "kubernetes/*.yaml"} {
		files, err := filepath.Glob("../../examples/" + pattern)
		if err != nil || len(files) == 0 {
			t.Fatal(pattern, files, err)
		}
		for _, file := range files {
			seen++
			if name := strings.TrimPrefix(file, "../../examples/"); !strings.Contains(string(readme), "("+name+")") {
				t.Errorf("examples/README.md does not speak of %s", name)
			}
			if flag == "" {
				continue
			}
			if code, stderr := planned(t, []string{"plan", t.TempDir(), flag, file, "--size", "64MiB"}); code != 0 {
				t.Errorf("%s: exit code %d: %s", file, code, stderr)
			}
		}
	}
	if rows := strings.Count(string(readme), "\n| ["); rows != seen {
		t.Errorf("examples/README.md has %d rows for %d files", rows, seen)
	}
}
