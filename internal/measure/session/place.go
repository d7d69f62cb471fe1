package session

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/loadline/loadline/internal/ask/spec"
	"github.com/loadline/loadline/internal/cluster/kube"
	"github.com/loadline/loadline/internal/cluster/storage"
	"github.com/loadline/loadline/internal/env"
	"github.com/loadline/loadline/internal/measure/engine"
	"github.com/loadline/loadline/internal/measure/place"
	"github.com/loadline/loadline/internal/measure/place/pods"
	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/units"
	"github.com/loadline/loadline/internal/plan/profile"
)

// placed is a connected worker where the target is, and the target as that worker sees it. Closing the
// worker removes what the place has created.
type placed struct {
	worker *engine.Worker
	target model.Target
	// log is where an application's log is, as the worker sees it; nil if it is with the data.
	log *model.Target
	// cluster is nil outside of Kubernetes; host is empty on this machine.
	cluster *model.Cluster
	host    string
	// link is closed with the worker; its error is reported whatever the worker answers.
	link io.Closer
	// share names what workers of several volumes have in common; empty for one.
	share string
	// count counts the volume's replicas, if the storage system reports them.
	count func(context.Context) (int, error)
}

// abandon ends the worker after an error, and adds whether something could not be removed. It ignores that
// the worker itself no longer answers.
func (p *placed) abandon(err error) error {
	_ = p.worker.Close()
	return errors.Join(err, p.link.Close())
}

// placeOptions are the options of place for one worker.
type placeOptions struct {
	// ID names the run's files and objects; suffix distinguishes the sides of a comparison.
	ID, suffix string
	child      bool
	// number is that of the volume, from 0: it selects the host if there are several.
	number int
	// near is the node of the other side, "" for none; node is the required one, "" for what the user
	// demands.
	near, node string
	// spread says how the pods of several volumes are to be spread over nodes.
	spread place.Spread
	// application is the image with an application's programs, "" if the volume is loaded directly.
	application string
	// tool is the name of the application's load tool.
	tool string
	// log is where an application's log is to be, nil if it is with the data.
	log *model.Target
	say func(string)
}

// place starts a worker where the target is, and waits for its hello.
func (o *Places) place(ctx context.Context, e *env.Env, exp model.Experiment, t model.Target, by placeOptions) (*placed, error) {
	at := o.at(t)
	by.application, by.tool = applicationImage(exp.App), loadTool(exp.App)
	where, err := at.open(o, e, by)
	if err != nil {
		return nil, err
	}
	a := place.Assignment{RunID: by.ID, Suffix: by.suffix, Target: t, Destroys: o.DestroyOn(t.Name) != "", Index: by.number, Node: by.node, Near: by.near, Spread: by.spread, Say: by.say}
	if inCluster(t) {
		a.Size = claimSize(exp, t)
		a.Log, a.LogSize, a.ClientNode = by.log, logClaimSize(exp.App, by.log), clientNode(exp.App)
	}
	put, err := where.Put(ctx, a)
	if err != nil {
		return nil, err
	}
	if put, err = o.withClient(ctx, e, at, by, a, put); err != nil {
		return nil, err
	}
	// The worker survives an interrupt: it is told to stop, answers with what it has, and cleans up after
	// the bye.
	worker, err := engine.Connect(context.WithoutCancel(ctx), put.Link)
	if err != nil {
		return nil, errors.Join(err, put.Link.Close())
	}
	p := &placed{worker: worker, target: served(put.Target, exp.App), log: logSeen(by.log), cluster: put.Cluster, host: put.Host, link: put.Link}
	if at.learn != nil {
		if err := at.learn(ctx, o, e, p); err != nil {
			return nil, p.abandon(err)
		}
	}
	return p, nil
}

const (
	// defaultClaim is large enough for 25 s at a fast volume's bandwidth.
	defaultClaim = 20 << 30
	// A filesystem reserves a part for itself and for root, and Loadline leaves 5 % free.
	claimShare, claimRest = 1.15, 128 << 20
)

