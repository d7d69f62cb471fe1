package stats

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"
)

// RepeatModel is the workloads' joint model of the variation between the repeats of a run: three
// repeats of one workload say little about its standard deviation, those of all workloads more.
//
// Repeats differ for three reasons, which are separated because they are observed unequally well:
// noise, which affects every repeat; slow spells, which make some repeats slow as a whole; and stalls,
// which make single seconds slow. A workload may have met no spells or stalls so far, but its next
// repeat may.
type RepeatModel struct {
	members []member
	// stalls are the slow seconds, and slowRepeats the slow repeats, of all members.
	stalls, slowRepeats slow
	// noise and all describe how repeats follow each other, without and with the slow ones.
	noise, all sequence
}

// member is a workload of the model.
type member struct {
	repeats []Repeat
	// values are those of its repeats without their stalls; level is those without the slow repeats,
	// too.
	values, level []float64
	// between is the spread of the level; size is the variance of a repeat's mean if its seconds are
	// independent.
	between spread
	size    float64
	// seconds is the number of seconds; across is their spread over all repeats.
	seconds float64
	across  spread
	// prior is what the others predict for its spread.
	prior prior
	// steady members hardly vary; odd ones are unlike the others.
	steady, odd         bool
	stalls, slowRepeats slow
}

// steadySpread is the relative standard deviation of the seconds up to which a workload is clearly
// steady: a throttle, which has neither slow spells nor noise.
const steadySpread = 0.005

// plainly reports whether seconds with that spread are certainly that steady: its upper 95 % limit
// counts, because four seconds of a noisy device may agree.
func (s spread) plainly() bool {
	return s.df > 0 && s.variance*s.df/distuv.ChiSquared{K: s.df}.Quantile(0.05) <= steadySpread*steadySpread
}

// steady determines which members are clearly steady. Four seconds of one workload say little, and a
// single one that is a percent slower hides that the rest is constant; so a member that varies no more
// than that itself is steady if all of them together certainly are.
func (c *RepeatModel) steady() {
	var together spread
	for i := range c.members {
		s := c.members[i].across
		together.variance, together.df = together.variance+s.variance*s.df, together.df+s.df
	}
	together.variance /= math.Max(1, together.df)
	for i := range c.members {
		m := &c.members[i]
		alike := together.plainly() && m.across.variance <= steadySpread*steadySpread
		// With one second per repeat, nothing is known about the variation within repeats.
		several := len(m.repeats) > 1 && m.across.df >= float64(len(m.repeats))
		m.steady = several && (m.across.plainly() || alike)
	}
}

// oddP is the p-value below which a spread is unlike the others', so that the workload does not share
// theirs.
const oddP = 0.01

// NewRepeatModel builds the model from the repeats of each workload. Their values are relative to the
// workload's mean, or logarithms.
func NewRepeatModel(list [][]Repeat) *RepeatModel {
	c := &RepeatModel{}
	seconds := make([][][]float64, len(list))
	values := make([][][]float64, len(list))
	for i, repeats := range list {
		for _, v := range repeats {
			seconds[i] = append(seconds[i], v.Seconds)
		}
	}
	limits := slowLimits(seconds)
	for i, repeats := range list {
		c.members = append(c.members, newMember(repeats, limits[i]))
		values[i] = [][]float64{c.members[i].values}
	}
	c.steady()
	withSlow, which := 0, 0
	for i, limit := range slowLimits(values) {
		c.members[i].settle(limit)
		if c.members[i].slowRepeats.count > 0 {
			withSlow, which = withSlow+1, i
		}
	}
	if withSlow == 1 && len(list) > 2 {
		// A slow spell of the storage affects several workloads; this one is noisy.
		c.members[which].settle(math.Inf(1))
	}
	c.fit()
	return c
}

