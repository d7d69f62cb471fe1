package e2e

import (
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/loadline/loadline/test/cluster"
)

// The disks for replicas do 300 I/Os per second each. A volume has a replica on each of
// the three: each read goes to one of them in turn, and each write to all, where it becomes two
// writes, of the data and of a revision counter.
const (
	slowDisk  = 300
	allReads  = 3 * slowDisk
	allWrites = 3 * slowDisk / (3 * 2)
)

// long makes the tests of Longhorn longer than continuous integration has time for.
var long = os.Getenv("LOADLINE_LONG") != ""

// TestLonghorn measures volumes of real Longhorn engines, whose rates follow from those
// of the disks.
func TestLonghorn(t *testing.T) {
	if why := cluster.MissingLonghorn(); why != "" {
		t.Skip("skipped: no Longhorn engine can be built here: " + why)
	}
	if lab.ReplicaIOPS != slowDisk {
		t.Fatalf("the disks for replicas do %d I/Os per second, and %d are expected here", lab.ReplicaIOPS, slowDisk)
	}
	t.Run("held against its disk", testLonghornBaseline)
	t.Run("several volumes", testLonghornScale)
	t.Run("a budget", testLonghornBudget)
	t.Run("a replica dies", testLonghornReplicaDies)
	nothingLeftOfLonghorn(t)
}

// TestSideBySide measures a database on Longhorn's volumes, which waits for the disks for replicas most of the time, and
// meanwhile, one after the other, what needs the disks for volumes of all nodes.
func TestSideBySide(t *testing.T) {
	t.Run("a database on Longhorn", func(t *testing.T) {
		t.Parallel()
		if why := cluster.MissingLonghorn(); why != "" {
			t.Skip("skipped: no Longhorn engine can be built here: " + why)
		}
		testLonghornPostgres(t)
		nothingLeftOfLonghorn(t)
	})
	t.Run("the disks of all nodes", func(t *testing.T) {
		t.Parallel()
		for _, c := range []struct {
			name string
			test func(t *testing.T)
		}{
			{"scale", testScale},
			{"a trace", testTrace},
			{"a trace of several nodes", testTraceOfSeveralNodes},
			{"a trace of one pod", testTraceOfOnePod},
			{"a trace of an application", testTraceOfAnApplication},
		} {
			t.Run(c.name, c.test)
		}
	})
}

func nothingLeftOfLonghorn(t *testing.T) {
	t.Helper()
	if left := kubectl(t, "get", "volumes.longhorn.io,engines.longhorn.io,replicas.longhorn.io", "-A", "-o", "name"); strings.Contains(left, "/") {
		t.Errorf("left: %s", left)
	}
}

// near fails unless a rate that Loadline calls valid is true within 10 %; one that is
// not valid, as on a busy machine, may be too low.
func near(t *testing.T, what string, got, truth float64, verdict string) {
	t.Helper()
	words := fmt.Sprintf("%s: %.0f/s where %.0f are true (%s)", what, got, truth, verdict)
	if got > 1.1*truth || got < 0.9*truth && verdict == "valid" {
		t.Error(words)
	} else {
		t.Log(words)
	}
}

