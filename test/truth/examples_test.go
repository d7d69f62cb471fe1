package truth

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/loadline/loadline/test/lab"
)

// Every example of the README and of every verb's help is run as it is, with
// the paths replaced by ones that exist here and the time cut short.
func TestExamples(t *testing.T) {
	lab.Need(t, "fio")
	defer scheduleSubtests(t)()
	lab.Lock(t)
	var saved []string
	for seed := range 2 {
		results := t.TempDir()
		o := command(t.Context(), t, "run", fmt.Sprintf("fake:?iops=3000&cv=0.02&seed=%d", seed+1), "--profile", "quick", "--results", results)
		runs, err := filepath.Glob(filepath.Join(results, "*"))
		if err != nil || len(runs) != 1 {
			t.Fatalf("no run to analyze: exit code %d, %v", o.code, runs)
		}
		saved = append(saved, runs[0])
	}
	for _, example := range examples(t) {
		t.Run(example, func(t *testing.T) {
			seconds := 1
			if strings.Contains(example, " run ") || strings.Contains(example, " compare /") {
				seconds = 18
			}
			if strings.Contains(example, " app ") {
				seconds = 50
			}
			takeSlots(t, demand{class: bestEffort, seconds: seconds})
			here := stage{data: t.TempDir(), old: t.TempDir(), imports: t.TempDir(), saved: saved}
			if strings.Contains(example, "--goal") {
				// This rate is always reached, however busy this machine is.
				here.data = lab.Filesystem(t, lab.Block(t, lab.Throttled(t, lab.Throttle{IOPS: 3000, Size: 128 << 20})), "ext4")
			}
			if strings.Contains(example, " app ") {
				// PostgreSQL's own user has to reach them.
				here.data, here.old = lab.ServerDir(t), lab.ServerDir(t)
			}
			if strings.Contains(example, "/dev/sdX") {
				here.device = lab.LoopOnFile(t, 64<<20)
			}
			if strings.Contains(example, "/mnt/other") {
				here.other = lab.Tmpfs(t, 64<<20)
			}
			args := here.adapt(split(example)[1:])
			switch {
			case slices.Contains(args, "--experiment"):
				// The experiment defines what is measured.
			case args[0] == "run" && slices.Contains(args, "--only"):
				args = append(args, "--skip", "*-bw,*seq*,*write*", "--size", "32M", "--max-time", "12s")
			case args[0] == "run" && slices.Contains(args, "--job"):
				args = append(args, "--size", "32M", "--max-time", "12s")
			case args[0] == "compare" && slices.Contains(args, "app"):
				// Two loads on two servers take at least 80 s.
				if i := slices.Index(args, "1,16"); i > 0 {
					args[i] = "1"
				}
				args = append(args, "--scale", "1", "--max-time", "40s")
			case args[0] == "compare" && slices.Contains(args, here.old):
				args = append(append(args, brief...), "--max-time", "16s")
			case args[0] == "run":
				args = append(args, brief...)
			}
			if args[0] == "durability" {
				args = append(args, "--writes", "50")
			}
			if args[0] == "run" || args[0] == "sweep" || args[0] == "scale" || args[0] == "import" && !slices.Contains(args, "--into") || slices.Contains(args, here.old) || args[0] == "durability" && !slices.Contains(args, "--results") {
				args = append(args, "--results", t.TempDir())
			}
			ctx := t.Context()
			if args[0] == "serve" {
				// A server runs until it is told to end.
				args = append([]string{"serve", filepath.Dir(saved[0])}, "--listen", "127.0.0.1:0")
				short, cancel := context.WithTimeout(ctx, time.Second)
				defer cancel()
				ctx = short
			}
			// On a busy machine a number may be invalid, and two runs may differ.
			if o := command(ctx, t, args...); o.code != 0 && o.code != 5 && (args[0] != "compare" || o.code != 4) {
				t.Errorf("exit code %d: %s\n%s", o.code, o.stderr, o.stdout)
			}
		})
	}
}

