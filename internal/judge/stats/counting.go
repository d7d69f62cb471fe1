package stats

import "math"

// Counting is how rates are counted: in whole I/Os. A load that waits for its I/Os is counted to within one I/O in every
// second, by each of several workers; one that is offered at random arrives as a Poisson process.
type Counting struct {
	// Workers is the number of workers whose counts are added; 0 is one.
	Workers int
	// Random is set if the I/Os are offered at random.
	Random bool
}

// countedErrors is how many standard errors of counting explain a difference: changes are searched for at many places.
const countedErrors = 4.0

// Explains reports whether two rates in I/Os per second differ by no more than counting explains, each over a time in seconds.
// Where an I/O falls into one second or the next, its variance is at most 1/4 for each worker, and no count varies more than
// a Poisson process.
func (c Counting) Explains(a, secondsA, b, secondsB float64) bool {
	return math.Abs(a-b) <= countedErrors*math.Sqrt(c.variance(math.Max(a, b))*(1/secondsA+1/secondsB))
}

// countedModes is how many standard deviations of single seconds apart counting can put two modes: the halves of a normal
// distribution are 1.6 apart, and two modes closer than 2 are one.
const countedModes = 3.0

// ExplainsModes reports whether the means of the slow and of the fast seconds of a series are no farther apart than counting
// explains.
func (c Counting) ExplainsModes(low, high float64) bool {
	return high-low <= countedModes*math.Sqrt(c.variance(high))
}

// variance is that of the count of a second at a rate.
func (c Counting) variance(rate float64) float64 {
	if c.Random {
		return rate
	}
	return math.Min(rate, float64(max(1, c.Workers))/4)
}

// countedOnce are the counts of one worker in seconds.
var countedOnce = Counting{Workers: 1}

// explains is Explains for two pieces of a series of seconds.
func (c Counting) explains(a, b []float64) bool {
	return c.Explains(Mean(a), float64(len(a)), Mean(b), float64(len(b)))
}
