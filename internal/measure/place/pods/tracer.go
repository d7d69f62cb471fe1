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

// tracerSpec returns the pod of a tracer on a node; "" for a pod that is only shown.
func (at Place) tracerSpec(name, node string) kube.TracerSpec {
	where := at.Where
	if node != "" {
		where.Node, where.NodeSelector = node, nil
	}
	return kube.TracerSpec{Name: name, Made: at.Made, Where: where, Command: []string{tracer, "agent", "--trace", kube.StatePath}}
}

// PutTracer creates a pod that traces its node, waits for it and connects; suffix distinguishes it from the
// run's other pods. Closing the stream removes it. After an error nothing is left (unless Keep).
func (at Place) PutTracer(ctx context.Context, node, suffix string, say func(string)) (io.ReadWriteCloser, error) {
	p := &placement{Place: at, Assignment: place.Assignment{Say: say}, name: at.Made.Run + suffix}
	p.facts.Node = node
	if err := p.startTracer(ctx); err != nil {
		return nil, errors.Join(err, p.takeDown())
	}
	return p.connect(ctx, "the tracer on "+node), nil
}

func (p *placement) startTracer(ctx context.Context) error {
	p.note("pod", p.name)
	uid, err := p.Client.MakeTracer(ctx, p.tracerSpec(p.name, p.facts.Node))
	p.noted(uid, err)
	if err != nil {
		return err
	}
	_, err = p.Client.WaitRunning(ctx, p.name, "", p.Ready, p.Say)
	return err
}

// TryTracer fails if the cluster would not accept such a pod, before anything is created.
func (at Place) TryTracer(ctx context.Context) error {
	return at.Client.TryTracer(ctx, at.tracerSpec(at.Made.Run+"-trace", ""))
}

// TracerManifest returns the pod that would be created on each node that has a volume, as YAML for people.
// The node is known when the volumes have theirs.
func (at Place) TracerManifest() ([]byte, error) {
	spec := at.tracerSpec(at.Made.Run+"-trace", "")
	// The owner is known only when it is created.
	spec.Made = kube.Made{Run: at.Made.Run}
	return at.Client.TracerManifest(spec)
}
