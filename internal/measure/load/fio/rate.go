package fio

import (
	"fmt"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/units"
)

// share is a group of a workload's jobs that have the same rate; a rate of 0 is no limit.
type share struct {
	jobs int
	rate int64
	// before is the number of jobs before these.
	before int
}

// checkRate refuses a rate to which fio cannot limit a workload.
func checkRate(w model.Workload) error {
	if instead, ok := units.WholeRate(w.RateIOPS); !ok && w.Job == "" {
		return model.RefusedError(fmt.Sprintf("workload %s is limited to %g I/Os per second, but fio keeps only to "+units.WholeRates, w.Name, w.RateIOPS), "ask for "+instead+" IOPS")
	}
	return nil
}

// shares divides a workload's rate, a whole number (checkRate), among its jobs so that the sum is the
// requested rate. fio's limit is a whole number of I/Os per second for each job and direction, so some
// jobs get one more than others, and if there are more jobs than I/Os per second, only as many as that
// are started.
func shares(w model.Workload) []share {
	jobs := w.JobCount()
	if w.RateIOPS <= 0 {
		return []share{{jobs: jobs}}
	}
	total := int64(w.RateIOPS)
	jobs = int(min(int64(jobs), total))
	base, more := total/int64(jobs), int(total%int64(jobs))
	if more == 0 {
		return []share{{jobs: jobs, rate: base}}
	}
	return []share{{jobs: more, rate: base + 1}, {jobs: jobs - more, rate: base, before: more}}
}
