// Package units formats and parses quantities for people: sizes, rates, times, figures.
//
// Its assumptions: three significant digits are enough for reading, but figures that are compared need
// all digits; every quantity has its unit; k, M and G of bytes are powers of 1024, as in fio.
package units

import (
	"errors"
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
)

// FormatSize formats a number of bytes with three digits: "512 B", "4 KiB", "1.5 MiB", "20 GiB". Block sizes have
// a form of their own (FormatBlock).
func FormatSize(n int64) string {
	switch {
	case n < 0:
		return strconv.FormatInt(n, 10)
	case n < 1<<10:
		return fmt.Sprintf("%d B", n)
	}
	units := []string{"KiB", "MiB", "GiB", "TiB", "PiB"}
	v, u := float64(n)/1024, 0
	for v >= 1023.95 && u < len(units)-1 {
		v, u = v/1024, u+1
	}
	return trim3(v) + " " + units[u]
}

// FormatBlock formats a block size: "4k", "128k", "1M", or bytes.
func FormatBlock(n int64) string {
	switch {
	case n >= 1<<20 && n%(1<<20) == 0:
		return fmt.Sprintf("%dM", n>>20)
	case n >= 1<<10 && n%(1<<10) == 0:
		return fmt.Sprintf("%dk", n>>10)
	}
	return strconv.FormatInt(n, 10)
}

// TypedSize returns a size in bytes as it would be typed, exactly: "16MiB", "12GiB", "1536".
func TypedSize(n int64) string {
	for _, u := range []struct {
		name string
		size int64
	}{{"GiB", 1 << 30}, {"MiB", 1 << 20}, {"KiB", 1 << 10}} {
		if n >= u.size && n%u.size == 0 {
			return strconv.FormatInt(n/u.size, 10) + u.name
		}
	}
	return strconv.FormatInt(n, 10)
}

// separated matches a number whose digits are grouped, as in 1_000 or 1,000.
var separated = regexp.MustCompile(`^[0-9.]+[_,' ]+[0-9]`)

// ParseSize parses "4k", "4K", "64KiB", "1.5g", "20Gi", "10GB", "512". Without a suffix it is bytes; k,
// M, G, T mean powers of 1024, as in fio; "KB", "MB" … of 1000.
func ParseSize(s string) (int64, error) {
	t := strings.TrimSpace(s)
	if CheckLead(t) != nil {
		return 0, fmt.Errorf("%q is not a size%s", s, Plainly(ErrNotPlain))
	}
	i := 0
	for i < len(t) && (t[i] >= '0' && t[i] <= '9' || t[i] == '.') {
		i++
	}
	v, err := strconv.ParseFloat(t[:i], 64)
	if err != nil {
		return 0, fmt.Errorf("%q is not a size: write it like 4k, 512M or 20GiB", s)
	}
	if separated.MatchString(t) {
		return 0, fmt.Errorf("%q is not a size: nothing may stand between its digits but a decimal point; write it like 4k, 512M or 20GiB", s)
	}
	suffix := strings.ToLower(strings.TrimSpace(t[i:]))
	if suffix != "" && suffix != "b" {
		p := strings.IndexByte("kmgtp", suffix[0]) + 1
		if p == 0 {
			return 0, fmt.Errorf("%q is not a size: the unit %q is unknown; write it like 4k, 512M or 20GiB", s, t[i:])
		}
		switch suffix[1:] {
		case "", "i", "ib":
			v *= math.Pow(1024, float64(p))
		case "b":
			v *= math.Pow(1000, float64(p))
		default:
			return 0, fmt.Errorf("%q is not a size: the unit %q is unknown; write it like 4k, 512M or 20GiB", s, t[i:])
		}
	}
	if v > math.MaxInt64/2 {
		return 0, fmt.Errorf("%q is too large", s)
	}
	return int64(math.Round(v)), nil
}

// FormatRate formats a value per second without its unit: "997", "21.4k", "1.20M".
func FormatRate(v float64) string {
	switch {
	case math.IsNaN(v):
		return "–"
	case math.Abs(v) < 999.5:
		return trim3(v)
	case math.Abs(v) < 999.5e3:
		return three(v/1e3) + "k"
	case math.Abs(v) < 999.5e6:
		return three(v/1e6) + "M"
	}
	return three(v/1e9) + "G"
}

// FormatShare formats a fraction in percent: "23%", "5.1%", "0.04%"; more digits would exceed the
// accuracy of any interval.
func FormatShare(share float64) string {
	switch v := share * 100; {
	case math.IsNaN(v) || math.IsInf(v, 0):
		return "–"
	case v >= 9.95:
		return strconv.FormatFloat(v, 'f', 0, 64) + "%"
	case v < 0.005:
		return "<0.01%"
	case v < 0.095:
		return strconv.FormatFloat(v, 'f', 2, 64) + "%"
	default:
		return strconv.FormatFloat(v, 'f', 1, 64) + "%"
	}
}

