package spec

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/loadline/loadline/internal/model"
)

// pair is a field with its value: a string, a number, true, a list of strings,
// fields, a list of fields or the text of a file. A nil value is left out.
type pair struct {
	key   string
	value any
}

// encode writes fields in the given order. It generates the YAML itself because every string must
// round-trip, for which two encoders were tested with this package's reader: goccy/go-yaml 1.19 loses a
// carriage return and other control characters, and go.yaml.in/yaml 3.0 writes blocks and line
// separators that the reader interprets differently. Text that is not UTF-8 cannot be written in YAML
// and is refused.
func encode(pairs ...pair) ([]byte, error) {
	var b strings.Builder
	for _, p := range pairs {
		if p.value == nil {
			continue
		}
		switch v := p.value.(type) {
		case []string:
			b.WriteString(p.key + ":\n")
			for _, s := range v {
				b.WriteString("  - " + quote(s) + "\n")
			}
		case [][]pair:
			b.WriteString(p.key + ":\n")
			for _, item := range v {
				text, err := encode(item...)
				if err != nil {
					return nil, err
				}
				b.WriteString("  - " + strings.ReplaceAll(strings.TrimSuffix(string(text), "\n"), "\n", "\n    ") + "\n")
			}
		case []pair:
			text, err := encode(v...)
			if err != nil {
				return nil, err
			}
			b.WriteString(p.key + ":\n  " + strings.ReplaceAll(strings.TrimSuffix(string(text), "\n"), "\n", "\n  ") + "\n")
		case string:
			b.WriteString(p.key + ": " + quote(v) + "\n")
		case fileText:
			b.WriteString(p.key + ": " + v.block() + "\n")
		case float64:
			b.WriteString(p.key + ": " + strconv.FormatFloat(v, 'g', -1, 64) + "\n")
		default:
			fmt.Fprintf(&b, "%s: %v\n", p.key, v)
		}
		if !utf8.ValidString(b.String()) {
			return nil, model.RefusedError(fmt.Sprintf("the %s is not UTF-8 text, so it cannot be saved as YAML", strings.ReplaceAll(p.key, "_", " ")), "write it in UTF-8, or rename what it names")
		}
	}
	return []byte(b.String()), nil
}

// plain matches text that YAML reads as itself without quotes.
var plain = regexp.MustCompile(`^[A-Za-z0-9/][A-Za-z0-9/._+=@%()*-]*( [A-Za-z0-9/._+=@%()*-]+)*$`)

// quote writes text so that it is read as this text, and not as a number, a boolean or null. Numbers
// with a unit ("5%", "20GiB", "30s") need no quotes.
func quote(s string) string {
	digits := strings.ReplaceAll(s, "_", "")
	_, errNumber := strconv.ParseFloat(digits, 64)
	_, errInteger := strconv.ParseInt(digits, 0, 64)
	reserved := slices.Contains([]string{"true", "false", "null", "yes", "no", "on", "off", "y", "n"}, strings.ToLower(s))
	if plain.MatchString(s) && errNumber != nil && errInteger != nil && !reserved {
		return s
	}
	if !utf8.ValidString(s) {
		return s // encode rejects it
	}
	return strconv.Quote(s) // YAML supports Go's escapes
}

func optional(s string) any {
	if s == "" {
		return nil
	}
	return s
}

func list(items []string) any {
	if len(items) == 0 {
		return nil
	}
	return items
}

func formatTruth(b bool) any {
	if !b {
		return nil
	}
	return true
}

func formatSeed(n uint64) any {
	if n == 0 {
		return nil
	}
	return n
}

// formatWhole omits 0.
func formatWhole(n int) any {
	if n == 0 {
		return nil
	}
	return n
}

// formatSize writes bytes exactly, with the largest unit that divides them.
func formatSize(n int64) any {
	if n == 0 {
		return nil
	}
	for _, unit := range []struct {
		name  string
		bytes int64
	}{{"GiB", 1 << 30}, {"MiB", 1 << 20}, {"k", 1 << 10}} {
		if n%unit.bytes == 0 {
			return fmt.Sprintf("%d%s", n/unit.bytes, unit.name)
		}
	}
	return n
}

// formatSeconds writes whole minutes as "5m" and everything else in seconds, with all digits of the
// number.
func formatSeconds(v float64) any {
	switch {
	case v == 0:
		return nil
	case v == float64(int64(v)) && int64(v)%60 == 0 && v < 1e6:
		return fmt.Sprintf("%dm", int64(v)/60)
	}
	return strconv.FormatFloat(v, 'g', -1, 64) + "s"
}

// formatShare writes a fraction as a percentage if that is exact.
func formatShare(v float64) any {
	if v == 0 {
		return nil
	}
	percent := strconv.FormatFloat(v*100, 'g', -1, 64)
	if p, err := strconv.ParseFloat(percent, 64); err == nil && p/100 == v {
		return percent + "%"
	}
	return v
}

// MarshalProfile writes a profile as a file that ParseProfile reads back: a starting point for a
// profile of the user's own. Workloads with fio job text cannot be written.
func MarshalProfile(p Profile) ([]byte, error) {
	var items [][]pair
	for _, w := range p.Workloads {
		if w.Job != "" {
			return nil, model.RefusedError(fmt.Sprintf("workload %s is a job of fio's own and cannot be written as YAML", w.Name), "keep the job file")
		}
		var rate any
		if w.RateIOPS > 0 {
			rate = w.RateIOPS
		}
		items = append(items, []pair{
			{"name", w.Name}, {"access", string(w.Access)}, {"direction", string(w.Direction)},
			{"read_percent", formatWhole(w.ReadPercent)}, {"block_size", formatSize(w.BlockSize)},
			{"depth", w.Depth}, {"jobs", formatWhole(w.Jobs)}, {"threads", formatTruth(w.Threads)},
			{"offset_increment", formatSize(w.OffsetIncrement)}, {"sync", optional(w.Sync)}, {"append", formatTruth(w.Append)},
			{"rate_iops", rate}, {"rate_bandwidth", formatSize(int64(w.RateBandwidth))}, {"metric", string(w.Metric)},
		})
	}
	return encode(
		pair{"name", optional(p.Name)}, pair{"title", optional(p.Title)}, pair{"repeat_time", formatSeconds(p.Repeat)},
		pair{"ramp", formatSeconds(p.Ramp)}, pair{"shorter_long_write", formatTruth(p.ShortWriteLook)}, pair{"max_time", formatSeconds(p.MaxTime)},
		pair{"precision", formatShare(p.Precision)}, pair{"engine", optional(p.Engine)},
		pair{"size", formatSize(p.Size)}, pair{"goals", list(p.Goals)}, pair{"workloads", items},
	)
}
