package lab

import (
	"flag"
	"fmt"
	"math"
	"os"
	"strconv"
	"testing"
	"time"
)

// sideBySide is how many parallel tests run at once, however few processors there are: slow devices take
// little of them.
const sideBySide = 4

func TestMain(m *testing.M) {
	if err := flag.Set("test.parallel", strconv.Itoa(sideBySide)); err != nil {
		panic(err)
	}
	os.Exit(m.Run())
}

// within fails unless what measure returns is within the relative tolerance share of want, in one of three tries: a moment
// of 100 ms without a processor is 5 % of a window of two seconds.
func within(t *testing.T, what string, want, share float64, measure func() float64) {
	t.Helper()
	UpToThree(t, func() []string { return off(t, what, measure(), want, share) })
}

// off says that got is not within the relative tolerance share of want, or nothing if it is.
func off(t *testing.T, what string, got, want, share float64) (wrong []string) {
	t.Helper()
	t.Logf("%s: %.1f, set to %.1f (%+.2f %%)", what, got, want, 100*(got/want-1))
	if math.Abs(got/want-1) > share {
		wrong = append(wrong, fmt.Sprintf("%s: %.1f is not within %g %% of %.1f", what, got, share*100, want))
	}
	return wrong
}

// doneBy returns a function that measures the I/Os per second of a job on a device.
func doneBy(t *testing.T, d Device, j Job) func() float64 {
	return func() float64 {
		t.Helper()
		return Fio(t, d, j).IOPS
	}
}

// movedBy is the same for bytes.
func movedBy(t *testing.T, d Device, j Job) func() float64 {
	return func() float64 {
		t.Helper()
		return Fio(t, d, j).BytesPerSecond
	}
}

func TestThrottledHoldsItsRate(t *testing.T) {
	for _, c := range []struct {
		iops    int64
		pattern string
		share   float64
	}{{1000, "randread", 0.01}, {3000, "randwrite", 0.01}, {10000, "randread", 0.02}, {10000, "randwrite", 0.02}} {
		t.Run(fmt.Sprintf("%d %s", c.iops, c.pattern), func(t *testing.T) {
			if c.iops < 10000 {
				t.Parallel()
			}
			d := Throttled(t, Throttle{IOPS: c.iops})
			within(t, "IOPS", float64(c.iops), c.share, doneBy(t, d, Job{Pattern: c.pattern, Depth: 32, Ramp: time.Second}))
		})
	}
	t.Run("125 MiB/s", func(t *testing.T) {
		t.Parallel()
		d := Throttled(t, Throttle{BytesPerSecond: 125 * mebi})
		// After a moment without a processor QEMU catches up on what was missed, a tenth of
		// a second at most, and the start of the window may be anywhere within that.
		reads := Job{Pattern: "read", BlockSize: 128 * kibi, Depth: 16, Ramp: time.Second, Time: 6 * time.Second}
		within(t, "bytes/s", float64(125*mebi), 0.01, movedBy(t, d, reads))
	})
	t.Run("accounting", func(t *testing.T) {
		t.Parallel()
		d := Throttled(t, Throttle{IOPS: 1000, AccountSize: 16384})
		within(t, "IOPS", 62.5, 0.02, doneBy(t, d, Job{BlockSize: 256 * kibi, Depth: 16, Ramp: time.Second, Time: 4 * time.Second}))
	})
}

// Each try has a device of its own, because a try spends the credit. A throttle lets I/Os that a busy machine has delayed be
// done afterwards (up to a tenth of a second of them), which is more than 2 % of a second.
func TestThrottledBurstEnds(t *testing.T) {
	t.Parallel()
	UpToThree(t, func() []string {
		d := Throttled(t, Throttle{IOPS: 300, BurstIOPS: 3000, BurstSeconds: 6, Size: 64 * mebi})
		burst := Fio(t, d, Job{Depth: 32, Ramp: 500 * time.Millisecond, Time: 3 * time.Second})
		wrong := off(t, "IOPS with credit", burst.IOPS, 3000, 0.02)
		after := Fio(t, d, Job{Depth: 32, Ramp: 4 * time.Second})
		return append(wrong, off(t, "IOPS without credit", after.IOPS, 300, 0.02)...)
	})
}

func TestThrottledUnwrittenReadsAreNotLimited(t *testing.T) {
	d := Throttled(t, Throttle{IOPS: 1000, Unwritten: true})
	if m := Fio(t, d, Job{Depth: 32, Time: time.Second}); m.IOPS < 3000 {
		t.Errorf("%.0f IOPS: this device was meant to show the pitfall of unwritten space", m.IOPS)
	}
}

