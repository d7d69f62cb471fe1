package units

import (
	"math"
	"strconv"
	"strings"
)

// FormatNumber formats a figure with commas as thousands separators, rounded to three significant
// digits or to a whole number, whichever is more exact: "26,960", "3.85", "0.19". It is for figures
// that are compared and added up, for which "27.0k" is unsuitable.
func FormatNumber(v float64) string {
	digits := 0
	switch a := math.Abs(v); {
	case math.IsNaN(v) || math.IsInf(v, 0):
		return "–"
	case a < 9.995:
		digits = 2
	case a < 99.95:
		digits = 1
	}
	s := strconv.FormatFloat(v, 'f', digits, 64)
	if digits > 0 {
		return strings.TrimRight(strings.TrimRight(s, "0"), ".")
	}
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// FormatQuantity formats a demand on a resource in its unit: "1/s" (I/Os), "B/s", "B" (bytes), "core", "node"
// or "1" (a count).
func FormatQuantity(unit string, v float64) string {
	switch unit {
	case "1/s":
		return FormatNumber(v) + " IOPS"
	case "B/s":
		return FormatBandwidth(v)
	case "B":
		return FormatSize(int64(math.Min(v, math.MaxInt64/2)))
	case "core":
		return FormatNumber(v) + " cores"
	case "node":
		return FormatNumber(v) + " nodes' worth"
	case "1":
		return FormatNumber(v)
	}
	return FormatNumber(v) + " " + unit
}