// FormatPart is FormatShare for a part of a whole, which may be negative or 0: "−2.1%", "0%".
func FormatPart(part float64) string {
	switch {
	case part == 0:
		return "0%"
	case part < 0:
		return "−" + FormatShare(-part)
	}
	return FormatShare(part)
}

// FormatBandwidth formats bytes/s: "124 MiB/s", "1.21 GiB/s".
func FormatBandwidth(v float64) string {
	switch {
	case math.IsNaN(v):
		return "–"
	case v < 999.5*1024:
		return three(v/1024) + " KiB/s"
	case v < 9999.5*1024*1024:
		return three(v/(1<<20)) + " MiB/s"
	}
	return three(v/(1<<30)) + " GiB/s"
}

// FormatDuration formats seconds: "402 ns", "402 µs", "1.10 ms", "24.1 s".
func FormatDuration(s float64) string {
	switch a := math.Abs(s); {
	case math.IsNaN(s):
		return "–"
	case a == 0:
		return "0 s"
	case a < 999.5e-9:
		return three(s*1e9) + " ns"
	case a < 999.5e-6:
		return three(s*1e6) + " µs"
	case a < 999.5e-3:
		return three(s*1e3) + " ms"
	}
	return three(s) + " s"
}

// FormatSpan formats a period of time for people: "41 s", "4 m 05 s", "2 h 10 m".
func FormatSpan(s float64) string {
	n := int64(math.Round(s))
	switch {
	case n < 60:
		return fmt.Sprintf("%d s", n)
	case n < 3600:
		return fmt.Sprintf("%d m %02d s", n/60, n%60)
	}
	return fmt.Sprintf("%d h %02d m", n/3600, n%3600/60)
}

// three formats v with three significant digits and no exponent.
func three(v float64) string {
	a := math.Abs(v)
	switch {
	case a >= 99.95:
		return strconv.FormatFloat(v, 'f', 0, 64)
	case a >= 9.995:
		return strconv.FormatFloat(v, 'f', 1, 64)
	}
	return strconv.FormatFloat(v, 'f', 2, 64)
}

// trim3 is three without trailing zeros.
func trim3(v float64) string { return TrimZeros(three(v)) }

// TrimZeros removes trailing zeros after the decimal point.
func TrimZeros(number string) string {
	if strings.Contains(number, ".") {
		number = strings.TrimRight(strings.TrimRight(number, "0"), ".")
	}
	return number
}

// FormatList lists words as a sentence does: "a", "a and b", "a, b and c".
func FormatList(words []string) string {
	if n := len(words); n > 1 {
		return strings.Join(words[:n-1], ", ") + " and " + words[n-1]
	}
	return strings.Join(words, "")
}

// FormatCount returns a number of things: "1 repeat", "3 repeats". The noun's plural ends with s.
func FormatCount(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// What can be asked of a measurement at most. Whoever refuses a larger figure, or advises one, has the
// same limits.
const (
	// LeastRepeat is the shortest repeat, in seconds: that of one sample.
	LeastRepeat = 1
	// LongestTime is a year, in seconds.
	LongestTime = 365 * 24 * 3600
	// MostRepeats is the number of repeats of a workload.
	MostRepeats = 10000
)

// ErrNotPlain is what is said of a number that is written in another way than with its digits alone: 010 is eight to one program
// and ten to another.
var ErrNotPlain = errors.New("write its digits alone, without a plus sign, leading zeros or separators")

// ParseWhole reads a whole number as people write one: "12". One with a plus sign, leading zeros or grouped digits,
// which programs read in different ways, is ErrNotPlain.
func ParseWhole(s string) (int64, error) {
	if !plain.MatchString(s) && whole.MatchString(s) {
		return 0, ErrNotPlain
	}
	return strconv.ParseInt(s, 10, 64)
}

// CheckLead returns ErrNotPlain for a number, with or without a unit, that begins with a plus sign or a zero before another digit.
func CheckLead(s string) error {
	if lead.MatchString(s) {
		return ErrNotPlain
	}
	return nil
}

// Plainly continues a refusal with what ErrNotPlain says; "" after any other error.
func Plainly(err error) string {
	if errors.Is(err, ErrNotPlain) {
		return ": " + ErrNotPlain.Error()
	}
	return ""
}

// lead matches the beginnings that CheckLead refuses.
var lead = regexp.MustCompile(`^(\+[0-9.]|[+-]?0[0-9])`)

// whole matches what is meant by a whole number, and plain one that is written with its digits alone.
var (
	whole = regexp.MustCompile(`^[-+]?[0-9]+([_,' ]+[0-9]+)*$`)
	plain = regexp.MustCompile(`^-?(0|[1-9][0-9]*)$`)
)

// ParseDecimal reads a number as people write one: "12", "0.5", "1e3". The notations of programs, such
// as 0x1p-3, and infinities are an error; leading zeros and a plus sign are ErrNotPlain.
func ParseDecimal(s string) (float64, error) {
	if err := CheckLead(s); err != nil {
		return 0, err
	}
	if strings.Trim(s, "0123456789.eE+-") != "" {
		return 0, fmt.Errorf("%q is not a decimal number", s)
	}
	return strconv.ParseFloat(s, 64)
}