// newMember separates the stalls from repeats.
func newMember(repeats []Repeat, limit float64) member {
	m := member{repeats: repeats}
	var within spread
	var all []float64
	for _, v := range repeats {
		all = append(all, v.Seconds...)
	}
	usual := Median(all)
	for _, v := range repeats {
		rest, found := withoutSlow(v.Seconds, usual, limit)
		m.values = append(m.values, v.Value-found.loss/math.Max(1, float64(len(v.Seconds))))
		m.stalls.add(found)
		if len(v.Beyond) > 0 {
			// They may be at another level: the storage drifts.
			_, found = withoutSlow(v.Beyond, Median(v.Beyond), limit)
			m.stalls.add(found)
		}
		if n := float64(len(rest)); n > 1 {
			within.variance += Variance(rest) * (n - 1)
			within.df += n - 1
		}
	}
	m.seconds = float64(len(all))
	if within.df > 0 {
		m.size = math.Max(within.variance/within.df, finest) / (m.seconds / float64(len(repeats)))
	}
	if len(all) > 1 {
		m.across = spreadOf(all)
	}
	return m
}

// settle separates the slow repeats from the values.
func (m *member) settle(limit float64) {
	m.level = m.values
	if len(m.values) > 2 {
		var rest []float64
		rest, m.slowRepeats = withoutSlow(m.values, Median(m.values), limit)
		m.level = slices.Clone(m.values)
		for i, v := range m.values {
			if !slices.Contains(rest, v) {
				m.level[i] = Mean(rest)
			}
		}
		m.between = spreadOf(rest)
		return
	}
	m.between = spreadOf(m.values)
}

// fit determines what the members have in common, and which are exceptions; clearly steady members are
// modelled separately.
func (c *RepeatModel) fit() {
	for _, steady := range []bool{false, true} {
		var alike []*member
		for i := range c.members {
			if m := &c.members[i]; m.steady == steady && m.between.df > 0 {
				alike = append(alike, m)
			}
		}
		for odd := alone(alike); odd != nil; odd = alone(alike) {
			odd.odd = true
			alike = slices.DeleteFunc(alike, func(m *member) bool { return m.odd })
		}
	}
	c.noise = c.follow(func(m *member) []float64 { return m.level })
	c.all = c.follow(func(m *member) []float64 { return m.values })
	for i := range c.members {
		if m := &c.members[i]; !m.odd && !m.steady {
			m.prior.df = math.Min(m.prior.df, c.noise.freedom())
			if !m.moved() {
				c.stalls.add(m.stalls)
			}
			c.slowRepeats.add(m.slowRepeats)
		}
	}
}

// alone gives each member its prior and returns the one that is least likely to be like the others; nil
// if all are. The prior of a member comes from the others: if its seconds are unlike theirs, its own
// spread would only confirm itself.
func alone(alike []*member) (odd *member) {
	var list []spread
	var sizes []float64
	for _, m := range alike {
		list, sizes = append(list, m.between), append(sizes, m.size)
	}
	common := priorOf(list, sizes)
	least := oddP / float64(len(list))
	for i, m := range alike {
		others, theirs := slices.Delete(slices.Clone(list), i, i+1), slices.Delete(slices.Clone(sizes), i, i+1)
		m.prior = fitLevel(others, theirs)
		m.prior.df = common.df
		if len(theirs) > 0 && m.size > 0 {
			// Beyond the sizes of the others the prior is a guess.
			m.prior.df *= math.Min(1, slices.Max(theirs)/m.size)
		}
		if p := m.unlike(others); len(others) > 1 && p < least {
			least, odd = p, m
		}
	}
	return odd
}

// unlike is the p-value of the null hypothesis that the member's spread is one of the others'.
func (m *member) unlike(others []spread) float64 {
	df := math.Max(1, m.prior.df)
	if m.prior.df > maxPrior/2 {
		// The others are alike, and together determine their spread well.
		for _, s := range others {
			df += s.df
		}
	}
	return varianceP(m.between, m.prior.at(m.size), df)
}

// Half is the half-width of the interval around the mean of the repeats of the i-th workload, relative
// or as the logarithm of a factor, and the half-width that a stopping rule has to compare with its
// target. Both are +Inf below two repeats.
func (c *RepeatModel) Half(i int) (half, rule float64) {
	m := &c.members[i]
	if len(m.repeats) < 2 {
		return math.Inf(1), math.Inf(1)
	}
	near, far := c.mean(m, true), c.mean(m, false)
	half = StudentT(near.df) * math.Sqrt(near.variance)
	// The degrees of freedom of a sum may grow with one of its parts (Welch–Satterthwaite), but repeats
	// being close to each other never narrows an interval.
	half = math.Max(half, StudentT(far.df)*math.Sqrt(far.variance))
	return half, half * caution(1+int(near.df))
}

