package spec

import (
	"maps"
	"slices"
	"strings"

	"github.com/loadline/loadline/internal/model"
)

var placementFields = []string{"hosts", "create", "access_mode", "node", "node_selector", "tolerations", "resources", "pull_secret",
	"ready_within", "run_as_user", "fs_group", "selinux_level", "as_root", "spread", "keep"}

// placement returns where workers run; the defaults if the field is absent.
func (o *object) placement(field string) model.Placement {
	if !o.has(field) {
		return model.Placement{}
	}
	p := o.object(field, "a place", placementFields)
	return model.Placement{
		Hosts: p.texts("hosts"), Create: p.truth("create"), AccessMode: p.text("access_mode"), Node: p.text("node"),
		NodeSelector: p.settings("node_selector"), Tolerations: p.texts("tolerations"), Resources: p.settings("resources"),
		PullSecret: p.text("pull_secret"), ReadyWithin: p.seconds("ready_within"), RunAsUser: p.text("run_as_user"),
		FSGroup: p.text("fs_group"), SELinuxLevel: p.text("selinux_level"), AsRoot: p.truth("as_root"),
		Spread: p.text("spread"), Keep: p.truth("keep"),
	}
}

// formatPlacement formats what placement parses.
func formatPlacement(p model.Placement) any {
	if p.IsZero() {
		return nil
	}
	return []pair{
		{"hosts", list(p.Hosts)}, {"create", formatTruth(p.Create)}, {"access_mode", optional(p.AccessMode)}, {"node", optional(p.Node)},
		{"node_selector", formatSettings(p.NodeSelector)}, {"tolerations", list(p.Tolerations)}, {"resources", formatSettings(p.Resources)},
		{"pull_secret", optional(p.PullSecret)}, {"ready_within", formatSeconds(p.ReadyWithin)}, {"run_as_user", optional(p.RunAsUser)},
		{"fs_group", optional(p.FSGroup)}, {"selinux_level", optional(p.SELinuxLevel)}, {"as_root", formatTruth(p.AsRoot)},
		{"spread", optional(p.Spread)}, {"keep", formatTruth(p.Keep)},
	}
}

// settings returns a list of NAME=VALUE as written on the command line.
func (o *object) settings(field string) map[string]string {
	var out map[string]string
	for i, text := range o.texts(field) {
		name, value, found := strings.Cut(text, "=")
		if _, twice := out[name]; !found || name == "" || twice {
			o.doc.fail(o.list(field)[i].GetToken(), "write NAME=VALUE, each name once", "%s holds %q", field, text)
		}
		if out == nil {
			out = map[string]string{}
		}
		out[name] = value
	}
	return out
}

// formatSettings formats what settings parses, sorted by name.
func formatSettings(m map[string]string) any {
	var texts []string
	for _, name := range slices.Sorted(maps.Keys(m)) {
		texts = append(texts, name+"="+m[name])
	}
	return list(texts)
}
