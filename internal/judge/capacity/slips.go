package capacity

import (
	"fmt"
	"math"
	"slices"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/study"
	"github.com/loadline/loadline/internal/model/units"
)

const (
	// shortBy is the share by which a rate-limited volume must miss its rate, beyond the rounding of
	// the figures, to count as saturated.
	shortBy = 0.01
	// rereadSeconds is Kbench's rule for the size of a file: 25 s of its bandwidth.
	rereadSeconds = 25
)

// slips finds contradictions in a published report: totals that differ from volumes × each, capacities
// that differ between chapters or lie outside of what its own points allow, growth with nodes that was
// never measured, rates that were not reached, files too small for their bandwidth, and limits that
// cannot be the binding ones.
func slips(p *study.Published) []study.Slip {
	var list []study.Slip
	for i := range p.Scales {
		s := &p.Scales[i]
		list = append(list, sums(s)...)
		list = append(list, rates(s)...)
		list = append(list, claims(s)...)
		list = append(list, growth(s)...)
		list = append(list, wrongBinding(p, s)...)
		list = append(list, fileSize(p, s)...)
	}
	return append(list, control(p)...)
}

func slip(kind, where string, stated, found float64, format string, args ...any) study.Slip {
	return study.Slip{Kind: kind, Where: where, Stated: stated, Found: found, Message: fmt.Sprintf(format, args...)}
}

// sums compares printed totals with volumes × each, within the rounding of both.
func sums(s *study.PublishedScale) (list []study.Slip) {
	for i, p := range s.Points {
		stated := at(s.Stated, i)
		if stated == 0 || p.PerVolume.Value == 0 {
			continue
		}
		n := float64(p.Volumes)
		found := n * p.PerVolume.Value
		if off := n*at(s.Rounding, i) + unitOfTotal(s.Metric); math.Abs(found-stated) > off {
			list = append(list, slip("arithmetic", s.Workload, stated, found, "%s × %s is %s, but %s is printed", count(n, "volume"),
				s.Metric.FormatTotal(p.PerVolume.Value), s.Metric.FormatTotal(found), s.Metric.FormatTotal(stated)))
		}
	}
	return list
}

// unitOfTotal is one unit of a printed total, which may have been truncated instead of rounded.
func unitOfTotal(m model.Metric) float64 {
	if m == model.Bandwidth {
		return 1 << 20
	}
	return 1
}

func at(list []float64, i int) float64 {
	if i < len(list) {
		return list[i]
	}
	return 0
}

// rates finds volumes that missed or exceeded the rate they were limited to.
func rates(s *study.PublishedScale) (list []study.Slip) {
	for i, p := range s.Points {
		if p.Offered == 0 || p.PerVolume.Value == 0 {
			continue
		}
		got, round := p.PerVolume.Value, at(s.Rounding, i)
		words := fmt.Sprintf("%s volumes were held to %s each and reached %s", number(float64(p.Volumes)), s.Metric.FormatTotal(p.Offered), s.Metric.FormatTotal(got))
		switch {
		case got+round < p.Offered*(1-shortBy):
			list = append(list, slip("saturated", s.Workload, p.Offered, got, "%s, %.1f %% less: they were saturated, which confirms no capacity beyond %s",
				words, 100*(1-got/p.Offered), s.Metric.FormatTotal(got*float64(p.Volumes))))
		case got-round > p.Offered+at(s.OfferedRounding, i):
			list = append(list, slip("offered", s.Workload, p.Offered, got, "%s: more than the limit allows", words))
		}
	}
	return list
}

