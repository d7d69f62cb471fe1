package profile

import (
	"slices"

	"github.com/loadline/loadline/internal/model"
)

// quick is the six that a person looks at first, short enough that three rounds
// with all ramps and starts stay under a minute.
func quick() Profile {
	six := []string{"rand-read-iops", "rand-write-iops", "seq-read-bw", "seq-write-bw", "rand-read-lat", "rand-write-lat"}
	return Profile{
		Name:  "quick",
		Title: "the six that a person looks at first, in under a minute",
		Visit: 2, MaxTime: 55,
		Workloads: slices.DeleteFunc(kbenchWorkloads(), func(w model.Workload) bool { return !slices.Contains(six, w.Name) }),
	}
}
