// Package sweep is the scenario "sweep": one pattern with varied parameters. A grid of queue depth ×
// block size × jobs shows where more parallelism stops helping; a load sweep shows latency as a
// function of the offered rate.
//
// Its assumptions: every cell is a workload like any other, measured in random order with all the
// others and judged by the same rules, so that a slow minute of the storage does not show up as a hole
// in one corner of the grid.
package sweep

import (
	"fmt"
	"slices"
	"strings"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/suggest"
	"github.com/loadline/loadline/internal/plan/profile"
)

// Name is the scenario's name in an experiment.
const Name = "sweep"

// Patterns are fio's names for the patterns that can be swept.
var Patterns = []string{"randread", "randwrite", "read", "write", "randrw"}

// maxCells would take days to measure, and is more than anyone would look at.
const maxCells = 1000

// Profile returns the workloads that a sweep measures. The error for an invalid request is a
// *model.WorkerError of class Refused.
func Profile(r model.SweepRequest) (profile.Profile, error) {
	if err := check(r); err != nil {
		return profile.Profile{}, err
	}
	if r.Load {
		return load(r), nil
	}
	return grid(r), nil
}

// Build expands an experiment whose Sweep is set, as profile.Build does. A load sweep begins with its
// capacity, because all offered rates are fractions of it.
func Build(exp model.Experiment, p profile.Profile, t model.Target, probe model.ProbeResult) (model.Plan, error) {
	if exp.Sweep.Load && !slices.Contains(openTargets, t.Kind) {
		return model.Plan{}, model.RefusedError(
			fmt.Sprintf("--load cannot offer I/Os to %s: fio, which reaches this kind of target, cannot say when an I/O was due", t.Name),
			"sweep depths instead: leave --load out")
	}
	plan, err := profile.Build(exp, p, t, probe)
	if err != nil || !exp.Sweep.Load {
		return plan, err
	}
	capacityFirst(&plan)
	return plan, nil
}

// check rejects lists that are empty, contain duplicates or values that are not positive.
func check(r model.SweepRequest) error {
	if !slices.Contains(Patterns, r.Pattern) {
		message := fmt.Sprintf("--rw %q is not a pattern that can be swept", r.Pattern) + suggest.Question(r.Pattern, Patterns)
		return model.RefusedError(message, "choose one of "+strings.Join(Patterns, ", "))
	}
	if err := checkList("--bs", r.BlockSizes); err != nil {
		return err
	}
	if r.Load {
		return checkLoad(r)
	}
	if err := checkList("--depth", r.Depths); err != nil {
		return err
	}
	if err := checkList("--jobs", r.Jobs); err != nil {
		return err
	}
	if n := len(r.Depths) * len(r.BlockSizes) * len(r.Jobs); n > maxCells {
		return model.RefusedError(
			fmt.Sprintf("%d depths × %d block sizes × %d jobs are %d cells, more than the %d that one sweep takes",
				len(r.Depths), len(r.BlockSizes), len(r.Jobs), n, maxCells),
			"choose fewer values: powers of two show the same curve")
	}
	return nil
}

func checkList[N int | int64](flag string, values []N) error {
	if len(values) == 0 {
		return model.RefusedError(flag+" is empty, so there is nothing to measure", "list at least one value, or leave "+flag+" out")
	}
	for i, v := range values {
		switch {
		case v < 1:
			return model.RefusedError(fmt.Sprintf("%s contains %d; the smallest number is 1", flag, v), fmt.Sprintf("list numbers from 1 up, or leave %s out", flag))
		case slices.Contains(values[:i], v):
			return model.RefusedError(fmt.Sprintf("%s contains %d twice, but each cell is measured only once", flag, v), "leave one of them out")
		}
	}
	return nil
}

// workload returns a cell's pattern without its name and depth.
func workload(pattern string, block int64) model.Workload {
	w := model.Workload{Access: model.Random, Direction: model.Read, BlockSize: block, Metric: model.IOPS}
	word, random := strings.CutPrefix(pattern, "rand")
	if !random {
		w.Access = model.Sequential
	}
	switch word {
	case "write":
		w.Direction = model.Write
	case "rw":
		w.Direction, w.ReadPercent = model.Mixed, 50
	}
	return w
}
