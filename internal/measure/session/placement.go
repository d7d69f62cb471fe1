package session

import (
	"time"

	"github.com/loadline/loadline/internal/model"
)

// DefaultReady is how long a pod may take to run, unless specified otherwise.
const DefaultReady = 3 * time.Minute

// Placement returns the part of the places that belongs to the experiment.
func (o *Places) Placement() model.Placement {
	c := &o.Cluster
	p := model.Placement{
		Hosts: o.Hosts, Create: o.Create, AccessMode: c.AccessMode, Node: c.Node, NodeSelector: c.NodeSelector, Tolerations: c.Tolerations,
		Resources: c.Resources, PullSecret: c.PullSecret, RunAsUser: c.Identity.User, FSGroup: c.Identity.FSGroup,
		SELinuxLevel: c.Identity.SELinuxLevel, AsRoot: c.Identity.Root, Spread: c.Spread, Keep: c.Keep,
	}
	if c.Ready != DefaultReady {
		p.ReadyWithin = c.Ready.Seconds()
	}
	return p
}

// Restore sets the places to those of an experiment, except where said reports that the flag of that name
// was given.
func (o *Places) Restore(p model.Placement, said func(flag string) bool) {
	c := &o.Cluster
	restore(&o.Hosts, p.Hosts, said("hosts"))
	restore(&o.Create, p.Create, said("create"))
	restore(&c.AccessMode, p.AccessMode, said("access-mode"))
	restore(&c.Node, p.Node, said("node"))
	restore(&c.NodeSelector, p.NodeSelector, said("node-selector"))
	restore(&c.Tolerations, p.Tolerations, said("toleration"))
	restore(&c.Resources, p.Resources, said("resources"))
	restore(&c.PullSecret, p.PullSecret, said("pull-secret"))
	restore(&c.Identity.User, p.RunAsUser, said("run-as-user"))
	restore(&c.Identity.FSGroup, p.FSGroup, said("fs-group"))
	restore(&c.Identity.SELinuxLevel, p.SELinuxLevel, said("selinux-level"))
	restore(&c.Identity.Root, p.AsRoot, said("as-root"))
	restore(&c.Spread, p.Spread, said("spread"))
	restore(&c.Keep, p.Keep, said("keep"))
	ready := DefaultReady
	if p.ReadyWithin > 0 {
		ready = time.Duration(p.ReadyWithin * float64(time.Second))
	}
	restore(&c.Ready, ready, said("ready-within"))
}

func restore[V any](to *V, from V, said bool) {
	if !said {
		*to = from
	}
}
