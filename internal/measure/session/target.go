package session

import (
	"context"
	"slices"

	"github.com/loadline/loadline/internal/ask/target"
	"github.com/loadline/loadline/internal/env"
	"github.com/loadline/loadline/internal/measure/load/fio"
	"github.com/loadline/loadline/internal/measure/volume"
	"github.com/loadline/loadline/internal/model"
)

// ParseTarget parses the name of a target.
func ParseTarget(name string) (model.Target, error) {
	return target.Parse(name, target.Options{DescribeMount: volume.DescribeMount})
}

// ParseNew is ParseTarget for a command that may create the file that is named: it does so with --create.
func ParseNew(name string, create bool) (model.Target, error) {
	return target.Parse(name, target.Options{Create: create, Offer: "--create", DescribeMount: volume.DescribeMount})
}

// checkJobs lets fio itself check the user's jobs before anything is touched. file is the job file that they are from, if
// it was one.
func checkJobs(ctx context.Context, e *env.Env, workloads []model.Workload, file string) error {
	driver := fio.New(e)
	own := slices.DeleteFunc(slices.Clone(workloads), func(w model.Workload) bool { return w.Job == "" })
	for _, w := range own {
		if err := driver.CheckJob(ctx, w.Job, file); err != nil {
			return err
		}
	}
	return nil
}
