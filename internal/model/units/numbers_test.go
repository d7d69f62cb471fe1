package units

import (
	"math"
	"testing"
)

func TestFormatNumber(t *testing.T) {
	for v, want := range map[float64]string{0: "0", 3.852: "3.85", 0.186: "0.19", 3.1: "3.1", 9.996: "10", 26.96: "27", 78.16: "78.2", 99.96: "100",
		999: "999", 1000: "1,000", 26960: "26,960", 1234567.6: "1,234,568", -1234: "-1,234", -123456: "-123,456", math.Inf(1): "–"} {
		if got := FormatNumber(v); got != want {
			t.Errorf("FormatNumber(%v) = %q, want %q", v, got, want)
		}
	}
}

func TestFormatQuantity(t *testing.T) {
	for unit, want := range map[string]string{"1/s": "2,048/s", "B/s": "2.00 KiB/s", "B": "2 KiB", "core": "2,048 cores", "node": "2,048 nodes' worth", "1": "2,048"} {
		if got := FormatQuantity(unit, 2048); got != want {
			t.Errorf("FormatQuantity(%q) = %q, want %q", unit, got, want)
		}
	}
}
