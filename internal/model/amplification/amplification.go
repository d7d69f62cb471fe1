// Package amplification defines the data of I/O amplification: how many I/Os the disks behind a replicated
// volume do for each I/O of a client. Its assumptions: an I/O is what a disk's own counters count; the number
// to be expected follows from what the storage system says about itself, and is unknown if it says nothing;
// and what could not be counted has a reason, never a number.
package amplification

import (
	"fmt"
	"slices"
	"strings"

	"github.com/loadline/loadline/internal/model/units"
)

// Directory is the subfolder of a run that holds, in the form of a trace, what the disks behind replicated
// volumes counted during the run.
const Directory = "disks"

// Disk is a place where a storage system keeps replicas: a directory of a node.
type Disk struct {
	Node string `json:"node"`
	Path string `json:"path"`
	// Device is the block device that holds the directory, as the record of the counters calls it
	// ("node1/sda1"); empty if it is not known.
	Device string `json:"device,omitempty"`
}

// Behind are the disks behind the volumes of a run, and what to expect of them.
type Behind struct {
	Disks []Disk `json:"disks,omitempty"`
	// Reads and Writes are how many I/Os all disks together should do for each read and each write of a
	// client; 0 is unknown. Of says where that comes from.
	Reads  float64 `json:"reads,omitempty"`
	Writes float64 `json:"writes,omitempty"`
	Of     string  `json:"of,omitempty"`
	// NotCounted is a phrase: why the disks' I/Os were not counted; empty if they were.
	NotCounted string `json:"not_counted,omitempty"`
}

// Ratio is the I/O amplification of one direction of a workload.
type Ratio struct {
	// Direction is "read" or "write", Operation what a client did: "read", "write", "transaction".
	Direction string `json:"direction"`
	Operation string `json:"operation"`
	// Value is the number of I/Os that all disks together did for each operation, with its 95 % interval.
	// All numbers are 0 if NotCounted is set.
	Value      float64 `json:"estimate"`
	Low        float64 `json:"low"`
	High       float64 `json:"high"`
	Confidence float64 `json:"confidence"`
	// Expected is what it should be according to the storage system; 0 is unknown. Of says where that
	// comes from.
	Expected float64 `json:"expected,omitempty"`
	Of       string  `json:"of,omitempty"`
	// Operations and Disks are rates in 1/s, over the same Seconds.
	Operations float64 `json:"operations_rate"`
	Disks      float64 `json:"disks_rate"`
	Seconds    float64 `json:"seconds"`
	// Idle is the disks' rate before the run, while it did nothing; nil if that was not counted. Whatever
	// else uses the disks is counted with the run's I/Os.
	Idle *float64 `json:"idle_rate,omitempty"`
	// Devices are the block devices that were counted.
	Devices []string `json:"devices,omitempty"`
	// NotCounted is a phrase: why there is no number.
	NotCounted string `json:"not_counted,omitempty"`
	// Says is all of it in a sentence (see Conclude).
	Says string `json:"says"`
}

// Name returns the name of the row.
func (r *Ratio) Name() string { return "I/O amplification (" + r.Direction + "s)" }

// Times returns the number for a table: "6.02×"; "not counted" without one.
func (r *Ratio) Times() string {
	if r.NotCounted != "" {
		return "not counted"
	}
	return figure(r.Value) + "×"
}

// OfExpected returns the number beside the one to be expected: "6.02× of 6".
func (r *Ratio) OfExpected() string {
	if r.NotCounted != "" || r.Expected == 0 {
		return r.Times()
	}
	return r.Times() + " of " + figure(r.Expected)
}

// Rates returns how the number was computed: "903 IOPS on 3 disks for 150 IOPS".
func (r *Ratio) Rates() string {
	if r.NotCounted != "" {
		return ""
	}
	of := " IOPS"
	if r.Operation == "transaction" {
		of = " tps"
	}
	return fmt.Sprintf("%s IOPS on %s for %s", units.FormatRate(r.Disks), units.FormatCount(len(r.Devices), "disk"), units.FormatRate(r.Operations)+of)
}

