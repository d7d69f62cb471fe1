// Package profile is the scenario "profile": a named list of workloads, each
// measured on the same volume, becomes a Plan.
//
// Its opinion: a workload is measured several times in random order rather than
// once for long, because what varies is the time between repeats more than the
// time within one; and whatever a plan cannot keep (space, time) is refused here,
// in a sentence, before a single I/O.
package profile

import (
	"fmt"
	"strings"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/suggest"
)

// Profile is a named list of workloads. Times are seconds; 0 means the default.
type Profile struct {
	Name string
	// Title is one phrase for lists.
	Title     string
	Workloads []model.Workload
	// Repeat is the measured time of a repeat, Ramp the time before it that is not counted.
	Repeat, Ramp float64
	// MaxTime bounds the whole measuring when the experiment does not.
	MaxTime float64
	// Precision is the relative half-width to measure until when the experiment
	// does not say; 0 means 5 %.
	Precision float64
	// Engine is fio's ioengine for files and devices where the profile stands for a
	// tool that fixed it; "" takes the best that works.
	Engine string
	// Size is how many bytes the workloads walk over when the experiment does not say; 0
	// leaves it to the storage's speed.
	Size int64
	// Goals are what the results have to reach when the experiment names no goals.
	Goals []string
}

// builtins lists the profiles that come with Loadline, the default first.
var builtins = []func() Profile{standard, quick, kbench, dbench, grid, etcd, postgres}

// Default is the name of the profile that is used when none is named.
const Default = "standard"

// Names lists the built-in profiles, the default first.
func Names() []string {
	names := make([]string, len(builtins))
	for i, b := range builtins {
		names[i] = b().Name
	}
	return names
}

// Lookup returns the built-in profile of that name; an unknown name is refused
// with the nearest one and the list.
func Lookup(name string) (Profile, error) {
	for _, b := range builtins {
		if p := b(); p.Name == name {
			return p, nil
		}
	}
	message := fmt.Sprintf("there is no profile %q", name) + suggest.Question(name, Names())
	return Profile{}, model.RefusedError(message,
		"choose one of "+strings.Join(Names(), ", ")+", or name a file of your own: --profile FILE.yaml")
}

// names lists the workloads of a profile.
func (p Profile) names() []string {
	names := make([]string, len(p.Workloads))
	for i, w := range p.Workloads {
		names[i] = w.Name
	}
	return names
}
