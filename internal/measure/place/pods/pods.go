// Package pods is the place in a Kubernetes cluster: a claim, a pod with an agent in it, and a byte stream
// to that agent. Its assumptions: the agent is reached by exec, so there is no open port and no secret, and
// everyone who may exec in the namespace may measure; the agent survives a lost connection, and the stream
// continues without a gap after reconnecting; and closing the stream removes what was created, however the
// measurement ended.
package pods

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/loadline/loadline/internal/cluster/kube"
	"github.com/loadline/loadline/internal/cluster/link"
	"github.com/loadline/loadline/internal/measure/place"
	"github.com/loadline/loadline/internal/model"
)

// Place starts workers in pods of one run. All fields but As and Keep are required.
type Place struct {
	Client *kube.Client
	// Made is the mark of the run's objects: see Mark. Its name is part of its files' names, too.
	Made kube.Made
	// Where is what the user demands of the pods.
	Where kube.Where
	// Ready limits how long to wait for a pod.
	Ready time.Duration
	// As is the user that the worker runs as, if specified.
	As As
	// Keep leaves everything in place at the end.
	Keep bool
}

// program is what pods run. An image also contains the whole loadline, which would work too, but takes
// three times the memory.
const program = "loadline-agent"

const (
	// removal limits the time for removing objects, volumeRemoval that for waiting for the volume behind a
	// claim that was removed.
	removal       = 2 * time.Minute
	volumeRemoval = 30 * time.Second
	// askTime is how long a worker may take to report whether an engine is connected.
	askTime = 15 * time.Second
	// boundWithin is how long a claim may take to be bound if its volume does not wait for the pod. If it
	// takes longer, this is reported while waiting for the pod.
	boundWithin = 20 * time.Second
	// startingAgain is how long a container that has ended may take to be started again.
	startingAgain = 15 * time.Second
	// awayRemoval limits the time for removing what can be removed without the pod's node.
	awayRemoval = 5 * time.Second
)

// Put creates the claim and the pod, waits for them and connects. After an error nothing is left (unless
// Keep).
func (at Place) Put(ctx context.Context, a place.Assignment) (*place.Worker, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	p := &placement{Place: at, Assignment: a, name: at.Made.Run + a.Suffix}
	if a.Node != "" {
		p.Where.Node = a.Node
	}
	w, err := p.start(ctx)
	if err != nil {
		return nil, errors.Join(err, p.takeDown())
	}
	return w, nil
}

// placement is what Put has created so far.
type placement struct {
	Place
	place.Assignment
	// name begins the names of what is created. pod and uid identify the worker's pod once it exists.
	name, pod, uid string

	facts model.Cluster
	claim string
	// log is what is known about the claim of an application's log; nil if the log is with the data.
	log  *model.Cluster
	as   kube.Identity
	made []kube.Object
}

// block is the mode of a claim that is a raw device.
const block = "Block"

// Mark returns a new random mark for the objects of a run with this ID: its label, with which their names
// begin, is unlike that of any other run.
func Mark(runID, driver string) kube.Made {
	// Names must be lower case: six letters and digits have about a thousand million values.
	const drawn = 6
	return kube.Made{Run: label(runID) + "-" + strings.ToLower(rand.Text()[:drawn]), Driver: driver, Token: rand.Text()}
}

// label turns a run's ID into the beginning of a label's value. With the random characters, and with a
// suffix for each pod, a name is at most as long as that of a StatefulSet may be (kube.LongestSet).
func label(runID string) string {
	const most = 40
	var b strings.Builder
	for _, r := range strings.ToLower("loadline-" + runID) {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
			b.WriteRune(r)
		} else if s := b.String(); !strings.HasSuffix(s, "-") {
			b.WriteByte('-')
		}
	}
	s := b.String()
	return strings.Trim(s[:min(len(s), most)], "-")
}