// claimSize returns the size of a claim to be created, in bytes.
func claimSize(exp model.Experiment, t model.Target) int64 {
	switch {
	case t.Cluster.Size > 0:
		return t.Cluster.Size
	case exp.App != nil:
		return max(defaultClaim, inMebibytes(float64(applicationClaim(*exp.App))*claimShare/claimLimit+claimRest))
	case exp.Size == 0:
		return defaultClaim
	case t.Cluster.Block:
		return exp.Size
	}
	return inMebibytes(float64(exp.Size)*claimShare + claimRest)
}

// inMebibytes rounds a size up to whole mebibytes.
func inMebibytes(size float64) int64 {
	const step = 1 << 20
	return (int64(size) + step - 1) / step * step
}

// claimLimit is the usable part of a claim's capacity: some classes provide a directory on a shared disk,
// whose free space does not belong to the claim.
const claimLimit = 0.95

// settle adds what the place knows to what the worker has found, and limits the volume to its claim.
func (p *placed) settle(probe *model.ProbeResult) {
	if p.cluster == nil {
		return
	}
	probe.Environment.Cluster = p.cluster
	// A pod has its own host name; the machine is the node.
	if p.cluster.Node != "" {
		probe.Environment.Hostname = p.cluster.Node
	}
	if filesystem(p.target) && p.cluster.Capacity > 0 {
		if p.cluster.Made {
			probe.Room = probe.Capacity
		}
		probe.Capacity = min(probe.Capacity, int64(claimLimit*float64(p.cluster.Capacity)))
	}
	p.settleLog(probe)
}

// named replaces the path that a worker in a pod reports by the user's name of the target, and adds the
// host on which something is wrong.
func (p *placed) named(err error) error {
	var w *model.WorkerError
	if !errors.As(err, &w) {
		return err
	}
	said := *w
	switch {
	case p.host != "":
		said.Message = p.host + ": " + w.Message
	case p.cluster != nil && p.target.Path != "":
		said.Message = strings.ReplaceAll(w.Message, p.target.Path, p.target.Name)
		if p.log != nil {
			said.Message = strings.ReplaceAll(said.Message, p.log.Path, p.log.Name)
		}
		p.offer(&said)
	default:
		return err
	}
	return &said
}

// offer lists the ways to get access to a claim that the worker may not write to. None is used without
// being asked for: the claim's files belong to someone.
func (p *placed) offer(w *model.WorkerError) {
	id := p.cluster.Identity
	if p.cluster.Made || !filesystem(p.target) || id == nil || w.Class != model.Refused ||
		!strings.Contains(w.Message, "permission denied") && !strings.Contains(w.Message, "operation not permitted") {
		return
	}
	w.Message += fmt.Sprintf(" (the worker is user %d, group %d; nothing of a claim that exists is changed for it)", id.User, id.Group)
	w.Hint = "--run-as-user UID[:GID], of who owns it: kubectl exec POD -- stat -c %u:%g DIR; or --as-root, where it is root's; or --fs-group GID, with which the cluster changes group and mode of every file in it, permanently"
}

// allow names the data that may be overwritten. A raw volume that was created for this run holds no one's
// data, so it may be overwritten without asking; the worker still looks for signatures.
func (p *placed) allow(exp *model.Experiment) {
	if p.cluster != nil && p.cluster.Made && p.target.Kind == model.BlockDevice {
		exp.DestroyDataOn = p.target.Name
	}
}

// checkClaimSize refuses a volume that is too small for the requested size, before anything is created.
func checkClaimSize(exp model.Experiment, t model.Target) error {
	if t.Cluster == nil || t.Cluster.Size == 0 || exp.Size <= t.Cluster.Size {
		return nil
	}
	return model.RefusedError(fmt.Sprintf("--size %s does not fit into %s, whose size is %s", units.FormatSize(exp.Size), t.Name, units.FormatSize(t.Cluster.Size)),
		"ask for a larger volume with ?size=, or leave it out: it is then chosen to fit")
}

// foresee returns what can be known of a volume in a cluster, and of that of a log, without creating anything: that the class
// or the claim exists, and how large the volume would be. log is nil if there is none.
func (o *Places) foresee(ctx context.Context, e *env.Env, exp model.Experiment, t model.Target, log *model.Target) (model.Target, model.ProbeResult, error) {
	seen, found, err := o.foreseeVolume(ctx, e, exp, t)
	if err == nil && log != nil {
		err = o.foreseeLog(ctx, e, exp.App, *log, &found)
	}
	return seen, found, err
}

