package stats

import "math"

// batchSizes are the batch lengths in seconds that Series tries.
var batchSizes = []int{5, 10, 15, 20, 30, 45, 60}

// minBatches is the number of batches below which their spread is too uncertain.
const minBatches = 8

const (
	// stall is the lost time in seconds that a series may have missed: if nothing was slow in T
	// seconds, an effect that costs stall/T on average may still exist. It is fitted to spikes in one
	// second of twenty.
	stall = 0.4
	// quiet limits the suspected loss of a steady device, in standard deviations of its seconds: none
	// is expected if it never varied.
	quiet = 5.0
)

// Series is the half-width of the interval around the mean of one unbroken series of seconds, in the
// unit of y: the larger of t·s/√ESS (lag-1 correlation) and t·s_b/√k over batch means of 5 to 60
// seconds (k ≥ 8), and what may have been missed: 0.4 s of stall, but no more than five standard
// deviations of a second; whole is what 100 % is in that unit, 0 if y is not a series of seconds. +Inf
// below three values.
func Series(y []float64, whole float64) float64 {
	if len(y) < 3 {
		return math.Inf(1)
	}
	missed := math.Min(stall/float64(len(y))*whole, quiet*StdDev(y))
	return math.Hypot(math.Max(correlatedHalf(y), BatchMeans(y)), missed)
}

// correlatedHalf is t·s/√ESS. The effective size is at least one value, and t has at least three
// degrees of freedom: the correlation is already a cautious estimate, and t with one degree in addition
// would only say "unknown".
func correlatedHalf(y []float64) float64 {
	ess := math.Max(1, EffectiveSize(len(y), Correlation(y)))
	return StudentT(math.Max(3, ess-1)) * StdDev(y) / math.Sqrt(ess)
}

// BatchMeans is the largest t·s_b/√k over the batch lengths 5, 10, … 60 that give k ≥ 8 batches; 0 if
// the series is too short for any.
func BatchMeans(y []float64) float64 {
	var h float64
	for _, size := range batchSizes {
		k := len(y) / size
		if k < minBatches {
			break
		}
		// The whole batches end with the series, where it is steadiest.
		rest := y[len(y)-k*size:]
		means := make([]float64, k)
		for i := range means {
			means[i] = Mean(rest[i*size : (i+1)*size])
		}
		h = math.Max(h, StudentT(float64(k-1))*StdDev(means)/math.Sqrt(float64(k)))
	}
	return h
}

// Sequential is the state of the rule that ends one long measurement.
type Sequential struct {
	// Dropped is the number of leading seconds taken as warm-up.
	Dropped int
	// Mean and Half are the mean of the rest and its half-width.
	Mean, Half float64
	// Steady is set if the rest is long enough (40 s and half of all) and drifts by no more than 10 %
	// of its mean.
	Steady bool
}

const (
	// steadySeconds is the minimum length after warm-up.
	steadySeconds = 40
	// steadyDrift is the largest drift over the series, relative to its mean.
	steadyDrift = 0.10
	// steadyStep is the number of seconds between two checks of the rule.
	steadyStep = 5
)

// Observe applies the rule to the seconds so far. The warm-up that MSER-5 finds is dropped only if that
// moves the mean by more than the half-width, so that a steady series keeps its length.
func Observe(y []float64) Sequential {
	m := Mean(y)
	s := Sequential{Mean: m, Half: Series(y, m)}
	if d := Warmup(y); d > 0 {
		rest := y[d:]
		if m := Mean(rest); math.Abs(m-s.Mean) > correlatedHalf(rest) {
			s = Sequential{Dropped: d, Mean: m, Half: Series(rest, m)}
		}
	}
	rest := y[s.Dropped:]
	n := float64(len(rest))
	s.Steady = n >= math.Max(steadySeconds, float64(len(y))/2) &&
		math.Abs(Slope(rest))*n <= steadyDrift*math.Abs(s.Mean)
	return s
}

// Stop reports whether the measurement may end: the rule is satisfied with a relative half-width of at
// most target now, and was at the previous check (5 s ago), so that a single lucky check does not
// decide.
func Stop(y []float64, target float64) bool {
	if len(y) <= steadyStep {
		return false
	}
	for _, n := range []int{len(y), len(y) - steadyStep} {
		s := Observe(y[:n])
		if !s.Steady || !(s.Half <= target*math.Abs(s.Mean)) {
			return false
		}
	}
	return true
}
