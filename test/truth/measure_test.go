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
	"time"

	"github.com/loadline/loadline/internal/cli"
	"github.com/loadline/loadline/internal/env"
	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/test/lab"
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
	return measureIn(ctx, t, env.OS(), target, args...)
}

// measureIn is measure in an environment of the test's own.
func measureIn(ctx context.Context, t testing.TB, e *env.Env, target string, args ...string) outcome {
	t.Helper()
	o := commandIn(ctx, t, e, append([]string{"run", target, "--format", "json", "--results", t.TempDir()}, args...)...)
	if o.stdout != "" {
		if err := json.Unmarshal([]byte(o.stdout), &o.report); err != nil {
			t.Fatalf("standard output is not a report: %v\n%s", err, o.stdout)
		}
	}
	return o
}

// command runs a whole command inside this process.
func command(ctx context.Context, t testing.TB, args ...string) outcome {
	t.Helper()
	return commandIn(ctx, t, env.OS(), args...)
}

// commandIn is command in an environment of the test's own, whose programs may be others: unlike a variable of this
// process, it concerns no other test.
func commandIn(ctx context.Context, t testing.TB, e *env.Env, args ...string) outcome {
	t.Helper()
	var stdout, stderr bytes.Buffer
	world := *e
	world.Args, world.Stdin, world.Stdout, world.Stderr = args, strings.NewReader(""), &stdout, io.MultiWriter(&stderr)
	world.Terminal, world.Output = env.Terminal{Width: 120}, env.Terminal{Width: 120}
	code := cli.Run(ctx, &world)
	t.Logf("loadline %s: exit code %d\n%s", strings.Join(args, " "), code, stderr.String())
	return outcome{code: code, stdout: stdout.String(), stderr: stderr.String()}
}

// serverDisk returns a directory that servers can use, on a disk of its own, whose flushes take next to no time: those
// of the machine's disk take longer than what is planted while another test fills its database.
func serverDisk(t *testing.T) string {
	t.Helper()
	return onDevice(func(t lab.T) lab.Device { return lab.Blank(t, serverDiskSize, time.Millisecond) })(t)
}

// serverDiskSize is enough for pgbench's tables of scale 16, the log and a filesystem.
const serverDiskSize = 3 << 30

// slowFlushes returns an environment whose programs take at least that long for a flush, as lab.SlowFlush says.
func slowFlushes(t testing.TB, least time.Duration) *env.Env {
	t.Helper()
	e := env.OS()
	e.Command = lab.SlowFlush(t, e.Command, least)
	return e
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
