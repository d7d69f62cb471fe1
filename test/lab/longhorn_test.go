package lab

import (
	"encoding/json"
	"os/exec"
	"testing"
	"time"
)

func TestLonghornIsWhatItSays(t *testing.T) {
	Need(t, "nbdinfo")
	v := Longhorn(t, 2, 64*mebi)
	Verify(t, v.Device)
	var info struct {
		Exports []struct {
			Size     int64 `json:"export-size"`
			CanFlush bool  `json:"can_flush"`
			CanFUA   bool  `json:"can_fua"`
		}
	}
	out, err := exec.Command("nbdinfo", "--json", v.URI).Output()
	if err != nil || json.Unmarshal(out, &info) != nil || len(info.Exports) != 1 {
		t.Fatalf("nbdinfo: %v: %s", err, out)
	}
	if e := info.Exports[0]; e.Size != v.Size || e.CanFlush || e.CanFUA {
		t.Errorf("the export is %+v; it should have %d bytes and no flush, because the engine has none", e, v.Size)
	}
	if n := v.Healthy(t); n != 2 {
		t.Errorf("%d of 2 replicas are healthy", n)
	}
}

// No client sees an error, neither when a replica dies nor while it is rebuilt,
// and what was written meanwhile is on the rebuilt one.
func TestLonghornSurvivesItsReplicas(t *testing.T) {
	t.Parallel()
	v := Longhorn(t, 3, 128*mebi)
	load := func(pattern string, meanwhile func()) {
		t.Helper()
		done := make(chan struct{})
		go func() {
			defer close(done)
			m := Fio(t, v.Device, Job{Pattern: pattern, Depth: 16, Time: 4 * time.Second})
			t.Logf("%s: %.0f IOPS, p50 %s, p99 %s", pattern, m.IOPS, m.P50, m.P99)
			if m.ExitCode != 0 || m.Errors > 0 || m.Total == 0 {
				t.Errorf("%s: fio exit code %d, %d errors in %d I/Os: %s", pattern, m.ExitCode, m.Errors, m.Total, m.Messages)
			}
		}()
		time.Sleep(2 * time.Second)
		meanwhile()
		<-done
	}
	healthy := func(want int) {
		t.Helper()
		if n := v.Healthy(t); n != want {
			t.Fatalf("%d replicas are healthy, not %d", n, want)
		}
	}
	load("randread", func() { v.KillReplica(1) })
	healthy(2)
	load("randwrite", func() { v.addReplica(t, 1) })
	healthy(3)
	load("randwrite", func() { v.KillReplica(2) })
	healthy(2)

	written := append(v.Device.engine(), "--rw=randwrite", "--bs=4096", "--iodepth=16", "--size=16m", "--verify=crc32c")
	if m := runFio(t, 0, time.Minute, append(written, "--do_verify=0")); m.ExitCode != 0 {
		t.Fatalf("cannot write: %s", m.Messages)
	}
	v.addReplica(t, 2)
	v.KillReplica(0)
	v.KillReplica(1)
	// Only the replica that was empty a moment ago is left.
	m := runFio(t, 0, time.Minute, append(written, "--verify_only=1", "--verify_fatal=1"))
	healthy(1)
	if m.ExitCode != 0 || m.Errors > 0 {
		t.Errorf("the rebuilt replica does not have what was written: fio exit code %d, %d errors: %s", m.ExitCode, m.Errors, m.Messages)
	}
	// A client does see errors if there is no replica left.
	v.KillReplica(2)
	if m := Fio(t, v.Device, Job{Pattern: "randwrite", Time: time.Second}); m.ExitCode == 0 || m.Errors == 0 {
		t.Errorf("a volume without replicas takes writes: fio exit code %d, %d errors in %d I/Os", m.ExitCode, m.Errors, m.Total)
	}
}
