package stats

import "math"

// batchSizes are the batch lengths in seconds that Series tries.
var batchSizes = []int{5, 10, 15, 20, 30, 45, 60}

// minBatches is the number of batches below which their spread says too little.
const minBatches = 8

// Series is the half-width of the interval around the mean of one unbroken
// series of seconds, in the unit of y: the larger of t·s/√ESS (lag-1
// correlation) and t·s_b/√k over batch means of 5 to 60 seconds, k ≥ 8 batches.
// +Inf below three values.
func Series(y []float64) float64 {
	if len(y) < 3 {
		return math.Inf(1)
	}
	ess := EffectiveSize(len(y), Correlation(y))
	h := StudentT(math.Max(1, ess-1)) * StdDev(y) / math.Sqrt(ess)
	return math.Max(h, BatchMeans(y))
}

// BatchMeans is the largest t·s_b/√k over the batch lengths 5, 10, … 60 that
// give k ≥ 8 batches; 0 when the series is too short for any.
func BatchMeans(y []float64) float64 {
	var h float64
	for _, size := range batchSizes {
		k := len(y) / size
		if k < minBatches {
			break
		}
		// Whole batches end with the series, where it is steadiest.
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
	// Dropped is the number of leading seconds taken for warm-up.
	Dropped int
	// Mean and Half are the mean of the rest and its half-width.
	Mean, Half float64
	// Steady tells that the rest is long enough (40 s and half of all) and
	// drifts by no more than 10 % of its mean.
	Steady bool
}

const (
	// steadySeconds is the least length after warm-up.
	steadySeconds = 40
	// steadyDrift is the largest drift over the series, relative to its mean.
	steadyDrift = 0.10
	// steadyStep is the number of seconds between two checks of the rule.
	steadyStep = 5
)

// Observe applies the rule to the seconds so far. The warm-up that MSER-5 finds
// is dropped only if that moves the mean by more than the half-width, so that
// a steady series keeps its length.
func Observe(y []float64) Sequential {
	s := Sequential{Mean: Mean(y), Half: Series(y)}
	if d := Warmup(y); d > 0 {
		rest := y[d:]
		ess := EffectiveSize(len(rest), Correlation(rest))
		h1 := StudentT(math.Max(1, ess-1)) * StdDev(rest) / math.Sqrt(ess)
		if m := Mean(rest); math.Abs(m-s.Mean) > h1 {
			s = Sequential{Dropped: d, Mean: m, Half: Series(rest)}
		}
	}
	rest := y[s.Dropped:]
	n := float64(len(rest))
	s.Steady = n >= math.Max(steadySeconds, float64(len(y))/2) &&
		math.Abs(Slope(rest))*n <= steadyDrift*math.Abs(s.Mean)
	return s
}

// Stop tells whether the measurement may end: the rule holds with a relative
// half-width of at most target now, and held one check (5 s) ago, so that one
// lucky look does not decide.
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