// A volume of three replicas reads three times as fast as a disk of one node and writes
// half as fast, and neither is flagged: the Longhorn adapter knows the number of replicas.
func testLonghornBaseline(t *testing.T) {
	ns := namespace(t, "lh-baseline", "restricted")
	o := run(t, ns, "run", "sc:longhorn?size=160Mi", "--baseline", "sc:replica-disk", "--size", "64Mi", "--only", "rand-read-iops,rand-read-lat,rand-write-iops",
		"--max-time", "46s", "--quiet", "--format", "json")
	var r struct {
		report
		Comparison comparison
	}
	decode(t, o, &r)
	// Its writes are slower than the disk's, which is a regression.
	if o.code != 4 && o.code != 5 || len(r.Comparison.Rows) == 0 {
		t.Fatalf("exit code %d, %+v: %s", o.code, r.Comparison, o.stderr)
	}
	for _, row := range r.Comparison.Rows {
		if row.Metric != "iops" {
			continue
		}
		switch row.Workload {
		case "rand-read-iops":
			near(t, "reads of three replicas", row.B.Estimate, allReads, row.Trust)
			near(t, "reads of a disk", row.A.Estimate, slowDisk, row.Trust)
		case "rand-write-iops":
			near(t, "writes of three replicas", row.B.Estimate, allWrites, row.Trust)
			near(t, "writes of a disk", row.A.Estimate, slowDisk, row.Trust)
		}
	}
	b := r.Run.Environment.Cluster.Backing
	if b.Adapter != "longhorn" || b.Replicas != 3 || b.Healthy != 3 || b.Engine != "v1.8.0" || b.Locality != "disabled" || len(b.Nodes) != 3 || len(b.Unknown) != 0 {
		t.Errorf("the adapter says %+v", b)
	}
	// No node was specified: both sides have gone to the same node.
	if a, b := r.Comparison.A.Environment.Cluster.Node, r.Comparison.B.Environment.Cluster.Node; a != b || a == "" {
		t.Errorf("the sides were on %s and %s", a, b)
	}
	if a := r.Comparison.A.Environment.Cluster.Backing; a.Adapter != "local-path" || a.Replicas != 1 {
		t.Errorf("the adapter of the baseline says %+v", a)
	}
	seen := map[string]bool{}
	for _, f := range r.Findings {
		switch f.Rule {
		case "above-disks", "faster-reads", "faster-writes":
			seen[f.Rule] = true
			if f.Severity == "invalid" || f.Severity == "warning" {
				t.Errorf("%s flags it: %s", f.Rule, f.Message)
			}
		}
	}
	if len(seen) != 3 {
		t.Errorf("only %v have spoken", seen)
	}
	nothingLeft(t, ns)
}

// However many volumes there are (one is measured above), their total is what the
// disks can do; the disks count one read for each read, and six writes for each write,
// and so does Loadline.
func testLonghornScale(t *testing.T) {
	// The pods that count mount the replicas' directories.
	ns := namespace(t, "lh-scale", "privileged")
	volumes, most := "3", "15s"
	if long {
		volumes, most = "1,3,6", "60s"
	}
	for _, c := range []struct {
		workload         string
		truth, amplified float64
	}{{"rand-read-iops", allReads, 1}, {"rand-write-iops", allWrites, 6}} {
		count := countDisks(t)
		o := run(t, ns, "scale", "sc:longhorn?size=128Mi", "--volumes", volumes, "--size", "48Mi", "--workload", c.workload, "--max-time", most, "--amplification", "--quiet", "--format", "json")
		reads, writes := count()
		disks := map[bool]float64{true: reads, false: writes}[c.amplified == 1]
		points := totals(t, o)
		if len(points) != strings.Count(volumes, ",")+1 {
			t.Errorf("%d points", len(points))
		}
		held := 0
		for n, p := range points {
			near(t, fmt.Sprintf("%s of %d volumes", c.workload, n), p.Total.Estimate, c.truth, p.Verdict)
			words := fmt.Sprintf("the disks do %.0f I/Os per second for %.0f: %.2f each where %g are true", disks, p.Total.Estimate, disks/p.Total.Estimate, c.amplified)
			// Where the volumes fall short of the disks' rate, so do the disks, but not in their best seconds.
			whole := math.Abs(p.Total.Estimate/c.truth-1) < 0.05
			if whole {
				held++
			}
			switch {
			case whole && math.Abs(disks/p.Total.Estimate/c.amplified-1) > 0.1:
				t.Error(words)
			default:
				t.Log(words)
			}
			told(t, fmt.Sprintf("%d volumes", p.Volumes), p.Amplification, c.amplified)
		}
		if long && held == 0 {
			t.Errorf("%s: no number of volumes reaches %.0f/s, so the disks' I/Os were compared with nothing", c.workload, c.truth)
		}
		nothingLeft(t, ns)
	}
}

