package lab

import (
	"testing"
	"time"
)

// The rate is the one that was set last.
func TestAdjustableRate(t *testing.T) {
	t.Parallel()
	d := Adjustable(t, 1000)
	for _, iops := range []float64{1000, 400, 2000} {
		d.Set(t, iops)
		within(t, "IOPS", iops, 0.05, doneBy(t, d.Device, Job{Depth: 32, Time: 1500 * time.Millisecond}))
	}
}