func (p *placement) start(ctx context.Context) (*place.Worker, error) {
	v := p.Target.Cluster
	var err error
	if v.Made() {
		err = p.makeClaim(ctx, v)
	} else {
		err = p.useClaim(ctx, v)
	}
	if err != nil {
		return nil, err
	}
	raw := p.facts.Mode == block
	if err := p.checkMode(raw); err != nil {
		return nil, err
	}
	if err := p.logVolume(ctx); err != nil {
		return nil, err
	}
	if err := p.makePod(ctx, raw); err != nil {
		return nil, err
	}
	node, err := p.Client.WaitRunning(ctx, p.pod, p.claim, p.Ready, p.Say)
	if err != nil {
		return nil, err
	}
	if !v.Made() && raw && p.Destroys {
		// Another run may have come while waiting for the pod: of two runs that do this, one sees the
		// other.
		if _, err := Check(ctx, p.Client, p.Target, &p.facts, p.Made.Run, true); err != nil {
			return nil, err
		}
	}
	if err := p.learn(ctx, node); err != nil {
		return nil, err
	}
	return &place.Worker{Link: p.connect(ctx, "the pod on "+node), Target: AsSeen(p.Target, raw), Cluster: &p.facts}, nil
}

// connect links to the pod. The link survives an interrupt: the worker is told to stop and answers first.
func (p *placement) connect(ctx context.Context, name string) *link.Link {
	return link.Connect(context.WithoutCancel(ctx), &link.Link{
		Name: name,
		Dial: p.dial,
		Gone: func(ctx context.Context) error { return p.Client.Gone(ctx, p.pod, p.uid) },
		Away: func(ctx context.Context) error { return p.Client.Away(ctx, p.pod) },
		Say:  p.Say, Clock: p.Client.Clock,
		End: p.takeDown,
	})
}

// AsSeen returns the target as a worker in a pod sees it.
func AsSeen(t model.Target, block bool) model.Target {
	t.Kind, t.Path, t.URI = model.Directory, kube.MountPath, ""
	if block {
		t.Kind, t.Path = model.BlockDevice, kube.DevicePath
	}
	return t
}

// note records an object before it is created, so that nothing is left if the answer is lost: the object is
// then recognized by the run's token.
func (p *placement) note(kind, name string) {
	p.made = append(p.made, kube.Object{Kind: kind, Namespace: p.Client.Namespace, Name: name, Token: p.Made.Token})
}

// noted completes the object that was noted last, or forgets it if the cluster has refused to create it.
// The pod of a StatefulSet is noted when the set exists: see awaitMade.
func (p *placement) noted(uid string, err error) {
	last := len(p.made) - 1
	var w *model.WorkerError
	if errors.As(err, &w) && w.Class == model.Refused {
		p.made = p.made[:last]
		return
	}
	p.made[last].UID = uid
}

func (p *placement) makeClaim(ctx context.Context, v *model.ClusterVolume) error {
	if err := p.Client.Class(ctx, v.Class, &p.facts); err != nil {
		return err
	}
	p.claim = p.name
	p.facts.Made, p.facts.Mode = true, "Filesystem"
	if v.Block {
		p.facts.Mode = block
	}
	p.note("claim", p.name)
	uid, err := p.Client.MakeClaim(ctx, p.claimSpec())
	p.noted(uid, err)
	if err != nil {
		return err
	}
	p.as = p.As.own()
	if p.Spread == place.Even && p.facts.Binding == "Immediate" && p.Client.Bound(ctx, p.Client.WaitBound(ctx, p.claim, boundWithin)) {
		p.yield()
	}
	return nil
}

// makePod creates the pod, or the StatefulSet that creates it. A raw block device belongs to root on most
// clusters, so its pod tries root first, and runs as another user if Pod Security refuses that.
func (p *placement) makePod(ctx context.Context, raw bool) error {
	spec := p.podSpec(raw)
	guess := raw && !p.As.given()
	if guess {
		spec.Identity.User, spec.Identity.Group = new(int64), new(int64)
	}
	p.note(spec.Kind(), p.name)
	uid, err := p.Client.MakePod(ctx, spec)
	if err != nil && guess && kube.RefusedByPodSecurity(err) {
		p.Say("the namespace enforces Pod Security \"restricted\": the worker is not root, and may not be allowed to open the raw block device")
		spec.Identity = p.as
		uid, err = p.Client.MakePod(ctx, spec)
	} else if err == nil && guess {
		p.Say("the worker runs as root, without capabilities: a raw block device belongs to root")
	}
	p.noted(uid, err)
	if p.pod, p.uid = spec.Pod(), uid; err == nil && spec.Set {
		err = p.awaitMade(ctx, spec)
	}
	p.facts.Identity = recorded(spec.Identity)
	p.facts.Root = p.facts.Identity.User == 0
	return err
}

