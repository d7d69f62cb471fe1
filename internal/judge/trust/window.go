package trust

import (
	"fmt"
	"math"
	"strings"

	"github.com/loadline/loadline/internal/model"
)

// leastBytes is the minimum number of bytes moved before the two ends are compared: below it, a few
// I/Os more or less would matter.
const leastBytes = 256 << 10

// window adds up the stretches of a workload's repeats over which client and device can be compared; ok
// is false if there is none.
func (ev Evidence) window(workload string) (sum model.Window, ok bool) {
	return model.DeviceWindow(ev.good(workload), ev.Recorded.Plan.NodeOf)
}

// noDevice says why there is nothing to compare; "" if there should be.
func (ev Evidence) noDevice() string {
	switch s := ev.Recorded.Environment.Storage; {
	case s.Device == "" && ev.Recorded.Plan.Volume.Target.Kind == "":
		return "the target is not known"
	case s.Device == "" && len(s.DeviceChain) > 1:
		return fmt.Sprintf("the filesystem is on several devices (%s), and none of them counts all of its I/O", strings.Join(s.DeviceChain, ", "))
	case s.Device == "":
		return "the volume is on no block device of this machine, so nothing below the client is counted"
	}
	return ""
}

// noWindow is why a workload on a device has no window.
const noWindow = "the device's counters were not recorded over whole seconds: this needs repeats of at least 2 s and a device with counters enabled (queue/iostats)"

// atLeast is a lower bound for the expected number if n events were counted: n minus two standard
// deviations of a Poisson count.
func atLeast(n uint64) float64 {
	v := float64(n)
	return math.Max(0, v-2*math.Sqrt(v)-1)
}
