package perf

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/loadline/loadline/internal/model"
)

// creditRuns is how many devices are drawn for each profile.
const creditRuns = 40

// Whatever burst credit a device has, refilled or not, for writes or for both directions: a run that has seen a rate fall calls
// none of the rates that this credit allows valid, and one whose long repeats are long enough to use it up sees that.
func TestNoRateThatACreditAllowsIsValid(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(9, 20261130))
	wrong, fell, runs := 0, 0, 0
	for _, profile := range []string{"standard", "quick", "kbench"} {
		for seed := range creditRuns {
			storage, iops, seconds := drawnCredit(r, seed)
			args := []string{fmt.Sprintf("fake:?seed=%d&%s", seed+1, storage), "--seed", fmt.Sprint(seed + 1), "--profile", profile}
			if profile == "standard" && seed%2 == 1 {
				// With fewer workloads the mix has a long repeat, or none.
				args = append(args, "--only", []string{"*read*,*mix*,seq-write-bw", "*mix*,rand-write*", "*mix*,*lat"}[seed/2%3])
			}
			rep, err := report(t.Context(), inMemory(t), args...)
			if err != nil {
				t.Fatal(err)
			}
			runs++
			falls := false
			for _, x := range rep.Results {
				falls = falls || x.Sustained.Fallen()
			}
			if falls {
				fell++
			}
			for name, rate := range validAbove(rep.Results, iops) {
				if falls || seconds <= 9 {
					t.Errorf("%v, %.0f s: %s did %.0f/s, where %.0f are sustained", args, seconds, name, rate, iops)
					wrong++
				}
			}
		}
	}
	if fell < runs/3 {
		t.Errorf("only %d of %d runs saw a rate fall: the others show little", fell, runs)
	}
	t.Logf("%d rows of %d runs are wrong, %d saw a rate fall", wrong, runs, fell)
}

// drawnCredit is a device with a burst credit: its parameters, the I/Os per second that it sustains, and how many seconds the credit lasts. Two of three
// refill, and are for writes only.
func drawnCredit(r *rand.Rand, seed int) (storage string, iops, seconds float64) {
	iops = math.Round(300 * math.Exp(4*r.Float64()))
	burst := iops * (1.5 + 3*r.Float64())
	seconds = math.Exp(math.Log(2) + 3.5*r.Float64()) // 2 to 66
	storage = fmt.Sprintf("iops=%.0f&burst=%.0f&credit=%.0f&cv=%.3f&bandwidth=1e12", iops, burst, (burst-iops)*seconds, 0.06*r.Float64())
	if seed%3 > 0 {
		storage += fmt.Sprintf("&refill=%.0f", iops*2*r.Float64())
	}
	return storage, iops, seconds
}

// validAbove are the workloads that a report calls valid at 1.1 times that many I/Os per second or more, with their rates. An interval that the
// rate is in says that it may be as low. Both directions of a mix count together.
func validAbove(results []model.Result, iops float64) map[string]float64 {
	rates, lows := map[string]float64{}, map[string]float64{}
	for _, x := range results {
		if x.Verdict == model.Valid && x.Direction != model.Sync {
			rates[x.Workload] += x.Metrics[model.IOPS].Value
			lows[x.Workload] += x.Metrics[model.IOPS].Low
		}
	}
	for name, rate := range rates {
		if rate <= 1.1*iops || lows[name] <= iops {
			delete(rates, name)
		}
	}
	return rates
}

