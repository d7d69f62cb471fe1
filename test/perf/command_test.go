package perf

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"text/tabwriter"

	"github.com/loadline/loadline/internal/cli"
	"github.com/loadline/loadline/internal/env"
	"github.com/loadline/loadline/internal/judge/stats"
	"github.com/loadline/loadline/internal/model"
)

// measured runs "loadline run TARGET …" inside this process and returns its
// report.
func measured(b *testing.B, target string, args ...string) model.Report {
	b.Helper()
	return parseReport(b, printed(b, env.OS(), append([]string{"run", target}, args...)...))
}

// printed runs "loadline ARGS --format json" in this process and returns what it prints. A run
// that does not end with 0 fails the benchmark, which then shows the findings, so that a run
// of ten minutes need not be repeated to learn the reason.
func printed(b *testing.B, e *env.Env, args ...string) []byte {
	b.Helper()
	var stdout, stderr bytes.Buffer
	world := *e
	world.Args = append(args, "--format", "json", "--quiet", "--results", b.TempDir())
	world.Stdin, world.Stdout, world.Stderr = strings.NewReader(""), &stdout, &stderr
	if code := cli.Run(b.Context(), &world); code != 0 {
		b.Fatalf("loadline %s: exit code %d\n%s%s", strings.Join(world.Args, " "), code, stderr.String(), findings(stdout.Bytes()))
	}
	return stdout.Bytes()
}

// findings returns those findings of a report that are warnings or worse, one per line.
func findings(text []byte) string {
	var r struct {
		Findings []model.Finding `json:"findings"`
	}
	if json.Unmarshal(text, &r) != nil {
		return ""
	}
	var out strings.Builder
	for _, f := range r.Findings {
		if f.Severity == model.SeverityInvalid || f.Severity == model.SeverityWarning {
			fmt.Fprintf(&out, "%s: %s (%s) %v: %v\n", f.Severity, f.Rule, strings.Join(f.Results, ", "), f.Message, f.Evidence)
		}
	}
	return out.String()
}

func parseReport(b *testing.B, text []byte) model.Report {
	b.Helper()
	var r model.Report
	if err := json.Unmarshal(text, &r); err != nil {
		b.Fatalf("standard output is not a report: %v\n%s", err, text)
	}
	return r
}

// program builds the program as it is released, because the CPU time and memory
// of a test binary are not those of Loadline.
func program(b *testing.B) string {
	b.Helper()
	return filepath.Join(programs(b), "loadline")
}

// programs builds both programs as they are in the image, and returns their directory.
func programs(b *testing.B) string {
	b.Helper()
	dir := b.TempDir() + "/"
	cmd := exec.Command("go", "build", "-ldflags", "-s -w", "-o", dir, "github.com/loadline/loadline/cmd/loadline", "github.com/loadline/loadline/cmd/loadline-agent")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		b.Fatalf("loadline does not build: %v\n%s", err, out)
	}
	return dir
}

// anywhere returns a command unchanged.
func anywhere(program string, args ...string) []string { return append([]string{program}, args...) }

// bareFio runs fio alone on a job text, through a wrapper command, and
// parses its JSON.
func bareFio(b *testing.B, by func(program string, args ...string) []string, job string, doc any) {
	b.Helper()
	path := filepath.Join(b.TempDir(), "job.fio")
	if err := os.WriteFile(path, []byte(job), 0o600); err != nil {
		b.Fatal(err)
	}
	command := by("fio", "--output-format=json", "--allow_file_create=0", path)
	out, err := exec.CommandContext(b.Context(), command[0], command[1:]...).Output()
	if err != nil {
		b.Fatalf("fio: %v\n%s", err, out)
	}
	// Some engines print a line before the document.
	if err := json.Unmarshal(out[max(0, bytes.IndexByte(out, '{')):], doc); err != nil {
		b.Fatalf("fio printed no result: %v\n%s", err, out)
	}
}

// columns begins a table on standard output, with right-aligned numbers.
func columns() *tabwriter.Writer {
	return tabwriter.NewWriter(os.Stdout, 0, 8, 2, ' ', tabwriter.AlignRight)
}

// logMean returns the mean of the logarithms of ratios, as a ratio, with its 95 %
// interval by Student's t for paired differences: the mean ± t·s/√n.
func logMean(ratios []float64) (ratio, low, high float64) {
	logs := make([]float64, len(ratios))
	for i, r := range ratios {
		logs[i] = math.Log(r)
	}
	n := float64(len(logs))
	half := stats.StudentT(n-1) * stats.StdDev(logs) / math.Sqrt(n)
	mean := stats.Mean(logs)
	return math.Exp(mean), math.Exp(mean - half), math.Exp(mean + half)
}
