package stats

import "math"

const (
	// orderBlocks is the number of blocks from which on the effect of the order is removed: fewer
	// cannot spare the degree of freedom that it costs.
	orderBlocks = 8
	// orderEach is how many blocks must have begun with each side.
	orderEach = 3
)

// ordered are the differences of blocks without the effect of the order of the two repeats: on a disk
// that slows down, the side that comes second looks worse: A in one half of the blocks, and B by as
// much in the other. It cancels from the mean, but without this it counts as noise (the period effect
// of a cross-over trial; M. Hills and P. Armitage, Br. J. Clin. Pharmacol. 8, 1979).
type ordered struct {
	// mean is the mean of both orders, with equal weights.
	mean float64
	// rest are the differences minus the mean of their order, plus mean.
	rest []float64
	// error is the standard error of mean if the blocks are independent, and lost the degrees of
	// freedom used for the order.
	error, lost float64
}

// inOrder removes the effect of the order if the order is known and there are enough blocks.
func inOrder(blocks []Pair, differences []float64) ordered {
	k := float64(len(blocks))
	o := ordered{mean: Mean(differences), rest: differences, error: StdDev(differences) / math.Sqrt(k)}
	var first [2][]float64
	for i, p := range blocks {
		switch {
		case p.A.Begin < p.B.Begin:
			first[0] = append(first[0], differences[i])
		case p.B.Begin < p.A.Begin:
			first[1] = append(first[1], differences[i])
		}
	}
	a, b := float64(len(first[0])), float64(len(first[1]))
	if a+b < k || k < orderBlocks || min(a, b) < orderEach {
		return o
	}
	means := [2]float64{Mean(first[0]), Mean(first[1])}
	o = ordered{mean: (means[0] + means[1]) / 2, lost: 1, rest: make([]float64, len(blocks))}
	for i, p := range blocks {
		own := means[0]
		if p.B.Begin < p.A.Begin {
			own = means[1]
		}
		o.rest[i] = differences[i] - own + o.mean
	}
	o.error = StdDev(o.rest) * math.Sqrt((k-1)/(k-2)*(1/a+1/b)) / 2
	return o
}
