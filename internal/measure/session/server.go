package session

import (
	"fmt"

	"github.com/loadline/loadline/internal/ask/target"
	"github.com/loadline/loadline/internal/measure/engine"
	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/safetext"
)

// parseAsked parses the target's name: storage or, if an application is asked for, an existing server of
// it.
func (o *Places) parseAsked(name string, ask *model.AppRequest) (model.Target, error) {
	if ask == nil {
		return o.parseTarget(name)
	}
	if !target.IsServer(name) {
		t, err := o.parseDirectory(name)
		if err != nil {
			return t, err
		}
		return o.asApplication(t, ask)
	}
	refuse := func(what, next string) (model.Target, error) {
		return model.Target{}, model.RefusedError(what, next)
	}
	t, err := target.ParseServer(name)
	switch {
	case err != nil:
		return t, err
	case ask.Name != string(t.Kind):
		return refuse(t.URI+" is a PostgreSQL server, and "+ask.Name+" is asked for", "loadline app postgres "+safetext.ShellWord(t.URI))
	case len(o.Hosts) > 0:
		return refuse(loadTool(ask)+" runs on this machine against a server that exists, and --hosts names others", "run loadline there")
	case len(ask.Set) > 0:
		return refuse("--set is for a server of Loadline's own: the settings of one that exists are not touched", "leave --set out, or change it yourself: ALTER SYSTEM SET …")
	case ask.Image != "":
		return refuse("--image is for a server in a pod, and "+t.URI+" runs already", "leave --image out")
	}
	return t, nil
}

// existing reports whether a target is an existing server.
func existing(t model.Target) bool { return t.Kind.Application() && t.Path == "" && t.Cluster == nil }

// adviseCleanup reports what was found in an existing server, before anything is created in it, and how to
// remove the schema if Loadline cannot.
func adviseCleanup(targets []model.Target, probes []model.ProbeResult, watch engine.Observer) {
	for i, t := range targets {
		if existing(t) {
			if app := probes[i].App; app != nil && app.Server != nil {
				for _, remark := range app.Server.Remarks {
					sayTo(watch)("found: " + remark)
				}
			}
			sayTo(watch)(fmt.Sprintf("makes a schema loadline_… in %s, and removes it at the end; after a kill -9: loadline cleanup %s", t.URI, safetext.ShellWord(t.URI)))
		}
	}
}

// refuseOneServer refuses two names of the same server.
func refuseOneServer(targets [2]model.Target, probes [2]model.ProbeResult) error {
	a, b := probes[0].App, probes[1].App
	if a == nil || b == nil || a.Server == nil || b.Server == nil || a.Server.Instance != b.Server.Instance {
		return nil
	}
	return model.RefusedError(fmt.Sprintf("%s and %s are the same server: it would be compared with itself", targets[0].URI, targets[1].URI), "name two different servers")
}