// told fails unless Loadline itself has counted how many I/Os of the disks there are for each.
func told(t *testing.T, what string, a *amplification, amplified float64) {
	t.Helper()
	switch {
	case a == nil || a.NotCounted != "":
		t.Errorf("%s: the amplification is %+v", what, a)
	case a.Expected != amplified || len(a.Devices) != lab.Nodes || math.Abs(a.Estimate/amplified-1) > 0.1 || a.Low > a.Estimate || a.High < a.Estimate || a.Disks == 0:
		t.Errorf("%s, of which %g are true: %+v", what, amplified, a)
	default:
		t.Logf("%s: %s", what, a.Says)
	}
}

// testLonghornBudget checks that the budget of a write has a row for what the disks do for it, in the report
// of the run and in what explain says of it later.
func testLonghornBudget(t *testing.T) {
	ns := namespace(t, "lh-budget", "privileged")
	results := t.TempDir()
	o := run(t, ns, "run", "sc:longhorn?size=128Mi", "--size", "48Mi", "--only", "rand-write-iops", "--time", "8s", "--ramp-time", "1s", "--amplification",
		"--results", results, "--quiet", "--format", "json")
	var r struct {
		report
		Budgets []struct {
			Workload      string
			Amplification []amplification
		}
	}
	decode(t, o, &r)
	if o.code != 0 && o.code != 5 || len(r.Budgets) != 1 || len(r.Budgets[0].Amplification) != 1 {
		t.Fatalf("exit code %d, %+v: %s", o.code, r.Budgets, o.stderr)
	}
	told(t, "the budget", &r.Budgets[0].Amplification[0], 6)
	saved, err := filepath.Glob(filepath.Join(results, "*", "run.json"))
	if err != nil || len(saved) != 1 {
		t.Fatalf("%v, %v", saved, err)
	}
	text, err := exec.CommandContext(t.Context(), loadline, "explain", filepath.Dir(saved[0])).CombinedOutput()
	// A budget that does not close (code 6), as on a busy machine, has the row too.
	if code := codeOf(t, err); code != 0 && code != 6 || !strings.Contains(string(text), "I/O amplification (writes)") || !strings.Contains(string(text), " of 6 ") {
		t.Errorf("explain, exit code %d:\n%s", code, text)
	}
	nothingLeft(t, ns)
}

// countDisks starts counting the I/Os of all disks for replicas. The function that it returns stops counting
// and returns the reads and writes per second under full load,
// as the upper quartile of all seconds.
func countDisks(t *testing.T) (end func() (reads, writes float64)) {
	t.Helper()
	type counts struct {
		at            time.Time
		reads, writes float64
	}
	look := func() (c counts) {
		c.at = time.Now()
		for n := 1; n <= lab.Nodes; n++ {
			r, w, err := lab.DiskCounters(n, cluster.ForReplicas)
			if err != nil {
				t.Error(err)
			}
			c.reads, c.writes = c.reads+float64(r), c.writes+float64(w)
		}
		return c
	}
	over, done := make(chan struct{}), make(chan struct{})
	var reads, writes []float64
	go func() {
		defer close(done)
		last := look()
		for {
			select {
			case <-over:
				return
			case <-time.After(time.Second):
			}
			now := look()
			seconds := now.at.Sub(last.at).Seconds()
			reads, writes = append(reads, (now.reads-last.reads)/seconds), append(writes, (now.writes-last.writes)/seconds)
			last = now
		}
	}()
	quarter := func(list []float64) float64 {
		slices.Sort(list)
		if len(list) == 0 {
			return 0
		}
		return list[len(list)*3/4]
	}
	return func() (float64, float64) {
		close(over)
		<-done
		return quarter(reads), quarter(writes)
	}
}

