package cli

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/loadline/loadline/internal/env"
	"github.com/loadline/loadline/internal/model"
)

// runLoadline runs a command and returns its exit code and what it printed.
func runLoadline(t *testing.T, args ...string) (code int, out, errs string) {
	t.Helper()
	return runIn(t, env.OS(), args...)
}

// runIn is runLoadline in an environment of the test's own.
func runIn(t *testing.T, world *env.Env, args ...string) (code int, out, errs string) {
	t.Helper()
	var o, x bytes.Buffer
	e := *world
	e.Args, e.Stdout, e.Stderr = args, &o, &x
	code = Run(t.Context(), &e)
	return code, o.String(), x.String()
}

// report runs loadline and returns its exit code and report.
func report(t *testing.T, args ...string) (int, *model.Report) {
	t.Helper()
	return reportIn(t, env.OS(), args...)
}

// reportIn is report in an environment of the test's own.
func reportIn(t *testing.T, e *env.Env, args ...string) (int, *model.Report) {
	t.Helper()
	code, out, errs := runIn(t, e, args...)
	var r model.Report
	if err := json.Unmarshal([]byte(out), &r); err != nil {
		t.Fatalf("%v: exit code %d, %s", err, code, errs)
	}
	return code, &r
}

// refused fails unless loadline refuses a command with these words.
func refused(t *testing.T, words string, args ...string) {
	t.Helper()
	if code, _, errs := runLoadline(t, args...); code != exitUsage || !strings.Contains(errs, words) {
		t.Errorf("%v: exit code %d, %s", args, code, errs)
	}
}

// runner returns runLoadline with flags that each command has.
func runner(t *testing.T, flags ...string) func(args ...string) (code int, out, errs string) {
	return func(args ...string) (code int, out, errs string) {
		t.Helper()
		return runLoadline(t, slices.Concat(args, flags)...)
	}
}