// foreseeVolume is foresee without a log.
func (o *Places) foreseeVolume(ctx context.Context, e *env.Env, exp model.Experiment, t model.Target) (model.Target, model.ProbeResult, error) {
	probe := model.ProbeResult{Untried: true, Direct: true}
	if _, err := o.Cluster.Where(e); err != nil {
		return t, probe, err
	}
	client, err := o.Cluster.Open(e)
	if err != nil {
		return t, probe, err
	}
	facts := &model.Cluster{Namespace: client.Namespace, Context: client.Context}
	v := *t.Cluster
	if v.Made() {
		facts.Class, facts.Capacity, facts.Mode = v.Class, claimSize(exp, t), "Filesystem"
		if v.Block {
			facts.Mode = "Block"
		}
		facts.Access = []string{kube.AccessMode(v.Access)}
		err = client.Class(ctx, v.Class, facts)
	} else {
		if v.Namespace != "" {
			facts.Namespace = v.Namespace
		}
		if err = client.ClaimAndClass(ctx, facts.Namespace, v.Name, facts); err == nil {
			_, err = pods.Check(ctx, client, t, facts, "", o.DestroyOn(t.Name) != "")
		}
	}
	facts.Made = v.Made()
	if err == nil {
		facts.Version, err = client.Version(ctx)
		facts.Backing = storage.Describe(ctx, client, facts)
	}
	at := &placed{target: served(pods.AsSeen(t, facts.Mode == "Block"), exp.App), cluster: facts}
	probe.Capacity, probe.MakesFile = facts.Capacity, at.target.Kind == model.Directory
	at.settle(&probe)
	if err == nil {
		err = foreseeApplication(exp.App, &probe)
	}
	return at.target, probe, err
}

// foreseeAll refuses what would fail when a Job in the namespace measures the targets, before anything is
// created.
func (o *Places) foreseeAll(ctx context.Context, e *env.Env, asked Request, targets []string, namespace string) error {
	exp, p := asked.Experiment, asked.Profile
	if _, err := spec.ParseGoals(exp.Goals, p.Workloads); err != nil {
		return err
	}
	apps := []*model.AppRequest{exp.App}
	if exp.App != nil && Paired(exp) {
		sides := sidesOf(exp.App)
		apps = []*model.AppRequest{sides[1], sides[0]}
	}
	for i, name := range targets {
		one := exp
		one.App = apps[min(i, len(apps)-1)]
		if err := o.foreseeInside(ctx, e, one, p, name, namespace); err != nil {
			return err
		}
	}
	return nil
}

// foreseeInside is foreseeAll for one target, with the application to be measured there.
func (o *Places) foreseeInside(ctx context.Context, e *env.Env, exp model.Experiment, p profile.Profile, name, namespace string) error {
	t, err := o.parseTarget(name)
	if err != nil {
		return err
	}
	if !inCluster(t) {
		return model.RefusedError(fmt.Sprintf("%s is not in a Kubernetes cluster, which --in-cluster measures", name), "name sc:CLASS or pvc:NAME, or leave out --in-cluster")
	}
	if t, err = o.asApplication(t, exp.App); err != nil {
		return err
	}
	log, err := o.logTarget(exp.App, t)
	if err != nil {
		return err
	}
	for _, v := range []*model.Target{&t, log} {
		if v != nil && v.Cluster.Namespace != "" && v.Cluster.Namespace != namespace {
			return model.RefusedError(fmt.Sprintf("%s is in another namespace than the Job would be (%s)", v.Name, namespace), "add --namespace "+v.Cluster.Namespace)
		}
	}
	if err := errors.Join(checkClaimSize(exp, t), o.checkClient(ctx, e, exp.App, t)); err != nil {
		return err
	}
	seen, found, err := o.foresee(ctx, e, exp, t, log)
	if err == nil && exp.App != nil {
		// An application's needs are known before its server exists.
		_, err = profile.Build(exp, p, seen, found)
	}
	return err
}
