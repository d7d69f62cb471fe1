package words

import (
	"fmt"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/units"
)

// Cost is the cost of a transaction, or a share of its time.
type Cost struct {
	// Name is the name in tables for programs, Title the column heading.
	Name, Title string
	// Unit is "1/transaction", "B/transaction", "s", or "1" for a share.
	Unit  string
	Value *float64
	// Rare is set if most applications have no such cost: a table in which none does has no column
	// for it.
	Rare bool
}

// Costs returns the costs in an application's result, in the order of a table. Unknown costs have
// no value; a nil result has no costs.
func Costs(a *model.AppResult) []Cost {
	if a == nil {
		return nil
	}
	const each, bytes, share = "1/transaction", "B/transaction", "1"
	return []Cost{
		{"wal_flushes", "WAL flushes", each, a.Flushes, false},
		{"wal_flush_time", "time of a flush", "s", a.FlushTime, false},
		{"wal_flushing", "time in flushes", share, a.Flushing, false},
		{"wal_bytes", "WAL", bytes, a.LogBytes, false},
		{"full_page_images", "full-page images", each, a.PageImages, false},
		{"page_reads", "page reads", each, a.Reads, false},
		{"cache_hits", "cache hits", share, a.HitRate, false},
		{"read_share", "time in reads", share, a.Reading, false},
		{"device_reads", "device reads", each, a.DeviceReads, false},
		{"device_writes", "device writes", each, a.DeviceWrites, false},
		{"device_flushes", "device flushes", each, a.DeviceFlushes, false},
		{"device_written", "device written", bytes, a.DeviceWritten, false},
		{"wal_device_reads", "log's device reads", each, a.LogDeviceReads, true},
		{"wal_device_writes", "log's device writes", each, a.LogDeviceWrites, true},
		{"wal_device_flushes", "log's device flushes", each, a.LogDeviceFlushes, true},
		{"wal_device_written", "log's device written", bytes, a.LogDeviceWritten, true},
	}
}

// String returns the value for people, a dash if it is unknown.
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

// Server describes the application of a run and the size of its data; "" if there was none.
func Server(run *model.RunInfo) string {
	if run.Prepare == nil || run.Prepare.App == nil {
		return ""
	}
	s := run.Prepare.App
	if s.Scale == 0 {
		return fmt.Sprintf("%s %s: %s of data to begin with", s.Name, s.Version, units.FormatSize(s.Data)) + reach(run)
	}
	return fmt.Sprintf("%s %s, scale %d: %s of data, a cache of its own of %s; %s",
		s.Name, s.Version, s.Scale, units.FormatSize(s.Data), units.FormatSize(s.Cache), begun(s)) + Prefixed("; its log in ", Log(&run.Volume, run.Environment)) + reach(run)
}

// reach says where an application's client ran, if not on the server's machine, and how long a
// round trip to the server takes without any work.
func reach(run *model.RunInfo) (words string) {
	if c := run.Environment.Cluster; c != nil && c.Client != nil {
		words = "; the client in a pod of its own on " + c.Client.Node
		if c.Client.Node == c.Node {
			words = "; the client in a pod of its own on the same node"
		}
	}
	if s := run.Prepare.App; s.RoundTrip > 0 && s.Connection > 0 {
		words += fmt.Sprintf("; round trip %s, connection %s", units.FormatDuration(s.RoundTrip), units.FormatDuration(s.Connection))
	}
	return words
}

// begun says how each repeat on a database began.
func begun(s *model.AppState) string {
	if s.Server != nil && !s.Server.Checkpoint {
		return "no checkpoint before each repeat"
	}
	return "each repeat after a checkpoint"
}

// Log says where an application's log is, "" if it is with its data.
func Log(v *model.Volume, env model.Environment) string {
	if v.Log == nil {
		return ""
	}
	words := v.Log.Target.Place()
	if s := env.LogStorage; s != nil {
		words += Prefixed(", ", Storage(*s))
		if s.Device != "" && s.Device == env.Storage.Device {
			words += " as the data: their I/Os are not told apart"
		}
	}
	return words
}
