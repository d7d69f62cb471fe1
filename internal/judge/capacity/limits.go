package capacity

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/hardware"
	"github.com/loadline/loadline/internal/model/study"
	"github.com/loadline/loadline/internal/model/units"
)

const (
	// rivalShare is how near two limits may be for either to be the binding one.
	rivalShare = 0.10
	// farShare is how far a capacity may lie from what the hardware allows before an unstated effect
	// must be the cause: merging or a cache above it, extra writes or another limit below it. Hardware
	// and sums are more accurate than that.
	farShare = 0.15
)

// limitsOf says which resource of the system binds a scale with fitted laws, what the chosen law's
// capacity implies for amplification and merging, and what stays unexplained. The number of nodes is
// that of the points, otherwise the system's.
func limitsOf(sys *hardware.System, s *study.PublishedScale) study.Limit {
	v := &limitView{sys: *sys, metric: s.Metric, nodes: float64(max(1, sys.Nodes)), pattern: pattern{s.Access, s.Direction, float64(s.BlockSize), max(1, s.Merge)}}
	if n := mainNodes(&s.Scale); n > 0 {
		v.nodes = float64(n)
	}
	st := study.Limit{Workload: s.Workload, Merge: v.merge}
	if law := s.Scale.Law(); law != nil && law.Capacity != nil && !law.CapacityExtrapolated {
		st.Measured = law.Capacity
	}
	st.Resources, st.Unknown = v.allowances()
	if len(st.Resources) == 0 {
		st.Sentences = []string{"the hardware was not described, so nothing is known of what binds"}
		return st
	}
	v.infer(&st, s.Merge > 0)
	st.Binding = st.Resources[0].Resource
	if len(st.Resources) > 1 && st.Resources[1].Allows < st.Resources[0].Allows*(1+rivalShare) {
		st.Rival = st.Resources[1].Resource
	}
	if m := st.Measured; m != nil {
		for i := range st.Resources {
			st.Resources[i].Uses = m.Value / st.Resources[i].Allows
		}
		st.Excess = logRatio(*m, st.Resources[0].Allows)
		if st.Excess.High < math.Log(1-farShare) {
			st.Binding, st.Rival = "", ""
		}
		v.amplify(&st)
	}
	st.Sentences = v.sentences(&st, s)
	return st
}

// limitView is the input for the limits of one workload.
type limitView struct {
	pattern
	sys    hardware.System
	metric model.Metric
	nodes  float64
}

// allowances are what each known resource allows over all nodes, in ascending order.
func (v *limitView) allowances() (list []study.ResourceLimit, unknown []hardware.Resource) {
	known, unknown := costs(&v.sys, v.pattern, v.nodes)
	for _, c := range known {
		allows := v.nodes * c.perNode / c.each
		if v.metric == model.Bandwidth {
			allows *= v.block
		}
		list = append(list, study.ResourceLimit{Resource: c.resource, Allows: allows, How: c.how})
	}
	slices.SortStableFunc(list, func(a, b study.ResourceLimit) int { return cmp.Compare(a.Allows, b.Allows) })
	return list, unknown
}

// infer determines unstated values from the capacity: merging if it is far above the disks' IOPS,
// copies or extra writes if it is far below the disks.
func (v *limitView) infer(st *study.Limit, mergeSaid bool) {
	m, least := st.Measured, st.Resources[0].Resource
	if m == nil || least != hardware.LimitDiskIOPS && least != hardware.LimitDiskBandwidth {
		return
	}
	ratio := m.Value / st.Resources[0].Allows
	// Only integer numbers of copies and writes: anything else would fit any measurement.
	times := math.Round(1 / ratio)
	whole := v.direction == model.Write && ratio < 1-farShare && math.Abs(math.Log(ratio*times)) < farShare
	switch {
	case ratio > 1+farShare && !mergeSaid && least == hardware.LimitDiskIOPS:
		v.merge, st.MergeInferred = ratio, true
		st.Merge = ratio
	case whole && v.sys.Replicas == 0:
		st.Copies, v.sys.Replicas = int(times), int(times)
	case whole && v.sys.ExtraWrites == nil && least == hardware.LimitDiskIOPS:
		c := times - 1
		st.Extra, v.sys.ExtraWrites = c, &c
	}
	st.Resources, st.Unknown = v.allowances()
}

