package model

import (
	"fmt"
	"os"
	"time"
)

// TargetKind tells what kind of thing the user named.
type TargetKind string

// The kinds of target that one machine can reach.
const (
	Directory   TargetKind = "directory"
	File        TargetKind = "file"
	BlockDevice TargetKind = "block"
	NBD         TargetKind = "nbd"
	RBD         TargetKind = "rbd"
	// Fake is storage with a known truth that exists only as numbers.
	Fake TargetKind = "fake"
)

// Target is what the user named, resolved.
type Target struct {
	// Name is the target as the user typed it.
	Name string     `json:"name"`
	Kind TargetKind `json:"kind"`
	// Path is the absolute path of a directory, file or device.
	Path string `json:"path,omitempty"`
	// URI is the NBD URI, "pool/image" of an rbd target, or the fake's parameters.
	URI string `json:"uri,omitempty"`
	// User is the name that Ceph knows the client by, without "client."; empty is Ceph's default.
	User string `json:"user,omitempty"`
	// Cluster is what was asked of a Kubernetes cluster; nil elsewhere.
	Cluster *ClusterVolume `json:"cluster,omitempty"`
}

// OnBaseline is the scenario of "run --baseline": the baseline is the storage
// that the target is built on, which the rules of trust hold it against. Two
// targets that are compared need not be above each other.
const OnBaseline = "baseline"

// Experiment is what the user asked for. It is saved as experiment.yaml and is
// enough to ask for the same again.
type Experiment struct {
	Scenario string `json:"scenario"`
	Target   string `json:"target"`
	// Profile is the name of the profile, or the path of the user's own.
	Profile string `json:"profile"`
	Job     string `json:"job,omitempty"`
	// Only and Skip choose among the profile's workloads by name.
	Only []string `json:"only,omitempty"`
	Skip []string `json:"skip,omitempty"`
	// Size in bytes; 0 means automatic.
	Size int64 `json:"size,omitempty"`
	// Precision is the relative half-width that is asked for, for example 0.05.
	Precision float64 `json:"precision"`
	// MaxTime bounds the measuring and MaxPrefill the writing of data before it, in seconds.
	MaxTime    float64 `json:"max_time"`
	MaxPrefill float64 `json:"max_prefill"`
	// Time, in seconds, asks for one visit of fixed length per workload (ramp RampTime).
	Time     float64 `json:"time,omitempty"`
	RampTime float64 `json:"ramp_time,omitempty"`
	// UntilSteady asks for the sequential rule on one long visit per workload.
	UntilSteady bool `json:"until_steady,omitempty"`
	// DestroyDataOn names the device or file whose content may be overwritten.
	DestroyDataOn string `json:"destroy_data_on,omitempty"`
	// Seed fixes the order of the visits; 0 draws one (and the plan records it).
	Seed uint64 `json:"seed,omitempty"`
	Note string `json:"note,omitempty"`
	// Baseline is the target that this one is compared with, block by block.
	Baseline string `json:"baseline,omitempty"`
	// Repeat is the least number of visits per workload; 0 means the scenario's own.
	Repeat int `json:"repeat,omitempty"`
	// Margin and MarginP99 are the relative changes that a comparison calls none; 0
	// means the defaults.
	Margin    float64 `json:"margin,omitempty"`
	MarginP99 float64 `json:"margin_p99,omitempty"`
	// Goals are what the results are asked to reach, as written.
	Goals []string `json:"goals,omitempty"`
	// Cap is the limit that the storage is said to have, Replicas the number of
	// copies that it keeps (0 is unknown).
	Cap      Cap `json:"cap,omitzero"`
	Replicas int `json:"replicas,omitempty"`
	// CheckCache asks for the working-set sweep after the rounds.
	CheckCache bool `json:"check_cache,omitempty"`
	// Sweep says what a sweep varies, Scale on how many volumes at once a workload is
	// run; nil in other scenarios.
	Sweep *SweepRequest `json:"sweep,omitempty"`
	Scale *ScaleRequest `json:"scale,omitempty"`
}

