package session

import (
	"context"
	"errors"

	"github.com/loadline/loadline/internal/ask/target"
	"github.com/loadline/loadline/internal/env"
	"github.com/loadline/loadline/internal/measure/engine"
	"github.com/loadline/loadline/internal/measure/place/ssh"
	"github.com/loadline/loadline/internal/model"
)

// parseTarget reads what the user named, on this machine or on the hosts.
func (o *Places) parseTarget(name string) (model.Target, error) {
	if len(o.Hosts) > 0 {
		return target.ParseOnHost(name)
	}
	t, err := ParseNew(name, o.Create)
	if err != nil {
		return t, err
	}
	return t, o.Cluster.ask(&t)
}

// here reports whether the target is measured by this machine's own programs.
func (o *Places) here(t model.Target) bool { return len(o.Hosts) == 0 && !inCluster(t) }

// placeOnHost starts a worker over ssh, on the host whose turn it is.
func (o *Places) placeOnHost(ctx context.Context, e *env.Env, t model.Target, by placeOptions) (*placed, error) {
	host := o.Hosts[by.turn%len(o.Hosts)]
	link, err := ssh.Start(ctx, e, host, by.ID+by.suffix)
	if err != nil {
		return nil, err
	}
	worker, err := engine.Connect(context.WithoutCancel(ctx), link)
	if err != nil {
		return nil, errors.Join(err, link.Close())
	}
	return &placed{worker: worker, target: t, host: host, link: link}, nil
}
