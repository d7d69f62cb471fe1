package text

import (
	"testing"

	"github.com/loadline/loadline/internal/model"
)

// The plan says which repeats are longer, and why.
func TestTheLongerRepeatsOfAPlan(t *testing.T) {
	for want, s := range map[string]model.Schedule{
		"": {Looks: 2},
		"; the first repeat of the closed loop is extended to 20 s, to see the sustained rate":                                                          {Look: 20},
		"; the last repeat of the heaviest workload is extended to 20 s, to see the sustained rate":                                                     {Look: 20, Looks: 1},
		"; in each direction, the last repeat of the heaviest workload is extended to 20 s, to see the sustained rate":                                  {Look: 20, Looks: 2},
		"; the last repeat of the heaviest workload is extended to 20 s (10 s if it writes, after a steady prefill of 20 s), to see the sustained rate": {Look: 20, Looks: 1, ShortWriteLook: true},
	} {
		if got := lookWords(s); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
