package capacity

import (
	"fmt"
	"math"

	"github.com/loadline/loadline/internal/judge/stats"
	"github.com/loadline/loadline/internal/model/hardware"
	"github.com/loadline/loadline/internal/model/study"
)

// rebuildLimit is the default time in seconds within which a replica must be rebuilt: a day, Longhorn's
// own limit.
const rebuildLimit = 24 * 3600

// Rebuilds determines the bandwidth of rebuilding a replica and the cost of each extent, T = extents·e
// + data/B, from timed rebuilds, and the largest volume of each pattern that is rebuilt within a day.
func Rebuilds(p *study.Published) study.Rebuilds {
	st := study.Rebuilds{Measured: len(p.Rebuilds)}
	var rates, pieces []float64
	for _, r := range p.Rebuilds {
		if r.Extent == 0 {
			rates = append(rates, math.Log(float64(r.Data)/r.Seconds))
		}
	}
	if len(rates) > 0 {
		st.Bandwidth = math.Exp(stats.Mean(rates))
	} else {
		st.Notes = append(st.Notes, "no rebuild of one piece was timed: the time of each piece holds that of its bytes")
	}
	for _, r := range p.Rebuilds {
		if r.Extent == 0 {
			continue
		}
		rest := r.Seconds
		if st.Bandwidth > 0 {
			rest -= float64(r.Data) / st.Bandwidth
		}
		if rest > 0 {
			pieces = append(pieces, math.Log(rest*float64(r.Extent)/float64(r.Data)))
		}
	}
	if len(pieces) > 0 {
		st.PerExtent = math.Exp(stats.Mean(pieces))
	}
	for _, logs := range [][]float64{rates, pieces} {
		if len(logs) >= 3 {
			st.Spread = max(st.Spread, stats.StudentT(float64(len(logs)-1))*stats.StdDev(logs)*math.Sqrt(1+1/float64(len(logs))))
		}
	}
	if st.Spread == 0 {
		st.Notes = append(st.Notes, fmt.Sprintf("from %s: an interval takes three of each pattern, so these figures have none", countPoints(len(p.Rebuilds))))
	}
	rebuildBinding(&st, &p.System)
	seen := map[int64]bool{}
	for _, r := range p.Rebuilds {
		if !seen[r.Extent] {
			seen[r.Extent] = true
			fill := float64(r.Data) / float64(r.Volume)
			st.Largest = append(st.Largest, largestVolume(&st, fill, r.Extent, rebuildLimit))
		}
	}
	for _, r := range p.Rebuilds {
		st.Longest = max(st.Longest, r.Seconds)
	}
	st.Notes = append(st.Notes, "the times hold without load; each further snapshot whose data lie beside the others' takes its own time")
	return st
}

// rebuildBinding names the resource that limits the bandwidth.
func rebuildBinding(st *study.Rebuilds, sys *hardware.System) {
	least := math.Inf(1)
	for _, r := range []struct {
		resource hardware.Resource
		has      float64
	}{{hardware.LimitDiskBandwidth, sys.Disk.Bandwidth}, {hardware.LimitNetwork, sys.Network}} {
		if r.has > 0 && r.has < least && st.Bandwidth > r.has*(1-farShare) {
			least, st.Binding = r.has, r.resource
		}
	}
}

// rebuildTime is how long a replica of data bytes in pieces of extent bytes (0: one piece) takes, in
// seconds.
func rebuildTime(s *study.Rebuilds, data float64, extent int64) float64 {
	t := 0.0
	if s.Bandwidth > 0 {
		t = data / s.Bandwidth
	}
	if extent > 0 {
		t += data / float64(extent) * s.PerExtent
	}
	return t
}

// largestVolume is the largest volume that is rebuilt within limit seconds if the share fill of it
// contains data.
func largestVolume(s *study.Rebuilds, fill float64, extent int64, limit float64) study.RebuildSize {
	perByte := fill * rebuildTime(s, 1, extent)
	log, reach := math.Log(limit/perByte), math.NaN()
	if s.Spread > 0 {
		reach = s.Spread
	}
	return study.RebuildSize{Extent: extent, Fill: fill, Limit: limit, Volume: exponential("B", log, reach)}
}

// BoundRebuilds recomputes the largest volumes for another time limit, for volumes whose snapshots (the
// head included) all contain data of their own, and under a throttle in bytes/s (0: none).
func BoundRebuilds(s *study.Rebuilds, limit float64, snapshots int, throttle float64) {
	if throttle > 0 && (s.Bandwidth == 0 || throttle < s.Bandwidth) {
		s.Bandwidth, s.Binding = throttle, ""
		s.Notes = append(s.Notes, "the throttle sets the bandwidth")
	}
	for i, l := range s.Largest {
		s.Largest[i] = largestVolume(s, l.Fill*float64(max(1, snapshots)), l.Extent, limit)
		s.Largest[i].Fill, s.Largest[i].Snapshots = l.Fill, snapshots
	}
}
