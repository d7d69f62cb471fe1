package cli

import (
	"testing"

	"github.com/loadline/loadline/internal/judge/stats"
	"github.com/loadline/loadline/internal/model/units"
)

// What can be asked for is what an interval can be.
func TestTheLeastPrecisionIsThatOfAnInterval(t *testing.T) {
	if units.LeastPrecision != stats.Floor {
		t.Errorf("%g may be asked for, and %g is possible", units.LeastPrecision, stats.Floor)
	}
}
