package cli

import (
	"slices"
	"strings"
	"testing"

	"github.com/loadline/loadline/internal/env"
)

// A comparison of an application is that application's verb with a baseline, whatever the order of the words.
func TestComparesApplication(t *testing.T) {
	for line, want := range map[string]string{
		"compare a b --app postgres":                                    "app postgres --baseline=a -- b",
		"compare --app=postgres a --clients 1,4 b -q":                   "app postgres --clients=1,4 --quiet --baseline=a -- b",
		"compare a b --pgbench --protocol=prepared --app postgres":      "app postgres --pgbench=--protocol=prepared --baseline=a -- b",
		"compare a --app etcd b --value-size 100 --fail-on none":        "app etcd --value-size=100 --fail-on=none --baseline=a -- b",
		"--config c.yaml compare /x sc:fast --app postgres --margin 3%": "app postgres --config=c.yaml --margin=3% --baseline=/x -- sc:fast",
		"compare --app postgres -- a -b":                                "app postgres --baseline=a -- -b",
		"compare a b --app postgres --klients 3":                        "app postgres a b --klients 3",
		"compare a b --app postgres --help":                             "app postgres a b --help",
		"compare a b --profile quick":                                   "compare a b --profile quick",
		"compare a b -- --app postgres":                                 "compare a b -- --app postgres",
		"run a --app postgres":                                          "run a --app postgres",
	} {
		e := env.OS()
		e.Args = strings.Fields(line)
		got, err := comparesApplication(e)
		if err != nil || !slices.Equal(got, strings.Fields(want)) {
			t.Errorf("%s: %q %v, want %q", line, got, err, want)
		}
	}
	refused(t, "takes two places, not 1", "compare", "a", "--app", "postgres")
	refused(t, "takes two places, not 3", "compare", "a", "b", "c", "--app", "postgres")
	refused(t, `there is no application "mysql"`, "compare", "a", "b", "--app", "mysql")
	refused(t, `there is no application ""`, "compare", "a", "b", "--app=")
	refused(t, "the first is the baseline", "compare", "a", "b", "--app", "postgres", "--baseline", "c")
	refused(t, "app postgres has no flag --klients", "compare", "a", "b", "--app", "postgres", "--klients", "3")
	refused(t, "flag needs an argument", "compare", "a", "b", "--app")
}