// mean is the spread of the mean of a member's repeats: at their actual distances, or as if they were
// far apart.
func (c *RepeatModel) mean(m *member, close bool) spread {
	k := float64(len(m.repeats))
	s := m.between
	if !m.odd {
		s = m.prior.moderate(s, m.size)
	}
	dependence := func(q sequence) (widen, df float64) {
		if !close {
			return 1, k - 1
		}
		return Dependence(len(m.repeats), q.reach(m))
	}
	widen, df := dependence(c.noise)
	// Correlation between repeats reduces their effective number.
	df = math.Max(1, s.df-(k-1-df))
	// Repeats cannot vary less than their seconds imply, except by chance.
	sum := spread{math.Max(s.variance, 0.8*m.size) / k * widen * widen, df}
	if !m.steady {
		if v := m.rarely(c.stalls, m.stalls); m.seconds > 0 {
			sum = sum.plus(spread{v.variance / m.seconds, v.df})
		}
		widen, _ = dependence(c.all)
		v := m.rarely(c.slowRepeats, m.slowRepeats)
		sum = sum.plus(spread{v.variance / k * widen * widen, v.df})
	}
	return sum
}

// moved reports whether the level of a repeat changed.
func (m *member) moved() bool {
	return slices.ContainsFunc(m.repeats, func(v Repeat) bool { return v.Moved })
}

// Unmet is the half-width, relative or as the logarithm of a factor, that is due to slow seconds which the i-th workload met less often than
// the others, where each has only one repeat. It is 0 if it met them as often, or so rarely that this can hardly be chance: it then has none.
func (c *RepeatModel) Unmet(i int) float64 {
	m := &c.members[i]
	others := c.stalls
	if m.moved() {
		return 0
	}
	others.subtract(m.stalls)
	missing := c.stalls.variance() - m.stalls.variance()
	if others.count == 0 || missing <= 0 || (distuv.Binomial{N: m.stalls.of, P: others.count / others.of}).CDF(m.stalls.count) < oddP {
		return 0
	}
	v := spread{missing, 4 * c.stalls.count}
	return StudentT(v.df) * math.Sqrt(v.variance/m.stalls.of)
}

// Few reports whether the run contained slow seconds or repeats, with at least the given loss, and so
// few of them in the i-th workload that the tail they cause is unknown: their share of the seconds may
// be as large as least, but there are fewer than enough of them.
func (c *RepeatModel) Few(i int, loss, least float64) bool {
	const (
		enough = 20.0
		common = 1.0 / 3
	)
	m := &c.members[i]
	few := func(s slow, of float64) bool {
		if s.count == 0 || math.Abs(s.loss)/s.count < loss {
			return false
		}
		share := s.count / s.of
		// A count two Poisson standard deviations higher may be the usual one.
		most := (s.count + 2*math.Sqrt(s.count) + 2) / s.of
		return most >= least && share*of < enough && share < common
	}
	return !m.steady && (few(m.either(c.stalls, m.stalls), m.seconds) || few(m.either(c.slowRepeats, m.slowRepeats), float64(len(m.repeats))))
}

// either is what happened to all members, or to the member alone if that is more.
func (m *member) either(shared, own slow) slow {
	if m.odd || own.count >= 2 && own.variance() > shared.variance() {
		return own
	}
	return shared
}

// rarely is the variance of events that affect some seconds or repeats: that of all members, or the
// member's own if that is larger.
func (m *member) rarely(shared, own slow) spread {
	s := m.either(shared, own)
	if s.count == 0 {
		return spread{}
	}
	// The usual number may well be somewhat higher than the observed one.
	return spread{s.variance() * (s.count + 0.5) / s.count, 4 * s.count}
}

// SteadyAt reports whether the i-th workload is clearly steady.
func (c *RepeatModel) SteadyAt(i int) bool { return c.members[i].steady }
