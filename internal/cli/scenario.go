package cli

import (
	"github.com/loadline/loadline/internal/env"
	"github.com/loadline/loadline/internal/measure/session"
	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/plan/profile"
)

// scenario is how what was asked for becomes workloads and a plan.
type scenario struct {
	// shape writes what only this scenario knows into the experiment.
	shape     func(*model.Experiment)
	workloads func(e *env.Env, exp model.Experiment, say func(string)) (profile.Profile, error)
	// build plans one volume; several is set instead where there are more.
	build   session.Builder
	several *session.Several
}

// ofProfile is the scenario of run: a named list of workloads.
var ofProfile = scenario{shape: func(*model.Experiment) {}, workloads: session.ChosenProfile, build: profile.Build}

// request reads the flags into what is to be measured; say gets remarks for people.
func (o *options) request(e *env.Env, target string, by scenario, say func(string)) (r session.Request, err error) {
	if r.Experiment, err = o.experiment(target); err != nil {
		return r, err
	}
	by.shape(&r.Experiment)
	r.Profile, err = by.workloads(e, r.Experiment, say)
	r.Build, r.Several = by.build, by.several
	return r, err
}
