package truth

import (
	"cmp"
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"text/tabwriter"
	"time"

	"github.com/loadline/loadline/internal/env"
	"github.com/loadline/loadline/internal/judge/trust"
	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/test/lab"
	"github.com/loadline/loadline/test/lab/contention"
)

// elsewhere names, for a rule whose fault takes more than a run of one worker, the
// tests that plant it, as "folder.TestName", separated by spaces. The tests must exist.
var elsewhere = map[string]string{
	"imported": "internal/cli.TestScript", // import.txtar: nothing is measured
	"late":     "test/truth.TestALateLoadIsNamed",
	"sync":     "test/truth.TestAStaggeredStartIsNamed",
	"fairness": "test/truth.TestAnUnfairShareIsNamed",
	// These use made-up evidence: the speed of a virtual network card is fictitious, so the
	// rule ignores it, and a real one would have to be saturated; and a total that the
	// devices did not carry needs a cache that the earlier rules do not see.
	"network": "internal/judge/trust.TestFaultsAreFoundAndNothingElse",
	"sum":     "internal/judge/trust.TestFaultsAreFoundAndNothingElse",
	// These need a PostgreSQL server, which the runs here do not have.
	"durable": "internal/judge/trust.TestApplicationFaults internal/cli.TestAppPostgresPlanted",
	"clients": "internal/judge/trust.TestApplicationFaults", "full-cpu": "internal/judge/trust.TestApplicationFaults internal/cli.TestAppPostgresPlanted",
	"maintenance": "internal/judge/trust.TestApplicationFaults internal/cli.TestAppPostgresPlanted",
	"skipped":     "internal/judge/trust.TestApplicationFaults internal/cli.TestAppPostgresPlanted",
	"connecting":  "internal/cli.TestAppPostgresPlanted", "hot-rows": "internal/cli.TestAppPostgresPlanted",
	"storage-bound": "internal/judge/trust.TestApplicationFaults internal/cli.TestAppPostgresPlanted",
	"fit":           "internal/judge/trust.TestApplicationFaults", "few-transactions": "internal/judge/trust.TestApplicationFaults",
	"others":           "internal/judge/trust.TestExistingServers internal/measure/load/postgres.TestExistingServerCountsOthers",
	"checkpoint-cycle": "internal/judge/trust.TestExistingServers",
	// This needs results that others have published.
	"littles-law": "internal/judge/trust.TestLittlesLawOnImports",
	// This needs a real Longhorn volume in a cluster.
	"replicas": "test/cluster/e2e.TestLonghorn",
}

// Each rule has its fault planted, here or in a test named above.
func TestEveryRuleHasItsFaultPlanted(t *testing.T) {
	registered := map[string]bool{}
	for _, r := range trust.Rules() {
		registered[r.Name] = true
		if !slices.ContainsFunc(faults, func(p planted) bool { return p.rule == r.Name }) && elsewhere[r.Name] == "" {
			t.Errorf("no fault is planted for the rule %q: give it a row in faults (faults_test.go), "+
				"or, if a run of one worker cannot have the fault, name the test that plants it in elsewhere (rules_test.go)", r.Name)
		}
	}
	for _, p := range faults {
		if !registered[p.rule] {
			t.Errorf("a fault is planted for %q, which is no rule", p.rule)
		}
	}
	for rule, tests := range elsewhere {
		if !registered[rule] {
			t.Errorf("elsewhere speaks of %q, which is no rule", rule)
		}
		for _, name := range strings.Fields(tests) {
			folder, test, ok := strings.Cut(name, ".")
			if !ok || !declared(t, folder, test) {
				t.Errorf("the fault of %q is said to be planted by %s, but no such test exists (write folder.TestName, for example test/truth.TestX)", rule, name)
			}
		}
	}
}

// declared reports whether a folder of the repository has the test.
func declared(t *testing.T, folder, test string) bool {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("..", "..", folder, "*_test.go"))
	if err != nil {
		t.Fatal(err)
	}
	return slices.ContainsFunc(files, func(file string) bool {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		return strings.Contains(string(text), "func "+test+"(")
	})
}

// rounds is for make perf, which measures how often faults are found, not whether.
var rounds = flag.Int("rounds", 1, "plant every fault of the rules, and make the clean run, this many times and print a table")

// busyStalls is how often a busy machine stalls during a run.
const busyStalls = 5