// brief reduces a whole profile to one workload, about eight seconds.
var brief = []string{"--only", "*rand-read-iops", "--size", "32M", "--max-time", "8s"}

// stage has the replacements for the paths of one example, for its exclusive use.
type stage struct {
	data, old, other, device string
	// imports is where imports are saved.
	imports string
	saved   []string
}

// adapt replaces the paths of an example.
func (s stage) adapt(args []string) []string {
	runs := 0
	for i, a := range args {
		switch {
		case (args[0] == "sweep" || args[0] == "scale") && i > 0 && (strings.HasPrefix(a, "/") || strings.HasPrefix(a, "sc:")):
			// Their many repeats take minutes of real time, and a class is in a cluster.
			args[i] = fmt.Sprintf("fake:?iops=3000&cv=0.02&seed=%d", i)
		case strings.HasPrefix(a, "loadline-results/"):
			args[i] = s.saved[runs%len(s.saved)]
			runs++
		case a == "/var/lib/postgresql", a == "/srv/new", a == ".":
			args[i] = s.data
		case a == "/srv/old":
			args[i] = s.old
		case a == "/mnt/other":
			// The ledger must not be on the device under test.
			args[i] = s.other
		case strings.HasPrefix(a, "docs/"):
			args[i] = filepath.Join("../..", a)
		case a == "/dev/sdX":
			args[i] = s.device
		case strings.HasPrefix(a, "longhorn="):
			args[i] = "longhorn=" + foreign("raw-block-iops.json")
		case strings.HasPrefix(a, "A="), strings.HasPrefix(a, "B="):
			args[i] = a[:2] + foreign("kbench.summary")
		case a == "whitepaper.md":
			args[i] = foreign(a)
		case a == "bake-off":
			args[i] = filepath.Join(s.imports, fmt.Sprint(len(args)))
		case a == "sleep 600":
			// There is no power to cut here.
			args[i] = "sleep 0.1"
		}
	}
	return args
}

// foreign returns a file of another tool's results.
func foreign(name string) string {
	return filepath.Join("../../internal/foreign/imported/testdata", name)
}

// examples returns the lines that show a loadline command.
func examples(t *testing.T) []string {
	t.Helper()
	readme, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	var found []string
	for _, m := range regexp.MustCompile(`(?m)^\$ (loadline .*)$`).FindAllStringSubmatch(string(readme), -1) {
		// Examples in a cluster are planned by a test of internal/cli.
		if words := strings.Fields(m[1]); !slices.ContainsFunc(words[1:], func(w string) bool { return strings.HasPrefix(w, "sc:") || strings.HasPrefix(w, "pvc:") }) {
			found = append(found, m[1])
		}
	}
	if len(found) < 5 {
		t.Errorf("the README shows %d commands", len(found))
	}
	for _, verb := range []string{"run", "plan", "analyze", "doctor", "cleanup", "completion", "licenses", "compare", "durability", "serve", "size", "report", "import", "sweep", "scale"} {
		help := command(t.Context(), t, verb, "--help").stdout
		_, after, _ := strings.Cut(help, "Examples:\n")
		shown, _, _ := strings.Cut(after, "\n\n")
		lines := strings.Split(strings.TrimSpace(shown), "\n")
		if len(lines) < 2 || !strings.Contains(help, "Exit codes:") {
			t.Errorf("loadline %s --help shows fewer than two examples, or no exit codes:\n%s", verb, help)
		}
		for _, l := range lines {
			// An existing server is tested by internal/cli, with its cleanup.
			if !strings.Contains(l, "postgres://") {
				found = append(found, strings.TrimSpace(l))
			}
		}
	}
	slices.Sort(found)
	return slices.Compact(found)
}

// split splits a command line at blanks, respecting single quotes.
func split(line string) []string {
	var words []string
	for _, m := range regexp.MustCompile(`'([^']*)'|(\S+)`).FindAllStringSubmatch(line, -1) {
		words = append(words, m[1]+m[2])
	}
	return words
}
