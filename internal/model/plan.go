package model

// Mode is how the measuring time is spent.
type Mode string

// The modes: rounds of short repeats, one repeat of fixed length (as Kbench
// does), or one long repeat until the sequential rule holds.
const (
	Rounds Mode = "rounds"
	Fixed  Mode = "fixed"
	Steady Mode = "steady"
)

// Schedule says how the workloads are measured. Times are seconds.
type Schedule struct {
	Mode   Mode    `json:"mode"`
	Ramp   float64 `json:"ramp"`
	Repeat float64 `json:"repeat_time"`
	// MinRounds is the number of repeats that every workload gets.
	MinRounds int `json:"min_repeats"`
	// MaxTime limits the whole measurement, including ramps and starts.
	MaxTime   float64 `json:"max_time"`
	Precision float64 `json:"precision"`
	Seed      uint64  `json:"seed"`
	// Overhead is the time that a repeat takes in addition to its ramp and measured part, for
	// estimates.
	Overhead float64 `json:"overhead"`
	// Look is the length in seconds of a long uninterrupted repeat that replaces a workload's last
	// certain repeat, and Looks the number of them that time is planned for: one for each direction. 0
	// if there are none.
	Look  float64 `json:"long_repeat,omitempty"`
	Looks int     `json:"long_repeats,omitempty"`
	// ShortWriteLook says that ShortLook is enough for the look at writes if the prefill has shown writes
	// without a pause for as long as a look.
	ShortWriteLook bool `json:"shorter_long_write,omitempty"`
}

// ShortLook returns the length, in seconds, of a look for which a full one is not needed.
func (s Schedule) ShortLook() float64 { return min(max(10, s.Repeat), s.Look) }

// ShortenedBy returns the seconds that are saved by a short look at writes, if the prefill is expected to take as long as
// a look; 0 if there is none.
func (p *Plan) ShortenedBy() float64 {
	s := p.Schedule
	if !s.ShortWriteLook || !p.Volume.Prefill || p.PrefillSeconds < s.Look {
		return 0
	}
	for _, w := range p.Workloads {
		if w.Writes() && !w.Reads() && !w.OpenLoop {
			return s.Look - s.ShortLook()
		}
	}
	return 0
}

// Step is one repeat: one workload run once.
type Step struct {
	// Number counts from 1 in the order of execution.
	Number   int     `json:"number"`
	Round    int     `json:"round"`
	Workload string  `json:"workload"`
	Ramp     float64 `json:"ramp"`
	Seconds  float64 `json:"seconds"`
	// Offset is where a sequential workload begins, as a fraction of the size (0 to 0.5), so that
	// repeats do not all read the same blocks first.
	Offset float64 `json:"offset,omitempty"`
	// Block is the number, from 1, of this workload's block in a comparison, and Place says whether
	// this side came first (1) or second (2) in it. Repeats of both sides with the same block number
	// form a pair. 0 outside of comparisons.
	Block int `json:"block,omitempty"`
	Place int `json:"place,omitempty"`
	// Offered is the rate (1/s) at which I/Os are due in this repeat; 0 in a closed loop.
	Offered float64 `json:"offered,omitempty"`
	// Look marks a repeat that runs longer than the others, to see which rate is sustained. As a
	// repeat, only its first Schedule.Repeat seconds count.
	Look bool `json:"long,omitempty"`
}

