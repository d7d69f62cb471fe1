package session

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/loadline/loadline/internal/ask/spec"
	"github.com/loadline/loadline/internal/ask/target"
	"github.com/loadline/loadline/internal/env"
	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/plan/application"
	"github.com/loadline/loadline/internal/plan/profile"
	"github.com/loadline/loadline/internal/plan/scale"
	"github.com/loadline/loadline/internal/plan/sweep"
)

// Inline reads the files that an experiment names into it, so that it is self-contained. Contents that it
// already has are not read again.
func Inline(e *env.Env, exp *model.Experiment) error {
	for _, f := range []struct {
		flag, name string
		own        bool
		text       *string
	}{
		{"--job", exp.Job, exp.Job != "", &exp.JobText},
		{"--profile", exp.Profile, exp.Job == "" && ownProfile(exp.Profile), &exp.ProfileText},
	} {
		if !f.own || *f.text != "" {
			continue
		}
		data, err := spec.Read(e.ReadFile, f.flag, f.name)
		if err != nil {
			return err
		}
		*f.text = string(data)
	}
	return nil
}

// ownProfile reports whether a profile's name is that of a file.
func ownProfile(name string) bool {
	return strings.HasSuffix(name, ".yaml") || strings.HasSuffix(name, ".yml")
}

// CheckProfile refuses a profile that does not exist. That of a file is not read.
func CheckProfile(name string) error {
	if ownProfile(name) {
		return nil
	}
	_, err := profile.Lookup(name)
	return err
}

// CheckPattern refuses a pattern of a flag that selects workloads, if it matches nothing whatever the profile.
func CheckPattern(flag, pattern string) error { return profile.CheckPattern(flag, pattern) }

// Paired reports whether an experiment measures two targets together.
func Paired(exp model.Experiment) bool {
	return exp.Scenario == model.OnBaseline || exp.Scenario == profile.Comparison
}

// Targets returns everything that an experiment measures.
func Targets(exp model.Experiment) []string {
	targets := []string{exp.Target}
	switch {
	case Paired(exp):
		targets = append(targets, exp.Baseline)
	case exp.Scale != nil:
		targets = append(targets, exp.Scale.Targets...)
	}
	return targets
}

// usedPlaces returns what an experiment measures, and the places of an application's logs.
func usedPlaces(exp model.Experiment) []string {
	places := Targets(exp)
	if exp.App != nil {
		places = append(places, exp.App.Log, exp.App.BaselineLog)
	}
	return places
}

// UsesCluster reports whether anything that an experiment measures is in a cluster, a log included.
func UsesCluster(exp model.Experiment) bool {
	return slices.ContainsFunc(usedPlaces(exp), target.InCluster)
}

// FillDefaults fills in what the user has not specified.
func FillDefaults(exp *model.Experiment) {
	if exp.Seed == 0 {
		exp.Seed = rand.Uint64() | 1
	}
	if exp.MaxPrefill == 0 && exp.Size == 0 {
		exp.MaxPrefill = application.UsualPrefill(*exp)
	}
}

// NewRequest returns what an experiment asks to measure: its scenario determines which workloads, and how
// they become a plan. It reads nothing else, so the same experiment makes the same request everywhere; its
// files are those of Inline. Remarks about a user's job file are passed to say.
func NewRequest(exp model.Experiment, say func(string)) (r Request, err error) {
	r = Request{Experiment: exp}
	if exp.App != nil {
		return applicationRequest(exp)
	}
	switch exp.Scenario {
	case profile.Name, model.OnBaseline, profile.Comparison:
		r.Profile, err = chosenProfile(exp, say)
		if !Paired(exp) {
			r.Build = profile.Build
		}
	case sweep.Name:
		if exp.Sweep == nil {
			return r, lacking(exp)
		}
		r.Profile, err = sweep.Profile(*exp.Sweep)
		r.Build = sweep.Build
	case scale.Name:
		if exp.Scale == nil {
			return r, lacking(exp)
		}
		if r.Profile, err = namedProfile(exp, say); err == nil {
			r.Profile, err = scale.Profile(*exp.Scale, r.Profile)
		}
		r.Several = &Several{Targets: Targets(exp), Volumes: scale.Most(*exp.Scale)}
	default:
		err = model.RefusedError(fmt.Sprintf("the scenario %q is none that can be measured", exp.Scenario),
			"known: "+strings.Join([]string{profile.Name, model.OnBaseline, profile.Comparison, sweep.Name, scale.Name}, ", "))
	}
	return r, err
}

func lacking(exp model.Experiment) error {
	return model.RefusedError(fmt.Sprintf("the experiment's scenario is %[1]q, and it has no field %[1]q", exp.Scenario), "add it, as a saved one has it: loadline "+exp.Scenario+" --help")
}
