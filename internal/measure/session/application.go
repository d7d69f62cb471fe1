package session

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/loadline/loadline/internal/env"
	"github.com/loadline/loadline/internal/measure/place"
	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/plan/application"
	"github.com/loadline/loadline/internal/plan/profile"
)

// applicationRequest returns what an experiment with an application asks to measure: its target and the
// baseline's, if there is one, in turn.
func applicationRequest(exp model.Experiment) (r Request, err error) {
	r = Request{Experiment: exp}
	app, err := Applications().Lookup(exp.App.Name)
	if err != nil {
		return r, err
	}
	if r.Profile, err = app.Asked(exp); err != nil {
		return r, err
	}
	ask := *exp.App
	ask.Clients = 0
	for _, w := range r.Profile.Workloads {
		ask.Clients = max(ask.Clients, w.Depth)
	}
	r.Experiment.App = &ask
	// A client on another node, without a cluster, is refused by itself.
	if ask.Image != "" && ask.Client == "" && !slices.ContainsFunc(Targets(exp), mayBeInCluster) {
		return r, model.RefusedError("--image is for a server in a pod, and nothing that is measured here is in a cluster", "leave --image out, or name sc:CLASS or pvc:CLAIM")
	}
	if !Paired(exp) {
		r.Build = profile.Build
		switch {
		case ask.BaselineLog != "":
			return r, model.RefusedError("--baseline-wal is about a baseline, and there is none", "say --wal for the server that is measured, or add --baseline PLACE")
		case ask.BaselineClient != "":
			return r, model.RefusedError("--baseline-client-node is about a baseline, and there is none", "say --client-node for the server that is measured, or add --baseline PLACE")
		}
	}
	return r, nil
}

// mayBeInCluster reports whether a target is in a Kubernetes cluster; one that cannot be parsed is refused
// elsewhere.
func mayBeInCluster(name string) bool {
	t, err := ParseTarget(name)
	return err != nil || inCluster(t)
}

// asApplication returns the target as that of an application to be measured: a directory on this machine or
// on a host reached by ssh, or a volume in a cluster, where a pod has the programs. ask is nil if there is
// no application.
func (o *Places) asApplication(t model.Target, ask *model.AppRequest) (model.Target, error) {
	if ask == nil {
		return t, nil
	}
	refuse := func(what, next string) (model.Target, error) {
		return t, model.RefusedError(what, next)
	}
	switch {
	case inCluster(t):
		return t, o.checkInCluster(t, ask)
	case t.Kind != model.Directory:
		return refuse(fmt.Sprintf("%s is not a directory, and a server of %s keeps its data in one", t.Name, ask.Name), "name a directory on the storage that is to be measured")
	}
	t.Kind = model.TargetKind(ask.Name)
	return t, nil
}

// checkInCluster refuses what no pod could carry out, before it asks the cluster for anything.
func (o *Places) checkInCluster(t model.Target, ask *model.AppRequest) error {
	app, err := Applications().Lookup(ask.Name)
	if err != nil {
		return err
	}
	if app.Pods == nil {
		return model.RefusedError(fmt.Sprintf("%s is in a Kubernetes cluster, where Loadline does not start %s yet", t.Name, ask.Name),
			fmt.Sprintf("run it in a pod that mounts the volume and has %s: kubectl exec POD -- loadline app %s /volume", ask.Name, ask.Name))
	}
	as, err := o.Cluster.Identity.as()
	switch {
	case err != nil:
		return err
	case as.User != nil && *as.User == 0:
		return model.RefusedError(app.Title+" does not run as root, and in a pod it runs as whom the worker does", "leave --as-root out, or say --run-as-user UID of another one")
	case t.Cluster.Block:
		return model.RefusedError(fmt.Sprintf("%s asks for a raw device, and %s keeps its data in a filesystem", t.Name, app.Title), "leave mode=Block out")
	}
	return nil
}

// applicationImage returns the image that the pods of an application run; "" if there is no application.
func applicationImage(ask *model.AppRequest) string {
	if app := inPods(ask); app != nil {
		return cmp.Or(ask.Image, app.Image)
	}
	return ""
}

// loadTool returns the name of an application's load tool; "" if there is no application.
func loadTool(ask *model.AppRequest) string {
	if ask == nil {
		return ""
	}
	app, err := Applications().Lookup(ask.Name)
	if err != nil {
		return ""
	}
	return app.Tool
}

// applicationRoom returns the space in bytes that an application's data need on the volume that was planned
// for them.
func applicationRoom(ask *model.AppRequest, v model.Volume) int64 {
	app, err := Applications().Lookup(ask.Name)
	if err != nil {
		return v.Size
	}
	return app.Data.Room(*ask, v)
}

// applicationClaim returns the space in bytes that a new claim for an application's data must have; 0 if
// the application is not started in a cluster.
func applicationClaim(ask model.AppRequest) int64 {
	app, err := Applications().Lookup(ask.Name)
	if err != nil || app.Data.Claim == nil {
		return 0
	}
	return app.Data.Claim(ask)
}

// inPods returns what a requested application is in a cluster; nil if none is requested, or if it is not
// started there.
func inPods(ask *model.AppRequest) *application.Pods {
	if ask == nil {
		return nil
	}
	app, err := Applications().Lookup(ask.Name)
	if err != nil {
		return nil
	}
	return app.Pods
}

// served returns the target as a worker in a pod sees it; for an application, that is where its server is.
func served(t model.Target, ask *model.AppRequest) model.Target {
	if ask != nil && inCluster(t) && t.Kind == model.Directory {
		t.Kind = model.TargetKind(ask.Name)
	}
	return t
}

// filesystem reports whether a target is used through files.
func filesystem(t model.Target) bool { return t.Kind == model.Directory || t.Kind.Application() }

// foreseeApplication adds to what is foreseen of a volume in a cluster what is known about a server before
// there is a pod whose programs could be asked.
func foreseeApplication(ask *model.AppRequest, probe *model.ProbeResult) error {
	app := inPods(ask)
	if app == nil {
		return nil
	}
	probe.Environment.Cluster.Image = applicationImage(ask)
	var err error
	probe.App, err = app.Foreseen(*ask)
	return err
}

// manifests returns an application's pod and claim as YAML.
func (o *Places) manifests(ctx context.Context, e *env.Env, exp model.Experiment, t model.Target, log *model.Target, id string) (string, error) {
	at, err := openPods(o, e, placeOptions{ID: id, application: applicationImage(exp.App)})
	if err != nil {
		return "", err
	}
	text, err := at.Manifests(ctx, place.Assignment{RunID: id, Target: t, Size: claimSize(exp, t), Log: log, LogSize: logClaimSize(exp.App, log), ClientNode: clientNode(exp.App), Say: func(string) {}})
	return string(text), err
}