// Plan is the expansion of an experiment. Steps holds the rounds that are certain; the engine appends
// more by the same rule until the precision is reached.
type Plan struct {
	Schema     string     `json:"schema"`
	Experiment Experiment `json:"experiment"`
	Volume     Volume     `json:"volume"`
	// Volumes are the volumes of a plan that loads several at once, in the order of their workers;
	// Volume is then the first of them. Empty if there is only one.
	Volumes   []Volume   `json:"volumes,omitempty"`
	Workloads []Workload `json:"workloads"`
	Schedule  Schedule   `json:"schedule"`
	Steps     []Step     `json:"steps"`
	// PrefillSeconds and MeasureSeconds are estimates; MeasureSeconds is for the
	// certain rounds.
	PrefillSeconds float64 `json:"prefill_seconds"`
	MeasureSeconds float64 `json:"measure_seconds"`
	// Lead is how long, in seconds, all volumes together need to start their tools before beginning
	// simultaneously; 0 for one volume.
	Lead float64 `json:"lead,omitempty"`
	// Spread is the part of Lead, in seconds, over which these starts are spread.
	Spread float64 `json:"spread,omitempty"`
	// App is the expected state of the application, according to its program; nil if storage is loaded
	// directly.
	App *AppState `json:"app,omitempty"`
}

// PlanSchema is the schema name of plan.json.
const PlanSchema = "loadline.plan/v1"

// Workload returns the workload of that name, and whether there is one.
func (p *Plan) Workload(name string) (Workload, bool) {
	for _, w := range p.Workloads {
		if w.Name == name {
			return w, true
		}
	}
	return Workload{}, false
}

// Targets returns the targets of the plan's volumes, and of their logs.
func (p *Plan) Targets() []Target {
	list := p.Volume.targets()
	for _, v := range p.Volumes {
		list = append(list, v.targets()...)
	}
	return list
}

// VolumesOf returns the volumes on which a workload runs, in the order of the workers.
func (p *Plan) VolumesOf(w Workload) []Volume {
	if len(p.Volumes) == 0 {
		return []Volume{p.Volume}
	}
	return p.Volumes[:min(len(p.Volumes), w.VolumeCount())]
}

// NodeOf returns the machine of a worker's volume; "" if there is only one machine.
func (p *Plan) NodeOf(worker int) string {
	if worker < len(p.Volumes) {
		return p.Volumes[worker].Node
	}
	return ""
}

// VolumeOf returns the volume on which a worker does its I/O.
func (p *Plan) VolumeOf(worker int) Volume {
	if len(p.Volumes) == 0 {
		return p.Volume
	}
	return p.Volumes[worker]
}

// A prefill may take limitUsual times its limit, so that one that was expected to fit into it and is a little slower is still
// finished: if the rate was overestimated, a smaller volume that was written in the time promised is better than a longer wait. For
// the least size that the workloads allow, without which nothing can be measured, it may take limitLeast times as long.
const limitUsual, limitLeast = 1.1, 3.0

// PrefillLimit returns after how many seconds the prefill is ended; 0 if there is no limit. Each of several
// volumes gets the time limit for all of them, because they may share one disk.
func (p *Plan) PrefillLimit() float64 {
	factor := limitUsual
	if p.Volume.Size <= LeastSize(p.Workloads) {
		factor = limitLeast
	}
	return factor * p.Experiment.MaxPrefill * float64(max(1, len(p.Volumes)))
}

// MostPrefill returns how many seconds the prefill may take: its limit, if that is longer than expected. 0 is
// unknown. What is expected comes from a probe of 2 s, which burst credits or a cache may have answered.
func (p *Plan) MostPrefill() float64 {
	switch limit := p.PrefillLimit(); {
	case !p.Volume.Prefill && p.App == nil:
		return 0
	case p.App != nil || limit == 0:
		return p.PrefillSeconds
	default:
		return max(limit, p.PrefillSeconds)
	}
}

// PrepareRequest returns the request that makes a worker's volume ready.
func (p *Plan) PrepareRequest(worker int) PrepareRequest {
	r := PrepareRequest{
		Volume: p.VolumeOf(worker), Destroy: p.Experiment.DestroyDataOn,
		MaxSeconds: p.PrefillLimit(), Least: LeastSize(p.Workloads), App: p.Experiment.App,
	}
	if len(p.Volumes) > 0 {
		r.Destroy = r.Volume.DestroyDataOn
	}
	return r
}