// Volume is what a worker does its I/O on, and what was found out about it.
type Volume struct {
	Target Target `json:"target"`
	// Path is the file or device that fio opens; empty for NBD, RBD and fakes.
	Path string `json:"path,omitempty"`
	// Owned tells that Loadline makes the file and removes it.
	Owned bool `json:"owned"`
	// Size is the number of bytes that the workloads walk over.
	Size int64 `json:"size"`
	// SizeReason is one phrase that tells how the size was chosen.
	SizeReason string `json:"size_reason,omitempty"`
	// Engine is fio's ioengine; Direct tells whether the page cache is bypassed.
	Engine string `json:"engine"`
	Direct bool   `json:"direct"`
	// Prefill tells that the volume is written before it is measured.
	Prefill bool `json:"prefill"`
	// DestroyDataOn is what the user named to allow that the content of one of several
	// volumes is overwritten; of a single one, the experiment says it.
	DestroyDataOn string `json:"destroy_data_on,omitempty"`
	// Node is the machine that does the I/O, where there are several; "" is this one.
	Node string `json:"node,omitempty"`
	// NoFlush tells that the storage offers no flush, so none is tried.
	NoFlush bool `json:"no_flush,omitempty"`
	// Open is the file or device itself, which the worker holds open for the whole run;
	// it stays with the worker. Who does I/O goes through it, as Path can come to name
	// something else. Nil for servers and fakes, and outside of a worker.
	Open *os.File `json:"-"`
}

// Reach is the name by which this process opens the volume again, with flags of its own:
// that of the held descriptor where there is one (proc(5)), else the path.
func (v Volume) Reach() string {
	if v.Open == nil {
		return v.Path
	}
	return fmt.Sprintf("/proc/self/fd/%d", v.Open.Fd())
}

// Mode is the way in which the time is spent.
type Mode string

// The modes: rounds of short visits, one visit of fixed length (as Kbench
// does), or one long visit until the sequential rule holds.
const (
	Rounds Mode = "rounds"
	Fixed  Mode = "fixed"
	Steady Mode = "steady"
)

// Schedule tells how the workloads are visited. Times are seconds.
type Schedule struct {
	Mode  Mode    `json:"mode"`
	Ramp  float64 `json:"ramp"`
	Visit float64 `json:"visit"`
	// MinRounds is the number of visits that every workload gets.
	MinRounds int `json:"min_rounds"`
	// MaxTime bounds the whole measuring, ramps and starts included.
	MaxTime   float64 `json:"max_time"`
	Precision float64 `json:"precision"`
	Seed      uint64  `json:"seed"`
	// Overhead is the time that a visit costs beside ramp and visit, for estimates.
	Overhead float64 `json:"overhead"`
	// Look is for how many seconds a workload is looked at without a pause, in the place of
	// its last certain visit, and Looks how many such looks the time is planned for: one for
	// each direction. 0 where there are none.
	Look  float64 `json:"look,omitempty"`
	Looks int     `json:"looks,omitempty"`
}

// Step is one visit: one workload run once.
type Step struct {
	// Number counts from 1 in the order of execution.
	Number   int     `json:"number"`
	Round    int     `json:"round"`
	Workload string  `json:"workload"`
	Ramp     float64 `json:"ramp"`
	Seconds  float64 `json:"seconds"`
	// Offset is where a sequential workload begins, as a fraction of the size
	// (0 to 0.5), so that visits do not all read the same first blocks.
	Offset float64 `json:"offset,omitempty"`
	// Block counts, from 1, the blocks of this workload in a comparison, and Place
	// tells whether this side came first (1) or second (2) in it. Both sides' visits
	// of the same block belong together. 0 outside of comparisons.
	Block int `json:"block,omitempty"`
	Place int `json:"place,omitempty"`
	// Offered is the rate (1/s) at which I/Os are due in this visit; 0 in a closed loop.
	Offered float64 `json:"offered,omitempty"`
	// Look marks a visit that goes on for longer than the others, to see what rate lasts.
	// As a visit, only its first Schedule.Visit seconds count.
	Look bool `json:"look,omitempty"`
}