// awaitMade waits for the pod that the cluster creates for a StatefulSet.
func (p *placement) awaitMade(ctx context.Context, spec kube.PodSpec) error {
	// It has the set's token, and is removed with the set.
	p.note("pod", p.pod)
	var err error
	p.uid, err = p.Client.WaitMade(ctx, spec, p.Ready, p.Say)
	p.made[len(p.made)-1].UID, p.made[len(p.made)-1].Set = p.uid, spec.Name
	return err
}

// learn records where the pod was placed and what storage it uses.
func (p *placement) learn(ctx context.Context, node string) error {
	f := &p.facts
	f.Context, f.Namespace, f.Pod, f.Node = p.Client.Context, p.Client.Namespace, p.pod, node
	f.Image = cmp.Or(p.Where.Application, p.Where.Image)
	if err := p.learnLog(ctx); err != nil {
		return err
	}
	if err := p.Client.ClaimFacts(ctx, p.Client.Namespace, p.claim, f); err != nil {
		return err
	}
	if err := p.Client.NodeFacts(ctx, f); err != nil {
		return err
	}
	var err error
	if f.Version, err = p.Client.Version(ctx); err != nil {
		return err
	}
	f.Events = p.Client.Events(ctx, p.claim, p.pod)
	return nil
}

// dial connects to the worker by exec.
func (p *placement) dial(ctx context.Context) (io.ReadWriteCloser, error) {
	return p.Client.Exec(ctx, p.pod, program, "--attach", kube.StatePath)
}

// Attended reports whether an engine is connected to the worker in a pod. An error means that the worker
// could not be asked.
func Attended(ctx context.Context, client *kube.Client, pod kube.Object) (bool, error) {
	own := *client
	own.Namespace = pod.Namespace
	ctx, cancel := context.WithTimeout(ctx, askTime)
	defer cancel()
	stream, err := own.Exec(ctx, pod.Name, program, "--attach", kube.StatePath)
	if err != nil {
		return false, err
	}
	defer stream.Close()
	return link.Ask(stream)
}

// takeDown removes what was created, even if the user has interrupted the run.
func (p *placement) takeDown() error {
	if len(p.made) == 0 {
		return nil
	}
	if p.Keep {
		p.Say(fmt.Sprintf("kept in the cluster: %s; later: loadline cleanup --namespace %s", p.made, p.Client.Namespace))
		return nil
	}
	ctx := context.Background()
	if !p.facts.Made || p.log != nil && !p.log.Made {
		// A killed worker has left its directory in somebody's claim, and the next one removes it.
		p.Client.WaitStarted(ctx, p.pod, p.uid, startingAgain)
	}
	if p.pod != "" && p.Client.Away(ctx, p.pod) != nil {
		return p.leave(ctx)
	}
	if err := p.Client.Remove(ctx, p.made, removal); err != nil {
		return err
	}
	p.awaitGone(ctx, &p.facts)
	p.awaitGone(ctx, p.log)
	return nil
}

// awaitGone waits for the volume behind a claim that was created and is being removed, and reports if it
// stays.
func (p *placement) awaitGone(ctx context.Context, of *model.Cluster) {
	switch {
	case of == nil || !of.Made || of.Volume == "":
	case of.Reclaim == "Retain":
		p.Say(fmt.Sprintf("the class retains its volumes, so %s is still there: kubectl delete pv %s, and remove its storage", of.Volume, of.Volume))
	case !p.Client.WaitVolumeGone(ctx, of.Volume, volumeRemoval):
		p.Say(fmt.Sprintf("the claim is removed, but the volume %s still exists after %s: kubectl describe pv %s", of.Volume, volumeRemoval, of.Volume))
	}
}

// leave requests the removal of what a lost node holds, which happens when the node is back.
func (p *placement) leave(ctx context.Context) error {
	if p.Client.Remove(ctx, p.made, awayRemoval) == nil {
		return nil
	}
	return &model.LeftError{WorkerError: model.BrokenError(fmt.Sprintf("%s cannot go before the node %s is back: its removal is asked for, and the cluster does it then", p.made, p.facts.Node),
		fmt.Sprintf("if the node does not come back: kubectl delete node %s, then loadline cleanup --namespace %s", p.facts.Node, p.Client.Namespace))}
}
