package cli

import (
	"slices"
	"strings"
	"testing"

	"github.com/loadline/loadline/internal/env"
)

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
			cmd, rest, err := newRoot(env.OS()).Find(args)
			if err == nil {
				err = cmd.ParseFlags(rest)
			}
			if err != nil {
				t.Fatalf("%q: %v", args, err)
			}
			return normalizedCommand(cmd, cmd.Flags().Args())[1:]
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
