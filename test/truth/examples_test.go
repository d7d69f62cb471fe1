package truth

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/loadline/loadline/test/lab"
)

// Every example of the README and of every verb's help is run as it stands, with
// the paths replaced by ones that exist here and the time cut short.
func TestExamples(t *testing.T) {
	lab.Need(t, "fio")
	device := lab.LoopOnFile(t, 64<<20)
	data, results := t.TempDir(), t.TempDir()
	first := command(t.Context(), t, "run", data, "--profile", "quick", "--only", "*rand-read-iops,*rand-write-iops", "--size", "32M", "--max-time", "12s", "--results", results)
	saved, err := filepath.Glob(filepath.Join(results, "*"))
	if err != nil || len(saved) != 1 {
		t.Fatalf("no run to analyze: exit code %d, %v", first.code, saved)
	}
	for _, example := range examples(t) {
		t.Run(example, func(t *testing.T) {
			args := split(example)[1:]
			for i, a := range args {
				switch {
				case strings.HasPrefix(a, "loadline-results/"):
					args[i] = saved[0]
				case a == "/var/lib/postgresql", a == ".":
					args[i] = data
				case a == "/dev/sdX":
					args[i] = device
				case a == "/mnt/other": // another disk than the device's
					args[i] = lab.Tmpfs(t, 64<<20)
				case a == "sleep 600":
					args[i] = "sleep 0.1"
				}
			}
			if args[0] == "durability" {
				args = append(args, "--writes", "50")
				if !slices.Contains(args, "--results") {
					args = append(args, "--results", t.TempDir())
				}
			}
			if args[0] == "run" {
				args = append(args, "--max-time", "60s", "--results", t.TempDir())
				if !slices.Contains(args, "--only") {
					args = append(args, "--only", "*rand-read-iops,*rand-write-iops", "--max-time", "12s")
				} else {
					args = append(args, "--skip", "*-bw,*seq*", "--max-time", "12s")
				}
				args = append(args, "--size", "32M")
			}
			// A device on a file of a busy machine may be too noisy or too small to be valid.
			if o := command(t.Context(), t, args...); o.code != 0 && o.code != 5 {
				t.Errorf("exit code %d: %s", o.code, o.stderr)
			}
		})
	}
}

// examples gathers the lines that show a loadline command.
func examples(t *testing.T) []string {
	t.Helper()
	readme, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	var found []string
	for _, m := range regexp.MustCompile(`(?m)^\$ (loadline .*)$`).FindAllStringSubmatch(string(readme), -1) {
		found = append(found, m[1])
	}
	if len(found) < 5 {
		t.Errorf("the README shows %d commands", len(found))
	}
	for _, verb := range []string{"run", "plan", "analyze", "doctor", "cleanup", "completion", "durability"} {
		help := command(t.Context(), t, verb, "--help").stdout
		_, after, _ := strings.Cut(help, "Examples:\n")
		shown, _, _ := strings.Cut(after, "\n\n")
		lines := strings.Split(strings.TrimSpace(shown), "\n")
		if len(lines) < 2 || !strings.Contains(help, "Exit codes:") {
			t.Errorf("loadline %s --help shows fewer than two examples, or no exit codes:\n%s", verb, help)
		}
		for _, l := range lines {
			found = append(found, strings.TrimSpace(l))
		}
	}
	slices.Sort(found)
	return slices.Compact(found)
}

// split takes a command line apart at blanks, with single quotes.
func split(line string) []string {
	var words []string
	for _, m := range regexp.MustCompile(`'([^']*)'|(\S+)`).FindAllStringSubmatch(line, -1) {
		words = append(words, m[1]+m[2])
	}
	return words
}
