package analyze

import (
	"math"
	"slices"

	"github.com/loadline/loadline/internal/judge/stats"
	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/timeline"
)

const (
	// lower is the smallest share by which a sustained rate is below that of the short repeats.
	lower = 0.07
	// reaches is the factor within which a rate has to come to another one to count as drawing on the
	// same limit.
	reaches = 1.05
	// fewBytes is the share of the highest bandwidth below which a long repeat says nothing about a
	// credit that counts bytes.
	fewBytes = 0.8
	// confirming is how many long repeats have to be below the short ones if none shows a fall.
	confirming = 2
	// levelSeconds is the minimum length of the final plateau of a long repeat, firmSeconds that of one that no
	// other long repeat has to confirm.
	levelSeconds, firmSeconds = 6, 8
)

// observation is what was measured of one workload in one direction: in short repeats before its long
// repeats, and in those (looks). The rates are in 1/s.
type observation struct {
	workload  model.Workload
	direction model.Direction
	// repeats are the rates of the repeats, and begins when they began, in seconds since the run began; bandwidth (bytes/s) is
	// the mean of theirs.
	repeats, begins []float64
	bandwidth       float64
	// slowest is the rate of the slowest repeat, those after the long repeats included; 0 if there is none.
	slowest float64
	// within is the relative variation of the seconds around the means of their repeats.
	within float64
	looks  []timeline.Repeat
}

// rate is the mean of the repeats.
func (g *observation) rate() float64 { return stats.Mean(g.repeats) }

// observations collects the measurements, in the order of the workloads.
func observations(rec *model.Recorded) []observation {
	looks := timeline.Looks(rec)
	good := goodSamples(rec)
	var list []observation
	for _, w := range rec.Plan.Workloads {
		for _, d := range w.Directions() {
			g := observation{workload: w, direction: d}
			var bandwidths []float64
			var square, df float64
			for _, v := range timeline.Of(good[w.Name], d) {
				if looks[v.Step] {
					g.looks = append(g.looks, v)
					continue
				}
				t := timeline.Total(v.Seconds)
				if rate := t.Value(model.IOPS); g.slowest == 0 || rate < g.slowest {
					g.slowest = rate
				}
				if len(g.looks) == 0 {
					if y := timeline.Series(v.Seconds, model.IOPS); len(y) > 1 {
						n, cv := float64(len(y)-1), stats.StdDev(y)/stats.Mean(y)
						square, df = square+n*cv*cv, df+n
					}
					g.repeats, bandwidths = append(g.repeats, t.Value(model.IOPS)), append(bandwidths, t.Value(model.Bandwidth))
					g.begins = append(g.begins, v.Seconds[0].Begin)
				}
			}
			g.within = math.Sqrt(square / max(1, df))
			if len(g.repeats) > 0 {
				g.bandwidth = stats.Mean(bandwidths)
			}
			if len(g.repeats)+len(g.looks) > 0 {
				list = append(list, g)
			}
		}
	}
	carry(list)
	return list
}

// lookResult is the outcome of a workload's long repeats.
type lookResult struct {
	*observation
	stats.Stretch
	// fell is set if the rate fell, coupled if it fell in the other direction of this mix, and unsure
	// if all long repeats ended below the short ones, but without a visible fall, not to one level, or only once:
	// a slow period of the storage looks the same, so another long repeat decides.
	fell, coupled, unsure bool
	// untested is a limit below the rate of these long repeats that was found after the last of them, or before a pause: the same
	// credit, if both draw on it, was not known to be empty then. It is nil if there is none.
	untested *limit
	// late is the first fall that came too late to be certain, if none was certain.
	late *lateFall
	// last is the long repeat with the final plateau; rates are its seconds.
	last  timeline.Repeat
	rates []float64
	// bandwidth is that of the plateau, and lowest the lowest rate that a long repeat ended with.
	bandwidth, lowest float64
}

