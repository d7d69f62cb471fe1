package profile

import (
	"slices"

	"github.com/loadline/loadline/internal/model"
)

// quickPrefill is the time limit for the prefill of quick, in seconds: just long enough to count as a
// look for the bytes written (20 s), and for the size required by Kbench's rule.
const quickPrefill = 22.0

// briefRamp is the ramp of short repeats, in seconds: the first requests, and the tenth of a second for
// which a throttle (QEMU's default) lets a burst through.
const briefRamp = 0.3

// quick has the six workloads that people check first, short enough that three rounds with all ramps
// and starts, plus a look in each direction for the sustained rate, take less than a minute and a half. Six
// measured seconds cannot rule out a missed stall, so it only aims at ±10 %.
func quick() Profile {
	six := []string{"rand-read-iops", "rand-write-iops", "seq-read-bw", "seq-write-bw", "rand-read-lat", "rand-write-lat"}
	return Profile{
		Name:   "quick",
		Title:  "The six workloads that people check first, in about a minute and a half, to ±10 %",
		Repeat: 2, Ramp: briefRamp, MaxTime: 84, Precision: 0.1, ShortWriteLook: true,
		Workloads: slices.DeleteFunc(kbenchWorkloads(), func(w model.Workload) bool { return !slices.Contains(six, w.Name) }),
	}
}
