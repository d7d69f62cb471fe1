package session

import (
	"fmt"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/plan/application"
	"github.com/loadline/loadline/internal/plan/profile"
)

// applicationRequest is what an experiment with an application asks to measure: its target,
// and the baseline's, if there is one, in turn.
func applicationRequest(exp model.Experiment) (r Request, err error) {
	r = Request{Experiment: exp}
	if r.Profile, err = application.Asked(exp); err != nil {
		return r, err
	}
	ask := *exp.App
	for _, w := range r.Profile.Workloads {
		ask.Clients = max(ask.Clients, w.Depth)
	}
	r.Experiment.App = &ask
	if !Paired(exp) {
		r.Build = profile.Build
	}
	return r, nil
}

// asApplication is the target of an application that is to be measured: a directory of this
// machine, so far. ask is nil where none is.
func (o *Places) asApplication(t model.Target, ask *model.AppRequest) (model.Target, error) {
	if ask == nil {
		return t, nil
	}
	refuse := func(what, next string) (model.Target, error) {
		return t, model.RefusedError(what, next)
	}
	switch {
	case inCluster(t):
		return refuse(fmt.Sprintf("%s is in a Kubernetes cluster, where Loadline does not start %s yet", t.Name, ask.Name),
			fmt.Sprintf("run it in a pod that mounts the volume and has %s: kubectl exec POD -- loadline app %s /volume", ask.Name, ask.Name))
	case len(o.Hosts) > 0:
		return refuse(fmt.Sprintf("Loadline does not start %s on another host yet", ask.Name), "run loadline there")
	case t.Kind != model.Directory:
		return refuse(fmt.Sprintf("%s is no directory, and a server of %s keeps its data in one", t.Name, ask.Name), "name a directory on the storage that is to be measured")
	}
	t.Kind = model.TargetKind(ask.Name)
	return t, nil
}
