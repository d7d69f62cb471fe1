package words

import (
	"fmt"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/units"
)

// Cost is what a transaction cost, or a share of the time that it took.
type Cost struct {
	// Name is its word in tables for programs, Title the head of a column.
	Name, Title string
	// Unit is "1/transaction", "B/transaction", "s", or "1" for a share.
	Unit  string
	Value *float64
}

// Costs are those of an application's result, in the order of a table. What is not known has no
// value; a nil result has no costs.
func Costs(a *model.AppResult) []Cost {
	if a == nil {
		return nil
	}
	const each, bytes, share = "1/transaction", "B/transaction", "1"
	return []Cost{
		{"wal_flushes", "WAL flushes", each, a.Flushes},
		{"wal_flush_time", "time of a flush", "s", a.FlushTime},
		{"wal_flushing", "time in flushes", share, a.Flushing},
		{"wal_bytes", "WAL", bytes, a.LogBytes},
		{"full_page_images", "full-page images", each, a.PageImages},
		{"page_reads", "page reads", each, a.Reads},
		{"cache_hits", "cache hits", share, a.HitRate},
		{"read_share", "time in reads", share, a.Reading},
		{"device_reads", "device reads", each, a.DeviceReads},
		{"device_writes", "device writes", each, a.DeviceWrites},
		{"device_flushes", "device flushes", each, a.DeviceFlushes},
		{"device_written", "device written", bytes, a.DeviceWritten},
	}
}

// String is the value for people, a dash where it is not known.
func (c Cost) String() string {
	if c.Value == nil {
		return "–"
	}
	switch v := *c.Value; {
	case c.Unit == "s":
		return units.FormatDuration(v)
	case c.Unit == "B/transaction":
		return units.FormatSize(int64(v))
	case c.Unit == "1":
		return fmt.Sprintf("%.0f %%", 100*v)
	case v > 0 && v < 0.005:
		return "<0.01"
	default:
		return units.TrimZeros(fmt.Sprintf("%.2f", v))
	}
}

// Server says what the application of a run was and how large its data; "" where there was none.
func Server(run *model.RunInfo) string {
	if run.Prepare == nil || run.Prepare.App == nil {
		return ""
	}
	s := run.Prepare.App
	return fmt.Sprintf("%s %s, scale %d: %s of data, a cache of its own of %s; %s",
		s.Name, s.Version, s.Scale, units.FormatSize(s.Data), units.FormatSize(s.Cache), Begun(s))
}

// Begun says how each repeat on a database began.
func Begun(s *model.AppState) string {
	if s.Server != nil && !s.Server.Checkpoint {
		return "no checkpoint before each repeat"
	}
	return "each repeat after a checkpoint"
}
