package spec

import (
	"fmt"
	"strconv"

	"github.com/goccy/go-yaml"

	"github.com/loadline/loadline/internal/model"
)

// pair is a field with its value; a nil value is left out.
type pair struct {
	key   string
	value any
}

// encode writes fields in the given order.
func encode(pairs ...pair) ([]byte, error) {
	return yaml.MarshalWithOptions(mapping(pairs...), yaml.IndentSequence(true))
}

func mapping(pairs ...pair) yaml.MapSlice {
	var m yaml.MapSlice
	for _, p := range pairs {
		if p.value != nil {
			m = append(m, yaml.MapItem{Key: p.key, Value: p.value})
		}
	}
	return m
}

func text(s string) any { return s }

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

// formatWhole leaves out 0.
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

// formatSeconds writes whole minutes as "5m" and all else in seconds, with as
// many digits as the number has.
func formatSeconds(v float64) any {
	switch {
	case v == 0:
		return nil
	case v == float64(int64(v)) && int64(v)%60 == 0 && v < 1e6:
		return fmt.Sprintf("%dm", int64(v)/60)
	}
	return strconv.FormatFloat(v, 'g', -1, 64) + "s"
}

// formatShare writes a part of one as per cent where that is exact.
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

// MarshalProfile writes a profile as a file that ParseProfile reads back: a start
// for a profile of one's own. Workloads that are fio job text cannot be written.
func MarshalProfile(p Profile) ([]byte, error) {
	var items []yaml.MapSlice
	for _, w := range p.Workloads {
		if w.Job != "" {
			return nil, model.RefusedError(fmt.Sprintf("workload %s is a job of fio's own and cannot be written as YAML", w.Name), "keep the job file")
		}
		var rate any
		if w.RateIOPS > 0 {
			rate = w.RateIOPS
		}
		items = append(items, mapping(
			pair{"name", w.Name}, pair{"access", string(w.Access)}, pair{"direction", string(w.Direction)},
			pair{"read_percent", formatWhole(w.ReadPercent)}, pair{"block_size", formatSize(w.BlockSize)},
			pair{"depth", w.Depth}, pair{"jobs", formatWhole(w.Jobs)}, pair{"threads", formatTruth(w.Threads)},
			pair{"offset_increment", formatSize(w.OffsetIncrement)}, pair{"sync", optional(w.Sync)},
			pair{"rate_iops", rate}, pair{"metric", string(w.Metric)},
		))
	}
	return encode(
		pair{"name", optional(p.Name)}, pair{"title", optional(p.Title)}, pair{"visit", formatSeconds(p.Visit)},
		pair{"ramp", formatSeconds(p.Ramp)}, pair{"max_time", formatSeconds(p.MaxTime)}, pair{"workloads", items},
	)
}
