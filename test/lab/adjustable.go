package lab

import (
	"fmt"
	"os"
	"path/filepath"
)

// adjustableDevice has a rate that a test can change during use.
type adjustableDevice struct {
	Device
	rate string
}

// Adjustable starts a device in memory (64 MiB) with a limit in I/Os of 4 KiB per
// second, which Set changes at once. For larger I/Os the limit is on bytes, because that is
// what nbdkit counts. Reads and writes have separate limits.
func Adjustable(t T, iops float64) adjustableDevice {
	t.Helper()
	const size = 64 * mebi
	d := adjustableDevice{rate: filepath.Join(directory(t, ""), "rate")}
	d.Set(t, iops)
	// A small bucket, so that nothing of the former rate is left after a change. Each thread
	// polls until the bucket has tokens for it, so a few threads cost a tenth of the
	// processor time of many, at the same rate.
	s := nbdkit(t, nbdServer{filters: []string{"rate"}, plugin: []string{"memory", fmt.Sprint(size)}, threads: 4,
		options: []string{"rate-file=" + d.rate, "burstiness=0.05"}})
	d.Device = s.device("a rate that changes", size)
	return d
}

// Set changes the limit.
func (d adjustableDevice) Set(t T, iops float64) {
	t.Helper()
	const bits = 8 * 4096
	next := d.rate + ".next"
	err := os.WriteFile(next, fmt.Appendf(nil, "%.0f\n", bits*iops), 0o600)
	if err == nil {
		err = os.Rename(next, d.rate)
	}
	if err != nil {
		t.Errorf("cannot change the device's rate: %v", err)
	}
}
