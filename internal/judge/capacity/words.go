package capacity

import (
	"fmt"
	"math"
	"strconv"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/units"
)

// intervalWords formats a figure without its unit, with its interval.
func intervalWords(e model.Estimate) string {
	if e.Confidence == 0 {
		return number(e.Value) + " (no interval)"
	}
	return fmt.Sprintf("%s (%s–%s)", number(e.Value), number(e.Low), number(e.High))
}

// logRatio is ln(e / to).
func logRatio(e model.Estimate, to float64) *model.Estimate {
	return &model.Estimate{Unit: "1", Value: math.Log(e.Value / to), Low: math.Log(e.Low / to), High: math.Log(e.High / to), Confidence: e.Confidence}
}

// percentWords formats the logarithm of a ratio as a change: "3.9 % above".
func percentWords(log float64) string {
	change, word := 100*(math.Exp(log)-1), "above"
	if change < 0 {
		change, word = -change, "below"
	}
	return strconv.FormatFloat(change, 'f', 1, 64) + " % " + word
}

func shareWords(v float64) string {
	if v < 0.0995 {
		return units.TrimZeros(strconv.FormatFloat(100*v, 'f', 1, 64)) + " %"
	}
	return strconv.FormatFloat(100*v, 'f', 0, 64) + " %"
}

// number formats a figure in full.
func number(v float64) string { return units.FormatNumber(v) }
