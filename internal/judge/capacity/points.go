package capacity

import (
	"cmp"
	"math"
	"slices"

	"github.com/loadline/loadline/internal/model"
)

// observation is a point in the form that the fits use.
type observation struct {
	n   float64 // volumes
	log float64 // ln of the total
	// noise is the relative standard error from the point's own interval; 0 if unknown.
	noise float64
}

// observations are the points of a scale that a law may be fitted to, ordered by the number of volumes:
// valid or suspect, not rate-limited, and all on the number of nodes that has the most points.
func observations(s *model.Scale) []observation {
	nodes := mainNodes(s)
	var list []observation
	for _, p := range s.Points {
		if p.Nodes != nodes || !usable(p) {
			continue
		}
		total, noise := pointTotal(s, p)
		if total > 0 && !math.IsInf(total, 0) {
			list = append(list, observation{n: float64(p.Volumes), log: math.Log(total), noise: noise})
		}
	}
	// The input order of points must not matter, not even between points with the same number of
	// volumes.
	slices.SortFunc(list, func(a, b observation) int {
		return cmp.Or(cmp.Compare(a.n, b.n), cmp.Compare(a.log, b.log), cmp.Compare(a.noise, b.noise))
	})
	return list
}

func usable(p model.ScalePoint) bool {
	return p.Volumes > 0 && p.Offered == 0 && p.Verdict != model.Invalid
}

// mainNodes is the number of nodes with the most usable points; of several the smallest.
func mainNodes(s *model.Scale) int {
	counts := map[int]int{}
	for _, p := range s.Points {
		if usable(p) {
			counts[p.Nodes]++
		}
	}
	best, most := 0, 0
	for nodes, c := range counts {
		if c > most || c == most && nodes < best {
			best, most = nodes, c
		}
	}
	return best
}

// pointTotal is a point's total with its relative standard error. If only a mean latency was measured
// under a closed loop, it follows from Little's law: volumes × depth / latency, in I/Os per second.
func pointTotal(s *model.Scale, p model.ScalePoint) (total, noise float64) {
	if p.Total.Value > 0 {
		return p.Total.Value, relativeError(p.Total)
	}
	if p.PerVolume.Value > 0 {
		return p.PerVolume.Value * float64(p.Volumes), relativeError(p.PerVolume)
	}
	if p.Mean == nil || !(p.Mean.Value > 0) || s.Depth == 0 || s.Metric != model.IOPS {
		return 0, 0
	}
	return float64(p.Volumes*s.Depth) / p.Mean.Value, relativeError(*p.Mean)
}

// relativeError is the standard error behind a 95 % interval, as a share.
func relativeError(e model.Estimate) float64 {
	if e.Confidence == 0 {
		return 0
	}
	return e.HalfWidth() / 1.96
}
