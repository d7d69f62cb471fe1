package truth

import (
	"testing"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/test/lab"
)

// A replicated volume is compared with one disk like those below it. Its true properties
// (reads up to the number of replicas, no read faster than a disk's) raise
// no alarm; if two replicas are declared where three share the reads, the rule fires.
func TestLonghornAgainstItsDisk(t *testing.T) {
	runWithRetry(t, demand{seconds: 63, slots: 4}, againstItsDisk)
}

func againstItsDisk(t testing.TB) {
	t.Helper()
	all := disks(t, 4, diskDelay)
	v := lab.Longhorn(t, 3, 64<<20, all[1:]...)
	lab.Fill(t, v.Device)

	o := measure(t.Context(), t, v.Target(), against(all[0], "rand-read-*", "--replicas", "3")...)
	if o.code != 0 && o.code != 5 {
		t.Errorf("exit code %d", o.code)
	}
	if !o.finding("above-disks", model.SeverityPassed) || o.finding("above-disks", model.SeverityWarning) {
		t.Errorf("reads of three replicas on three disks: %+v", o.report.Findings)
	}
	if o.finding("faster-reads", model.SeverityInvalid) || o.finding("faster-reads", model.SeverityWarning) {
		t.Errorf("a volume whose reads take as long as its disks': %+v", o.report.Findings)
	}

	o = measure(t.Context(), t, v.Target(), against(all[0], "rand-read-iops", "--replicas", "2", "--max-time", "15s")...)
	if !o.finding("above-disks", model.SeverityWarning) {
		t.Errorf("three times the reads of one disk, from two: %+v", o.report.Findings)
	}
}

// A trap for "faster than its disk": if disks have a limit on their rate but no
// latency, three of them do serve one reader sooner than one does. So
// without the number of replicas this is a warning and never invalid. Between
// the disks and fio there are a dozen processes here, so latencies on a busy machine
// are meaningless.
func TestLonghornOnDisksWithoutLatency(t *testing.T) {
	runWithRetry(t, demand{class: quiet, seconds: 36, slots: 4}, withoutLatency)
}

func withoutLatency(t testing.TB) {
	t.Helper()
	all := disks(t, 4, 0)
	v := lab.Longhorn(t, 3, 64<<20, all[1:]...)
	lab.Fill(t, v.Device)
	o := measure(t.Context(), t, v.Target(), against(all[0], "rand-read-lat")...)
	if o.finding("cpu", model.SeverityInvalid) || o.finding("cpu", model.SeverityWarning) {
		busy(t, "this machine is too busy to tell how long a read takes")
	}
	if !o.finding("faster-reads", model.SeverityWarning) || o.finding("faster-reads", model.SeverityInvalid) {
		t.Errorf("findings: %+v", o.report.Findings)
	}
}

// against returns the arguments of a read-only run with a baseline.
func against(baseline, only string, args ...string) []string {
	return append([]string{"--baseline", baseline, "--profile", "quick", "--only", only, "--size", "32M",
		"--max-time", "30s", "--fail-on", "none"}, args...)
}
