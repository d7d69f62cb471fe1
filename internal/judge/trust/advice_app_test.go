package trust

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/loadline/loadline/internal/model"
)

// applying matches an advised application command, to the end of its line.
var applying = regexp.MustCompile(`\bloadline app .*`)

// TestApplicationAdvice compares the commands that the rules advise about a database with a file: they
// use the same server, wherever it runs and whatever image and settings it has. The tests of the
// command line plan each of them.
func TestApplicationAdvice(t *testing.T) {
	recorded := []model.CommandLine{
		{"loadline", "app", "postgres", "sc:fast", "--profile=quick", "--only=tpcb-c16", "--goal=tpcb-c16 tps > 1", "--image=mine:1", "--namespace=n", "--set=shared_buffers=1GB"},
		{"loadline", "app", "postgres", "@DIR@", "--clients=4", "--fit=cached"},
		nil,
	}
	advised := map[string]bool{}
	for _, again := range recorded {
		for name, spoil := range map[string]func(Evidence){
			"hot rows": func(ev Evidence) { ev.Recorded.Run.Prepare.App.Scale = 3 },
			"one thread": func(ev Evidence) {
				ev.change(func(w *model.Workload) { w.App.Reconnect, w.App.Threads = true, 1 })
			},
			"a full CPU": func(ev Evidence) {
				ev.Recorded.Run.Steps[0].Counters.Idle, ev.Recorded.Run.Steps[0].Counters.IOWait = 0.02, 0
			},
			"fit": func(ev Evidence) { *ev.Results[0].App.DeviceReads = 0.4 },
		} {
			ev := database()
			ev.Recorded.Run.Again, ev.Recorded.Plan.Volume.Target = again, model.Target{Name: "@DIR@"}
			spoil(ev)
			found := false
			for _, f := range Check(ev) {
				if command := applying.FindString(f.Next); command != "" {
					advised[command], found = true, true
					if again != nil && again[3] == "sc:fast" && !strings.Contains(command, "sc:fast --image mine:1 --namespace n --set shared_buffers=1GB") &&
						!strings.Contains(command, "--image mine:1 --namespace n --set shared_buffers=1GB") {
						t.Errorf("%s: the advice is about another server: %s", f.Rule, command)
					}
				}
			}
			if !found {
				t.Errorf("%s: no command is advised", name)
			}
		}
	}
	var lines []string
	for line := range advised {
		lines = append(lines, line)
	}
	slices.Sort(lines)
	const file = "testdata/advice_app.txt"
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

// What is advised after a comparison of an application measures both places again.
func TestApplicationAdviceOfAComparison(t *testing.T) {
	ev := database()
	ev.Recorded.Run.Again = model.CommandLine{"loadline", "compare", "app", "postgres", "/srv/a", "/srv/b", "--clients=4", "--fit=cached", "--margin=3%"}
	for want, got := range map[string]string{
		"loadline compare app postgres /srv/a /srv/b --fit cached --margin 3% --clients 1":            ev.otherLoad("--clients", "1"),
		"loadline compare app postgres /srv/a /srv/b --clients 4 --margin 3% --scale 9":               ev.scaled("9"),
		"loadline compare app postgres /srv/a /srv/b --clients 4 --fit cached --margin 3% --repeat 9": ev.command("--repeat", "9"),
	} {
		if got, _, _ = strings.Cut(got, "   #"); got != want {
			t.Errorf("%s\nwant %s", got, want)
		}
	}
}
