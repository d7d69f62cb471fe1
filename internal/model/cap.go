package model

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/loadline/loadline/internal/model/units"
)

// Cap is the limit of the storage as stated by the user, 0 for none. IOPS is in 1/s, Bandwidth in
// bytes/s, each for reads and writes together.
type Cap struct {
	IOPS      float64 `json:"iops,omitempty"`
	Bandwidth float64 `json:"bandwidth,omitempty"`
}

// ParseCap parses "iops=3000,bandwidth=125MiB/s"; either part may be omitted.
func ParseCap(s string) (Cap, error) {
	var c Cap
	seen := map[string]bool{}
	for part := range strings.SplitSeq(s, ",") {
		name, value, _ := strings.Cut(strings.TrimSpace(part), "=")
		value = strings.TrimSuffix(strings.TrimSpace(value), "/s")
		name = strings.TrimSpace(name)
		if seen[name] {
			return Cap{}, fmt.Errorf("%s is given twice", name)
		}
		seen[name] = true
		switch name {
		case "iops":
			// In a rate, k is 1000, not 1024.
			digits, thousands := strings.CutSuffix(strings.ToLower(value), "k")
			n, err := units.ParseDecimal(digits)
			if thousands {
				n *= 1000
			}
			if err != nil || !(n > 0 && n < 1e12) {
				return Cap{}, fmt.Errorf("iops=%s is not a rate: write it like iops=3000%s", value, units.Plainly(err))
			}
			c.IOPS = n
		case "bandwidth":
			n, err := units.ParseSize(value)
			if err != nil || n <= 0 {
				return Cap{}, fmt.Errorf("bandwidth=%s is not a bandwidth: write it like bandwidth=125MiB/s", value)
			}
			c.Bandwidth = float64(n)
		default:
			return Cap{}, fmt.Errorf("%q is not a limit: write iops=3000, bandwidth=125MiB/s or both with a comma", part)
		}
	}
	return c, nil
}

// String formats the cap as ParseCap parses it; "" without a limit.
func (c Cap) String() string {
	var parts []string
	if c.IOPS > 0 {
		parts = append(parts, "iops="+strconv.FormatFloat(c.IOPS, 'f', -1, 64))
	}
	if c.Bandwidth > 0 {
		parts = append(parts, "bandwidth="+strconv.FormatFloat(c.Bandwidth, 'f', -1, 64))
	}
	return strings.Join(parts, ",")
}
