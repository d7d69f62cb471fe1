package truth

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/test/lab"
)

// The estimate is within 1 % of the setting of a throttled device.
func TestThrottledIOPS(t *testing.T) {
	defer scheduleSubtests(t)()
	odd := 500 + rand.Int64N(4500)
	for _, iops := range []int64{1000, 3000, odd} {
		t.Run(fmt.Sprint(iops), func(t *testing.T) {
			runWithRetry(t, demand{seconds: 66, slots: 2}, func(t testing.TB) { holds(t, iops, 0.01) })
		})
	}
}

// At 10,000 IOPS it is within 2 %, because QEMU itself is that far off, and the machine does nothing else.
func TestThrottledIOPSOfAFastDevice(t *testing.T) {
	runWithRetry(t, demand{class: quiet, seconds: 190, slots: capacity[quiet]}, func(t testing.TB) { holds(t, 10000, 0.02) })
}

// holds measures a throttled device and compares the estimates with its setting.
func holds(t testing.TB, iops int64, tolerance float64) {
	t.Helper()
	d := lab.Throttled(t, lab.Throttle{IOPS: iops, Size: 64 << 20})
	depth32 := lab.Job{Depth: 32}
	before := lab.Fio(t, d, depth32).IOPS
	o := measure(t.Context(), t, d.Target(), "--profile", "kbench", "--only", "rand-read-iops,rand-write-iops",
		"--size", fmt.Sprint(d.Size), "--max-time", "3m", "--destroy-data-on", d.Target())
	if o.code != 0 {
		t.Errorf("exit code %d", o.code)
	}
	after := lab.Fio(t, d, depth32).IOPS
	for _, name := range []string{"rand-read-iops", "rand-write-iops"} {
		near(t, o.result(t, name), float64(iops), tolerance, before, after)
	}
}

// The same for bandwidth.
func TestThrottledBandwidth(t *testing.T) {
	defer scheduleSubtests(t)()
	odd := int64(40<<20) + rand.Int64N(100<<20)
	for _, limit := range []int64{125 << 20, odd} {
		t.Run(fmt.Sprint(limit), func(t *testing.T) {
			runWithRetry(t, demand{seconds: 66, slots: 3}, func(t testing.TB) {
				d := lab.Throttled(t, lab.Throttle{BytesPerSecond: limit})
				o := measure(t.Context(), t, d.Target(), "--profile", "kbench", "--only", "seq-read-bw,seq-write-bw",
					"--size", fmt.Sprint(d.Size), "--max-time", "3m", "--destroy-data-on", d.Target())
				for _, name := range []string{"seq-read-bw", "seq-write-bw"} {
					near(t, o.result(t, name), float64(limit), 0.01, float64(limit))
				}
			})
		})
	}
}

// near compares a result with the device's setting. If the machine lacks
// processor time, the device itself may fall short of its setting, which plain fio
// then shows too: calibrated are its results before and after.
func near(t testing.TB, r model.Result, set, tolerance float64, calibrated ...float64) {
	t.Helper()
	low, high := min(set, slices.Min(calibrated)), max(set, slices.Max(calibrated))
	if r.Value < low*(1-tolerance) || r.Value > high*(1+tolerance) {
		t.Errorf("%s: %g (%g to %g), the device is set to %g and calibrated at %v: off by %+.2f %%",
			r.Workload, r.Value, r.Low, r.High, set, calibrated, 100*(r.Value/set-1))
	}
	if !r.Converged || r.Verdict == model.Invalid {
		t.Errorf("%s: converged %v, verdict %s %v on a steady device", r.Workload, r.Converged, r.Verdict, r.Findings)
	}
}

// The median latency at depth 1 is that of the device: never below the delay,
// and within 5 % above what plain fio measures on the same device.
func TestDelay(t *testing.T) {
	defer scheduleSubtests(t)()
	for _, delay := range []time.Duration{time.Millisecond, 5 * time.Millisecond} {
		t.Run(delay.String(), func(t *testing.T) {
			runWithRetry(t, demand{seconds: 23}, func(t testing.TB) { delays(t, delay) })
		})
	}
}

// delays compares the latencies of a delayed device with its delay.
func delays(t testing.TB, delay time.Duration) {
	t.Helper()
	d := lab.Delayed(t, delay, delay)
	before := lab.Fio(t, d, lab.Job{})
	o := measure(t.Context(), t, d.Target(), "--profile", "kbench", "--only", "rand-read-lat,rand-write-lat",
		"--size", "64M", "--max-time", "16s", "--destroy-data-on", d.Target())
	after := lab.Fio(t, d, lab.Job{})
	calibrated := max(before.P50.Seconds(), after.P50.Seconds())
	p50 := o.result(t, "rand-read-lat").Latency.P50
	if p50 == nil {
		t.Fatal("the median is hidden")
	}
	if *p50 < delay.Seconds() || *p50 > 1.05*calibrated {
		t.Errorf("p50 %g s; the delay is %s and the device was calibrated at %g s", *p50, delay, calibrated)
	}
	if w := o.result(t, "rand-write-lat").Latency.P50; w == nil || *w < delay.Seconds() {
		t.Errorf("write p50 %v is below the delay", w)
	}
}
