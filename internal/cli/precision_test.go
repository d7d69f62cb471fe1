package cli

import (
	"testing"

	"github.com/loadline/loadline/internal/cli/flags"
	"github.com/loadline/loadline/internal/judge/stats"
)

// What can be asked for is what an interval can be.
func TestTheLeastPrecisionIsThatOfAnInterval(t *testing.T) {
	if flags.LeastPrecision != stats.Floor {
		t.Errorf("%g may be asked for, and %g is possible", flags.LeastPrecision, stats.Floor)
	}
}
