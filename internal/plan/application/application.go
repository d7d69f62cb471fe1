// Package application says what Loadline needs to know of an application before it runs: its loads, how
// much room its data take, its flags and its words.
//
// Its assumptions: an application's workload is a workload like any other, so rounds, intervals,
// verdicts, goals and comparisons are those of package profile; and whatever is specific to one
// application is said once, by a value of Application in the package of its load tool, from which the
// command line, the plan and the session take it. Package session lists them.
package application

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/apps"
	"github.com/loadline/loadline/internal/model/suggest"
	"github.com/loadline/loadline/internal/plan/profile"
)

// Scenario is the name of an experiment that measures an application.
const Scenario = "app"

// Application is an application that can be measured.
type Application struct {
	// App is what every step knows of it, its names among them.
	apps.App
	// Profiles are its profiles, the default first.
	Profiles []func() profile.Profile
	// Make returns a profile for a load that the user specified instead of a profile.
	Make func(Ask) (profile.Profile, error)
	// CheckOptions refuses options that the load tool does not have, or that are not for users to give.
	CheckOptions func(options []string) error
	// Data says how much room its data take.
	Data profile.Data
	// Pods says what it is in a Kubernetes cluster; nil if Loadline does not start it there.
	Pods *Pods
	// Flags are its own flags, in the order of the help; BaselineFlags are those about the other side of
	// a comparison.
	Flags, BaselineFlags []Flag
	Help                 Help
}

// Pods is what an application is in a Kubernetes cluster.
type Pods struct {
	// Image is the image that its pods run by default, and Programs what an image must contain.
	Image, Programs string
	// Foreseen returns what is known of the application before there is a pod whose programs could be
	// asked; an error is a refusal.
	Foreseen func(model.AppRequest) (*model.AppState, error)
}

// Help is what the verbs of an application say of themselves.
type Help struct {
	// Targets are its targets as the usage line has them, Target what one argument is.
	Targets, Target string
	// Short and Long describe "app NAME", PlanLong describes "plan app NAME"; exit codes are added to
	// both. Examples are lines that begin with two spaces; CompareExamples are those of "compare app NAME".
	Short, Long, Examples  string
	PlanLong, PlanExamples string
	CompareExamples        string
	// Baseline describes the flag --baseline.
	Baseline string
}

// List is a list of applications.
type List []Application

// Lookup returns the application of a name, or a refusal if it is unknown.
func (list List) Lookup(name string) (Application, error) {
	for _, a := range list {
		if string(a.Kind) == name {
			return a, nil
		}
	}
	message := fmt.Sprintf("there is no application %q to measure", name) + suggest.Question(name, list.Names())
	return Application{}, model.RefusedError(message, "choose one of "+strings.Join(list.Names(), ", "))
}

// Names lists the applications by their names on the command line.
func (list List) Names() []string {
	names := make([]string, len(list))
	for i, a := range list {
		names[i] = string(a.Kind)
	}
	return names
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
func (a Application) Asked(exp model.Experiment) (p profile.Profile, err error) {
	ask := exp.App.Ask
	ask.Clients = slices.Sorted(slices.Values(ask.Clients))
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
	p.Data = &a.Data
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

// Check refuses contradictory requests.
func Check(a Ask) error {
	seen := map[int]bool{}
	for _, n := range a.Clients {
		switch {
		case n < 1 || n > mostClients:
			return model.RefusedError(fmt.Sprintf("--clients %d is not a number of clients", n), fmt.Sprintf("list numbers from 1 to %d, such as --clients 1,16", mostClients))
		case seen[n]:
			return model.RefusedError(fmt.Sprintf("--clients contains %d twice", n), "leave one of them out")
		}
		seen[n] = true
	}
	switch {
	case a.Threads < 0 || a.Threads > mostClients:
		return model.RefusedError(fmt.Sprintf("--threads %d is not a number of threads", a.Threads), "write a number from 1 up")
	case a.Rate < 0 || math.IsNaN(a.Rate) || math.IsInf(a.Rate, 0):
		return model.RefusedError("--rate must be a positive figure", "")
	case a.Limit > 0 && a.Rate == 0:
		return model.RefusedError("--latency-limit skips transactions that are late, and without --rate none is due at any time", "add --rate 500, or leave --latency-limit out")
	}
	return nil
}

// mostClients is more than any server accepts.
const mostClients = 10000

// MaxPrefill bounds the prefill of an automatic size, in seconds. With a size given
// explicitly there is no limit.
const MaxPrefill = 30

// UsualPrefill returns that bound for an experiment: a profile may have its own.
func UsualPrefill(exp model.Experiment) float64 {
	if exp.App == nil {
		return profile.MaxPrefill(exp.Profile)
	}
	return MaxPrefill
}