// Source returns what measured it; "" if nothing did.
func (r *Ratio) Source() string {
	if r.NotCounted != "" {
		return ""
	}
	return "the disks' counters"
}

// otherTraffic is the share of the disks' I/Os from which on the rest of the traffic is called a caveat.
const otherTraffic = 0.05

// IdleShare is the share of the disks' I/Os during the run that they did just before it as well, without
// load; ok is false if that was not counted.
func (r *Ratio) IdleShare() (share float64, ok bool) {
	if r.NotCounted != "" || r.Idle == nil {
		return 0, false
	}
	if *r.Idle <= 0 {
		return 0, true
	}
	return min(1, *r.Idle/max(r.Disks, *r.Idle)), true
}

// Against compares the ratio of a run A with that of a run B, both counted, in a sentence.
func (r *Ratio) Against(b *Ratio) string {
	return fmt.Sprintf("for each %s the disks with the replicas do %s %ss in A (%s to %s), and %s in B (%s to %s)", r.Operation,
		hundredths(r.Value), r.Direction, hundredths(r.Low), hundredths(r.High), hundredths(b.Value), hundredths(b.Low), hundredths(b.High)) + r.others("A") + b.others("B")
}

// others says what else used the disks of a side of a comparison: a phrase that begins with "; ", or "" if
// that was little.
func (r *Ratio) others(side string) string {
	switch share, known := r.IdleShare(); {
	case !known:
		return "; what else used the disks of " + side + " is not known"
	case share > otherTraffic:
		return fmt.Sprintf("; of the I/Os of %s's disks, %.0f %% were there before the run, without load", side, 100*share)
	}
	return ""
}

// Conclude fills in Says.
func (r *Ratio) Conclude() { r.Says = r.sentence() }

func (r *Ratio) sentence() string {
	if r.NotCounted != "" {
		return r.Name() + " was not counted: " + r.NotCounted
	}
	parts := []string{fmt.Sprintf("the disks with the replicas do %s %ss for each %s (%s to %s), counted on %s", hundredths(r.Value), r.Direction, r.Operation, hundredths(r.Low), hundredths(r.High),
		strings.Join(r.Devices, ", "))}
	switch {
	case r.Expected > 0:
		parts = append(parts, fmt.Sprintf("%s expected: %s", figure(r.Expected), r.Of))
	case r.Of != "":
		parts = append(parts, "what to expect is unknown: "+r.Of)
	}
	switch share, known := r.IdleShare(); {
	case !known:
		parts = append(parts, "what else uses them is not known, and is counted with it")
	case share > otherTraffic:
		parts = append(parts, fmt.Sprintf("before the run, without load, they did %s IOPS, %.0f %% of the total, which are counted with it", units.FormatRate(*r.Idle), 100*share))
	default:
		parts = append(parts, fmt.Sprintf("before the run, without load, they did %s IOPS", units.FormatRate(*r.Idle)))
	}
	return strings.Join(parts, "; ")
}

// Expected returns the number to be expected of a direction, 0 if it is unknown.
func (b *Behind) Expected(direction string) float64 {
	if direction == "read" {
		return b.Reads
	}
	return b.Writes
}

// Devices returns the names of the block devices, each once, sorted.
func (b *Behind) Devices() (names []string) {
	for _, d := range b.Disks {
		if d.Device != "" && !slices.Contains(names, d.Device) {
			names = append(names, d.Device)
		}
	}
	slices.Sort(names)
	return names
}

// hundredths keeps the zeros: "1.00 reads for each read".
func hundredths(v float64) string {
	if v >= 100 {
		return units.FormatNumber(v)
	}
	return fmt.Sprintf("%.2f", v)
}

func figure(v float64) string {
	if v >= 100 {
		return units.FormatNumber(v)
	}
	return units.TrimZeros(hundredths(v))
}
