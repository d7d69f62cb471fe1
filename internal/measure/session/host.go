package session

import (
	"github.com/loadline/loadline/internal/ask/target"
	"github.com/loadline/loadline/internal/model"
)

// parseTarget parses the target's name, on this machine or on the hosts.
func (o *Places) parseTarget(name string) (model.Target, error) {
	return o.parse(name, func(name string) (model.Target, error) { return ParseNew(name, o.Create) })
}

// parseDirectory is parseTarget for an application, which creates no file.
func (o *Places) parseDirectory(name string) (model.Target, error) { return o.parse(name, ParseTarget) }

func (o *Places) parse(name string, here func(string) (model.Target, error)) (model.Target, error) {
	if len(o.Hosts) > 0 {
		return target.ParseOnHost(name)
	}
	t, err := here(name)
	if err != nil {
		return t, err
	}
	return t, o.Cluster.ask(&t)
}

// here reports whether the target is measured by programs on this machine.
func (o *Places) here(t model.Target) bool { return len(o.Hosts) == 0 && !inCluster(t) }

// oneHost refuses several hosts for what is measured on one of them, so that none is left out silently.
func (o *Places) oneHost() error {
	if len(o.Hosts) < 2 {
		return nil
	}
	return model.RefusedError("--hosts names several hosts, but these measurements use one", "name one of them; loadline scale loads volumes on several hosts at once")
}
