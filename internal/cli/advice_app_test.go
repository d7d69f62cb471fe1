package cli

import (
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/loadline/loadline/internal/cli/flags"
	"github.com/loadline/loadline/internal/env"
)

// TestAdvisedApplicationsCanBePlanned passes every command about a database that a rule may
// advise (internal/judge/trust keeps them in a file) through a shell, and lets plan check all
// that app would: the server's settings, its volume, its pod and its loads.
func TestAdvisedApplicationsCanBePlanned(t *testing.T) {
	text, err := os.ReadFile("../judge/trust/testdata/advice_app.txt")
	if err != nil {
		t.Fatal(err)
	}
	_, file := playedCluster(t, storageClass("fast", "example.com/csi"))
	n := 0
	for line := range strings.Lines(string(text)) {
		n++
		typed := strings.ReplaceAll(strings.TrimSpace(line), "@DIR@", t.TempDir())
		typed = strings.ReplaceAll(typed, "--scale N", "--scale 20")
		words, err := exec.Command("sh", "-c", strings.Replace(typed, "loadline ", "printf '%s\\0' ", 1)).Output()
		if err != nil {
			t.Fatalf("%s: %v", typed, err)
		}
		args := append([]string{"plan"}, strings.Split(strings.TrimSuffix(string(words), "\x00"), "\x00")...)
		if strings.Contains(typed, "sc:fast") {
			args = append(args, "--kubeconfig", file, "--worker-image", "loadline:test")
		} else if _, err := exec.LookPath("pgbench"); err != nil {
			continue
		}
		e, stdout, stderr := world(args...)
		if code := Run(t.Context(), e); code != exitOK {
			t.Errorf("%s: exit code %d\n%s", line, code, stderr)
		}
		if strings.Contains(typed, "sc:fast") && !strings.Contains(stdout.String(), "image: mine:1") {
			t.Errorf("%s: this is about another server:\n%s", line, stdout)
		}
	}
	if n < 6 {
		t.Fatalf("only %d commands: this test does not look where it should", n)
	}
}

// inWords matches one of our commands in a sentence, up to the punctuation that ends it.
var inWords = regexp.MustCompile(`\bloadline ((?:[a-z-]+)(?: [^;,:()\n]*)?)`)

// TestCommandsInSentencesExist checks that every command in the program's messages (errors, advice, or
// how to measure what is missing in explain, predict, trace, doctor …) has a verb and flags
// that exist.
func TestCommandsInSentencesExist(t *testing.T) {
	root := Commands(env.OS())
	seen := map[string]bool{}
	textsInSources(t, nil, func(path, text string) {
		for _, m := range inWords.FindAllStringSubmatch(text, -1) {
			words := strings.Fields(m[1])
			c, rest := verbOf(root, words)
			if c == root || slices.Contains([]string{"config", "job", "exporter"}, c.Name()) {
				continue // a sentence about loadline, or a command whose arguments are another command
			}
			seen[c.CommandPath()] = true
			for _, w := range rest {
				name, isFlag := strings.CutPrefix(strings.Trim(w, "'`."), "--")
				name, _, _ = strings.Cut(name, "=")
				if isFlag && name != "" && name != ">" && !strings.Contains(name, "%") && !slices.Contains(flags.Names(c), name) && c.InheritedFlags().Lookup(name) == nil {
					t.Errorf("%s: %q has --%s, which %s does not know", path, m[0], name, c.CommandPath())
				}
			}
		}
	})
	for _, verb := range []string{"run", "compare", "sweep", "scale", "app postgres", "trace", "explain", "predict postgres", "doctor", "analyze", "cleanup", "fetch", "serve", "durability"} {
		if !seen["loadline "+verb] {
			t.Errorf("no sentence has loadline %s: this test does not look where it should", verb)
		}
	}
}

// verbOf returns the command that words begin with, and the remaining words; the root if there is none.
func verbOf(root *cobra.Command, words []string) (*cobra.Command, []string) {
	c := root
	for len(words) > 0 {
		i := slices.IndexFunc(c.Commands(), func(sub *cobra.Command) bool { return sub.Name() == words[0] })
		if i < 0 {
			break
		}
		c, words = c.Commands()[i], words[1:]
	}
	return c, words
}
