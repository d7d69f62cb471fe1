package conventions

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestOutsideRulesBite runs scripts/outside on a small module that breaks its rules: exactly
// the marked lines are refused, by whatever name a package is imported.
func TestOutsideRulesBite(t *testing.T) {
	dir := t.TempDir()
	forbidigo, tree := filepath.Join(dir, "forbidigo"), filepath.Join(dir, "tree")
	build := exec.Command("go", "build", "-o", forbidigo, "github.com/ashanbrown/forbidigo/v2")
	build.Dir = root
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	const uses = `package %s

import (
	"context"
	"os"
	"os/exec"
	"syscall"
	"time"
	clock "time"
)

type fixed struct{}

func (fixed) Now() int { return 0 }

func Use(ctx context.Context) {
	_ = time.Now()                         // refused
	_ = time.Since(time.Time{})            // refused
	_ = time.Until(time.Time{})            // refused
	_ = clock.Now                          // refused
	clock.Sleep(0)                         // refused
	_ = time.After(0)                      // refused
	_ = time.AfterFunc(0, nil)             // refused
	_ = time.Tick(1)                       // refused
	_ = time.NewTimer(0)                   // refused
	_ = time.NewTicker(1)                  // refused
	_ = os.Getenv("HOME")                  // refused
	_, _ = os.LookupEnv("HOME")            // refused
	_ = os.Environ()                       // refused
	_ = os.Args                            // refused
	_ = os.Stdin                           // refused
	_ = os.Stdout                          // refused
	_ = os.Stderr                          // refused
	_, _ = os.Hostname()                   // refused
	_, _ = os.StartProcess("", nil, nil)   // refused
	_ = exec.Command("true")               // refused
	_ = exec.CommandContext(ctx, "true")   // refused
	_, _ = exec.LookPath("true")           // refused
	_ = syscall.Exec("", nil, nil)         // refused
	_ = time.Unix(0, 0)
	_, _ = os.Getwd()
	var c *exec.Cmd
	_ = c
	{
		time := fixed{}
		_ = time.Now()
	}
}
`
	write(t, filepath.Join(tree, "go.mod"), "module "+module+"\n\ngo 1.26\n")
	write(t, filepath.Join(tree, "internal/bad/bad.go"), fmt.Sprintf(uses, "bad"))
	write(t, filepath.Join(tree, "cmd/worse/worse.go"), fmt.Sprintf(uses, "worse"))
	for path, name := range map[string]string{"internal/env/env.go": "env", "internal/bad/badtest/x.go": "badtest", "internal/bad/bad_test.go": "bad_test"} {
		write(t, filepath.Join(tree, path), fmt.Sprintf(uses, name))
	}
	script, err := filepath.Abs(filepath.Join(root, "scripts/outside"))
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(script)
	cmd.Dir, cmd.Env = tree, append(os.Environ(), "FORBIDIGO="+forbidigo)
	out, err := cmd.CombinedOutput()
	if err == nil {
		t.Error("it ends with 0 on a module that breaks the rules")
	}
	refused := map[string]bool{}
	for _, match := range regexp.MustCompile(`(?m) at \S*/(\w+\.go:\d+):\d+$`).FindAllStringSubmatch(string(out), -1) {
		refused[match[1]] = true
	}
	want := map[string]bool{}
	for number, line := range strings.Split(uses, "\n") {
		if strings.HasSuffix(line, "// refused") {
			want[fmt.Sprintf("bad.go:%d", number+1)], want[fmt.Sprintf("worse.go:%d", number+1)] = true, true
		}
	}
	if diff := cmp.Diff(want, refused); diff != "" {
		t.Errorf("refused lines (-want +got):\n%s\n%s", diff, out)
	}
}

// TestFewHaveAClockOfTheirOwn lists the packages that need real time, whatever clock a
// run is given; all others use the clock that they are given. A new entry is an exception that
// its comment has to justify.
func TestFewHaveAClockOfTheirOwn(t *testing.T) {
	own := regexp.MustCompile(`(?m)env\.Clock\{\}|^var \w+ env\.Clock|//permit`)
	want := []string{
		"internal/cli/interrupt.go",           // how long a user at a terminal waits
		"internal/measure/engine/doc.go",      // workers on other machines
		"internal/measure/session/doc.go",     // storage systems and other users' workers
		"internal/measure/volume/doc.go",      // the kernel and udev
		"internal/measure/volume/nbd/conn.go", // a socket's deadline
		"internal/show/serve/server.go",       // visitors and their connections
	}
	var have []string
	sources(t, func(path string, text []byte) {
		if strings.HasPrefix(path, "internal/") && !strings.HasPrefix(path, "internal/env/") && strings.HasSuffix(path, ".go") &&
			!strings.HasSuffix(path, "_test.go") && !strings.HasSuffix(filepath.Dir(path), "test") && own.Match(text) {
			have = append(have, path)
		}
	})
	slices.Sort(have)
	if diff := cmp.Diff(want, have); diff != "" {
		t.Errorf("files with a clock of their own (-want +got):\n%s", diff)
	}
}