// lookResults judges the long repeats. length is the length of a repeat in seconds.
func lookResults(list []observation, length int) []lookResult {
	pool := &stats.Pool{}
	pools := map[model.Direction]*stats.Pool{model.Read: {}, model.Write: {}}
	for i := range list {
		if list[i].workload.OpenLoop {
			// An offered rate varies less than the storage does.
			continue
		}
		pool.Add(list[i].repeats)
		pools[list[i].direction].Add(list[i].repeats)
	}
	judged := func(g *observation) lookResult {
		s := lookResult{observation: g}
		s.judge(func(end []float64) bool {
			return s.Below(end, g.repeats, pool, pools[g.direction], length, lower)
		})
		return s
	}
	var all []lookResult
	for i := range list {
		if g := &list[i]; len(g.looks) > 0 {
			all = append(all, judged(g))
		}
	}
	followExhausted(all)
	if judgeLater(all, judged) {
		followExhausted(all)
	}
	for i := range all {
		for k := range all {
			s, other := &all[i], &all[k]
			if other.fell && other.workload.Name == s.workload.Name && other.direction != s.direction {
				s.coupled = true
				if !s.fell || other.last.Step < s.last.Step {
					s.follow(other.last.Step)
				}
			}
		}
	}
	doubtEarlier(all)
	return all
}

// follow makes another long repeat the one that is described: that in which the other direction of a mix fell.
func (s *lookResult) follow(step int) {
	for _, look := range s.looks {
		if look.Step == step {
			s.take(look)
		}
	}
}

// take makes a long repeat the one that is judged and described.
func (s *lookResult) take(look timeline.Repeat) {
	s.last, s.rates = look, timeline.Series(look.Seconds, model.IOPS)
	s.Stretch = stats.Level(s.rates)
	end := timeline.Total(look.Seconds[s.From:])
	s.bandwidth = end.Value(model.Bandwidth)
}

// judge compares the long repeats with the short ones and with each other; beyondSpread reports whether an end is below
// the short ones by more than they vary. Every sign of a lower rate asks for another long repeat; what the looks agree
// about counts as sustained.
func (s *lookResult) judge(beyondSpread func(end []float64) bool) {
	var ends []float64
	// lows is how many ended lower; half is the rate half-way between those before and after a fall.
	lows, half := 0, 0.0
	dropped, declined, firm := false, false, false
	s.lowest = math.Inf(1)
	for i, look := range s.looks {
		before := *s
		s.take(look)
		median := stats.Median(s.rates[s.From:])
		if firm && median >= half {
			// The credit is available again: the plateau after it is known from the long repeats before.
			*s = before
			continue
		}
		drops, declines := s.drops(), s.declined()
		fell := s.Fell && s.plain() && !drops && !s.stalled()
		confirms := lows > 0 && (s.low() || !drops && median < half && s.belowRepeats(median))
		if drops || declines || s.stalled() || s.limited() || beyondSpread(s.rates[s.From:]) || confirms || s.fallsLow() {
			lows++
		}
		switch {
		case fell:
			half = (s.Mean + s.Before) / 2
		case drops && half == 0:
			half = (s.rates[len(s.rates)-1] + stats.Median(s.beforeEnd())) / 2
		}
		if late := fell && len(s.rates)-s.From < firmSeconds; late && s.late == nil {
			s.late = &lateFall{look: i, after: s.From}
		} else if median >= half && !drops {
			s.late.refute(len(s.rates))
		}
		firm = firm || fell && len(s.rates)-s.From >= firmSeconds
		s.fell = firm || fell || s.fell && median < half
		// A credit that was used up in the last second is so in all that follow at once, which are no faster. Two such
		// drops are two stalls.
		dropped, declined = drops && i == 0 || dropped && !drops && median < half, declined || declines
		ends = append(ends, median)
		if last := s.rates[len(s.rates)-1]; drops && last > 0 {
			s.lowest = min(s.lowest, last)
		}
	}
	s.lowest = min(s.lowest, slices.Min(ends))
	// A late drop is confirmed by whatever level follows it. But a stall at the end looks like a late drop, and
	// confirms nothing; nor does it if a slow period was before it, which two long repeats may be part of.
	agree := slices.Max(ends) < reaches*slices.Min(ends) && (!declined || len(s.looks) > confirming) || dropped && !declined
	s.fell = s.fell || lows == len(s.looks) && lows >= confirming && agree && !s.drops()
	s.unsure = !s.fell && (lows == len(s.looks) || s.late.open())
	if s.unsure && s.late.open() {
		s.take(s.looks[s.late.look])
	}
}

// limit is the sustained rate that long repeats have found in one direction: the highest rate and
// bandwidth that anything fell to.
type limit struct {
	lookResult
	bandwidth float64
	// whole and wholeBandwidth are the same with what mixes did in the other direction, and bursts are what was done before that.
	whole, wholeBandwidth float64
	bursts                []model.Burst
	// countsIOs is set if several long repeats fell to the same rate in I/Os but not in bytes.
	countsIOs bool
}

