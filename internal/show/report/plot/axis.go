package plot

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/units"
)

// axis maps values to positions from 0 to 1.
type axis struct {
	lo, hi float64
	log    bool
	ticks  []tick
	// unit is the unit of the tick labels if they do not include one.
	unit string
}

type tick struct {
	at    float64
	label string
}

// at returns the position of a value; NaN if it has none.
func (a axis) at(v float64) float64 {
	if a.log {
		if !positive(v) {
			return math.NaN()
		}
		return math.Log(v/a.lo) / math.Log(a.hi/a.lo)
	}
	return (v - a.lo) / (a.hi - a.lo)
}

// fromZero makes a linear axis from 0 to slightly above the largest value (to the next tick, if
// that is near), with at most n ticks.
func fromZero(values []float64, m model.Metric, n int) axis {
	top := 0.0
	for _, v := range values {
		if usable(v) {
			top = max(top, v)
		}
	}
	if top == 0 {
		top = 1
	}
	divisor, unit := scaled(m, top)
	hi := 1.04 * top
	if step := divisor * roundStep(top/divisor/float64(max(1, n-1))); step > 0 {
		if above := step * math.Ceil(top/step-1e-9); above <= 1.2*top {
			hi = above
		}
	}
	a := linear(hi, divisor, n)
	a.unit = unit
	return a
}

// linear makes an axis from 0 with at most n ticks at round multiples of the divisor.
func linear(hi, divisor float64, n int) axis {
	a := axis{hi: hi}
	step := roundStep(hi / divisor / float64(max(1, n-1)))
	if step == 0 {
		return a
	}
	for i := range 1 + int(hi/divisor/step+1e-6) {
		v := float64(i) * step
		a.ticks = append(a.ticks, tick{v * divisor, fixed(v, decimals(step))})
	}
	return a
}

// fixed formats a number with the given number of decimals, or with an exponent if it would be a
// long row of zeros.
func fixed(v float64, digits int) string {
	if digits > 5 || math.Abs(v) >= 1e7 {
		return strconv.FormatFloat(v, 'g', 2, 64)
	}
	return strconv.FormatFloat(v, 'f', digits, 64)
}

// roundStep returns the smallest readable axis step that is at least v: 1, 2 or 5 times a power of
// ten, or 25, 250 …
func roundStep(v float64) float64 {
	step := ceil125(v)
	if step >= 50 && floor125(step/2) != step/2 && step/2 >= v*(1-1e-9) {
		return step / 2
	}
	return step
}

// ceil125 and floor125 return the nearest of 1, 2, 5 times a power of ten; 0 if there is none.
func ceil125(v float64) float64 {
	if !(v > 0) || math.IsInf(v, 0) {
		return 0
	}
	power := math.Pow(10, math.Floor(math.Log10(v)))
	for _, f := range []float64{1, 2, 5} {
		if f*power >= v*(1-1e-9) {
			return f * power
		}
	}
	return 10 * power
}

// decimals returns how many decimals a step needs.
func decimals(step float64) int {
	return max(0, -int(math.Floor(math.Log10(step)+1e-9)))
}

// scaled chooses the unit in which a metric's values up to top are short.
func scaled(m model.Metric, top float64) (divisor float64, unit string) {
	choose := func(units []string, factor, first float64) (float64, string) {
		divisor, i := first, 0
		for i < len(units)-1 && top >= divisor*factor {
			divisor *= factor
			i++
		}
		return divisor, units[i]
	}
	switch m {
	case model.IOPS:
		return choose([]string{"IOPS", "k IOPS", "M IOPS", "G IOPS"}, 1000, 1)
	case model.Bandwidth:
		return choose([]string{"B/s", "KiB/s", "MiB/s", "GiB/s", "TiB/s"}, 1024, 1)
	}
	return choose([]string{"ns", "µs", "ms", "s"}, 1000, 1e-9)
}

// logarithmic makes an axis between round numbers around the values, at least one decade, with at
// most n ticks whose labels include the unit.
func logarithmic(values []float64, label func(float64) string, n int) axis {
	lo, hi := math.Inf(1), 0.0
	for _, v := range values {
		if positive(v) {
			lo, hi = min(lo, v), max(hi, v)
		}
	}
	if hi == 0 {
		lo, hi = 1, 1
	}
	a := axis{lo: floor125(lo), hi: ceil125(hi), log: true}
	for up := true; a.hi < a.lo*9.99; up = !up {
		if up {
			a.hi = ceil125(a.hi * 1.01)
		} else {
			a.lo = floor125(a.lo / 1.01)
		}
	}
	first, last := int(math.Floor(math.Log10(a.lo)+1e-9)), int(math.Ceil(math.Log10(a.hi)-1e-9))
	add := func(factors ...float64) {
		a.ticks = nil
		for e := first; e <= last; e++ {
			for _, f := range factors {
				if v := f * math.Pow(10, float64(e)); v >= a.lo*0.999 && v <= a.hi*1.001 {
					a.ticks = append(a.ticks, tick{v, label(v)})
				}
			}
		}
	}
	for _, factors := range [][]float64{{1, 2, 5}, {1, 3}, {1}} {
		if add(factors...); len(a.ticks) <= max(2, n) {
			return a
		}
	}
	every := (len(a.ticks) + max(2, n) - 1) / max(2, n)
	kept := a.ticks[:0]
	for i, t := range a.ticks {
		if i%every == 0 {
			kept = append(kept, t)
		}
	}
	a.ticks = kept
	return a
}

func floor125(v float64) float64 {
	power := math.Pow(10, math.Floor(math.Log10(v)))
	for _, f := range []float64{5, 2} {
		if f*power <= v*(1+1e-9) {
			return f * power
		}
	}
	return power
}

// integers makes an axis from 0 to hi with ticks at the given counts.
func integers(values []int, hi float64) axis {
	values = slices.Compact(slices.Sorted(slices.Values(values)))
	a := axis{hi: hi}
	for _, v := range values {
		a.ticks = append(a.ticks, tick{float64(v), strconv.Itoa(v)})
	}
	return a
}

// usable reports whether a value can be drawn: no storage has larger values, and they could
// overflow the arithmetic.
func usable(v float64) bool { return math.Abs(v) < 1e18 }

// positive reports whether a value can be drawn on a logarithmic axis.
func positive(v float64) bool { return usable(v) && v > 1e-15 }

// shortTime returns a duration without trailing zeros after the point: "1 ms".
func shortTime(seconds float64) string {
	number, unit, _ := strings.Cut(units.FormatDuration(seconds), " ")
	return units.TrimZeros(number) + " " + unit
}

// tidyRate returns, for example, "200" or "5k".
func tidyRate(v float64) string {
	text := units.FormatRate(v)
	digits := strings.TrimRight(text, "kMG")
	return units.TrimZeros(digits) + text[len(digits):]
}
