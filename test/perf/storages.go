package perf

import (
	"fmt"
	"math"
	"math/rand/v2"
)

// SlowSpells make storage slower by depth for the given share of the time. A slow spell lasts
// 20 to 30 s; memoryless slow spells last that long on average, but may be of any length.
func SlowSpells(depth, share float64, memoryless bool, cv float64) func(r *rand.Rand) func(float64) float64 {
	const shortest, longest = 20.0, 30.0
	return func(r *rand.Rand) func(float64) float64 {
		lasts := func(slow bool) float64 {
			length := shortest + (longest-shortest)*r.Float64()
			if memoryless {
				length = (shortest + longest) / 2 * r.ExpFloat64()
			}
			if !slow {
				length *= (1 - share) / share
			}
			return length
		}
		slow := r.Float64() < share
		// A run begins at a random point of a spell. A random point is more likely to be in a long spell,
		// which drawing the length first neglects, by a few percent.
		left := lasts(slow)
		if !memoryless {
			left *= r.Float64()
		}
		return func(pause float64) float64 {
			for left -= pause; left <= 0; {
				slow = !slow
				left += lasts(slow)
			}
			lost := 0.0
			for rest := 1.0; rest > 0; {
				step := math.Min(rest, left)
				if slow {
					lost += depth * step
				}
				rest, left = rest-step, left-step
				if left <= 0 {
					slow = !slow
					left += lasts(slow)
				}
			}
			return (1 - lost) * (1 + cv*r.NormFloat64())
		}
	}
}

// Credited storage runs at burst times its speed as long as it has credit. Credit is in
// seconds of the sustained speed, and refills at that speed while less is used.
func Credited(burst, credit, cv float64) func(r *rand.Rand) func(float64) float64 {
	return func(r *rand.Rand) func(float64) float64 {
		left := credit
		return func(pause float64) float64 {
			left = math.Min(credit, left+pause)
			speed := math.Min(burst, 1+left)
			left = math.Min(credit, left+1-speed)
			return speed * (1 + cv*r.NormFloat64())
		}
	}
}

// storages returns the storages on which coverage is measured. All workloads of a run are measured
// on the same storage, one after the other, and share its state.
func storages() []Storage {
	list := []Storage{}
	add := func(name string, mean float64, start func(r *rand.Rand) func(float64) float64) {
		list = append(list, Storage{Name: name, Stationary: true, Mean: mean, Start: start})
	}
	for _, cv := range []float64{0.001, 0.01, 0.03, 0.06, 0.10, 0.17} {
		add(fmt.Sprintf("independent seconds, CV %.3g %%", 100*cv), 1, Steady(cv))
	}
	for _, phi := range []float64{0.5, 0.8, 0.9} {
		add(fmt.Sprintf("correlated %.1f, CV 6 %%", phi), 1, Correlated(phi, 0.06))
	}
	for _, cv := range []float64{0.01, 0.03, 0.06, 0.09} {
		add(fmt.Sprintf("repeats differ by %.3g %%, seconds by 1 %%", 100*cv), 1, UnequalRepeats(cv, 0.01))
	}
	add("repeats differ by 6 %, seconds by 6 %", 1, UnequalRepeats(0.06, 0.06))
	add("repeats differ by 3 %, workloads unlike (ln 0.3)", 1, UnequalRepeats(0.03, 0.01))
	list[len(list)-1].Unlike = 0.3
	add("independent 3 %, workloads unlike (ln 0.6)", 1, Steady(0.03))
	list[len(list)-1].Unlike = 0.6
	for _, cv := range []float64{0.01, 0.03, 0.06} {
		add(fmt.Sprintf("spikes in 5 %% of seconds, CV %.3g %%", 100*cv), 0.97, Spiky(0.05, cv))
	}
	add("spikes in 10 % of seconds, CV 3 %", 0.94, Spiky(0.10, 0.03))
	return list
}

// slowSpells returns the four kinds of slow spells that are longer than a repeat, regular or memoryless.
func slowSpells(memoryless bool) []Storage {
	var list []Storage
	for _, m := range []struct{ depth, share float64 }{{0.5, 0.1}, {0.3, 0.2}, {0.15, 0.3}, {0.1, 0.2}} {
		name := "slow periods"
		if memoryless {
			name = "memoryless slow periods"
		}
		list = append(list, Storage{Name: fmt.Sprintf("%s: %.0f %% slower for %.0f %% of the time", name, 100*m.depth, 100*m.share),
			Mean: 1 - m.depth*m.share, Start: SlowSpells(m.depth, m.share, memoryless, 0.02)})
	}
	return list
}

// unsteady returns storages whose mean a short run cannot know.
func unsteady() []Storage {
	return []Storage{
		{Name: "warming by 10 % in 120 s, CV 3 %", Mean: 1, Start: Drifting(0.10, 120, 0.03)},
		{Name: "credit for 6 s at four times the speed", Mean: 1, Start: Credited(4, 18, 0.001)},
	}
}