// limitOf returns the limit in a direction; nil if no rate fell.
func limitOf(all []lookResult, d model.Direction) *limit {
	var l *limit
	for _, s := range all {
		if s.direction != d || !s.fell {
			continue
		}
		if l == nil {
			l = &limit{lookResult: s, bandwidth: s.bandwidth}
		}
		l.include(&s, all)
		alike := s.Mean < reaches*l.Mean && l.Mean < reaches*s.Mean
		l.countsIOs = l.countsIOs || alike && (s.bandwidth > 2*l.bandwidth || l.bandwidth > 2*s.bandwidth)
		l.bandwidth = max(l.bandwidth, s.bandwidth)
		if s.Mean > l.Mean {
			l.lookResult = s
		}
	}
	return l
}

// include takes in what a workload whose rate fell did, in both directions of a mix together.
func (l *limit) include(s *lookResult, all []lookResult) {
	rate, bandwidth := s.whole(all)
	var burst model.Burst
	for i := range all {
		o := &all[i]
		if o.workload.Name != s.workload.Name {
			continue
		}
		// Short repeats that found the credit empty are no part of the burst.
		fastest := slices.Max(append([]float64{o.burst().Rate}, o.repeats...))
		burst.Rate, burst.Bandwidth = burst.Rate+fastest, burst.Bandwidth+fastest*o.bandwidth/o.Mean
	}
	l.whole, l.wholeBandwidth = max(l.whole, rate), max(l.wholeBandwidth, bandwidth)
	l.bursts = append(l.bursts, burst)
}

// above reports whether a workload may draw on the same credit. Each volume may have its own credit:
// fewer volumes then reach the limit at a proportionally lower total rate.
func (l *limit) above(g *observation) bool {
	share := l.volumesOver(g)
	return g.rate() > reaches*l.Mean/share || !l.countsIOs && g.bandwidth > reaches*l.bandwidth/share
}

// flowKey identifies a workload in one direction.
type flowKey struct {
	workload  string
	direction model.Direction
}

// sustain returns what the long repeats say about each result; nil if there were none.
func sustain(rec *model.Recorded) map[flowKey]*model.Sustained {
	if rec.Plan.Schedule.Look <= 0 {
		return nil
	}
	list := observations(rec)
	all := lookResults(list, int(rec.Plan.Schedule.Repeat))
	found := map[flowKey]*model.Sustained{}
	for i := range list {
		g := &list[i]
		s := sustained(g, all, mixDoubts(g, list, all))
		if s == nil {
			continue
		}
		if moved, ok := prepared(rec, g.direction); s.State == model.Held && g.bandwidth*fewBytes > s.Bytes/s.Seconds {
			s.BytesUnseen = !(ok && moved >= fewBytes*g.bandwidth)
		}
		found[flowKey{g.workload.Name, g.direction}] = s
	}
	return found
}

// sustained returns what the long repeats say about one workload in one direction; mix is the limit that casts doubt on it as
// a mix, nil if none does.
func sustained(g *observation, all []lookResult, mix *limit) *model.Sustained {
	var own, heaviest, doubting *lookResult
	for i := range all {
		s := &all[i]
		switch {
		case s.observation == g:
			own = s
		case s.direction != g.direction:
		case s.unsure:
			if s.doubts(g) && (doubting == nil || s.lowest < doubting.lowest) {
				doubting = s
			}
		case heaviest == nil || !heaviest.covers(g) && s.covers(g):
			heaviest = s
		}
	}
	l := limitOf(all, g.direction)
	switch {
	case own != nil && (own.fell || own.coupled):
		return own.describe(fallen(own))
	case own != nil && own.unsure:
		return own.describe(model.Doubtful)
	case own != nil:
		return own.describe(model.Held)
	case l != nil && len(g.repeats) > 0 && l.above(g):
		return l.describe(model.Doubtful)
	case mix != nil:
		return mix.describe(model.Doubtful)
	case l != nil:
		return l.describe(model.Below)
	case doubting != nil && !(heaviest != nil && heaviest.covers(g)):
		return doubting.describe(model.Doubtful)
	case heaviest != nil:
		return heaviest.describe(model.Held)
	}
	for i := range all {
		if s := &all[i]; s.direction == g.direction {
			return s.describe(model.Below)
		}
	}
	return nil
}

// doubts reports whether a long repeat that decides nothing casts doubt on another workload: it ended below that, or what it
// held may not last, and then no rate above the limit is known to last.
func (s *lookResult) doubts(g *observation) bool {
	return s.endedBelow(g) || s.untested != nil && s.untested.above(g)
}

