package model

import (
	"math"
	"strings"

	"github.com/loadline/loadline/internal/model/units"
)

// Metric names what an estimate estimates.
type Metric string

// The metrics. IOPS is in 1/s, Bandwidth in bytes/s ("B/s"), Latency (the mean)
// and the percentiles in s.
const (
	IOPS      Metric = "iops"
	Bandwidth Metric = "bandwidth"
	Latency   Metric = "latency"
	P50       Metric = "p50"
	P90       Metric = "p90"
	P99       Metric = "p99"
	P999      Metric = "p99.9"
	P9999     Metric = "p99.99"
)

// Unit returns the base unit of the metric: "1/s", "B/s" or "s".
func (m Metric) Unit() string {
	switch m {
	case IOPS, Transactions, Records:
		return "1/s"
	case Bandwidth:
		return "B/s"
	}
	return "s"
}

// LowerIsBetter reports whether a smaller value of the metric is the better one.
func (m Metric) LowerIsBetter() bool { return m.Unit() == "s" }

// Format writes a value of the metric with its unit: "21.4k/s" for IOPS,
// "635 MiB/s", "402 µs".
func (m Metric) Format(v float64) string {
	if math.IsNaN(v) {
		return "–"
	}
	switch m {
	case IOPS, Transactions, Records:
		return units.FormatRate(v) + "/s"
	case Bandwidth:
		return units.FormatBandwidth(v)
	}
	return units.FormatDuration(v)
}

// FormatTotal writes a total in the unit of its metric, in full: "31,808/s", "378 MiB/s".
func (m Metric) FormatTotal(v float64) string {
	if m == Bandwidth {
		return units.FormatBandwidth(v)
	}
	return units.FormatNumber(v) + "/s"
}

// FormatInterval is FormatTotal with the interval: "5,194/s (5,097–5,294)".
func (m Metric) FormatInterval(e Estimate) string {
	if e.Confidence == 0 {
		return m.FormatTotal(e.Value) + " (no interval)"
	}
	if e.Open {
		return m.FormatTotal(e.Value) + " (≥ " + m.FormatTotal(e.Low) + ")"
	}
	low, high := m.FormatTotal(e.Low), m.FormatTotal(e.High)
	if unit := unitOf(high); unit == unitOf(low) {
		low, high = strings.TrimSuffix(low, unit), strings.TrimSuffix(high, unit)
	}
	return m.FormatTotal(e.Value) + " (" + low + "–" + high + ")"
}

func unitOf(s string) string { return s[strings.LastIndexAny(s, "0123456789")+1:] }
