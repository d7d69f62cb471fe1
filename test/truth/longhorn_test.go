package truth

import (
	"fmt"
	"math"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/loadline/loadline/internal/judge/stats"
	"github.com/loadline/loadline/internal/measure/store"
	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/test/lab"
)

// diskIOPS is the limit of each of the replicas' disks, in 1/s.
const diskIOPS = 150

// diskDelay is the time of an I/O on a disk with a latency.
const diskDelay = 8 * time.Millisecond

// disks returns directories on n separate disks of known speed.
func disks(t testing.TB, n int, delay time.Duration) []string {
	t.Helper()
	var dirs []string
	for range n {
		d := lab.Throttled(t, lab.Throttle{IOPS: diskIOPS, Delay: delay, Size: 128 << 20})
		// A journal would do additional I/O.
		dirs = append(dirs, lab.Filesystem(t, lab.Block(t, d), "ext4", "-O", "^has_journal"))
	}
	return dirs
}

// A real replicated volume, whose rates depend on the machine and are not asserted.
func TestLonghornVolume(t *testing.T) {
	takeSlots(t, demand{class: bestEffort, seconds: 13})
	v := lab.Longhorn(t, 3, 64<<20)
	o := command(t.Context(), t, "run", v.Target(), "--destroy-data-on", v.Target(), "--results", t.TempDir())
	if o.code != 2 || !strings.Contains(o.stderr, "--skip log-write-fdatasync") {
		t.Errorf("waiting for flushes where there are none: exit code %d", o.code)
	}
	o = measure(t.Context(), t, v.Target(), "--profile", "quick", "--only", "rand-*-iops", "--size", "32M", "--time", "2s",
		"--destroy-data-on", v.Target())
	if o.code != 0 && o.code != 5 {
		t.Fatalf("exit code %d", o.code)
	}
	if p := o.report.Run.Prepare; p == nil || p.Proof.Method != "read-back" || p.Proof.Unwritten != 0 || p.Proof.Checked != 32<<20 {
		t.Errorf("preparation: %+v", p)
	}
	if len(o.report.Results) != 2 || o.finding("errors", model.SeverityInvalid) || o.finding("sparse", model.SeverityInvalid) {
		t.Errorf("%d results, findings %+v", len(o.report.Results), o.report.Findings)
	}
}

// Reads go to the replicas in turn: three disks give three times the rate of one.
// When one of them dies, no client sees an error, no second is missing, and the
// series falls to two thirds.
func TestAReplicaDiesUnderLoad(t *testing.T) {
	runWithRetry(t, demand{seconds: 26, slots: 4}, replicaDies)
}

func replicaDies(t testing.TB) {
	t.Helper()
	const seconds = 16
	v := lab.Longhorn(t, 3, 64<<20, disks(t, 3, diskDelay)...)
	lab.Fill(t, v.Device)
	results := t.TempDir()
	over, killed := make(chan struct{}), make(chan int, 1)
	go func() {
		for {
			select {
			case <-over:
				killed <- seconds
				return
			case <-time.After(50 * time.Millisecond):
			}
			if saved := samples(results); saved >= seconds/2-1 {
				v.KillReplica(1)
				killed <- saved
				return
			}
		}
	}()
	o := measure(t.Context(), t, v.Target(), "--profile", "quick", "--only", "rand-read-iops", "--time", fmt.Sprint(seconds, "s"), "--ramp-time", "1s",
		"--results", results)
	close(over)
	before := <-killed
	r := o.result(t, "rand-read-iops")
	t.Logf("a replica died after %d of %d seconds: %.0f", before, seconds, r.Series)
	if o.code != 0 && o.code != 5 || o.finding("errors", model.SeverityInvalid) {
		t.Errorf("exit code %d, findings %+v", o.code, o.report.Findings)
	}
	if v.Healthy(t) != 2 {
		t.Errorf("%d replicas are healthy, not 2", v.Healthy(t))
	}
	if len(r.Series) != seconds || before > seconds-4 {
		t.Fatalf("%d of %d seconds are there, and the replica died after %d", len(r.Series), seconds, before)
	}
	// The second of the death belongs to neither.
	for n, series := range map[float64][]float64{3: r.Series[:before-1], 2: r.Series[before+2:]} {
		if got := stats.Mean(series); math.Abs(got/(n*diskIOPS)-1) > 0.1 {
			t.Errorf("%g disks of %d IOPS give %.0f", n, diskIOPS, got)
		}
	}
}

// samples returns how many samples the only run below the directory has saved so far.
func samples(results string) int {
	runs, err := filepath.Glob(filepath.Join(results, "*"))
	if err != nil || len(runs) != 1 {
		return 0
	}
	run, err := store.Read(runs[0])
	if err != nil {
		return 0
	}
	return len(run.Samples)
}
