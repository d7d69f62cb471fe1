package imported

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// number parses "89,777", "12.5", "55.6k", "1.2M": a plain number with commas as thousands separators,
// and k, M or G for powers of 1000, as fio and dbench write counts.
func number(s string) (float64, error) {
	digits, unit := cut(s)
	v, err := plain(digits)
	if err != nil {
		return 0, fmt.Errorf("%q is not a number", s)
	}
	switch unit {
	case "":
		return v, nil
	case "k", "K":
		return v * 1e3, nil
	case "m", "M":
		return v * 1e6, nil
	case "g", "G":
		return v * 1e9, nil
	}
	return 0, fmt.Errorf("%q is not a number: the unit %q is unknown", s, unit)
}

// bytesUnits are the units of sizes in bytes. "KiB" is 1024 and "kB" 1000, as in fio 3; a capital "KB"
// is 1024, which is what tools that write it mean (fio 2, iostat). "MB" is 1000² in fio 3.
var bytesUnits = map[string]float64{
	"b": 1, "byte": 1, "bytes": 1,
	"kib": 1 << 10, "mib": 1 << 20, "gib": 1 << 30, "tib": 1 << 40, "pib": 1 << 50,
	"kb": 1e3, "mb": 1e6, "gb": 1e9, "tb": 1e12, "pb": 1e15,
}

// amount parses a number of bytes with its unit: "10.6GiB", "478,912 KiB", "258MB".
func amount(s string) (float64, error) {
	digits, unit := cut(s)
	v, err := plain(digits)
	if err != nil {
		return 0, fmt.Errorf("%q is not an amount of data", s)
	}
	if unit == "KB" {
		return v * 1024, nil
	}
	scale, ok := bytesUnits[strings.ToLower(unit)]
	if !ok {
		return 0, fmt.Errorf("%q is not an amount of data: the unit %q is unknown", s, unit)
	}
	return v * scale, nil
}

// bandwidth parses bytes per second: "882MiB/s", "512,205 KiB/sec", "258MB/s".
func bandwidth(s string) (float64, error) {
	rest, ok := strings.CutSuffix(strings.TrimSpace(s), "/s")
	if !ok {
		rest, ok = strings.CutSuffix(strings.TrimSpace(s), "/sec")
	}
	if !ok {
		return 0, fmt.Errorf("%q is not a bandwidth: it lacks /s", s)
	}
	return amount(rest)
}

// timeUnits are the units of times, in seconds.
var timeUnits = map[string]float64{
	"ns": 1e-9, "nsec": 1e-9, "nsecs": 1e-9,
	"us": 1e-6, "usec": 1e-6, "usecs": 1e-6, "µs": 1e-6, "μs": 1e-6,
	"ms": 1e-3, "msec": 1e-3, "msecs": 1e-3,
	"s": 1, "sec": 1, "secs": 1, "second": 1, "seconds": 1,
}

// timeUnit returns the length in seconds of a unit of time: "usec", "ms", "µs".
func timeUnit(unit string) (float64, error) {
	v, ok := timeUnits[strings.ToLower(strings.TrimSpace(unit))]
	if !ok {
		return 0, fmt.Errorf("%q is not a unit of time", unit)
	}
	return v, nil
}

// span parses a time with its unit: "114,095 ns", "44238msec", "2.873 ms".
func span(s string) (float64, error) {
	digits, unit := cut(s)
	v, err := plain(digits)
	if err != nil {
		return 0, fmt.Errorf("%q is not a time", s)
	}
	scale, err := timeUnit(unit)
	if err != nil {
		return 0, fmt.Errorf("%q is not a time: %w", s, err)
	}
	return v * scale, nil
}

// cut splits a number from its unit.
func cut(s string) (digits, unit string) {
	s = strings.TrimSpace(s)
	i := 0
	for i < len(s) && (s[i] >= '0' && s[i] <= '9' || strings.IndexByte(".,-+", s[i]) >= 0) {
		i++
	}
	// An exponent is part of the number if digits follow it.
	if i > 0 && i < len(s) && (s[i] == 'e' || s[i] == 'E') {
		j := i + 1
		if j < len(s) && (s[j] == '+' || s[j] == '-') {
			j++
		}
		k := j
		for k < len(s) && s[k] >= '0' && s[k] <= '9' {
			k++
		}
		if k > j {
			i = k
		}
	}
	return s[:i], strings.TrimSpace(s[i:])
}

// plain parses a finite non-negative number with commas as thousands separators.
func plain(s string) (float64, error) {
	whole, _, _ := strings.Cut(s, ".")
	if strings.Contains(s, ",") {
		groups := strings.Split(whole, ",")
		for i, g := range groups {
			if len(g) == 0 || i > 0 && len(g) != 3 || i == 0 && len(g) > 3 {
				return 0, fmt.Errorf("%q is not a number", s)
			}
		}
		s = strings.ReplaceAll(whole, ",", "") + s[len(whole):]
	}
	v, err := strconv.ParseFloat(s, 64)
	if err != nil || math.IsInf(v, 0) || math.IsNaN(v) || v < 0 {
		return 0, fmt.Errorf("%q is not a number", s)
	}
	return v, nil
}
