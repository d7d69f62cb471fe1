package trust

import (
	"strings"
	"testing"

	"github.com/loadline/loadline/internal/model"
)

// A command that overwrites a device is advised with the permission that the run was given.
func TestAdviceRepeatsThePermissionToOverwrite(t *testing.T) {
	for _, x := range []struct{ permitted, want string }{{"", ""}, {"/dev/vdb", " --destroy-data-on /dev/vdb"}} {
		ev := sound()
		ev.Recorded.Plan.Volume.Target = model.Target{Name: "/dev/vdb", Kind: model.BlockDevice}
		ev.Recorded.Plan.Experiment.DestroyDataOn = x.permitted
		setMetric(ev.Results, write.Name, model.IOPS, 4000, 0.05)
		next := ""
		for _, f := range checkFasterWrites(ev) {
			next += f.Next
		}
		if !strings.Contains(next, "loadline durability /dev/vdb"+x.want+" --run ") {
			t.Errorf("%q: %s", x.permitted, next)
		}
	}
}

// A lower rate is advised by the recorded command, with all of its options.
func TestALowerRateKeepsTheCommand(t *testing.T) {
	for _, again := range []model.CommandLine{
		{"loadline", "scale", "/dev/vdb", "--destroy-data-on=/dev/vdb", "--volumes=4", "--workload=w", "--rate=2000", "--node=n"},
		{"loadline", "app", "postgres", "/srv", "--clients=4", "--rate=2000"},
		{"loadline", "compare", "app", "postgres", "/srv", "/mnt", "--clients=4", "--rate=2000"},
	} {
		ev := sound()
		ev.Recorded.Run.Again = again
		got := lowerRate(ev, rated, estimate(model.IOPS, 1000, 0.01))
		if !strings.HasPrefix(got, strings.Join(again[:3], " ")) || !strings.Contains(got, "--rate 800") || strings.Contains(got, "2000") || strings.Contains(again.String(), "destroy") && !strings.Contains(got, "--destroy-data-on /dev/vdb") {
			t.Errorf("%q: %s", again, got)
		}
	}
}

// A permission that the run was given is not advised again: what is missing then is a workload that writes.
func TestFillingIsAdvisedWithoutThePermissionThatWasGiven(t *testing.T) {
	for _, x := range []struct {
		permitted, volume string
		again             bool
	}{{"", "", true}, {"/dev/vdb", "", false}, {"", "/dev/vdb", false}} {
		ev := sound()
		ev.Recorded.Plan.Experiment.DestroyDataOn = x.permitted
		ev.Recorded.Plan.Volumes = []model.Volume{{DestroyDataOn: x.volume}}
		for _, proof := range []model.Proof{{Method: "fiemap", Checked: 8192, Unwritten: 4096}, {Method: "none", Sampled: 64, Zeros: 64}} {
			ev.Recorded.Run.Prepare.Proof = proof
			next := ""
			for _, f := range ev.unwritten() {
				next += f.Next
			}
			if strings.Contains(next, "--destroy-data-on") != x.again || !strings.Contains(next, "a workload that writes") {
				t.Errorf("%+v, %s: %s", x, proof.Method, next)
			}
		}
	}
}
