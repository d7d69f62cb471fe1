package trust

import "testing"

// No advised time is more than flags take: a year.
func TestAdvisedTimesAreTaken(t *testing.T) {
	for seconds, want := range map[float64]string{1: "10s", 119: "120s", 121: "3m", 366 * 86400: "525600m", 1e300: "525600m"} {
		if got := span(seconds); got != want {
			t.Errorf("%g s: %s, want %s", seconds, got, want)
		}
	}
}
