package postgres

import (
	"strings"

	"github.com/loadline/loadline/internal/model"
)

// blind is what a server, because of its settings, does not count: such counters stay 0, which is
// not their true value.
type blind struct {
	// flushes are not counted if each log write is itself synchronous (wal_sync_method=open_…), the
	// times of flushes and reads if timing is off, tables if track_counts is off.
	flushes, flushTimes, readTimes, tables bool
}

func blindOf(state *model.AppState) blind {
	off := func(name string) bool { v, known := state.Setting(name); return known && v == "off" }
	method, _ := state.Setting("wal_sync_method")
	b := blind{flushes: strings.HasPrefix(method, "open_"), flushTimes: off("track_wal_io_timing"), readTimes: off("track_io_timing"), tables: off("track_counts")}
	return b
}

// forget removes counts that the server did not take.
func (b blind) forget(c *model.AppCounts) {
	if b.flushes {
		c.Flushes, c.FlushSeconds = nil, nil
	}
	if b.flushTimes {
		c.FlushSeconds = nil
	}
	if b.readTimes {
		c.ReadSeconds = nil
	}
	if b.tables {
		c.Hits, c.Reads, c.ReadSeconds, c.Vacuums, c.Others = nil, nil, nil, nil, nil
	}
}

// resets is the prefix of the values that say when the other counters were last reset.
const resets = "reset_"

// begunAnew reports whether the statistics were reset between two readings.
func begunAnew(before, after map[string]float64) bool {
	for name, at := range after {
		if strings.HasPrefix(name, resets) && before[name] != at {
			return true
		}
	}
	return false
}

// none removes all counts of the server.
func none(c *model.AppCounts) {
	c.Flushes, c.FlushSeconds, c.LogBytes, c.PageImages, c.Hits, c.Reads, c.ReadSeconds = nil, nil, nil, nil, nil, nil, nil
	c.Checkpoints, c.Vacuums, c.Others = nil, nil, nil
}