// The same for one repeat of each workload: what does more than another one fell to, in the same direction, is not valid, whichever of them was first.
func TestNoRateThatACreditAllowsIsValidInOneRepeat(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(20, 20261201))
	doubted, runs := 0, 0
	for _, profile := range []string{"quick", "kbench"} {
		for seed := range creditRuns {
			storage, iops, seconds := drawnCredit(r, seed)
			args := []string{fmt.Sprintf("fake:?seed=%d&%s", seed+1, storage), "--seed", fmt.Sprint(seed + 1), "--profile", profile, "--time", "20s"}
			rep, err := report(t.Context(), inMemory(t), args...)
			if err != nil {
				t.Fatal(err)
			}
			runs++
			fell, directions := map[model.Direction]bool{}, map[string]model.Direction{}
			for _, x := range rep.Results {
				directions[x.Workload] = x.Direction
				fell[x.Direction] = fell[x.Direction] || slices.ContainsFunc(x.Findings, func(rule string) bool { return rule == "burst" || rule == "cliff" })
			}
			for _, f := range rep.Findings {
				if strings.HasPrefix(f.Message, "not tested for long enough") {
					doubted++
				}
			}
			for name, rate := range validAbove(rep.Results, iops) {
				if fell[directions[name]] {
					t.Errorf("%v, %.0f s: %s did %.0f/s, where %.0f are sustained", args, seconds, name, rate, iops)
				}
			}
		}
	}
	if doubted < runs/10 {
		t.Errorf("only %d of %d runs had a rate to doubt: the others show little", doubted, runs)
	}
	t.Logf("%d of %d runs had a rate to doubt", doubted, runs)
}

// What short repeats did with a credit are no slow seconds that the rate of a long repeat has to allow for: each result of this device, found by drawing, is known
// to ±7 %.
func TestARateThatFellBorrowsNoSlowSeconds(t *testing.T) {
	t.Parallel()
	const iops = 4153.0
	for _, profile := range []string{"quick", "kbench"} {
		rep, err := report(t.Context(), inMemory(t), "fake:?iops=4153&cv=0.006&bandwidth=1e12&burst=16497&credit=111062&seed=12", "--seed", "12", "--profile", profile)
		if err != nil {
			t.Fatal(err)
		}
		fell := 0
		for _, x := range rep.Results {
			if !x.Sustained.Fallen() {
				continue
			}
			fell++
			if e := x.Metrics[model.IOPS]; e.Low > iops || e.High < iops || e.High-e.Low > 2*0.07*e.Value {
				t.Errorf("%s: %s did %.0f/s (%.0f to %.0f)", profile, x.Workload, e.Value, e.Low, e.High)
			}
		}
		if fell == 0 {
			t.Errorf("%s: no rate fell, which shows nothing", profile)
		}
	}
}

// Honest storage is not told that it lives on credits: not where seconds vary, are slow now and then, or where a cache takes the first seconds that a
// result until steady leaves out. At most one run in a hundred may be.
func TestHonestStorageHasNoCreditsInOneRepeat(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(100, 20261201))
	accused, runs := 0, 0
	for _, how := range []string{"--time 20s", "--time 20s spikes", "--until-steady spikes", "--until-steady cache"} {
		for seed := range creditRuns {
			iops := math.Round(300 * math.Exp(4*r.Float64()))
			storage := fmt.Sprintf("iops=%.0f&cv=%.3f&phi=%.2f", iops, 0.06*r.Float64(), 0.7*r.Float64())
			if strings.HasSuffix(how, "spikes") {
				storage += fmt.Sprintf("&spike=%.3f&spike-level=%.2f", 0.02+0.18*r.Float64(), 0.2+0.4*r.Float64())
			}
			if strings.HasSuffix(how, "cache") {
				absorb := iops * (2 + 3*r.Float64())
				storage += fmt.Sprintf("&absorb=%.0f&cache=%.0f", absorb, (absorb-iops)*(1+4*r.Float64()))
			}
			args := []string{fmt.Sprintf("fake:?seed=%d&%s", seed+1, storage), "--seed", fmt.Sprint(seed + 1), "--profile", "quick"}
			way := strings.TrimSuffix(strings.TrimSuffix(how, " spikes"), " cache")
			rep, err := report(t.Context(), inMemory(t), append(args, strings.Fields(way)...)...)
			if err != nil {
				t.Fatal(err)
			}
			runs++
			if i := slices.IndexFunc(rep.Findings, func(f model.Finding) bool {
				return strings.HasPrefix(f.Message, "not tested for long enough") || strings.HasPrefix(f.Message, "burst credit")
			}); i >= 0 {
				t.Logf("%v: %s", args, rep.Findings[i].Message)
				accused++
			}
		}
	}
	if accused > runs/100 {
		t.Errorf("%d of %d runs are told of credits that the storage does not have", accused, runs)
	}
}
