package cli

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/loadline/loadline/internal/env"
)

// TestTheJobRunsTheSameCommand: what the Job's pod is told to run sets every flag to what
// it is here, but for those that are about this end.
func TestTheJobRunsTheSameCommand(t *testing.T) {
	e := env.OS()
	for name, c := range map[string]struct {
		verb func(*env.Env) *cobra.Command
		args []string
		not  []string
	}{
		"run": {newRun, []string{"sc:fast?size=1Gi", "--in-cluster", "--only", "rand-*,seq-read-bw", "--skip=x", "--goal", "rand-read-lat p99 < 5ms", "--goal=rand-read-iops iops > 1k",
			"--resources", "cpu=2,memory=1Gi", "--node-selector", "disk=ssd", "--toleration", "a=b:NoSchedule", "--toleration=*", "--baseline", "sc:local path", "--quiet",
			"--note", "a remark, with = and 'quotes'", "--seed", "7", "--namespace", "n", "--image", "i", "--results", "here", "--output", "text", "--hold", "2h", "--service-account", "s"},
			[]string{"--in-cluster", "--namespace", "--image", "--results", "--hold", "--service-account", "text", "here"}},
		"scale": {newScale, []string{"sc:fast", "pvc:data", "--in-cluster", "--volumes", "1,2", "--rate", "20", "--access-mode", "RWX", "--run-as-user", "999:998", "--fs-group", "5", "--selinux-level", "s0:c1,c2", "--spread", "soft", "--detach"}, []string{"--in-cluster", "--detach"}},
	} {
		t.Run(name, func(t *testing.T) {
			here := c.verb(e)
			if err := here.ParseFlags(c.args); err != nil {
				t.Fatal(err)
			}
			command := (&insideFlags{hold: 2 * time.Hour}).command(here, nil)
			at := slices.Index(command, "--")
			if want := []string{"loadline", "job", "--hold", "2h0m0s"}; !slices.Equal(command[:at], want) || command[at+1] != name {
				t.Fatalf("%q", command)
			}
			for _, word := range c.not {
				if slices.ContainsFunc(command[at:], func(s string) bool { return s == word || strings.HasPrefix(s, word+"=") }) {
					t.Errorf("%s is in %q", word, command)
				}
			}
			there := c.verb(e)
			if err := there.ParseFlags(command[at+2:]); err != nil {
				t.Fatalf("%q: %v", command, err)
			}
			if diff := cmp.Diff(here.Flags().Args(), there.Flags().Args()); diff != "" {
				t.Error(diff)
			}
			here.Flags().VisitAll(func(f *pflag.Flag) {
				if got := there.Flags().Lookup(f.Name).Value.String(); !slices.Contains(outside, f.Name) && sortedMap(got) != sortedMap(f.Value.String()) {
					t.Errorf("--%s is %s here and %s there", f.Name, f.Value, got)
				}
			})
			if there.Flag("output").Value.String() != "json" {
				t.Error("the log would hold no document")
			}
		})
	}
}

// sortedMap brings the pairs of a map flag into an order.
func sortedMap(s string) string {
	pairs := strings.Split(strings.Trim(s, "[]"), ",")
	slices.Sort(pairs)
	return strings.Join(pairs, ",")
}