// Each rule finds its fault on a real device. A fault that is missed is tried once
// more, with almost nothing else running: a broken rule misses it again. A machine
// that is busy with other work hides some faults; its stalls show that it was busy.
func TestRulesFindTheirFaults(t *testing.T) {
	lab.Need(t, "fio")
	lab.Lock(t)
	var missed []planted
	var meanwhile []contention.Seen
	eachFault(t, func(p planted) bool { return p.class == exclusive }, func(t *testing.T, p planted) {
		seen := contention.Watch()
		found := p.found(t)
		detections.add(p, found)
		if contended := seen(); !found {
			missed, meanwhile = append(missed, p), append(meanwhile, contended)
		}
	})
	if *rounds > 1 {
		return
	}
	for i, p := range missed {
		t.Run(p.rule+"/"+p.name+"/again", func(t *testing.T) {
			if lab.SecondTry(t, "the fault was not found at the first try", meanwhile[i]) {
				p.find(t)
			}
		})
	}
}

// The same for the faults that do not need exclusive use of the machine.
func TestRulesFindFaultsSideBySide(t *testing.T) {
	lab.Need(t, "fio")
	defer scheduleSubtests(t)()
	eachFault(t, func(p planted) bool { return p.class != exclusive }, func(t *testing.T, p planted) {
		d := demand{class: p.class, seconds: cmp.Or(p.seconds, 25), slots: p.slots}
		if *rounds > 1 {
			takeSlots(t, d)
			detections.add(p, p.found(t))
			return
		}
		runWithRetry(t, d, p.find)
	})
}

// eachFault runs a part of a test for each of some faults, as often as was asked for.
func eachFault(t *testing.T, of func(planted) bool, try func(*testing.T, planted)) {
	t.Helper()
	for range *rounds {
		for _, p := range faults {
			if of(p) {
				t.Run(p.rule+"/"+p.name, func(t *testing.T) { try(t, p) })
			}
		}
	}
}

// flaggedRuns counts the clean runs of make perf that a rule flags.
var flaggedRuns atomic.Int64

// detections counts how often each fault was found at the first try, by its name.
var detections tally

type tally struct {
	mu    sync.Mutex
	found map[string]int
}

func (y *tally) add(p planted, found bool) {
	y.mu.Lock()
	defer y.mu.Unlock()
	if y.found == nil {
		y.found = map[string]int{}
	}
	n := 0
	if found {
		n = 1
	}
	y.found[p.rule+"/"+p.name] += n
}

// print prints a row for each fault that was tried.
func (y *tally) print() {
	if y.found == nil {
		return
	}
	w := tabwriter.NewWriter(os.Stdout, 0, 8, 2, ' ', 0)
	fmt.Fprintf(w, "\nfaults on real devices\tfault\tfound as\tof %d\n", *rounds)
	for _, p := range faults {
		if n, tried := y.found[p.rule+"/"+p.name]; tried {
			fmt.Fprintf(w, "%s\t%s\t%s\t%d\n", p.rule, p.name, p.severity, n)
		}
	}
	w.Flush()
	fmt.Printf("clean runs on a real device: %d of %d flagged\n", flaggedRuns.Load(), *rounds)
}

// find fails if the rule does not find the fault, unless the machine is too busy.
func (p planted) find(t testing.TB) {
	lab.Lock(t)
	stalls := watchStalls(t)
	switch {
	case p.found(t):
	case stalls() > busyStalls:
		busy(t, "this machine is too busy for the fault of %s", p.rule)
	default:
		t.Errorf("%s did not end in %s", p.rule, p.severity)
	}
}

// found plants the fault, measures, and reports whether the rule fired as it should.
func (p planted) found(t testing.TB) bool {
	target, args := p.plant(t)
	ctx := t.Context()
	if p.rule == "interrupted" {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, 6*time.Second)
		defer cancel()
	}
	e := env.OS()
	if p.job != "" {
		e = otherLoad(t, p.job)
	}
	o := measureIn(ctx, t, e, target, args...)
	exit := p.severity != model.SeverityInvalid || o.code == 5 || o.code == 1
	said := slices.ContainsFunc(o.report.Findings, func(f model.Finding) bool {
		return f.Rule == p.rule && f.Severity == p.severity && strings.Contains(f.Message, p.says)
	})
	if exit && said {
		return true
	}
	for _, f := range o.report.Findings {
		if *rounds > 1 && f.Severity != model.SeverityPassed && (f.Rule == p.rule || f.Rule == "cpu") {
			fmt.Printf("%s is not found: %s %s %v: %s\n", p.name, f.Rule, f.Severity, f.Results, f.Message)
		}
		t.Logf("%s %s %v: %s", f.Rule, f.Severity, f.Results, f.Message)
	}
	for _, r := range o.report.Results {
		t.Logf("%s: %.0f", r.Workload, r.Series)
	}
	return false
}

