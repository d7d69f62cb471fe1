package units

import (
	"errors"
	"math"
	"strings"
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
	for unit, want := range map[string]string{"1/s": "2,048 IOPS", "B/s": "2.00 KiB/s", "B": "2 KiB", "core": "2,048 cores", "node": "2,048 nodes' worth", "1": "2,048"} {
		if got := FormatQuantity(unit, 2048); got != want {
			t.Errorf("FormatQuantity(%q) = %q, want %q", unit, got, want)
		}
	}
}

// A whole number is taken only if its digits stand alone; what is not meant as one is told apart.
func TestParseWhole(t *testing.T) {
	for s, want := range map[string]int64{"0": 0, "4": 4, "10": 10, "-3": -3, "9223372036854775807": math.MaxInt64} {
		if n, err := ParseWhole(s); err != nil || n != want {
			t.Errorf("%q: %d, %v", s, n, err)
		}
	}
	for _, s := range []string{"+4", "01", "-01", "00", "1_0", "1'000", "1 000", "+1_0"} {
		if _, err := ParseWhole(s); !errors.Is(err, ErrNotPlain) {
			t.Errorf("%q: %v", s, err)
		}
	}
	for _, s := range []string{"", "x", "0x10", "1e3", "1.5", "--1", "9223372036854775808"} {
		if _, err := ParseWhole(s); err == nil || errors.Is(err, ErrNotPlain) {
			t.Errorf("%q: %v", s, err)
		}
	}
}

// Digits of a size that are grouped are refused as that, and not as an unknown unit.
func TestSizesWithoutSeparators(t *testing.T) {
	for _, s := range []string{"1_0k", "1,5G", "1'000", "1 000k", "4_k"} {
		if _, err := ParseSize(s); err == nil || strings.Contains(err.Error(), "nothing may stand between") == (s == "4_k") {
			t.Errorf("%q: %v", s, err)
		}
	}
	for s, want := range map[string]int64{"4 KiB": 4096, "1.5k": 1536, "0.5k": 512, "4k": 4096} {
		if n, err := ParseSize(s); err != nil || n != want {
			t.Errorf("%q: %d, %v", s, n, err)
		}
	}
}

// A share of less than a half of one percent is not none.
func TestFormatPart(t *testing.T) {
	for v, want := range map[float64]string{0.008: "0.8%", 0.38: "38%", 0: "0%", -0.021: "−2.1%", 0.0004: "0.04%"} {
		if got := FormatPart(v); got != want {
			t.Errorf("%g is %s, want %s", v, got, want)
		}
	}
}

func TestFormatList(t *testing.T) {
	for want, list := range map[string][]string{"": nil, "a": {"a"}, "a and b": {"a", "b"}, "a, b and c": {"a", "b", "c"}} {
		if got := FormatList(list); got != want {
			t.Errorf("%q: %q", strings.Join(list, "|"), got)
		}
	}
}
