package trust

import (
	"flag"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/loadline/loadline/internal/model"
)

var update = flag.Bool("update", false, "write testdata/advice.txt anew")

// measuring is an advised command that measures, to the end of its line.
var measuring = regexp.MustCompile(`\bloadline (run|compare|sweep|scale) .*`)

// TestAdvice holds the commands that the rules advise to a file. The tests of the command
// line carry out each of them on a device of numbers, which has the name @TARGET@ here.
func TestAdvice(t *testing.T) {
	commands := []model.CommandLine{
		{"loadline", "run", "@TARGET@", "--profile=quick", "--size=256MiB", "--skip=seq-*", "--max-time=80s"},
		{"loadline", "run", "@TARGET@", "--time=20s", "--ramp-time=1s"},
		{"loadline", "run", "@TARGET@", "--until-steady"},
		{"loadline", "compare", "@TARGET@", "@TARGET@&seed=2", "--profile=quick", "--repeat=5"},
		{"loadline", "sweep", "@TARGET@", "--rw=randread", "--bs=4k", "--depth=1,4"},
		{"loadline", "scale", "@TARGET@", "--volumes=1,2", "--workload=rand-read-iops"},
		nil,
	}
	advised := map[string]bool{}
	for _, command := range commands {
		for _, c := range faults {
			ev := c.evidence()
			ev.Recorded.Run.Again, ev.Recorded.Plan.Volume.Target.Name = command, "@TARGET@"
			c.spoil(&ev)

			exp := &ev.Recorded.Plan.Experiment
			switch command.Verb() {
			case "compare":
				ev.Recorded.Run.Comparison = "x"
			case "sweep":
				exp.Sweep = &model.SweepRequest{Pattern: "randread", BlockSizes: []int64{4096}, Depths: []int{1, 4}, Jobs: []int{1}}
			case "scale":
				exp.Scale = &model.ScaleRequest{Volumes: []int{1, 2}, Workload: "rand-read-iops"}
			}
			for _, f := range Check(ev) {
				if found := measuring.FindString(f.Next); found != "" {
					advised[found] = true
				}
			}
		}
	}
	var lines []string
	for line := range advised {
		lines = append(lines, line)
	}
	slices.Sort(lines)
	const file = "testdata/advice.txt"
	got := strings.Join(lines, "\n") + "\n"
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("the advice has changed; go test ./internal/judge/trust -update, and run the tests of internal/cli (-want +got):\n%s", diff)
	}
}
