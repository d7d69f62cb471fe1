package budget

import (
	"fmt"
	"strings"

	"github.com/loadline/loadline/internal/model/units"
)

// FormatTime formats a part's time in seconds, which may be negative.
func FormatTime(seconds float64) string {
	if seconds < 0 {
		return "−" + units.FormatDuration(-seconds)
	}
	return units.FormatDuration(seconds)
}

// FormatGain formats the change of the rate: "+31 % rate", "the same rate".
func (c *Counterfactual) FormatGain() string {
	if c.Gain > -0.005 && c.Gain < 0.005 {
		return "the same rate"
	}
	return minus(fmt.Sprintf("%+.0f %% rate", 100*c.Gain))
}

// ByLaw names the law that a statement follows from, and its assumptions.
func ByLaw(law string, assumes []string) string {
	return "by the law: " + law + "; if " + strings.Join(assumes, ", and ")
}

// FormatOf formats the change as a share of the other run's total: "1.90", "−0.48".
func (c *Change) FormatOf() string { return minus(fmt.Sprintf("%.2f", c.Of)) }

// minus replaces a hyphen by the sign.
func minus(s string) string { return strings.Replace(s, "-", "−", 1) }