// endedBelow reports whether a long repeat ended below the rate or the bandwidth of another workload's repeats, for as
// many volumes as that has.
func (s *lookResult) endedBelow(g *observation) bool {
	lowest := reaches * s.lowest / s.volumesOver(g)
	return g.rate() > lowest || g.bandwidth > lowest*s.bandwidth/s.Mean
}

// volumesOver is how many times as many volumes this workload has as another one; 1 if it has fewer.
func (g *observation) volumesOver(other *observation) float64 {
	return math.Max(1, float64(g.workload.VolumeCount())/float64(other.workload.VolumeCount()))
}

// covers reports whether a long repeat did about as much per second as the repeats of another workload.
func (s *lookResult) covers(g *observation) bool {
	return s.bandwidth >= fewBytes*g.bandwidth && s.Mean >= fewBytes*g.rate()
}

// fallen classifies how certain the rate is that a long repeat fell to.
func fallen(s *lookResult) model.SustainedState {
	if len(s.rates)-s.From < levelSeconds || s.Scatter > stats.Flat*s.Mean {
		return model.FellUnsteady
	}
	return model.Fell
}

// describe converts a lookResult to its recorded form.
func (s *lookResult) describe(l model.SustainedState) *model.Sustained {
	t := timeline.Total(s.last.Seconds)
	d := &model.Sustained{State: l, Looked: s.workload.Name, Step: s.last.Step, Seconds: t.Seconds, IOs: t.IOs, Bytes: t.Bytes,
		From: s.last.Seconds[s.From].Begin, Rate: s.Mean, Bandwidth: s.bandwidth}
	if l == model.Doubtful && s.untested != nil {
		d.Before = s.untested.workload.Name
	}
	d.AtEnd = l == model.Doubtful && s.unsure && s.drops() && !s.belowRepeats(stats.Median(s.rates[s.From:]))
	if s.fell {
		d.Burst = s.burst()
	}
	if l == model.Held {
		d.SlowRate, d.SlowSeconds = s.slowPeriod()
	}
	return d
}

// burst is the rate before it fell. The credit is what the first long repeat did above the plateau, or
// the repeat that did the most above it.
func (s *lookResult) burst() *model.Burst {
	first := s.looks[0]
	rates := timeline.Series(first.Seconds, model.IOPS)
	block := s.bandwidth / s.Mean
	b := &model.Burst{Rate: s.rate()}
	if len(s.repeats) == 0 {
		b.Rate = 0
	}
	at := stats.Level(rates)
	if at.Fell {
		b.Rate = max(at.Before, b.Rate)
	}
	for i, v := range rates {
		// A second that was disturbed before the fall does not end the burst.
		if v-s.Mean < (b.Rate-s.Mean)/2 && !(at.Lower && i < at.From) {
			break
		}
		b.Seconds++
		b.IOs += max(0, v-s.Mean)
	}
	b.Rate = max(b.Rate, s.Mean)
	b.Bandwidth, b.Bytes = b.Rate*block, b.IOs*block
	b.Refill = b.IOs / math.Max(s.Mean, math.SmallestNonzeroFloat64)
	return b
}

// counted are the good samples that results are made of, by workload.
func counted(rec *model.Recorded, found map[flowKey]*model.Sustained) map[string][]model.Sample {
	good := goodSamples(rec)
	looks := timeline.Looks(rec)
	for _, w := range rec.Plan.Workloads {
		var said []*model.Sustained
		for _, d := range w.Directions() {
			said = append(said, found[flowKey{w.Name, d}])
		}
		good[w.Name] = timeline.Counted(good[w.Name], looks, rec.Plan.Schedule, said)
	}
	return good
}

// modeOf is the mode of a workload's result: a rate that a long repeat fell to comes from one repeat of
// fixed length.
func modeOf(w model.Workload, m model.Mode, found map[flowKey]*model.Sustained) model.Mode {
	for _, d := range w.Directions() {
		if s := found[flowKey{w.Name, d}]; s.Fallen() {
			return model.Fixed
		}
	}
	return m
}

// beyond are the good samples of long repeats that no result counts unless the rate fell, by workload.
func beyond(rec *model.Recorded) map[string][]model.Sample {
	if rec.Plan.Schedule.Look <= 0 {
		return nil
	}
	looks := timeline.Looks(rec)
	_, rest := splitLooks(goodSamples(rec), rec.Plan.Schedule)
	for name, list := range rest {
		// One that was killed counts as a whole.
		rest[name] = slices.DeleteFunc(list, func(x model.Sample) bool { return !looks[x.Step] })
	}
	return rest
}
