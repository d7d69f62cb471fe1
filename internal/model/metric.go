package model

import (
	"math"
	"strings"

	"github.com/loadline/loadline/internal/model/histogram"
	"github.com/loadline/loadline/internal/model/units"
)

// Metric names the quantity that an estimate is for.
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

// Percentile returns which percentile of the latencies the metric is, in percent; ok is false if it is
// not one.
func (m Metric) Percentile() (percent float64, ok bool) {
	switch m {
	case P50:
		return 50, true
	case P90:
		return 90, true
	case P99:
		return 99, true
	case P999:
		return 99.9, true
	case P9999:
		return 99.99, true
	}
	return 0, false
}

// Beyond reports whether a value is a percentile in the last bucket of a histogram, so that it is only known to be at least
// histogram.Longest. fio itself prints the middle of that bucket.
func (m Metric) Beyond(v float64) bool {
	_, ok := m.Percentile()
	same := func(limit float64) bool { return math.Abs(v-limit) < 1e-6 }
	return ok && (same(histogram.Longest) || same(lastMiddle))
}

// lastMiddle is the middle of the last bucket in seconds.
var lastMiddle = histogram.BucketMiddle(histogram.BucketOf(math.MaxUint64)) / 1e9

// LowerIsBetter reports whether smaller values of the metric are better.
func (m Metric) LowerIsBetter() bool { return m.Unit() == "s" }

// Format formats a value of the metric with its unit: "21.4k IOPS", "635 MiB/s", "402 µs", "455 tps";
// records are "812/s", and a percentile beyond the last bucket is "≥ 17.0 s".
func (m Metric) Format(v float64) string {
	if math.IsNaN(v) {
		return "–"
	}
	switch m {
	case IOPS:
		return units.FormatRate(v) + " IOPS"
	case Transactions:
		return units.FormatRate(v) + " tps"
	case Records:
		return units.FormatRate(v) + "/s"
	case Bandwidth:
		return units.FormatBandwidth(v)
	}
	if m.Beyond(v) {
		return "≥ " + units.FormatDuration(histogram.Longest)
	}
	return units.FormatDuration(v)
}

// FormatOf is Format for a flow in a direction: the operations of a sync flow are flushes, "812
// flushes/s".
func (m Metric) FormatOf(d Direction, v float64) string {
	if m == IOPS && d == Sync && !math.IsNaN(v) {
		return units.FormatRate(v) + " flushes/s"
	}
	return m.Format(v)
}

// widestHalf is the relative half-width beyond which an interval is written as its bounds: ±143 % would
// begin below zero, which no rate can.
const widestHalf = 0.3

// FormatWidth formats the interval shown beside a value: "±2.1%", beyond ±30 % as its bounds, "[1.20k,
// 3.40k IOPS]", "≥ 3.10 ms" if there is no upper bound, and "–" if there is no interval.
func (m Metric) FormatWidth(d Direction, e Estimate) string {
	h := e.HalfWidth()
	switch {
	case e.Confidence == 0 || e.Value == 0 || math.IsNaN(h) || math.IsInf(h, 0):
		return "–"
	case e.Open:
		return "≥ " + strings.TrimPrefix(m.FormatOf(d, e.Low), "≥ ")
	case h > widestHalf:
		return m.FormatBounds(d, e)
	}
	return "±" + units.FormatShare(h)
}

// FormatBounds formats an interval that has both bounds, with a unit that they share written once: "[1.20k, 3.40k IOPS]".
func (m Metric) FormatBounds(d Direction, e Estimate) string {
	low, high := m.FormatOf(d, e.Low), m.FormatOf(d, e.High)
	if unit := high[strings.LastIndexAny(high, " ")+1:]; strings.Contains(high, " ") {
		low = strings.TrimSuffix(low, " "+unit)
	}
	return "[" + low + ", " + high + "]"
}

// FormatTotal formats a total in the unit of its metric, with all digits: "31,808 IOPS", "378 MiB/s".
func (m Metric) FormatTotal(v float64) string {
	switch m {
	case Bandwidth:
		return units.FormatBandwidth(v)
	case IOPS:
		return units.FormatNumber(v) + " IOPS"
	case Transactions:
		return units.FormatNumber(v) + " tps"
	}
	return units.FormatNumber(v) + "/s"
}

// FormatInterval is FormatTotal with the interval: "5,194 IOPS (5,097–5,294)".
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