// amplify counts device I/Os per I/O if the disks' IOPS bind.
func (v *limitView) amplify(st *study.Limit) {
	if st.Binding != hardware.LimitDiskIOPS || st.MergeInferred {
		return
	}
	st.Expected = 1
	if v.direction == model.Write {
		st.Expected = v.sys.Copies() * (1 + extra(&v.sys))
	}
	all := v.merge * v.nodes * v.sys.Disk.IOPS * v.sys.Disks()
	m := *st.Measured
	if v.metric == model.Bandwidth {
		all *= v.block
	}
	st.Amplification = &model.Estimate{Unit: "1", Value: all / m.Value, Low: all / m.High, High: all / m.Low, Confidence: m.Confidence}
}

// sentences describe the findings.
func (v *limitView) sentences(st *study.Limit, s *study.PublishedScale) []string {
	var list []string
	say := func(format string, args ...any) { list = append(list, fmt.Sprintf(format, args...)) }
	least := st.Resources[0]
	allows := fmt.Sprintf("%s allow %s (%s)", count(v.nodes, "node"), v.metric.FormatTotal(least.Allows), least.How)
	if v.nodes == 1 {
		allows = strings.Replace(allows, "allow", "allows", 1)
	}
	switch {
	case st.Measured == nil:
		say("%s is the least: %s; no capacity was measured to compare with it", least.Resource.Name(), allows)
	case st.Binding == "":
		say("nothing that is known binds: by %s %s, but %s was measured, which fills it to %s", least.Resource.Name(), allows,
			v.metric.FormatInterval(*st.Measured), shareWords(least.Uses))
	default:
		say("what binds is %s: %s, and %s was measured, %s", least.Resource.Name(), allows, v.metric.FormatInterval(*st.Measured), percentWords(st.Excess.Value))
	}
	if st.Rival != "" {
		say("%s is within 10 %% of that and may bind as well", st.Rival.Name())
	}
	if a := st.Amplification; a != nil && v.direction == model.Write {
		say("one write costs %s device writes by measurement, and %s = %s × (1 data + %s extra) are expected",
			intervalWords(*a), number(st.Expected), count(v.sys.Copies(), "replica"), number(extra(&v.sys)))
	}
	if st.Extra > 0 {
		say("what a copy writes beside its data was not given; the capacity asks for %s", count(st.Extra, "extra write"))
	}
	if st.Copies > 0 {
		say("the number of copies was not given; the capacity asks for each write to be made %d times", st.Copies)
	}
	switch {
	case st.MergeInferred:
		say("without merging the disks' IOPS allow %s; only merging or a cache explains more, by at least %s I/Os in one device I/O",
			v.metric.FormatTotal(least.Allows/st.Merge), number(st.Merge))
	case st.Merge > 1:
		say("the gain over %s is merging: %s I/Os become one device I/O", v.metric.FormatTotal(v.nodes*v.sys.Disk.IOPS*v.sys.Disks()/orOne(st.Expected)), number(st.Merge))
	}
	for _, r := range st.Resources[1:] {
		if r.Uses > 0 {
			say("%s is %s used", r.Resource.Name(), shareWords(r.Uses))
		}
	}
	v.oneVolume(s, say)
	if len(st.Unknown) > 0 {
		say("not checked, because their size was not given: %s", namesOf(st.Unknown))
	}
	return list
}

// oneVolume explains what one volume reaches alone: each write waits for its copies' extra writes, one
// after the other.
func (v *limitView) oneVolume(s *study.PublishedScale, say func(string, ...any)) {
	bound, ok := volumeLimit(&v.sys, v.pattern)
	law := s.Scale.Law()
	if !ok || law == nil || law.AllSaturated || v.metric != model.IOPS {
		return
	}
	say("one volume writes at most %s, because each copy's extra write waits for the one before (%s each%s); %s was measured, %s",
		v.metric.FormatTotal(bound), units.FormatDuration(v.sys.Disk.WriteLatency), mergeWords(v.merge), v.metric.FormatInterval(law.First),
		percentWords(math.Log(law.First.Value/bound)))
}

// volumeLimit is the rate of writes that one volume reaches however many nodes there are: it is limited
// by sequential extra writes, such as a counter's.
func volumeLimit(sys *hardware.System, p pattern) (float64, bool) {
	if p.direction != model.Write || extra(sys) == 0 || sys.Disk.WriteLatency == 0 {
		return 0, false
	}
	return max(1, p.merge) / (extra(sys) * sys.Disk.WriteLatency), true
}

func mergeWords(merge float64) string {
	if merge > 1 {
		return fmt.Sprintf(", for %s writes at once", number(merge))
	}
	return ""
}

func orOne(v float64) float64 {
	if v == 0 {
		return 1
	}
	return v
}
