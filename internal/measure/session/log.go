package session

import (
	"context"
	"fmt"

	"github.com/loadline/loadline/internal/cluster/kube"
	"github.com/loadline/loadline/internal/env"
	"github.com/loadline/loadline/internal/measure/place/pods"
	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/units"
	"github.com/loadline/loadline/internal/plan/application"
)

// logTarget returns where an application's log is to be, if its data is in t; nil if the log is with the
// data.
func (o *Places) logTarget(ask *model.AppRequest, t model.Target) (*model.Target, error) {
	if ask == nil || ask.Log == "" {
		return nil, nil
	}
	app, err := Applications().Lookup(ask.Name)
	switch {
	case err != nil:
		return nil, err
	case app.Data.LogRoom == nil:
		return nil, model.RefusedError("--wal is not for "+app.Title+", whose log is with its data", "leave it out")
	}
	if existing(t) {
		return nil, model.RefusedError("--wal is for a server of Loadline's own: the log of "+t.URI+" is where it is", "leave --wal out")
	}
	log, err := o.parseDirectory(ask.Log)
	if err != nil {
		return nil, err
	}
	switch {
	case inCluster(log) != inCluster(t):
		return nil, model.RefusedError(fmt.Sprintf("the data would be in %s and the log in %s: one is in a Kubernetes cluster, and the other on this machine", t.Name, log.Name),
			"name a directory for the log of a directory, and sc:CLASS or pvc:CLAIM for that of a volume in the cluster")
	case !inCluster(t):
		return &log, checkLogDirectory(app, log, t)
	case log.Cluster.Block:
		return nil, model.RefusedError(log.Name+" asks for a raw device, and "+app.Title+" keeps its log in a filesystem", "leave mode=Block out")
	case log.Cluster.Made() != t.Cluster.Made():
		return nil, model.RefusedError(fmt.Sprintf("one of %s and %s would be made and the other exists: what lets the server write to the one would change owners of files in the other", t.Name, log.Name),
			"name two classes (sc:), or two claims that exist (pvc:)")
	case !log.Cluster.Made() && log.Cluster.Namespace != t.Cluster.Namespace:
		return nil, model.RefusedError(fmt.Sprintf("%s and %s are in two namespaces, and a pod uses claims of its own", t.Name, log.Name), "name two claims of one namespace: pvc:NAMESPACE/NAME")
	case !log.Cluster.Made() && log.Cluster.Name == t.Cluster.Name:
		return nil, model.RefusedError(fmt.Sprintf("--wal %s is the claim of the data: that is not a volume of its own", log.Name), "name another claim, or leave --wal out")
	}
	if takes := app.Data.LogRoom(*ask); log.Cluster.Size > 0 && float64(log.Cluster.Size)*claimLimit < float64(takes) {
		whole := log
		without := *log.Cluster
		without.Size, whole.Cluster = 0, &without
		return nil, model.RefusedError(fmt.Sprintf("%s is of %s, and the log takes up to %s", log.Name, units.FormatSize(log.Cluster.Size), units.FormatSize(takes)),
			fmt.Sprintf("ask for more, or leave ?size= out for %s", units.FormatSize(logClaimSize(ask, &whole))))
	}
	return &log, nil
}

// checkLogDirectory refuses directories of a machine that are not suitable for a log.
func checkLogDirectory(app application.Application, log, t model.Target) error {
	if log.Kind != model.Directory {
		return model.RefusedError(fmt.Sprintf("--wal %s is not a directory, and %s keeps its log in one", log.Name, app.Title), "name a directory on the storage that the log is to be on")
	}
	if t.Kind = model.Directory; isSame(log, t) {
		return model.RefusedError(fmt.Sprintf("--wal %s is where the data are: that is not a volume of its own", log.Name), "name a directory on another filesystem, or leave --wal out")
	}
	return nil
}

// logClaim is the minimum size of a claim that is created for a log, and logClaimShare how much larger it is than what
// the log takes.
const logClaim, logClaimShare = 4 << 30, 2

// logClaimSize returns the size of the claim to be created for an application's log, in bytes; 0 if there is none.
func logClaimSize(ask *model.AppRequest, log *model.Target) int64 {
	switch {
	case log == nil || log.Cluster == nil || !log.Cluster.Made():
		return 0
	case log.Cluster.Size > 0:
		return log.Cluster.Size
	}
	if app, err := Applications().Lookup(ask.Name); err == nil && app.Data.LogRoom != nil {
		return max(logClaim, logClaimShare*app.Data.LogRoom(*ask))
	}
	return logClaim
}

// logSeen returns where the worker finds the log: in a pod, on its second volume.
func logSeen(log *model.Target) *model.Target {
	if log == nil || !inCluster(*log) {
		return log
	}
	seen := *log
	seen.Kind, seen.Path, seen.URI = model.Directory, kube.LogPath, ""
	return &seen
}

// settleLog limits the log to the capacity of its claim, if the place knows it.
func (p *placed) settleLog(probe *model.ProbeResult) {
	if probe.Log == nil || p.cluster.Log == nil || p.cluster.Log.Capacity == 0 {
		return
	}
	probe.Log.Size = min(probe.Log.Size, int64(claimLimit*float64(p.cluster.Log.Capacity)))
}

// foreseeLog adds the log's volume to what is foreseen of a volume in a cluster.
func (o *Places) foreseeLog(ctx context.Context, e *env.Env, ask *model.AppRequest, log model.Target, found *model.ProbeResult) error {
	client, err := o.Cluster.Open(e)
	if err != nil {
		return err
	}
	facts, err := pods.LogFacts(ctx, client, log, logClaimSize(ask, &log))
	if err != nil {
		return err
	}
	found.Environment.Cluster.Log = facts
	found.Log = &model.Volume{Target: *logSeen(&log), Size: int64(claimLimit * float64(facts.Capacity))}
	return nil
}

// sidesOf splits an application's request into those for the baseline and for the target: each has its own
// place for the log and for the client; the baseline's are with its data and its server unless specified
// otherwise.
func sidesOf(ask *model.AppRequest) (sides [2]*model.AppRequest) {
	if ask == nil {
		return sides
	}
	baseline, target := *ask, *ask
	baseline.Log, baseline.BaselineLog = ask.BaselineLog, ""
	baseline.Client, baseline.BaselineClient = ask.BaselineClient, ""
	return [2]*model.AppRequest{&baseline, &target}
}
