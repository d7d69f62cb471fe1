package model

// Beside is what was measured beside the load itself, as evidence for the rules
// of trust. What was not measured is empty.
type Beside struct {
	// Idle is what the machine and the device counted while the run itself was
	// idle, just before measuring.
	Idle *Counters `json:"idle,omitempty"`
	// Ceilings tell how fast the load generator is without storage.
	Ceilings []Ceiling `json:"ceilings,omitempty"`
	// Cache is the working-set sweep, in the order in which it was measured.
	Cache []CachePoint `json:"cache,omitempty"`
	// Clocks are those of the workers, measured before and after the load, where there
	// are several.
	Clocks []Clock `json:"clocks,omitempty"`
	// Copies are how many replicas of each volume took part, as their storage system said:
	// the first look, and each that differed from the one before.
	Copies []Copies `json:"copies,omitempty"`
}

// Copies is how many replicas of a worker's volume take part in its I/O from a moment
// on.
type Copies struct {
	Worker int `json:"worker"`
	// At is when it was seen, and Since when the former number was seen last, in seconds
	// since the run began.
	At    float64 `json:"at"`
	Since float64 `json:"since"`
	// Count is of Of that there are to be.
	Count int `json:"count"`
	Of    int `json:"of"`
}

// Clock is how far a worker's clock is ahead of the engine's, in seconds, known to
// ±Error: half the time that the question and the answer took.
type Clock struct {
	Worker int     `json:"worker"`
	Host   string  `json:"host,omitempty"`
	Offset float64 `json:"offset"`
	Error  float64 `json:"error"`
}

// Add appends what another one holds.
func (b *Beside) Add(o Beside) {
	if o.Idle != nil {
		b.Idle = o.Idle
	}
	b.Ceilings = append(b.Ceilings, o.Ceilings...)
	b.Cache = append(b.Cache, o.Cache...)
	b.Clocks = append(b.Clocks, o.Clocks...)
	b.Copies = append(b.Copies, o.Copies...)
}

// Ceiling is the rate of a workload's load generator on no storage at all (fio's
// null engine): the same pattern, depth and jobs, and I/Os that end at once.
type Ceiling struct {
	Workload string `json:"workload"`
	// IOPS is in 1/s, both directions together.
	IOPS    float64 `json:"iops"`
	Seconds float64 `json:"seconds"`
}

// CachePoint is random reading of a part of the volume, after it was read once.
type CachePoint struct {
	// Size is the part's size in bytes, Warmed how much of it was read before.
	Size   int64 `json:"size"`
	Warmed int64 `json:"warmed"`
	// Rates are the reads per second, second by second.
	Rates []float64 `json:"rates"`
	// Error is a sentence when the part could not be measured.
	Error string `json:"error,omitempty"`
}

// IdleRequest asks a worker to count for a while without load.
type IdleRequest struct {
	Seconds float64 `json:"seconds"`
}

// CeilingRequest asks how fast the load generator is without storage.
type CeilingRequest struct {
	Workload Workload `json:"workload"`
	Volume   Volume   `json:"volume"`
	Seconds  float64  `json:"seconds"`
}
