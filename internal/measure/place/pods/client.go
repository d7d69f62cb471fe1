package pods

import (
	"cmp"
	"context"
	"errors"

	"github.com/loadline/loadline/internal/cluster/kube"
	"github.com/loadline/loadline/internal/measure/place"
	"github.com/loadline/loadline/internal/model/remote"
)

// clientSuffix distinguishes the pod of an application's client from that of its server.
const clientSuffix = "-cl"

// PutClient creates a pod without a volume for the client of an application, whose server is on the named
// node, and connects. After an error nothing is left (unless Keep).
func (at Place) PutClient(ctx context.Context, a place.Assignment, server string) (*place.Worker, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	p := at.client(a, server)
	w, err := p.startClient(ctx)
	if err != nil {
		return nil, errors.Join(err, p.takeDown())
	}
	return w, nil
}

// client returns the placement of an assignment's client. It has no volume, so the user's demands on the
// server's node do not apply to it.
func (at Place) client(a place.Assignment, server string) *placement {
	p := &placement{Place: at, Assignment: a, name: at.Made.Run + a.Suffix + clientSuffix}
	p.Near, p.Spread, p.as = "", "", p.As.own()
	p.Where.NodeSelector, p.Where.Node = nil, a.ClientNode
	switch a.ClientNode {
	case remote.Same:
		p.Where.Node = server
	case remote.Other:
		p.Where.Node, p.Where.Apart = "", server
	}
	return p
}

func (p *placement) startClient(ctx context.Context) (*place.Worker, error) {
	if err := p.makePod(ctx, false); err != nil {
		return nil, err
	}
	node, err := p.Client.WaitRunning(ctx, p.pod, "", p.Ready, p.Say)
	if err != nil {
		return nil, err
	}
	p.facts.Pod, p.facts.Node, p.facts.Image = p.pod, node, cmp.Or(p.Where.Application, p.Where.Image)
	if err := p.Client.NodeFacts(ctx, &p.facts); err != nil {
		return nil, err
	}
	return &place.Worker{Link: p.connect(ctx, "the client's pod on "+node), Cluster: &p.facts}, nil
}

// unknownNode is used in a manifest for the node of a server that is not placed yet.
const unknownNode = "(the node of the server)"

// podSpecs returns the pod, for a claim that is known by then, and that of its client.
func (p *placement) podSpecs(raw bool) []kube.PodSpec {
	list := []kube.PodSpec{p.podSpec(raw)}
	if p.ClientNode != "" {
		client := p.Place.client(p.Assignment, cmp.Or(p.Where.Node, unknownNode))
		client.Made = p.Made
		list = append(list, client.podSpec(false))
	}
	return list
}
