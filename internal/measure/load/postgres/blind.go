package postgres

import (
	"strings"

	"github.com/loadline/loadline/internal/model"
)

// blind is what a server does not count, by its settings: such counts stay 0, which is not what
// they are.
type blind struct {
	// flushes are not counted where each write of the log is its own (wal_sync_method=open_…), their
	// times and those of reads where they are not taken, tables where track_counts is off.
	flushes, flushTimes, readTimes, tables bool
}

func blindOf(state *model.AppState) blind {
	off := func(name string) bool { v, known := state.Setting(name); return known && v == "off" }
	method, _ := state.Setting("wal_sync_method")
	b := blind{flushes: strings.HasPrefix(method, "open_"), flushTimes: off("track_wal_io_timing"), readTimes: off("track_io_timing"), tables: off("track_counts")}
	return b
}

// forget removes the counts that are none.
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

// resets name the counts that tell when the others last began anew.
const resets = "reset_"

// begunAnew reports whether somebody has reset the statistics between two readings.
func begunAnew(before, after map[string]float64) bool {
	for name, at := range after {
		if strings.HasPrefix(name, resets) && before[name] != at {
			return true
		}
	}
	return false
}

// none removes all counts of the server's.
func none(c *model.AppCounts) {
	c.Flushes, c.FlushSeconds, c.LogBytes, c.PageImages, c.Hits, c.Reads, c.ReadSeconds = nil, nil, nil, nil, nil, nil, nil
	c.Checkpoints, c.Vacuums, c.Others = nil, nil, nil
}
