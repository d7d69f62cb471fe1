package postgres

import (
	"slices"
	"testing"

	"github.com/loadline/loadline/internal/model"
)

// pgbench takes a fraction of a transaction per second, so it gets the rate as it was asked for.
func TestRatesAreNotRounded(t *testing.T) {
	for rate, want := range map[float64]string{7.6: "--rate=7.6", 0.2: "--rate=0.2", 100: "--rate=100"} {
		if args := arguments(model.Workload{OpenLoop: true, RateIOPS: rate, Depth: 1}, 0, 1, ""); !slices.Contains(args, want) {
			t.Errorf("%g/s: %q", rate, args)
		}
	}
}