// claims compares stated capacities with each other and with those of the points.
func claims(s *study.PublishedScale) (list []study.Slip) {
	law := s.Scale.Law()
	for _, of := range []string{"total", "volume"} {
		var first *study.Claim
		for i := range s.Claims {
			c := &s.Claims[i]
			if c.Of != of {
				continue
			}
			if first == nil {
				first = c
			} else if c.Value != first.Value {
				list = append(list, slip("claim", s.Workload, c.Value, first.Value, "the %s says %s and the %s %s", first.Where,
					s.Metric.FormatTotal(first.Value), c.Where, s.Metric.FormatTotal(c.Value)))
			}
			if of == "total" && law != nil && law.Capacity != nil && law.Capacity.Confidence > 0 && (c.Value < law.Capacity.Low || c.Value > law.Capacity.High) {
				list = append(list, slip("claim", s.Workload, c.Value, law.Capacity.Value, "the %s says %s, outside of what its points allow: %s",
					c.Where, s.Metric.FormatTotal(c.Value), s.Metric.FormatInterval(*law.Capacity)))
			}
		}
	}
	return list
}

// growth finds claims of growth in proportion to the nodes that the points cannot show.
func growth(s *study.PublishedScale) []study.Slip {
	if !s.InLine {
		return nil
	}
	var nodes []int
	for _, p := range s.Points {
		if p.Nodes > 0 && !slices.Contains(nodes, p.Nodes) {
			nodes = append(nodes, p.Nodes)
		}
	}
	switch slices.Sort(nodes); {
	case len(nodes) >= 3:
		return nil
	case len(nodes) == 2:
		return []study.Slip{slip("nodes", s.Workload, 3, 2, "growth in line with the nodes is claimed from %d and %d nodes: two points do not show a line", nodes[0], nodes[1])}
	}
	return []study.Slip{slip("nodes", s.Workload, 2, 1, "growth in line with the nodes is claimed, but only one number of nodes was measured")}
}

// wrongBinding finds a resource that is said to bind although another allows less.
func wrongBinding(p *study.Published, s *study.PublishedScale) []study.Slip {
	if s.Binds == "" {
		return nil
	}
	st := limitsOf(&p.System, s)
	if len(st.Resources) == 0 || st.Binding == s.Binds || st.Rival == s.Binds || st.Binding == "" {
		return nil
	}
	for _, r := range st.Resources {
		if r.Resource == s.Binds {
			return []study.Slip{slip("binding", s.Workload, r.Allows, st.Resources[0].Allows, "the %s is said to bind, but it allows %s, and the %s only %s",
				r.Resource.Name(), s.Metric.FormatTotal(r.Allows), st.Binding.Name(), s.Metric.FormatTotal(st.Resources[0].Allows))}
		}
	}
	return nil
}

// fileSize finds volumes so fast that their file is read again within 25 s.
func fileSize(p *study.Published, s *study.PublishedScale) []study.Slip {
	if p.FileSize == 0 || s.Metric != model.Bandwidth {
		return nil
	}
	fastest := 0.0
	for _, x := range s.Points {
		fastest = max(fastest, x.PerVolume.Value)
	}
	if need := rereadSeconds * fastest; need > float64(p.FileSize) {
		return []study.Slip{slip("size", s.Workload, float64(p.FileSize), need, "a file of %s is less than %d s × %s = %s, so it may be read again from a cache",
			units.FormatSize(p.FileSize), rereadSeconds, units.FormatBandwidth(fastest), units.FormatSize(int64(need)))}
	}
	return nil
}

// control compares what is said of one node with what is said of the cluster.
func control(p *study.Published) (list []study.Slip) {
	for _, c := range p.Control {
		where := fmt.Sprintf("control plane, %d nodes", c.Nodes)
		each := float64(c.Volumes) / float64(c.Nodes)
		check := func(what string, stated int, found float64) {
			if stated > 0 && math.Abs(found-float64(stated)) >= 1 {
				list = append(list, slip("arithmetic", where, float64(stated), found, "%d volumes on %d nodes are %s %s per node, but %d is printed",
					c.Volumes, c.Nodes, number(found), what, stated))
			}
		}
		check("volumes", c.VolumesPerNode, each)
		check("replicas", c.ReplicasPerNode, each*p.System.Copies())
	}
	return list
}
