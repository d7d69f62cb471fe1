package model

import (
	"fmt"

	"github.com/loadline/loadline/internal/model/units"
)

// Access is the order in which a workload accesses its volume.
type Access string

// The two orders.
const (
	Random     Access = "rand"
	Sequential Access = "seq"
)

// Direction is the direction of the data transfer. A mixed workload yields one result for reads and one
// for writes.
type Direction string

// The directions of a workload or of a flow. Sync is the flush that a workload
// such as a database log waits for; it is never a workload's own direction.
const (
	Read  Direction = "read"
	Write Direction = "write"
	Mixed Direction = "mixed"
	Sync  Direction = "sync"
)

// Workload is a named I/O pattern. All sizes are bytes, all times seconds.
type Workload struct {
	Name      string    `json:"name"`
	Access    Access    `json:"access"`
	Direction Direction `json:"direction"`
	// ReadPercent is the percentage of reads of a Mixed workload, 1 to 99.
	ReadPercent int   `json:"read_percent,omitempty"`
	BlockSize   int64 `json:"block_size"`
	// Depth is the number of I/Os that each job keeps in flight.
	Depth int `json:"depth"`
	// Jobs is the number of concurrent submitters inside the one fio process.
	Jobs int `json:"jobs,omitempty"`
	// Threads runs the jobs as threads instead of processes (dbench does).
	Threads bool `json:"threads,omitempty"`
	// OffsetIncrement starts job i at i×OffsetIncrement (dbench does).
	OffsetIncrement int64 `json:"offset_increment,omitempty"`
	// Sync is the flush after each write: "", "fsync" or "fdatasync".
	Sync string `json:"sync,omitempty"`
	// Append writes as applications write their logs: through the page cache, from the beginning of
	// space that was reserved but never written, newly allocated for each repeat. It requires a file of
	// Loadline's own, and a flush after each write.
	Append bool `json:"append,omitempty"`
	// RateIOPS limits each direction, in 1/s over all jobs; 0 is no limit.
	RateIOPS float64 `json:"rate_iops,omitempty"`
	// RateBandwidth limits each direction, in bytes/s over all jobs; 0 is no limit.
	RateBandwidth float64 `json:"rate_bandwidth,omitempty"`
	// OpenLoop makes I/Os due at random times (a Poisson process of RateIOPS, both directions together)
	// whether or not earlier ones have completed; latencies count from when an I/O was due. Depth then
	// limits the I/Os in flight: I/Os beyond it wait.
	OpenLoop bool `json:"open_loop,omitempty"`
	// OfCapacity is the offered rate as a fraction of the rate of CapacityWorkload, which is not known
	// at planning time: RateIOPS is 0 until it was measured.
	OfCapacity float64 `json:"of_capacity,omitempty"`
	// Volumes is the number of volumes that run this workload at once, each with its full depth, jobs
	// and rate; 0 means one.
	Volumes int `json:"volumes,omitempty"`
	// Metric is the headline metric, to which the precision applies.
	Metric Metric `json:"metric"`
	// Job is the user's own fio job section text (options only, one per line).
	// When set, the other I/O fields only describe it and the driver runs it as is.
	Job string `json:"job,omitempty"`
	// Words describe a workload that is not an fio pattern (a database's, a broker's), or about which
	// nothing else is known. The I/O fields may then be empty.
	Words string `json:"words,omitempty"`
	// App is the load on an application; zero if storage is loaded directly.
	App AppLoad `json:"app,omitzero"`
}

// Writes reports whether the workload writes to its volume.
func (w Workload) Writes() bool { return w.Direction != Read }

// Reads reports whether the workload reads from its volume.
func (w Workload) Reads() bool { return w.Direction != Write }

// JobCount returns Jobs, at least 1.
func (w Workload) JobCount() int { return max(1, w.Jobs) }

// mostRandomMap is the maximum memory, in bytes, for the maps of already accessed blocks that the jobs
// of a random workload keep: what a small pod has available besides the load tool itself.
const mostRandomMap = 64 << 20

// RandomMap returns the memory, in bytes, that those maps need on a volume of that size: a bit for each
// block and job, plus 1/63 (fio's maps of maps: 1/64, 1/64² and so on); 0 if there are none.
func (w Workload) RandomMap(size int64) int64 {
	if w.Access != Random || w.Job != "" || w.OpenLoop || w.BlockSize <= 0 {
		return 0
	}
	each := size / w.BlockSize / 8
	return int64(w.JobCount()) * (each + each/63)
}

// DrawsAnew reports whether, on a volume of that size, blocks are drawn regardless of earlier accesses,
// because the maps would take too much memory.
func (w Workload) DrawsAnew(size int64) bool { return w.RandomMap(size) > mostRandomMap }

// slowRate is a rate per job, in I/Os per second, at which a few reads of the slower of two clocks for
// each I/O (25 ns) take less than a thousandth of the time between I/Os.
const slowRate = 1000

// Slow reports whether the requested rate leaves each job much time between I/Os.
func (w Workload) Slow() bool {
	return w.RateIOPS > 0 && w.RateIOPS <= slowRate*float64(w.JobCount())
}

// VolumeCount returns Volumes, at least 1.
func (w Workload) VolumeCount() int { return max(1, w.Volumes) }

// Limit returns the rate that RateIOPS and RateBandwidth allow in a direction, in 1/s; 0 means no limit. Of a mix it is
// that of the more frequent direction (see Proportion).
func (w Workload) Limit() float64 {
	limit := w.RateIOPS
	if w.RateBandwidth > 0 && w.BlockSize > 0 {
		if n := w.RateBandwidth / float64(w.BlockSize); limit == 0 || n < limit {
			limit = n
		}
	}
	return limit
}

// Proportion returns how frequent a direction is in a mix, relative to the more frequent one (0..1); 1 for what is no mix.
func (w Workload) Proportion(d Direction) float64 {
	reads := float64(w.ReadPercent) / 100
	share := reads
	if d == Write {
		share = 1 - reads
	}
	if w.Direction != Mixed {
		return 1
	}
	return share / max(reads, 1-reads)
}

// Directions returns the flows for which the workload yields results.
func (w Workload) Directions() []Direction {
	switch w.Direction {
	case Mixed:
		return []Direction{Read, Write}
	default:
		return []Direction{w.Direction}
	}
}

// Describe returns a short description: "rand read 4k qd64", with "×8" for jobs, "+fdatasync" for a
// flush after each write, "appended" for a log and "own" for the user's own fio job; or its Words.
func (w Workload) Describe() string {
	if w.Words != "" {
		return w.Words
	}
	dir := string(w.Direction)
	if w.Direction == Mixed {
		dir = fmt.Sprintf("r/w %d/%d", w.ReadPercent, 100-w.ReadPercent)
	}
	s := fmt.Sprintf("%s %s %s qd%d", w.Access, dir, units.FormatBlock(w.BlockSize), w.Depth)
	if w.OpenLoop {
		s = fmt.Sprintf("%s %s %s open loop", w.Access, dir, units.FormatBlock(w.BlockSize))
		if w.OfCapacity > 0 {
			s += " " + units.FormatRate(w.OfCapacity*100) + "%"
		}
	}
	if w.JobCount() > 1 {
		s += fmt.Sprintf("×%d", w.JobCount())
	}
	if w.Sync != "" {
		s += " +" + w.Sync
	}
	if w.Append {
		s += " appended"
	}
	if w.Job != "" {
		s += " own"
	}
	return s
}
