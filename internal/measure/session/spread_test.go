package session

import (
	"testing"

	"github.com/loadline/loadline/internal/model"
)

// TestWhyVolumesAreNotSpread: each way to be on few nodes, or unevenly spread, has its reason; if each
// volume has its own node, there is nothing to report.
func TestWhyVolumesAreNotSpread(t *testing.T) {
	for name, c := range map[string]struct {
		spread   model.Spread
		pinned   int
		together bool
		node     string
		want     string
	}{
		"each has one":     {spread: model.Spread{Volumes: 3, Nodes: 3, Most: 1, Least: 1, Asked: "hard"}},
		"a node is named":  {spread: model.Spread{Volumes: 3, Nodes: 1, Most: 3, Least: 3, Eligible: 1}, node: "node1", want: "--node names one"},
		"one node only":    {spread: model.Spread{Volumes: 3, Nodes: 1, Most: 3, Least: 3, Eligible: 3}, together: true, want: "a claim that one node at a time may use"},
		"all nodes":        {spread: model.Spread{Volumes: 9, Nodes: 3, Most: 3, Least: 3, Eligible: 3, Asked: "hard"}, want: "no more nodes may run them"},
		"bound":            {spread: model.Spread{Volumes: 2, Nodes: 1, Most: 2, Least: 2, Eligible: 3, Asked: "hard"}, pinned: 2, want: "volumes were bound to nodes before their pods were placed"},
		"soft":             {spread: model.Spread{Volumes: 3, Nodes: 2, Most: 2, Least: 1, Eligible: 3, Asked: "soft"}, want: "--spread soft lets them share nodes"},
		"soft, unevenly":   {spread: model.Spread{Volumes: 9, Nodes: 3, Most: 5, Least: 1, Eligible: 3, Asked: "soft"}, want: "--spread soft lets them share nodes"},
		"nodes not listed": {spread: model.Spread{Volumes: 9, Nodes: 3, Most: 3, Least: 3, Asked: "hard"}, want: "no more nodes may run them, as far as is known"},
	} {
		if got := whySpread(c.spread, c.pinned, c.together, c.node); got != c.want {
			t.Errorf("%s: %q, not %q", name, got, c.want)
		}
	}
}
