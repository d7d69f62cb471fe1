package flags_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/loadline/loadline/internal/cli"
	"github.com/loadline/loadline/internal/cli/flags"
	"github.com/loadline/loadline/internal/cli/settings"
	"github.com/loadline/loadline/internal/env"
)

// An advised command finds its files from another directory.
func TestAnAdvisedCommandFindsItsFiles(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	for _, name := range []string{"o.fio", "own.yaml", "t.sql"} {
		if err := os.WriteFile(name, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir("quick", 0o700); err != nil {
		t.Fatal(err)
	}
	for typed, want := range map[string]string{
		"run /t --job o.fio --results out":       "loadline run /t --job " + dir + "/o.fio --results " + dir + "/out",
		"run /t --profile own.yaml --note o.fio": "loadline run /t --profile " + dir + "/own.yaml --note o.fio",
		"run /t --profile quick":                 "loadline run /t --profile quick",
		"run /t --job /x/o.fio --results /x":     "loadline run /t --job /x/o.fio --results /x",
		"run /t --config none":                   "loadline run /t --config none",
		"app postgres /t --script t.sql":         "loadline app postgres /t --script " + dir + "/t.sql",
		"sweep /t --results ../out":              "loadline sweep /t --results " + filepath.Dir(dir) + "/out",
	} {
		args := strings.Fields(typed)
		cmd, rest, err := cli.Commands(env.OS()).Find(args)
		if err == nil {
			err = cmd.ParseFlags(rest)
		}
		if err != nil {
			t.Fatalf("%s: %v", typed, err)
		}
		if got := flags.Normalized(cmd, cmd.Flags().Args(), settings.NoFile).String(); got != want {
			t.Errorf("%s becomes\n%s, not\n%s", typed, got, want)
		}
	}
}

// A recorded command line can be typed again: it is recorded the same way once more.
func TestARecordedCommandCanBeTypedAgain(t *testing.T) {
	for _, args := range [][]string{
		{"run", "sc:fast", "--resources", "memory=1Gi,cpu=2", "--node-selector", "disk=ssd", "--toleration", "a=b:NoSchedule", "--toleration", "*"},
		{"run", "/data", "--only", `"a,b",c*`, "--goal", "rand-read-iops iops > 1k", "--label", "env=prod", "-q"},
		{"scale", "sc:fast", "--volumes", "1,2,4", "--hosts", "a,b"},
		{"compare", "--clients", "1,16", "app", "postgres", "/a b", "sc:fast", "--margin", "3%"},
		{"app", "postgres", "/data", "--pgbench", "--protocol=prepared", "--pgbench=-s 3", "--set", "a=b,c"},
	} {
		recorded := func(args []string) []string {
			cmd, rest, err := cli.Commands(env.OS()).Find(args)
			if err == nil {
				err = cmd.ParseFlags(rest)
			}
			if err != nil {
				t.Fatalf("%q: %v", args, err)
			}
			return flags.Normalized(cmd, cmd.Flags().Args(), settings.NoFile)[1:]
		}
		once := recorded(args)
		if again := recorded(once); !slices.Equal(again, once) {
			t.Errorf("%q is recorded as %q, and that as %q", args, once, again)
		}
		if strings.Contains(strings.Join(once, " "), "[") {
			t.Errorf("%q is recorded as %q", args, once)
		}
	}
}
