// Package application defines the loads for applications: named profiles, and workloads made from a
// user's request.
//
// Its assumptions: an application's workload is a workload like any other. Whatever is specific to one
// application ends here, in the options of its load tool; rounds, intervals, verdicts, goals and
// comparisons are those of package profile.
package application

import (
	"fmt"
	"math"
	"strings"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/suggest"
	"github.com/loadline/loadline/internal/plan/profile"
)

// Scenario is the name of an experiment that measures an application.
const Scenario = "app"

// Application is an application that can be measured.
type Application struct {
	// Kind is the kind of its targets, and also its name for display.
	Kind model.TargetKind
	// Profiles are its profiles, the default first.
	Profiles []func() profile.Profile
	// Make returns a profile for a load that the user specified instead of a profile.
	Make func(Ask) (profile.Profile, error)
}

// applications lists the supported applications.
var applications = []Application{postgres, etcd}

// Lookup returns the application of a name, or a refusal if it is unknown.
func Lookup(name string) (Application, error) {
	var names []string
	for _, a := range applications {
		if string(a.Kind) == name {
			return a, nil
		}
		names = append(names, string(a.Kind))
	}
	message := fmt.Sprintf("there is no application %q to measure", name) + suggest.Question(name, names)
	return Application{}, model.RefusedError(message, "choose one of "+strings.Join(names, ", "))
}

// Names lists the application's profiles, the default first.
func (a Application) Names() []string {
	names := make([]string, len(a.Profiles))
	for i, p := range a.Profiles {
		names[i] = p().Name
	}
	return names
}

// Asked returns the loads for an experiment: those of its profile, with any options applied to all of
// them, or the load that the user specified.
func Asked(exp model.Experiment) (p profile.Profile, err error) {
	a, err := Lookup(exp.App.Name)
	if err != nil {
		return p, err
	}
	ask := exp.App.Ask
	if ask.OwnLoad() {
		p, err = a.Make(ask)
	} else if p, err = a.Profile(exp.Profile); err == nil && len(ask.Options) > 0 {
		for i := range p.Workloads {
			w := &p.Workloads[i]
			w.App.Options = strings.Join(append(w.App.OptionList(), ask.Options...), "\n")
			w.Words += ", " + strings.Join(ask.Options, " ")
		}
	}
	if err != nil {
		return p, err
	}
	return profile.Choose(p, exp.Only, exp.Skip)
}

// Profile returns the profile of a name, or a refusal if it is unknown.
func (a Application) Profile(name string) (profile.Profile, error) {
	for _, p := range a.Profiles {
		if p := p(); p.Name == name {
			return p, nil
		}
	}
	message := fmt.Sprintf("%s has no profile %q", a.Kind, name) + suggest.Question(name, a.Names())
	return profile.Profile{}, model.RefusedError(message, "choose one of "+strings.Join(a.Names(), ", "))
}

// Ask is a load specified by the user.
type Ask = model.AppAsk

// check rejects contradictory requests.
func check(a Ask) error {
	seen := map[int]bool{}
	for _, n := range a.Clients {
		switch {
		case n < 1 || n > mostClients:
			return model.RefusedError(fmt.Sprintf("--clients %d is no number of clients", n), fmt.Sprintf("write numbers from 1 to %d, such as --clients 1,16", mostClients))
		case seen[n]:
			return model.RefusedError(fmt.Sprintf("--clients names %d twice", n), "name it once")
		}
		seen[n] = true
	}
	switch {
	case a.Threads < 0 || a.Threads > mostClients:
		return model.RefusedError(fmt.Sprintf("--threads %d is no number of threads", a.Threads), "write a number from 1 on")
	case a.Rate < 0 || math.IsNaN(a.Rate) || math.IsInf(a.Rate, 0):
		return model.RefusedError("--rate must be a positive figure", "")
	case a.Limit > 0 && a.Rate == 0:
		return model.RefusedError("--latency-limit skips transactions that are late, and without --rate none is due at any time", "add --rate 500, or leave --latency-limit out")
	}
	return nil
}

// mostClients is more than any server accepts.
const mostClients = 10000
