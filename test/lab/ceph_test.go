package lab

import (
	"os"
	"testing"
)

func TestCeph(t *testing.T) {
	const size = 64 * mebi
	d := Ceph(t, size)
	if os.Getenv("CEPH_CONF") == "" {
		t.Error("CEPH_CONF is not set: nothing would find the cluster")
	}
	Verify(t, d)
	if m := Fio(t, d, Job{Pattern: "randwrite", Depth: 16}); m.ExitCode != 0 || m.Total == 0 {
		t.Errorf("fio: exit code %d, %d I/Os: %s", m.ExitCode, m.Total, m.Messages)
	}
}
