package session

import (
	"context"
	"maps"
	"slices"

	"github.com/loadline/loadline/internal/measure/place"
	"github.com/loadline/loadline/internal/model"
)

// tellSpread records how the volumes are spread over nodes, and why not better.
func (c *gathering) tellSpread(ctx context.Context, members []member) {
	first := members[0].at.cluster
	if first == nil || len(members) < 2 {
		return
	}
	on, pinned := map[string]int{}, 0
	for _, m := range members {
		on[m.at.node()]++
		if m.at.cluster != nil && m.at.cluster.Pinned {
			pinned++
		}
	}
	counts := slices.Collect(maps.Values(on))
	s := model.Spread{Asked: c.Cluster.Spread, Volumes: len(members), Nodes: len(on), Most: slices.Max(counts), Least: slices.Min(counts)}
	if s.Asked == "" {
		s.Asked = string(place.Strict)
	}
	if where, err := c.Cluster.Where(c.env); err == nil {
		if client, err := c.Cluster.Open(c.env); err == nil {
			// As elsewhere in a report, what is not known is left out.
			s.Eligible, _ = client.Nodes(ctx, where)
		}
	}
	s.Why = whySpread(s, pinned, c.together, c.Cluster.Node)
	first.Spread = &s
}

// whySpread returns why there are fewer nodes than volumes, or why volumes are spread unevenly; empty if
// there is nothing to report.
func whySpread(s model.Spread, pinned int, together bool, node string) string {
	if s.Nodes == s.Volumes {
		return ""
	}
	even := s.Most-s.Least <= 1
	switch {
	case node != "":
		return "--node names one"
	case together:
		return "a claim that one node at a time may use"
	case even && s.Nodes == s.Eligible:
		return "no more nodes may run them"
	case pinned > 0:
		return "volumes were bound to nodes before their pods were placed"
	case s.Asked == string(place.Loose):
		return "--spread soft lets them share nodes"
	case even:
		return "no more nodes may run them, as far as is known"
	}
	return ""
}