func TestThrottledWithDelay(t *testing.T) {
	d := Throttled(t, Throttle{IOPS: 3000, Delay: 2 * time.Millisecond})
	within(t, "IOPS", 3000, 0.01, doneBy(t, d, Job{Depth: 32}))
	checkDelay(t, d, Job{}, 2*time.Millisecond, 0.25)
	Verify(t, d)
}

// With mirrors below one limit, a write uses one I/O of it for each copy, a read uses one.
func TestThrottledMirrors(t *testing.T) {
	t.Parallel()
	d := Throttled(t, Throttle{IOPS: 3000, Mirrors: 3, Size: 64 * mebi})
	within(t, "reads", 3000, 0.02, doneBy(t, d, Job{Depth: 4, Jobs: 4}))
	within(t, "writes", 1000, 0.05, doneBy(t, d, Job{Pattern: "randwrite", Depth: 4, Jobs: 4}))
	Verify(t, d)
}

// checkDelay fails if the median of a job is below the set delay or far above it. Processors that others use for
// some seconds make it longer, so it is measured up to three times.
func checkDelay(t *testing.T, d Device, j Job, set time.Duration, share float64) {
	t.Helper()
	var p50 time.Duration
	for range 3 {
		p50 = Fio(t, d, j).P50
		t.Logf("p50 %s, set to %s", p50, set)
		if p50 >= set && float64(p50) <= float64(set)*(1+share) {
			return
		}
		if p50 < set {
			break
		}
	}
	t.Errorf("p50 is %s with a delay of %s: not between it and %g %% more", p50, set, share*100)
}

func TestDelayed(t *testing.T) {
	d := Delayed(t, 5*time.Millisecond, 2*time.Millisecond)
	checkDelay(t, d, Job{Pattern: "randread"}, 5*time.Millisecond, 0.15)
	checkDelay(t, d, Job{Pattern: "randwrite"}, 2*time.Millisecond, 0.25)
	// 32 I/Os in flight of 5 ms each are 6400 a second: the threads are not the limit.
	UpToThree(t, func() (wrong []string) {
		if m := Fio(t, d, Job{Depth: 32}); m.IOPS < 5000 || m.IOPS > 6400 {
			wrong = append(wrong, fmt.Sprintf("%.0f IOPS at depth 32 with a delay of 5 ms", m.IOPS))
		}
		return wrong
	})
	Verify(t, d)
}

func TestRateLimited(t *testing.T) {
	t.Parallel()
	d := RateLimited(t, 400_000_000)
	reads := Job{Pattern: "read", BlockSize: 128 * kibi, Depth: 16, Ramp: 2 * time.Second, Time: 4 * time.Second}
	within(t, "bytes/s", 50_000_000, 0.03, movedBy(t, d, reads))
}

func TestErrors(t *testing.T) {
	t.Parallel()
	d := Errors(t, Fault{Error: "EIO", On: "read", Rate: 0.01}, Fault{Error: "ENOSPC", On: "write", Switched: true})
	if m := Fio(t, d.Device, Job{Time: time.Second}); m.ExitCode == 0 || m.Errors == 0 {
		t.Errorf("1 %% EIO: fio ended with %d and %d errors", m.ExitCode, m.Errors)
	}
	// fio counts errors in the ramp too, so this job has no ramp. The bound is six
	// standard deviations of a count: one false alarm in 500 million.
	m := Fio(t, d.Device, Job{Time: time.Second, Options: []string{"--continue_on_error=all", "--ramp_time=0"}})
	expected := 0.01 * float64(m.Total+m.Errors)
	if off := math.Abs(float64(m.Errors) - expected); m.Total < 1000 || off > 6*math.Sqrt(expected)+1 {
		t.Errorf("%d of %d reads failed: not 1 %%", m.Errors, m.Total)
	}
	Verify(t, Plain(t))
	if m := Fio(t, d.Device, Job{Pattern: "randwrite", Time: time.Second}); m.Errors > 0 {
		t.Errorf("writes fail before the fault is on: %s", m.Messages)
	}
	d.On(t)
	if m := Fio(t, d.Device, Job{Pattern: "randwrite", Time: time.Second}); m.ExitCode == 0 || m.Errors == 0 {
		t.Errorf("ENOSPC: fio ended with %d and %d errors", m.ExitCode, m.Errors)
	}
	d.Off(t)
	if m := Fio(t, d.Device, Job{Pattern: "randwrite", Time: time.Second}); m.Errors > 0 {
		t.Errorf("writes fail after the fault is off: %s", m.Messages)
	}
}
