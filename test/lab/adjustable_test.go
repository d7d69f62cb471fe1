package lab

import (
	"math"
	"testing"
	"time"
)

// The rate is the one that was set last.
func TestAdjustableRate(t *testing.T) {
	t.Parallel()
	d := Adjustable(t, 1000)
	for _, iops := range []float64{1000, 400, 2000} {
		d.Set(t, iops)
		m := Fio(t, d.Device, Job{Depth: 32, Time: 1500 * time.Millisecond})
		if math.Abs(m.IOPS/iops-1) > 0.05 {
			t.Errorf("set to %g IOPS, the device does %.0f", iops, m.IOPS)
		}
		t.Logf("%+v", m)
	}
}