// median returns the value in the middle, or the mean of the two that are there.
func median(list []float64) float64 {
	list = slices.Sorted(slices.Values(list))
	return (list[(len(list)-1)/2] + list[len(list)/2]) / 2
}

// smoothed returns the running median of three: what lasts for one second is gone, and steps stay where they are.
func smoothed(series []float64) []float64 {
	smooth := make([]float64, len(series))
	for i := range series {
		first := max(0, min(i-1, len(series)-3))
		smooth[i] = median(series[first:min(first+3, len(series))])
	}
	return smooth
}

// Steps stay where they are, and neither a single second nor one at the end is a level.
func TestSmoothed(t *testing.T) {
	got := smoothed([]float64{9, 9, 1, 9, 9, 6, 6, 6, 9, 6, 6, 9, 9, 9, 2})
	if want := []float64{9, 9, 9, 9, 9, 6, 6, 6, 6, 6, 6, 9, 9, 9, 9}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

// A replica that dies under load costs a third of the reads until it is rebuilt, and no client
// sees an error; the report shows both steps.
func testLonghornReplicaDies(t *testing.T) {
	const seconds, until = 60, 8
	ns := namespace(t, "lh-dies", "restricted")
	out, progress := &logged{}, &logged{}
	cmd := command(t.Context(), t, ns, "", "run", "sc:longhorn?size=128Mi", "--node", "node1", "--size", "48Mi", "--only", "rand-read-iops", "--time", fmt.Sprint(seconds, "s"), "--ramp-time", "1s",
		"--format", "json")
	cmd.Stdout, cmd.Stderr = out, progress
	start(t, cmd, progress, "MiB in ")
	first, _, err := lab.DiskCounters(2, cluster.ForReplicas)
	if err != nil {
		t.Fatal(err)
	}
	deadline := time.Now().Add(commandTimeout)
	for now := first; now < first+until*slowDisk; time.Sleep(100 * time.Millisecond) {
		if now, _, err = lab.DiskCounters(2, cluster.ForReplicas); err != nil || time.Now().After(deadline) {
			t.Fatalf("%d reads within %s, %v: %s", now-first, commandTimeout, err, progress)
		}
	}
	if err := lab.KillReplica(2); err != nil {
		t.Fatal(err)
	}
	r := measured(t, outcome{code: ended(t, cmd), stdout: out.String(), stderr: progress.String()})
	if len(r.Results) != 1 || len(r.Results[0].Series) != seconds {
		t.Fatalf("%+v", r.Results)
	}
	series := r.Results[0].Series
	t.Logf("%.0f", series)
	// Where each level begins: the last seconds are those after the rebuild. A single second in which this machine had
	// something else to do is no level.
	smooth := smoothed(series)
	low := slices.IndexFunc(smooth, func(v float64) bool { return v < 0.8*allReads })
	again := -1
	for i := len(smooth) - 1; i >= 0 && smooth[i] > 0.8*allReads; i-- {
		again = i
	}
	if low < until/2 || again < low+5 || again > seconds-4 {
		t.Fatalf("no two steps: below %d from second %d on, above again from %d on", allReads, low, again)
	}
	for what, part := range map[string]struct {
		seconds []float64
		truth   float64
	}{"three replicas": {series[1:low], allReads}, "two replicas": {series[low+1 : low+5], allReads * 2 / 3}, "three again": {series[again+1:], allReads}} {
		near(t, what, median(part.seconds), part.truth, "valid")
	}
	told := ""
	for _, f := range r.Findings {
		switch f.Rule {
		case "errors":
			if f.Severity != "passed" {
				t.Errorf("a client saw an error: %s", f.Message)
			}
		case "replicas":
			told = f.Severity + ": " + f.Message
		}
	}
	if !strings.Contains(told, "warning: degraded: replicas 3 → 2 → 3 (2 from ") {
		t.Errorf("the report says of the replicas: %s", told)
	}
	t.Log(told)
	nothingLeft(t, ns)
}
