package model

import "github.com/loadline/loadline/internal/model/amplification"

// Beside is what was measured in addition to the load, as evidence for the rules of trust. What was not
// measured is empty.
type Beside struct {
	// Idle holds the counters of the machine and the device while the run itself was idle, just before
	// measuring.
	Idle *Counters `json:"idle,omitempty"`
	// Ceilings are the rates of the load generator without storage.
	Ceilings []Ceiling `json:"ceilings,omitempty"`
	// Cache is the working-set sweep, in the order of measurement.
	Cache []CachePoint `json:"cache,omitempty"`
	// Clocks are the workers' clock offsets, measured before and after the load, if there are several
	// workers.
	Clocks []Clock `json:"clocks,omitempty"`
	// Copies are the numbers of replicas of each volume in use, as its storage system reported them:
	// the first reading, and each that differed from the one before.
	Copies []Copies `json:"copies,omitempty"`
	// Behind are the disks behind the volumes whose I/Os were counted, if that was asked for.
	Behind *amplification.Behind `json:"behind,omitempty"`
	// ReadsAfter are the reads after the last writes of a run that measures no reads, until they were at
	// their full rate; nil if it does.
	ReadsAfter *Settling `json:"reads_after,omitempty"`
	// ReadRates are the rates of those reads in the end, in 1/s, in blocks of the same size as those of each
	// workload that writes, with at least 16 I/Os in flight.
	ReadRates map[string]float64 `json:"read_rates,omitempty"`
}

// Copies is the number of replicas of a worker's volume in use from a given time on.
type Copies struct {
	Worker int `json:"worker"`
	// At is when it was seen, and Since when the previous number was last seen, in seconds since the
	// run began.
	At    float64 `json:"at"`
	Since float64 `json:"since"`
	// Count is the number in use, out of Of that there should be.
	Count int `json:"count"`
	Of    int `json:"of"`
}

// Clock is how far a worker's clock is ahead of the engine's, in seconds, accurate to ±Error: half the
// round-trip time of the clock request.
type Clock struct {
	Worker int     `json:"worker"`
	Host   string  `json:"host,omitempty"`
	Offset float64 `json:"offset"`
	Error  float64 `json:"error"`
}

// Add appends the contents of another Beside.
func (b *Beside) Add(o Beside) {
	if o.Idle != nil {
		b.Idle = o.Idle
	}
	b.Ceilings = append(b.Ceilings, o.Ceilings...)
	b.Cache = append(b.Cache, o.Cache...)
	b.Clocks = append(b.Clocks, o.Clocks...)
	b.Copies = append(b.Copies, o.Copies...)
	if o.Behind != nil {
		b.Behind = o.Behind
	}
	if o.ReadsAfter != nil {
		b.ReadsAfter, b.ReadRates = o.ReadsAfter, o.ReadRates
	}
}

// Ceiling is the rate of a workload's load generator without storage (fio's null engine): the same
// pattern, depth and jobs, with I/Os that complete immediately.
type Ceiling struct {
	Workload string `json:"workload"`
	// IOPS is in 1/s, both directions together.
	IOPS    float64 `json:"iops"`
	Seconds float64 `json:"seconds"`
}

// CachePoint is a measurement of random reads within a part of the volume that had been read once.
type CachePoint struct {
	// Size is the size of the part in bytes, Warmed how much of it was read before.
	Size   int64 `json:"size"`
	Warmed int64 `json:"warmed"`
	// Rates are the reads per second, one value per second.
	Rates []float64 `json:"rates"`
	// Error is a sentence, set if the part could not be measured.
	Error string `json:"error,omitempty"`
}

// IdleRequest asks a worker to record counters for a while without load.
type IdleRequest struct {
	Seconds float64 `json:"seconds"`
}

// CeilingRequest asks for the rate of the load generator without storage.
type CeilingRequest struct {
	Workload Workload `json:"workload"`
	Volume   Volume   `json:"volume"`
	Seconds  float64  `json:"seconds"`
}
