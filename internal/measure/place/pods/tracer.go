package pods

import (
	"context"
	"errors"
	"io"

	"github.com/loadline/loadline/internal/cluster/kube"
	"github.com/loadline/loadline/internal/measure/place"
)

// tracer is the program of a tracer's pod: the whole loadline. A worker does not need what a tracer does,
// and every pod that measures would have to carry it.
const tracer = "loadline"

// Tracer says what a tracer's pod is for.
type Tracer struct {
	// Node is its node; "" for a pod that is only shown. Suffix distinguishes it from the run's other pods.
	Node, Suffix string
	// Directories are directories of the node whose devices it only counts; none if it traces.
	Directories []string
}

// tracerSpec returns the pod of a tracer.
func (at Place) tracerSpec(t Tracer) kube.TracerSpec {
	where := at.Where
	if t.Node != "" {
		where.Node, where.NodeSelector = t.Node, nil
	}
	return kube.TracerSpec{Name: at.Made.Run + t.Suffix, Made: at.Made, Where: where, Command: []string{tracer, "agent", "--trace", kube.StatePath}, Directories: t.Directories}
}

// PutTracer creates a pod that traces its node, waits for it and connects. Closing the stream removes it.
// After an error nothing is left (unless Keep).
func (at Place) PutTracer(ctx context.Context, t Tracer, say func(string)) (io.ReadWriteCloser, error) {
	p := &placement{Place: at, Assignment: place.Assignment{Say: say}, name: at.Made.Run + t.Suffix}
	p.facts.Node = t.Node
	if err := p.startTracer(ctx, t); err != nil {
		return nil, errors.Join(err, p.takeDown())
	}
	return p.connect(ctx, "the tracer on "+t.Node), nil
}

func (p *placement) startTracer(ctx context.Context, t Tracer) error {
	p.note("pod", p.name)
	uid, err := p.Client.MakeTracer(ctx, p.tracerSpec(t))
	p.noted(uid, err)
	p.pod, p.uid = p.name, uid
	if err != nil {
		return err
	}
	_, err = p.Client.WaitRunning(ctx, p.pod, "", p.Ready, p.Say)
	return err
}

// TryTracer fails if the cluster would not accept such a pod, before anything is created.
func (at Place) TryTracer(ctx context.Context, t Tracer) error {
	return at.Client.TryTracer(ctx, at.tracerSpec(t))
}

// TracerManifest returns the pod that would be created on each node, as YAML for people. The node is known
// when the volumes have theirs.
func (at Place) TracerManifest(t Tracer) ([]byte, error) {
	spec := at.tracerSpec(t)
	// The owner is known only when it is created.
	spec.Made = kube.Made{Run: at.Made.Run}
	return at.Client.TracerManifest(spec)
}
