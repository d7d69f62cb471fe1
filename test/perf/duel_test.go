package perf

import (
	"fmt"
	"math/rand/v2"
	"os"
	"testing"
	"text/tabwriter"

	"github.com/loadline/loadline/internal/model"
)

var usualMargins = model.Margins{Rate: 0.05, P99: 0.10}

// duels returns A/A comparisons: every difference found is a false alarm.
func duels() []Duel {
	list := []Duel{}
	add := func(name string, shared bool, gap float64, start func(r *rand.Rand) func(float64) float64) {
		list = append(list, Duel{Name: name, Effect: 1, Shared: shared, Gap: gap, Start: start})
	}
	for _, cv := range []float64{0.001, 0.01, 0.03, 0.10} {
		add(fmt.Sprintf("independent seconds, CV %.3g %%", 100*cv), false, 40, Steady(cv))
	}
	for _, phi := range []float64{0.5, 0.9} {
		for _, gap := range []float64{40, 1} {
			add(fmt.Sprintf("two disks, correlated %.1f, CV 6 %%, gap %g s", phi, gap), false, gap, Correlated(phi, 0.06))
			add(fmt.Sprintf("one disk, correlated %.1f, CV 6 %%, gap %g s", phi, gap), true, gap, Correlated(phi, 0.06))
		}
	}
	for _, cv := range []float64{0.01, 0.03, 0.06} {
		add(fmt.Sprintf("repeats differ by %.3g %%, within 1 %%", 100*cv), false, 40, UnequalRepeats(cv, 0.01))
	}
	add("spikes in 5 % of seconds, CV 1 %", false, 40, Spiky(0.05, 0.01))
	add("spikes in 5 % of seconds, CV 3 %", false, 40, Spiky(0.05, 0.03))
	list = append(list, Duel{Name: "one disk that slows down by 2 % per repeat, CV 0.5 %", Effect: 1, Shared: true, Drift: -0.02, Gap: 20, Start: Steady(0.005)})
	list = append(list, Duel{Name: "one disk that slows down by 2 % per repeat, repeats differ by 3 %", Effect: 1, Shared: true, Drift: -0.02, Gap: 20, Start: UnequalRepeats(0.03, 0.01)})
	return list
}

// fightAll runs duels concurrently; equal seeds give equal outcomes.
func fightAll(list []Duel, margins model.Margins, runs int) []Verdicts {
	out := make([]Verdicts, len(list))
	concurrently(len(list), func(i int) { out[i] = Fight(list[i], margins, runs) })
	return out
}

func printDuels(title string, list []Duel, out []Verdicts) {
	t := tabwriter.NewWriter(os.Stdout, 0, 8, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(t, "\n%s\tp < 5 %%\tp99: p < 5 %%\tbetter or worse\tsame\tunclear\tcoverage\t± ratio\tblocks\t\n", title)
	var all Verdicts
	for i, v := range append(out, all) {
		name := "pooled"
		if i < len(list) {
			name = list[i].Name
			all.Runs, all.Different, all.P99, all.Claimed = all.Runs+v.Runs, all.Different+v.Different, all.P99+v.P99, all.Claimed+v.Claimed
			all.Same, all.Unclear, all.Covered = all.Same+v.Same, all.Unclear+v.Unclear, all.Covered+v.Covered
			all.Blocks, all.Half = all.Blocks+v.Blocks, all.Half+v.Half
		} else {
			v = all
		}
		fmt.Fprintf(t, "%s\t%.1f %%\t%.1f %%\t%.1f %%\t%.1f %%\t%.1f %%\t%.1f %%\t%.2f %%\t%.1f\t\n", name,
			100*v.Share(v.Different), 100*v.Share(v.P99), 100*v.Share(v.Claimed), 100*v.Share(v.Same), 100*v.Share(v.Unclear),
			100*v.Share(v.Covered), 100*v.Half/float64(v.Runs), float64(v.Blocks)/float64(v.Runs))
	}
	t.Flush()
}

// BenchmarkEqualSides prints how often two equal sides are called different.
func BenchmarkEqualSides(b *testing.B) {
	for range b.N {
		list := duels()
		printDuels("equal sides, blocks until settled", list, fightAll(list, usualMargins, 200))
		for i := range list {
			list[i].Blocks = 10
		}
		printDuels("equal sides, 10 blocks", list, fightAll(list, usualMargins, 200))
	}
}

// power returns comparisons in which B is truly slower by 5 %, with 3 % noise between repeats.
func power() []Duel {
	list := []Duel{}
	for _, blocks := range []int{4, 6, 10, 20} {
		list = append(list,
			Duel{Name: fmt.Sprintf("repeats differ by 3 %%, %d blocks", blocks), Effect: 0.95, Gap: 40, Blocks: blocks, Start: UnequalRepeats(0.03, 0.005)},
			Duel{Name: fmt.Sprintf("repeats differ by 3 %%, measured alone, %d blocks", blocks), Effect: 0.95, Gap: 1, Blocks: blocks, Start: UnequalRepeats(0.03, 0.005)},
			Duel{Name: fmt.Sprintf("repeats differ by 3 %% on one disk that loses 2 %% per repeat, %d blocks", blocks), Effect: 0.95, Shared: true, Drift: -0.02, Gap: 40, Blocks: blocks, Start: UnequalRepeats(0.03, 0.005)})
	}
	return list
}

// BenchmarkPower prints how often a true change of −5 % is found, and how often it
// is called worse with smaller margins.
func BenchmarkPower(b *testing.B) {
	for range b.N {
		for _, margin := range []float64{0.05, 0.02, 0.01} {
			list := power()
			printDuels(fmt.Sprintf("−5 %%, margin %g %%", 100*margin), list, fightAll(list, model.Margins{Rate: margin, P99: 0.10}, 400))
		}
	}
}

// TestEqualSidesAreRarelyCalledDifferent guards the figures of BenchmarkEqualSides,
// with bounds that only a broken estimator exceeds.
func TestEqualSidesAreRarelyCalledDifferent(t *testing.T) {
	list := []Duel{
		{Name: "repeats differ", Effect: 1, Gap: 40, Start: UnequalRepeats(0.03, 0.01)},
		{Name: "correlated", Effect: 1, Gap: 40, Start: Correlated(0.8, 0.06)},
		{Name: "drifting", Effect: 1, Shared: true, Drift: -0.02, Gap: 20, Start: UnequalRepeats(0.02, 0.01)},
	}
	for i, v := range fightAll(list, usualMargins, 100) {
		if v.Claimed > 1 || v.Share(v.Different) > 0.11 || v.Share(v.Covered) < 0.88 {
			t.Errorf("%s: %d of %d equal sides are called better or worse, %.0f %% have p < 5 %%, %.0f %% of the intervals hold the truth",
				list[i].Name, v.Claimed, v.Runs, 100*v.Share(v.Different), 100*v.Share(v.Covered))
		}
	}
}

// TestAChangeOfFivePercentIsFound guards the power at ten blocks and 3 % noise.
func TestAChangeOfFivePercentIsFound(t *testing.T) {
	d := Duel{Effect: 0.95, Gap: 40, Blocks: 10, Start: UnequalRepeats(0.03, 0.005)}
	if v := Fight(d, usualMargins, 200); v.Share(v.Different) < 0.8 {
		t.Errorf("a change of −5 %% is found in %.0f %% of the comparisons", 100*v.Share(v.Different))
	}
}
