package flags

import (
	"strings"
	"testing"
)

// What is suggested is taken.
func TestSuggestedDurationsAreTaken(t *testing.T) {
	for flag, words := range spansLike {
		for _, such := range strings.Split(words, " or ") {
			if v, err := ParseSpan("--"+flag, such); err != nil || v <= 0 {
				t.Errorf("--%s %s: %g, %v", flag, such, v, err)
			}
		}
	}
}