// Plan is the expansion of an experiment. Steps holds the rounds that are
// certain; the engine appends more by the same rule while precision is lacking.
type Plan struct {
	Schema     string     `json:"schema"`
	Experiment Experiment `json:"experiment"`
	Volume     Volume     `json:"volume"`
	// Volumes are those of a plan that loads several at once, in the order of their
	// workers; Volume is then the first of them. Empty where there is one.
	Volumes   []Volume   `json:"volumes,omitempty"`
	Workloads []Workload `json:"workloads"`
	Schedule  Schedule   `json:"schedule"`
	Steps     []Step     `json:"steps"`
	// PrefillSeconds and MeasureSeconds are estimates; MeasureSeconds is for the
	// certain rounds.
	PrefillSeconds float64 `json:"prefill_seconds"`
	MeasureSeconds float64 `json:"measure_seconds"`
	// Lead is how long, in seconds, all volumes together need to start their tools
	// before they begin at one time; 0 where there is one volume.
	Lead float64 `json:"lead,omitempty"`
	// Spread is the part of Lead over which these starts are spread, in seconds.
	Spread float64 `json:"spread,omitempty"`
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

// VolumesOf lists the volumes that a workload is run on, in the order of the workers.
func (p *Plan) VolumesOf(w Workload) []Volume {
	if len(p.Volumes) == 0 {
		return []Volume{p.Volume}
	}
	return p.Volumes[:min(len(p.Volumes), w.VolumeCount())]
}

// Status is how far a run came.
type Status string

// The states of a run. Running in a directory that nobody writes to any more
// means that the process was killed.
const (
	Running     Status = "running"
	Complete    Status = "complete"
	Interrupted Status = "interrupted"
	Failed      Status = "failed"
)

// Run is one execution of a plan: what run.json holds, beside plan.json,
// environment.json and the samples.
type Run struct {
	Schema   string    `json:"schema"`
	ID       string    `json:"id"`
	Started  time.Time `json:"started"`
	Finished time.Time `json:"finished,omitzero"`
	Status   Status    `json:"status"`
	// Reason is a sentence when the status is interrupted or failed.
	Reason  string   `json:"reason,omitempty"`
	Command []string `json:"command,omitempty"`
	// Again is the same command in the form that advice repeats with some flags changed.
	Again   CommandLine       `json:"again,omitempty"`
	Tools   map[string]string `json:"tools"`
	Prepare *Preparation      `json:"prepare,omitempty"`
	Steps   []StepResult      `json:"steps"`
	// Comparison is the ID that the two runs of an interleaved comparison share, and
	// Side which of the two this one is.
	Comparison string `json:"comparison,omitempty"`
	Side       Side   `json:"side,omitempty"`
	// Beside is what was measured beside the load, for the rules of trust.
	Beside Beside `json:"beside,omitzero"`
}

// RunSchema is the schema name of run.json.
const RunSchema = "loadline.run/v1"

// Preparation is what was done to the volume before measuring, and the proof.
type Preparation struct {
	// Written is the number of bytes prefilled and Seconds the time it took: that in which
	// at least one of several volumes was written.
	Written int64   `json:"written"`
	Seconds float64 `json:"seconds"`
	Proof   Proof   `json:"proof"`
	// Path is the data file that was made, when the volume is our own.
	Path string `json:"path,omitempty"`
	// Size is what the volume was shrunk to, in bytes, when writing all of it would have
	// taken too long, here or on the other side of a comparison; 0 when it was not. Slow is
	// the rate in bytes/s that the writing had come down to; 0 when that was on the other side.
	Size int64   `json:"size,omitempty"`
	Slow float64 `json:"slow,omitempty"`
	// Rates are those of the prefill, about one a second, in bytes/s; empty when several
	// volumes were written.
	Rates []float64 `json:"rates,omitempty"`
}

// Merge adds what was done to another volume, which name tells in words, at the same
// time. What is not proven of one of them is not proven of all.
func (p *Preparation) Merge(o Preparation, name string) {
	p.Written += o.Written
	p.Seconds = max(p.Seconds, o.Seconds)
	p.Rates = nil
	if o.Size > 0 && (p.Size == 0 || o.Size < p.Size) {
		p.Size, p.Slow = o.Size, o.Slow
	}
	p.Proof.Checked += o.Proof.Checked
	p.Proof.Unwritten += o.Proof.Unwritten
	if o.Proof.Method == NoProof {
		p.Proof.Method = NoProof
	}
	if o.Proof.Detail != "" && p.Proof.Detail == "" {
		p.Proof.Detail = name + ": " + o.Proof.Detail
	}
}

// NoProof is the Method of a Proof that there is not.
const NoProof = "none"

// Proof tells whether every byte of the volume was really written.
type Proof struct {
	// Method is "fiemap", "read-back" or "none".
	Method string `json:"method"`
	// Checked and Unwritten are bytes. Unwritten counts holes, unwritten extents
	// and blocks that did not read back as written.
	Checked   int64 `json:"checked"`
	Unwritten int64 `json:"unwritten"`
	// Detail is a phrase: why there is no proof, or what was found.
	Detail string `json:"detail,omitempty"`
	// Bandwidth is how fast everything was read back, in bytes/s; 0 where it was not.
	Bandwidth float64 `json:"bandwidth,omitempty"`
}

// StepResult is how one visit went at one worker. A step with an Error yields
// no number that looks whole.
type StepResult struct {
	Step   Step `json:"step"`
	Worker int  `json:"worker"`
	// Started and Ended are seconds since the run began. Started is when the workers
	// were to begin, and Delay by how many seconds later this one did.
	Started float64 `json:"started"`
	Delay   float64 `json:"delay,omitempty"`
	Ended   float64 `json:"ended"`
	// Error is a sentence; empty when the step went well.
	Error string `json:"error,omitempty"`
	// EndedEarly tells that the step was stopped on purpose (the user, or the rule
	// for a steady state): its seconds count, it is just shorter than planned.
	EndedEarly bool `json:"ended_early,omitempty"`
	// Lost is a sentence when the worker was gone in the middle of the step, which then
	// ended, for it, with the last sign of life. Error is set as well when it had measured
	// nothing of the step.
	Lost string `json:"lost,omitempty"`
	// Held tells that the worker held the file or device open and found after the step that
	// its name still meant the same; Replaced is the sentence when it did not.
	Held     bool   `json:"held,omitempty"`
	Replaced string `json:"replaced,omitempty"`
	// IOErrors counts I/Os that failed, ShortIOs those that moved fewer bytes.
	IOErrors uint64 `json:"io_errors,omitempty"`
	ShortIOs uint64 `json:"short_ios,omitempty"`
	// DepthLevels is the share (0..1) of I/Os submitted at each queue depth, by
	// fio's bucket names ("1", "2", "4", … ">=64").
	DepthLevels map[string]float64 `json:"depth_levels,omitempty"`
	// Due counts the I/Os that were due in the measured part of an open loop, and Late
	// is the mean time in seconds by which the load generator itself began them too late.
	Due  uint64  `json:"due,omitempty"`
	Late float64 `json:"late,omitempty"`
	// UserCPU and SystemCPU are those of the load generator, in fractions of one core.
	UserCPU   float64 `json:"user_cpu,omitempty"`
	SystemCPU float64 `json:"system_cpu,omitempty"`
	// Settling tells what was written before a visit that only reads, and whether the
	// storage was done with it; nil where nothing was.
	Settling *Settling `json:"settling,omitempty"`
	// Stalls are the stretches in which nothing was answered: the longest, in the order
	// of time.
	Stalls []Stall `json:"stalls,omitempty"`
	// Counters are what the machine counted from begin to end of the step.
	Counters *Counters `json:"counters,omitempty"`
	// Raw is the name of the tool's raw output under raw/.
	Raw string `json:"raw,omitempty"`
}

// StoppedStep is the Error of a driver whose step was cancelled and had no other
// fault. The engine turns it into EndedEarly.
const StoppedStep = "interrupted"

// Link is what a network card moved, in bytes, and its Speed in bytes/s each way.
type Link struct {
	Name     string  `json:"name"`
	Received uint64  `json:"received"`
	Sent     uint64  `json:"sent"`
	Speed    float64 `json:"speed"`
}

// Counters are the machine's own counts over a step (ramp included).
type Counters struct {
	Seconds float64 `json:"seconds"`
	// Idle, Steal and IOWait are fractions of all CPU time.
	Idle   float64 `json:"idle"`
	Steal  float64 `json:"steal"`
	IOWait float64 `json:"iowait"`
	// BusiestCPU is the busy fraction of the busiest core.
	BusiestCPU float64 `json:"busiest_cpu"`
	// Throttled is the time in seconds that the cgroup's CPU limit held us.
	Throttled float64 `json:"throttled"`
	// Device counts are those of the block device behind the volume, if any.
	Device        string `json:"device,omitempty"`
	DeviceReads   uint64 `json:"device_reads,omitempty"`
	DeviceWrites  uint64 `json:"device_writes,omitempty"`
	DeviceRead    uint64 `json:"device_read_bytes,omitempty"`
	DeviceWritten uint64 `json:"device_written_bytes,omitempty"`
	ReadMerges    uint64 `json:"read_merges,omitempty"`
	WriteMerges   uint64 `json:"write_merges,omitempty"`
	// Link is the busiest network card of known speed; nil when there is none.
	Link *Link `json:"link,omitempty"`
	// Window is the stretch over which client and device can be compared; nil when
	// the step was too short for one, or there is no device.
	Window *Window `json:"window,omitempty"`
}
