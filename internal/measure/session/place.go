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

// placed is a greeted worker at the place where the target is, and the target as
// that worker sees it. Closing the worker takes down what the place has made.
type placed struct {
	worker *engine.Worker
	target model.Target
	// log is where an application's log is, as the worker sees it; nil where it is with the data.
	log *model.Target
	// cluster is nil outside of Kubernetes, host is empty on this machine.
	cluster *model.Cluster
	host    string
	// link is closed with the worker; its error is told whatever the worker says.
	link io.Closer
	// share names what workers of several volumes have in common; empty for one.
	share string
	// count counts the volume's replicas, where the storage system tells.
	count func(context.Context) (int, error)
}

// abandon ends the worker after an error, and adds that something could not be
// taken down. That the worker itself does not answer any more is no news then.
func (p *placed) abandon(err error) error {
	_ = p.worker.Close()
	return errors.Join(err, p.link.Close())
}

// placeOptions are what place needs to know of one worker.
type placeOptions struct {
	// ID names own files and objects; suffix tells the sides of a comparison apart.
	ID, suffix string
	child      bool
	// number is that of the volume, from 0: it chooses the host where there are several.
	number int
	// near is the node of the other side, "" for none; node is the one that it must be,
	// "" for what the user demands.
	near, node string
	// spread is how the pods of several volumes are to lie on nodes.
	spread place.Spread
	// application is the image with an application's programs, "" where the volume is loaded by itself.
	application string
	// log is where an application's log is to be, nil where it is with the data.
	log *model.Target
	say func(string)
}

// place puts a worker where the target is, and greets it.
func (o *Places) place(ctx context.Context, e *env.Env, exp model.Experiment, t model.Target, by placeOptions) (*placed, error) {
	at := o.at(t)
	by.application = applicationImage(exp.App)
	where, err := at.open(o, e, by)
	if err != nil {
		return nil, err
	}
	a := place.Assignment{RunID: by.ID, Suffix: by.suffix, Target: t, Destroys: o.DestroyOn(t.Name) != "", Index: by.number, Node: by.node, Near: by.near, Spread: by.spread, Say: by.say}
	if inCluster(t) {
		a.Size = claimSize(exp, t)
		a.Log, a.LogSize, a.ClientNode = by.log, logClaimSize(by.log), clientNode(exp.App)
	}
	put, err := where.Put(ctx, a)
	if err != nil {
		return nil, err
	}
	if put, err = o.withClient(ctx, e, where, a, put); err != nil {
		return nil, err
	}
	// The worker outlives an interrupt: it is told to stop, answers with what it has, and
	// cleans up when it hears bye.
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
	// defaultClaim is large enough for what 25 s of a fast volume's bandwidth need.
	defaultClaim = 20 << 30
	// A filesystem takes a part for itself and for root, and Loadline leaves 5 % free.
	claimShare, claimRest = 1.15, 128 << 20
)

// claimSize is the size of a claim to be made, in bytes.
func claimSize(exp model.Experiment, t model.Target) int64 {
	switch {
	case t.Cluster.Size > 0:
		return t.Cluster.Size
	case exp.App != nil:
		return max(defaultClaim, inMebibytes(float64(profile.DatabaseRoom(exp.App.Scale, exp.App.Log != ""))*claimShare/claimLimit+claimRest))
	case exp.Size == 0:
		return defaultClaim
	case t.Cluster.Block:
		return exp.Size
	}
	return inMebibytes(float64(exp.Size)*claimShare + claimRest)
}

// inMebibytes rounds a size up to whole ones.
func inMebibytes(size float64) int64 {
	const step = 1 << 20
	return (int64(size) + step - 1) / step * step
}

// claimLimit is the part of a claim's capacity that may be used: some classes
// hand out a directory on a shared disk, whose free space is not the claim's.
const claimLimit = 0.95

// settle adds what the place knows to what the worker has found, and keeps to the
// claim. A raw volume that was made for this run holds nobody's data, so it may
// be overwritten without a word; the worker still looks for signatures.
func (p *placed) settle(probe *model.ProbeResult) {
	if p.cluster == nil {
		return
	}
	probe.Environment.Cluster = p.cluster
	// A pod's host name is its own; the machine is the node.
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

// named says the user's name of the target where a worker in a pod says its path, and
// on which host it is that something is wrong.
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

// offer tells the ways into a claim that the worker may not write to. None is taken unasked:
// the claim's files are somebody's.
func (p *placed) offer(w *model.WorkerError) {
	id := p.cluster.Identity
	if p.cluster.Made || !filesystem(p.target) || id == nil || w.Class != model.Refused ||
		!strings.Contains(w.Message, "permission denied") && !strings.Contains(w.Message, "operation not permitted") {
		return
	}
	w.Message += fmt.Sprintf(" (the worker is user %d, group %d; nothing of a claim that exists is changed for it)", id.User, id.Group)
	w.Hint = "--run-as-user UID[:GID], of who owns it: kubectl exec POD -- stat -c %u:%g DIR; or --as-root, where it is root's; or --fs-group GID, with which the cluster changes group and mode of every file in it, permanently"
}

// allow names the data that may be overwritten.
func (p *placed) allow(exp *model.Experiment) {
	if p.cluster != nil && p.cluster.Made && p.target.Kind == model.BlockDevice {
		exp.DestroyDataOn = p.target.Name
	}
}

// checkClaimSize refuses, before anything is made, a volume that is too small for what
// is asked.
func checkClaimSize(exp model.Experiment, t model.Target) error {
	if t.Cluster == nil || t.Cluster.Size == 0 || exp.Size <= t.Cluster.Size {
		return nil
	}
	return model.RefusedError(fmt.Sprintf("--size %s does not fit into %s, whose size is %s", units.FormatSize(exp.Size), t.Name, units.FormatSize(t.Cluster.Size)),
		"ask for a larger volume with ?size=, or leave it out: it is then chosen to fit")
}

// foresee is what can be said of a volume in a cluster without making anything:
// the class or the claim exists, and how large the volume would be.
func (o *Places) foresee(ctx context.Context, e *env.Env, exp model.Experiment, t model.Target) (model.Target, model.ProbeResult, error) {
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

// ForeseeAll refuses, before anything is made, what would fail when a Job in the namespace
// measures the targets.
func (o *Places) ForeseeAll(ctx context.Context, e *env.Env, asked Request, targets []string, namespace string) error {
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

// foreseeInside is ForeseeAll for one target, with what is asked of an application there.
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
	seen, found, err := o.foresee(ctx, e, exp, t)
	if err == nil && log != nil {
		err = o.foreseeLog(ctx, e, *log, &found)
	}
	if err == nil && exp.App != nil {
		// What an application needs is known before its server is there.
		_, err = profile.Build(exp, p, seen, found)
	}
	return err
}
