package perf

import (
	"fmt"
	"math"
	"math/rand/v2"
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
			iops := math.Round(300 * math.Exp(4*r.Float64()))
			burst := iops * (1.5 + 3*r.Float64())
			seconds := math.Exp(math.Log(2) + 3.5*r.Float64()) // 2 to 66
			storage := fmt.Sprintf("iops=%.0f&burst=%.0f&credit=%.0f&cv=%.3f&bandwidth=1e12", iops, burst, (burst-iops)*seconds, 0.06*r.Float64())
			if seed%3 > 0 {
				storage += fmt.Sprintf("&refill=%.0f", iops*2*r.Float64())
			}
			args := []string{fmt.Sprintf("fake:?seed=%d&%s", seed+1, storage), "--seed", fmt.Sprint(seed + 1), "--profile", profile}
			if profile == "standard" && seed%2 == 1 {
				// With fewer workloads the mix has a long repeat, or none.
				args = append(args, "--only", []string{"*read*,*mix*,seq-write-bw", "*mix*,rand-write*", "*mix*,*lat"}[seed/2%3])
			}
			rep, err := report(t.Context(), t.TempDir(), args...)
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
			// An interval that the sustained rate is in says that it may be as low. Both directions of a mix count together.
			rates, lows := map[string]float64{}, map[string]float64{}
			for _, x := range rep.Results {
				if x.Verdict == model.Valid && x.Direction != model.Sync {
					rates[x.Workload] += x.Metrics[model.IOPS].Value
					lows[x.Workload] += x.Metrics[model.IOPS].Low
				}
			}
			for name, rate := range rates {
				if rate > 1.1*iops && lows[name] > iops && (falls || seconds <= 9) {
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
