package cli

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/loadline/loadline/internal/cluster/kube"
	"github.com/loadline/loadline/internal/measure/session"
)

// TestTheJobGetsTheExperiment checks that the command of the Job's pod asks for the same as the
// command line here, with workers in the same places, and that what may be overwritten is
// named on its command line.
func TestTheJobGetsTheExperiment(t *testing.T) {
	for name, words := range map[string][]string{
		"run": {"run", "sc:fast?size=1Gi", "--in-cluster", "--label", "env=staging", "--label=rack=b 2", "--only", "rand-*,seq-read-bw", "--skip=x", "--goal", "rand-read-lat p99 < 5ms", "--goal=rand-read-iops iops > 1k",
			"--resources", "cpu=2,memory=1Gi", "--node-selector", "disk=ssd", "--toleration", "a=b:NoSchedule", "--toleration=*", "--baseline", "sc:local path", "--quiet",
			"--note", "a remark, with = and 'quotes' and $(HOME)", "--seed", "7", "--namespace", "n", "--image", "i", "--results", "here", "--format", "text", "--hold", "2h",
			"--service-account", "s", "--fail-on", "unclear,worse", "--margin-p99", "20%", "--keep", "--pull-secret", "p", "--ready-within", "10m", "--node", "node7"},
		"scale": {"scale", "sc:fast", "pvc:data", "--in-cluster", "--volumes", "1,2", "--rate", "20", "--access-mode", "RWX", "--run-as-user", "999:998", "--fs-group", "5",
			"--selinux-level", "s0:c1,c2", "--spread", "soft", "--detach", "--as-root"},
		"compare": {"compare", "pvc:a", "pvc:b", "--in-cluster", "--destroy-data-on", "pvc:a", "--destroy-data-on=pvc:b"},
		"sweep":   {"sweep", "sc:fast", "--in-cluster", "--load", "--rw", "randwrite"},
	} {
		t.Run(name, func(t *testing.T) {
			here := readCommand(t, words)
			command, document, err := session.JobCommand(here.exp, here.options.places.Destroy, 2*time.Hour)
			if err != nil {
				t.Fatal(err)
			}
			want := []string{"loadline", "job", "--hold", "2h0m0s", "--", "run", "--experiment", kube.ExperimentPath}
			for _, name := range here.options.places.Destroy {
				want = append(want, "--destroy-data-on="+name)
			}
			if group := here.exp.Place.FSGroup; group != "" {
				want = append(want, "--fs-group="+group)
			}
			if diff := cmp.Diff(append(want, "--format=json"), command); diff != "" {
				t.Error(diff)
			}
			there := readCommand(t, withFile(t, command[slices.Index(command, "--")+1:], document))
			if diff := cmp.Diff(here.exp, there.exp); diff != "" {
				t.Error(diff)
			}
			if diff := cmp.Diff(placesOf(here.options), placesOf(there.options)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// placesOf returns where workers run, and what they may overwrite.
func placesOf(o *options) (words []any) {
	return []any{o.places.Placement(), o.places.Destroy}
}
