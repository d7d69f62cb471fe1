// Package truth tests Loadline as a whole against devices whose answer is known:
// whole commands, the real fio, the devices of test/lab.
package truth

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"strings"
	"testing"

	"github.com/loadline/loadline/internal/cli"
	"github.com/loadline/loadline/internal/env"
	"github.com/loadline/loadline/internal/model"
)

// outcome is the result of a command.
type outcome struct {
	code   int
	report model.Report
	stdout string
	stderr string
}

// measure runs "loadline run TARGET … --format json" inside this process.
func measure(ctx context.Context, t testing.TB, target string, args ...string) outcome {
	t.Helper()
	o := command(ctx, t, append([]string{"run", target, "--format", "json", "--results", t.TempDir()}, args...)...)
	if o.stdout != "" {
		if err := json.Unmarshal([]byte(o.stdout), &o.report); err != nil {
			t.Fatalf("standard output is no report: %v\n%s", err, o.stdout)
		}
	}
	return o
}

// command runs a whole command inside this process.
func command(ctx context.Context, t testing.TB, args ...string) outcome {
	t.Helper()
	var stdout, stderr bytes.Buffer
	world := env.OS()
	world.Args, world.Stdin, world.Stdout, world.Stderr = args, strings.NewReader(""), &stdout, io.MultiWriter(&stderr)
	world.Terminal, world.Output = env.Terminal{Width: 120}, env.Terminal{Width: 120}
	code := cli.Run(ctx, world)
	t.Logf("loadline %s: exit code %d\n%s", strings.Join(args, " "), code, stderr.String())
	return outcome{code: code, stdout: stdout.String(), stderr: stderr.String()}
}

// result returns the only result of a workload.
func (o outcome) result(t testing.TB, workload string) model.Result {
	t.Helper()
	for _, r := range o.report.Results {
		if r.Workload == workload && r.Direction != model.Sync {
			return r
		}
	}
	t.Fatalf("the report has no result for %s: %+v", workload, o.report.Results)
	return model.Result{}
}

// finding reports whether the rule ended with that severity.
func (o outcome) finding(rule string, severity model.Severity) bool {
	for _, f := range o.report.Findings {
		if f.Rule == rule && f.Severity == severity {
			return true
		}
	}
	return false
}
