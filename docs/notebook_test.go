package docs_test

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/loadline/loadline/internal/cli"
	"github.com/loadline/loadline/internal/env"
	"github.com/loadline/loadline/test/lab"
)

// pythonWithPandas finds a Python in which the recipes run: the system's is not
// always the first on the PATH.
func pythonWithPandas(t *testing.T) string {
	t.Helper()
	for _, python := range []string{"python3", "/usr/bin/python3"} {
		if exec.Command(python, "-c", "import pandas").Run() == nil {
			return python
		}
	}
	lab.Unavailable(t, "there is no Python with pandas: apt-get install python3-pandas, or dnf install python3-pandas")
	return ""
}

// TestTheNotebookRecipesRun runs the Python of notebook.md, unchanged, on the
// files of a run of a device whose rate is known, and compares its output with that.
func TestTheNotebookRecipesRun(t *testing.T) {
	python := pythonWithPandas(t)
	dir := t.TempDir()
	do := func(args ...string) {
		t.Helper()
		var stderr strings.Builder
		world := env.OS()
		world.Args, world.Stdin, world.Stdout, world.Stderr = args, strings.NewReader(""), io.Discard, &stderr
		if code := cli.Run(context.Background(), world); code != 0 {
			t.Fatalf("loadline %s: exit code %d\n%s", strings.Join(args, " "), code, stderr.String())
		}
	}
	do("run", "fake:?iops=30000&cv=0.05&latency=0.0002&exponential=1", "--profile", "quick", "--seed", "1", "--quiet", "--results", filepath.Join(dir, "results"))
	runs, err := filepath.Glob(filepath.Join(dir, "results", "*"))
	if err != nil || len(runs) != 1 {
		t.Fatalf("%v %v", runs, err)
	}
	do("report", runs[0], "-o", filepath.Join(dir, "run.csv"))
	text, err := os.ReadFile("notebook.md")
	if err != nil {
		t.Fatal(err)
	}
	blocks := regexp.MustCompile("(?s)```python\n(.*?)```").FindAllStringSubmatch(string(text), -1)
	if len(blocks) < 4 {
		t.Fatalf("notebook.md has %d blocks of Python", len(blocks))
	}
	var script strings.Builder
	for _, b := range blocks {
		script.WriteString(b[1])
	}
	// The last lines are ours: they check that the results of the recipes are what the device can do.
	script.WriteString(`
mean = rate.groupby(["workload", "direction"]).mean()
print("CHECK", mean["rand-read-iops", "read"], p99.loc[("rand-read-lat", "read"), "estimate"], len(runs))
`)
	cmd := exec.Command(python, "-W", "error::FutureWarning", "-c", script.String())
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	var reads, p99 float64
	var rows int
	if _, last, found := strings.Cut(string(out), "CHECK "); !found {
		t.Fatalf("nothing to check in\n%s", out)
	} else if _, err := fmt.Sscan(last, &reads, &p99, &rows); err != nil {
		t.Fatal(err)
	}
	if reads < 27e3 || reads > 33e3 || p99 < 0.0002 || p99 > 0.002 || rows < 6 {
		t.Errorf("%g reads per second of 30000, p99 %g s of a mean of 0.0002 s, %d headline results:\n%s", reads, p99, rows, out)
	}
}
