// Package scale is the scenario "scale": one workload on N volumes at once, for several N, so that a
// scaling law can be fitted, or the same with a given rate per volume, to see whether the rate is
// sustained.
//
// Its assumptions: each N is a workload like any other, measured in random order with the others in
// several rounds. If they were measured one after the other, storage that slows down during the
// measurement would seem not to scale.
package scale

import (
	"fmt"
	"slices"
	"strings"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/suggest"
	"github.com/loadline/loadline/internal/model/units"
	"github.com/loadline/loadline/internal/plan/profile"
)

// Name is the scenario's name in an experiment.
const Name = "scale"

// Times in seconds. Workers do not begin within the same millisecond, so a repeat must be long in
// comparison, and the ramp longer than the difference.
const (
	repeat, ramp = 5.0, 1.0
	slot         = repeat + ramp + .85
	leastTime    = 300.0
	rounds       = 3
)

// maxVolumes is more than one engine can coordinate.
const maxVolumes = 1000

// Profile returns one workload for each number of volumes, based on the one that the request names. The
// error for an invalid request is a *model.WorkerError of class Refused.
func Profile(r model.ScaleRequest, base profile.Profile) (profile.Profile, error) {
	if err := Check(r); err != nil {
		return profile.Profile{}, err
	}
	w, err := find(base, r.Workload)
	if err != nil {
		return profile.Profile{}, err
	}
	if w.Metric.Unit() == "s" {
		// The totals of the volumes can be added, their latencies cannot.
		w.Metric = model.IOPS
	}
	if r.Rate > 0 {
		w.RateIOPS = r.Rate
	}
	p := profile.Profile{
		Name: Name, Title: fmt.Sprintf("%s on %s volumes at once", r.Workload, list(r.Volumes)), Engine: base.Engine,
		Repeat: repeat, Ramp: ramp,
	}
	for _, n := range r.Volumes {
		v := w
		v.Name, v.Volumes = fmt.Sprintf("%s-x%d", r.Workload, n), n
		p.Workloads = append(p.Workloads, v)
	}
	p.MaxTime = max(leastTime, slot*rounds*float64(len(r.Volumes))+profile.LookTime(p.Workloads))
	return p, nil
}

// Check rejects requests that are invalid whatever the profile is; it does not look the workload up.
func Check(r model.ScaleRequest) error {
	if len(r.Volumes) == 0 {
		return model.RefusedError("--volumes is empty, so there is nothing to measure", "list how many volumes to load at once, such as --volumes 1,2,3,6")
	}
	for i, n := range r.Volumes {
		switch {
		case n < 1:
			return model.RefusedError(fmt.Sprintf("--volumes contains %d; the smallest number is 1", n), "list numbers from 1 up, such as --volumes 1,2,3,6")
		case n > maxVolumes:
			return model.RefusedError(fmt.Sprintf("--volumes contains %d; one run can drive at most %d", n, maxVolumes), fmt.Sprintf("list numbers up to %d", maxVolumes))
		case slices.Contains(r.Volumes[:i], n):
			return model.RefusedError(fmt.Sprintf("--volumes contains %d twice, but each number is measured several times anyway", n), "leave one of them out; for more repeats, use --repeat")
		}
	}
	if r.Rate < 0 {
		return model.RefusedError(fmt.Sprintf("--rate %g is not a rate", r.Rate), "give the I/Os per second of each volume, such as --rate 100")
	}
	if instead, ok := units.WholeRate(r.Rate); !ok {
		return model.RefusedError(fmt.Sprintf("--rate is %g, but must be "+units.WholeRates+", because fio keeps to no other rate", r.Rate),
			"give the I/Os per second of each volume, such as --rate "+instead)
	}
	return nil
}

// find returns the workload of that name.
func find(base profile.Profile, name string) (model.Workload, error) {
	var names []string
	for _, w := range base.Workloads {
		if w.Name == name {
			return w, nil
		}
		names = append(names, w.Name)
	}
	message := fmt.Sprintf("profile %q has no workload %q", base.Name, name) + suggest.Question(name, names)
	return model.Workload{}, model.RefusedError(message, "it has "+strings.Join(names, ", "))
}

// list formats numbers separated by commas.
func list(numbers []int) string {
	return strings.ReplaceAll(strings.Trim(fmt.Sprint(numbers), "[]"), " ", ", ")
}

// Most returns the largest number of volumes of a request.
func Most(r model.ScaleRequest) int { return slices.Max(append(slices.Clone(r.Volumes), 1)) }
