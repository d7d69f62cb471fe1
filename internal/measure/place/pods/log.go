package pods

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/loadline/loadline/internal/cluster/kube"
	"github.com/loadline/loadline/internal/model"
)

// logSuffix distinguishes the claim of a log from that of the data, whose name it follows.
const logSuffix = "-wal"

// logSpec returns the claim that is created for the log of the assignment's application.
func (p *placement) logSpec() kube.ClaimSpec {
	v := p.Log.Cluster
	return kube.ClaimSpec{Name: p.name + logSuffix, Made: p.Made, Class: v.Class, Size: p.LogSize, Access: v.Access}
}

// logName returns the name of the log's claim, "" if the log is with the data.
func (p *placement) logName() string {
	if p.log == nil {
		return ""
	}
	return p.log.Claim
}

// logVolume creates the claim of the application's log, or checks the existing one, as is done with that of
// the data, which exists by then.
func (p *placement) logVolume(ctx context.Context) error {
	if p.Log == nil {
		return nil
	}
	v := p.Log.Cluster
	if v.Made() {
		p.log = &model.Cluster{Claim: p.name + logSuffix, Made: true, Mode: "Filesystem"}
		if err := p.Client.Class(ctx, v.Class, p.log); err != nil {
			return err
		}
		p.note("claim", p.log.Claim)
		uid, err := p.Client.MakeClaim(ctx, p.logSpec())
		p.noted(uid, err)
		return err
	}
	facts, users, err := lookAtLog(ctx, p.Client, *p.Log, p.Made.Run)
	if err != nil {
		return err
	}
	p.log = facts
	if len(users) == 0 {
		return nil
	}
	p.Say(fmt.Sprintf("the claim of the log is in use by %s: both get a part of the storage's speed", podNames(users)))
	used := slices.IndexFunc(users, func(u kube.User) bool { return u.Node != "" })
	if used < 0 || facts.ManyNodes() {
		return nil
	}
	node := users[used].Node
	if p.Where.Node != "" && p.Where.Node != node {
		return model.RefusedError(fmt.Sprintf("%s is in use on the node %s, and the server would be on %s", p.Log.Name, node, p.Where.Node), "name claims that one node can use, or classes: sc:CLASS --wal sc:CLASS")
	}
	p.Where.Node, p.Spread = node, ""
	return nil
}

// lookAtLog refuses an existing claim that cannot hold a log.
func lookAtLog(ctx context.Context, client *kube.Client, t model.Target, run string) (*model.Cluster, []kube.User, error) {
	var facts model.Cluster
	if err := client.ClaimAndClass(ctx, cmp.Or(t.Cluster.Namespace, client.Namespace), t.Cluster.Name, &facts); err != nil {
		return nil, nil, err
	}
	if facts.Mode == block {
		return nil, nil, model.RefusedError(t.Name+" is a raw device, and an application keeps its log in a filesystem", "name a claim, or a class, of the mode Filesystem")
	}
	users, err := Check(ctx, client, t, &facts, run, false)
	return &facts, users, err
}

// learnLog records what storage the log's claim is on.
func (p *placement) learnLog(ctx context.Context) error {
	if p.log == nil {
		return nil
	}
	p.facts.Log = p.log
	return p.Client.ClaimFacts(ctx, p.Client.Namespace, p.log.Claim, p.log)
}

// LogFacts returns what is known about the claim of a log before a pod has mounted it; size is that of one
// that is to be created.
func LogFacts(ctx context.Context, client *kube.Client, t model.Target, size int64) (*model.Cluster, error) {
	if !t.Cluster.Made() {
		facts, _, err := lookAtLog(ctx, client, t, "")
		return facts, err
	}
	facts := &model.Cluster{Made: true, Class: t.Cluster.Class, Mode: "Filesystem", Capacity: size, Access: []string{kube.AccessMode(t.Cluster.Access)}}
	return facts, client.Class(ctx, t.Cluster.Class, facts)
}
