// Package profile is the scenario "profile": a named list of workloads, each measured on the same
// volume, becomes a Plan.
//
// Its assumptions: a workload is measured several times in random order rather than once for a long
// time, because the variance between repeats is larger than that within one; and whatever a plan cannot
// satisfy (space, time) is refused here, in a sentence, before any I/O.
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
	// Title is a phrase for use in lists.
	Title     string
	Workloads []model.Workload
	// Repeat is the measured time of a repeat, Ramp the preceding time that is not counted.
	Repeat, Ramp float64
	// ShortWriteLook is Schedule.ShortWriteLook.
	ShortWriteLook bool
	// MaxTime limits the whole measurement if the experiment sets no limit.
	MaxTime float64
	// Precision is the target relative half-width if the experiment does not give one; 0 means 5 %.
	Precision float64
	// Engine is fio's ioengine for files and devices if the profile represents a tool that uses a fixed
	// one; "" selects the best that works.
	Engine string
	// Size is the number of bytes covered by the workloads if the experiment does not give one; 0 bases
	// it on the speed of the storage.
	Size int64
	// Goals are the goals for the results if the experiment has none.
	Goals []string
	// Data is set if the profile loads an application.
	Data *Data
}

// Data says how much room an application's data take, and how long it takes until they are there.
type Data struct {
	// Choose chooses the volume for the workloads on a target, and stores a scale that it chose in ask.
	// An error is a refusal.
	Choose func(ask *model.AppRequest, workloads []model.Workload, t model.Target, probe model.ProbeResult) (model.Volume, error)
	// Seconds is how long it takes, on the chosen volume, until the application is ready to be measured.
	Seconds func(v model.Volume) float64
	// Room is the space in bytes that the chosen volume needs, its log included unless v.Log is set.
	Room func(ask model.AppRequest, v model.Volume) int64
	// LogRoom is the space in bytes for a log on a volume of its own; nil if it cannot have one.
	LogRoom func(ask model.AppRequest) int64
	// Claim is the space in bytes that a new claim for the data must have; nil if the application is not
	// started in a cluster.
	Claim func(ask model.AppRequest) int64
}

// builtins lists the built-in profiles, the default first.
var builtins = []func() Profile{standard, quick, kbench, dbench, grid, etcd, postgres}

// Default is the name of the default profile.
const Default = "standard"

// Names lists the built-in profiles, the default first.
func Names() []string {
	names := make([]string, len(builtins))
	for i, b := range builtins {
		names[i] = b().Name
	}
	return names
}

// Lookup returns the built-in profile of that name; the refusal for an unknown name suggests the
// nearest one and lists all.
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

// names returns the names of a profile's workloads.
func (p Profile) names() []string {
	names := make([]string, len(p.Workloads))
	for i, w := range p.Workloads {
		names[i] = w.Name
	}
	return names
}
