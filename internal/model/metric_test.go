package model

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestRatesAndWidths(t *testing.T) {
	about := func(v, low, high float64) Estimate { return Estimate{Value: v, Low: low, High: high, Confidence: 0.95} }
	for _, c := range []struct {
		metric    Metric
		direction Direction
		e         Estimate
		value     string
		width     string
	}{
		{IOPS, Read, about(58800, 57600, 60000), "58.8k IOPS", "±2.0%"},
		{IOPS, Sync, about(812, 800, 824), "812 flushes/s", "±1.5%"},
		{IOPS, Write, about(2000, 1200, 3400), "2.00k IOPS", "[1.20k, 3.40k IOPS]"},
		{Bandwidth, Read, about(1<<30, 1<<29, 1<<31), "1024 MiB/s", "[512, 2048 MiB/s]"},
		{Latency, Read, about(400e-6, 100e-6, 1.6e-3), "400 µs", "[100 µs, 1.60 ms]"},
		{Transactions, Mixed, about(500, 495, 505), "500 tps", "±1.0%"},
		{P99, Read, Estimate{Value: 4e-3, Low: 3.1e-3, High: 9e-3, Confidence: 0.95, Open: true}, "4.00 ms", "≥ 3.10 ms"},
		{IOPS, Read, Estimate{Value: 1000, Low: 1000, High: 1000}, "1.00k IOPS", "–"},
	} {
		if value, width := c.metric.FormatOf(c.direction, c.e.Value), c.metric.FormatWidth(c.direction, c.e); value != c.value || width != c.width {
			t.Errorf("%s of %+v: %q %q, want %q %q", c.metric, c.e, value, width, c.value, c.width)
		}
	}
}

// An interval is never written as a half-width that would reach below zero, however wide it is.
func TestNoHalfWidthBeyondItsValue(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		v := rapid.Float64Range(1e-6, 1e9).Draw(rt, "value")
		e := Estimate{Value: v, Low: v * rapid.Float64Range(0.001, 1).Draw(rt, "low"), High: v * rapid.Float64Range(1, 1000).Draw(rt, "high"), Confidence: 0.95}
		width := IOPS.FormatWidth(Read, e)
		if wide := e.HalfWidth() > 0.3; wide != strings.HasPrefix(width, "[") || strings.Contains(width, ">") {
			rt.Fatalf("%+v is written %q", e, width)
		}
	})
}

func TestPercentilesAreWhatTheirNamesSay(t *testing.T) {
	for _, m := range []Metric{P50, P90, P99, P999, P9999} {
		if p, ok := m.Percentile(); !ok || fmt.Sprintf("p%v", p) != string(m) {
			t.Errorf("%s: %v, %v", m, p, ok)
		}
	}
	for _, m := range []Metric{IOPS, Bandwidth, Latency, Transactions, ""} {
		if p, ok := m.Percentile(); ok {
			t.Errorf("%q is the percentile %v", m, p)
		}
	}
}

func TestOnlyPercentilesEndInABucket(t *testing.T) {
	for _, v := range []float64{17.045651456, 17.11276032} { // its lower end, and what fio prints
		if got := P99.Format(v); got != "≥ 17.0 s" {
			t.Errorf("a p99 of %v s is %q", v, got)
		}
		if got := Latency.Format(v); got[0] != '1' {
			t.Errorf("a mean of %v s is %q", v, got)
		}
	}
	if got := P99.Format(20); got != "20.0 s" { // of a tool without such buckets
		t.Errorf("a p99 of 20 s is %q", got)
	}
}
