package profile

import (
	"slices"

	"github.com/loadline/loadline/internal/model"
)

// quickPrefill bounds the prefill of quick, in seconds: it takes no longer than what counts as
// a look at the bytes that are written (20 s), and what Kbench's rule asks for.
const quickPrefill = 22.0

// quick is the six that a person looks at first, short enough that three rounds
// with all ramps and starts, and a look at what lasts in each direction, take a minute and a half. Six measured seconds cannot rule
// out that a stall was missed, so ±10 % is all that it asks for.
func quick() Profile {
	six := []string{"rand-read-iops", "rand-write-iops", "seq-read-bw", "seq-write-bw", "rand-read-lat", "rand-write-lat"}
	return Profile{
		Name:   "quick",
		Title:  "the six that a person looks at first, in a minute and a half, to ±10 %",
		Repeat: 2, MaxTime: 97, Precision: 0.1,
		Workloads: slices.DeleteFunc(kbenchWorkloads(), func(w model.Workload) bool { return !slices.Contains(six, w.Name) }),
	}
}
