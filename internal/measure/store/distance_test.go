package store

import (
	"math"
	"testing"

	"github.com/loadline/loadline/internal/model"
)

// A round trip that is not possible is left out, with the connection, and the report says so.
func TestImpossibleRoundTripsAreLeftOut(t *testing.T) {
	for _, x := range []struct {
		roundTrip, connection float64
		kept                  bool
	}{{0.1e-3, 3e-3, true}, {0, 0, true}, {-1, 3e-3, false}, {1e308, 3e-3, false}, {0.1e-3, math.Inf(1), false}} {
		rec := &model.Recorded{Run: model.Run{Prepare: &model.Preparation{App: &model.AppState{RoundTrip: x.roundTrip, Connection: x.connection}}}}
		dropDistance(rec)
		s := rec.Run.Prepare.App
		if got := s.RoundTrip == x.roundTrip && s.Connection == x.connection; got != x.kept || len(rec.Damage) > 0 == x.kept {
			t.Errorf("%+v: %v %v %q", x, s.RoundTrip, s.Connection, rec.Damage)
		}
	}
}
