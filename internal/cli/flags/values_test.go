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

// A share is none of the two ends; a headroom may be 0. What is no number is not said to be out of range.
func TestSharesOutOfRange(t *testing.T) {
	for _, c := range []struct {
		read func(flag, s string) (float64, error)
		text string
		want string // part of the message; "" if it is accepted
	}{
		{ParseShare, "5%", ""}, {ParseShare, "0.05", ""},
		{ParseShare, "0", "more than 0 and less than 100 %"}, {ParseShare, "100%", "more than 0 and less than 100 %"},
		{ParseShare, "abc", `"abc" is not a percentage`}, {ParseHeadroom, "", "is not a percentage"},
		{ParseHeadroom, "0", ""}, {ParseHeadroom, "0%", ""}, {ParseHeadroom, "30%", ""},
		{ParseHeadroom, "100%", "at least 0 and less than 100 %"}, {ParseHeadroom, "-1%", "at least 0 and less than 100 %"},
	} {
		_, err := c.read("--x", c.text)
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: %v, want %q", c.text, err, c.want)
		}
	}
}