// cleanRun measures a device without faults, so that every rule
// that needs no baseline has its evidence. Each I/O takes 60 ms, compared to which the
// moments in which this machine does something else are short, and there are too few I/Os
// for a p99.9, which a single such moment would determine.
func cleanRun(t testing.TB) outcome {
	device := lab.Block(t, lab.Delayed(t, 60*time.Millisecond, 60*time.Millisecond))
	own := ownFile(t, "own.yaml", "name: own\nworkloads:\n"+
		"  - {name: rated, access: rand, direction: read, block_size: 4k, depth: 8, rate_iops: 100, metric: iops}\n"+
		"  - {name: reads, access: rand, direction: read, block_size: 4k, depth: 8, metric: iops}\n"+
		"  - {name: writes, access: rand, direction: write, block_size: 4k, depth: 8, metric: iops}\n")
	return measure(t.Context(), t, device, "--profile", own, "--size", "64M", "--destroy-data-on", device, "--max-time", "130s",
		"--repeat", "8", "--cap", "iops=2000", "--check-cache")
}

// flagged lists what rules report about a run of a clean device. Rare bursts
// are not a false alarm if this machine itself stalled now and then, and neither is a
// run that was too short to settle.
func (o outcome) flagged(stalls int) []string {
	var list []string
	if o.code != 0 {
		list = append(list, fmt.Sprintf("exit code %d", o.code))
	}
	for _, f := range o.report.Findings {
		stalled := f.Rule == "tail" && stalls > 0
		brief := f.Rule == "precision" && f.Severity == model.SeverityNote && strings.HasPrefix(f.Message, "not settled")
		if f.Severity != model.SeverityPassed && f.Severity != model.SeverityNotChecked && !stalled && !brief {
			list = append(list, fmt.Sprintf("%s: %s %v: %s", f.Rule, f.Severity, f.Results, f.Message))
		}
	}
	for _, r := range o.report.Results {
		if r.Verdict != model.Valid {
			list = append(list, fmt.Sprintf("%s: %s %v", r.Workload, r.Verdict, r.Findings))
		}
	}
	return list
}

// On a device without faults no rule fires, although each could. One
// run in a hundred may be flagged. A busy machine does spoil measurements, hence
// the second try: a rule that is wrong is wrong again.
func TestRulesAreSilentOnACleanDevice(t *testing.T) {
	lab.Need(t, "fio")
	if *rounds > 1 {
		defer scheduleSubtests(t)()
		for round := range *rounds {
			t.Run(fmt.Sprint(round+1), func(t *testing.T) {
				takeSlots(t, demand{class: quiet, seconds: 170})
				if _, list := cleanTry(t); len(list) > 0 {
					flaggedRuns.Add(1)
					fmt.Printf("a clean run is flagged: %s\n", strings.Join(list, "; "))
				}
			})
		}
		return
	}
	// Beside fifteen others its first seconds were slower once.
	runWithRetry(t, demand{class: waiting, seconds: 170}, func(t testing.TB) {
		excuseStolen := watchSteal(t)
		o, flagged := cleanTry(t)
		excuseStolen(o)
		for _, a := range flagged {
			t.Error(a)
		}
		for _, r := range trust.Rules() {
			baseline := strings.HasPrefix(r.Name, "faster-") || r.Name == "above-disks"
			spoke := o.finding(r.Name, model.SeverityPassed) || o.finding(r.Name, model.SeverityNote)
			served := r.Name == "memory" // nobody sees where nbdfuse, which serves the loop device's file, has it
			if !spoke && !baseline && !served && elsewhere[r.Name] == "" {
				t.Errorf("%s was not checked on a device that it can check", r.Name)
			}
		}
	})
}

// cleanTry returns a clean run and what rules report about it.
func cleanTry(t testing.TB) (outcome, []string) {
	stalls := watchStalls(t)
	o := cleanRun(t)
	n := stalls()
	t.Logf("this machine stood still %d times", n)
	return o, o.flagged(n)
}
