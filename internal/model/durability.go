package model

import (
	"fmt"
	"time"
)

// DurabilitySchema is the schema name of a durability test's report.
const DurabilitySchema = "loadline.durability/v1"

// DurabilityResult is what a durability test may say. "Safe" is not among it:
// no number of clean cuts shows that.
type DurabilityResult string

// The results. DurabilityClean: after every cut, each block was at least as new as
// the last acknowledged write. DurabilityLostWrites: acknowledged and flushed writes were
// gone. DurabilityCorrupt: blocks were torn, foreign, unreadable, or read
// differently each time. DurabilityUnproven: nothing was found wrong, but what
// was cut, or what was promised, does not show anything about a loss of power.
const (
	DurabilityClean      DurabilityResult = "clean"
	DurabilityLostWrites DurabilityResult = "lost-writes"
	DurabilityCorrupt    DurabilityResult = "corrupt"
	DurabilityUnproven   DurabilityResult = "unproven"
)

// CutKind is what was cut.
type CutKind string

// The kinds, from what proves least: CutWriter is the kill of the writing process
// itself; CutProcess that of another process by its number; CutCommand what the
// user's own command did; CutReboot that the machine went down without a word.
const (
	CutWriter  CutKind = "writer"
	CutProcess CutKind = "process"
	CutCommand CutKind = "command"
	CutReboot  CutKind = "reboot"
)

// Cut is one cut and what the check after it found. Counts are of writes, or of
// blocks where it says so.
type Cut struct {
	Number int     `json:"number"`
	Kind   CutKind `json:"kind"`
	// What was cut, in words: a command, "process 4711 (nbdkit)".
	What string    `json:"what"`
	At   time.Time `json:"at"`
	// Noticed tells that the writer felt the cut: an error, a stall, its own end.
	Noticed bool `json:"noticed"`
	// Words is the error that the writer got.
	Words string `json:"words,omitempty"`
	// Issued and Acknowledged writes since the cut before; InFlight were issued and
	// not acknowledged when it came, and InFlightFound of these are there.
	Issued        int `json:"issued"`
	Acknowledged  int `json:"acknowledged"`
	InFlight      int `json:"in_flight"`
	InFlightFound int `json:"in_flight_found"`
	// Lost acknowledged writes: neither they nor a newer one are there. LostBlocks
	// is on how many blocks.
	Lost       int `json:"lost"`
	LostBlocks int `json:"lost_blocks"`
	// Blocks that are torn or damaged (TornInFlight: at most that many of them by a
	// write that was in flight), that belong elsewhere, that answer differently when
	// they are read again, and that cannot be read.
	Torn         int `json:"torn"`
	TornInFlight int `json:"torn_in_flight"`
	Foreign      int `json:"foreign"`
	Unstable     int `json:"unstable"`
	Unreadable   int `json:"unreadable"`
	// Buffered tells that the check had to read through the page cache.
	Buffered bool `json:"buffered,omitempty"`
	// Examples are sentences on single blocks, a few of each fault.
	Examples []string `json:"examples,omitempty"`
}

// Damaged is the number of blocks with a fault other than a loss.
func (c Cut) Damaged() int { return c.Torn + c.Foreign + c.Unstable + c.Unreadable }

// Durability is the report of a durability test. Its JSON form is
// "loadline.durability/v1": fields are only ever added.
type Durability struct {
	Schema   string    `json:"schema"`
	ID       string    `json:"id"`
	Started  time.Time `json:"started"`
	Finished time.Time `json:"finished,omitzero"`
	Status   Status    `json:"status"`
	Reason   string    `json:"reason,omitempty"`
	Command  []string  `json:"command,omitempty"`
	Labels   Labels    `json:"labels,omitempty"`
	Target   Target    `json:"target"`
	// Path is what was written: the target's, or that of our own file in it.
	Path string `json:"path"`
	// Sync is how a write was made durable before it counted as acknowledged:
	// "fsync", "fdatasync", "dsync", "flush", "fua", or "none".
	Sync string `json:"sync"`
	// BlockSize is in bytes; Blocks is how many of them were written again and again.
	BlockSize int64 `json:"block_size"`
	Blocks    int   `json:"blocks"`
	Jobs      int   `json:"jobs"`

	Result DurabilityResult `json:"result"`
	// Statement is the result as a sentence, Proves what the cut can show and what not.
	Statement string `json:"statement"`
	Proves    string `json:"proves"`
	// Clean of Counted cuts that show anything were clean; Bound is the upper limit of
	// the probability that a cut loses something, at 95 % confidence (the rule of
	// three, 3/n; Hanley and Lippman-Hand 1983). Absent unless the result is clean.
	Clean   int      `json:"clean"`
	Counted int      `json:"counted"`
	Bound   *float64 `json:"bound,omitempty"`

	Cuts        []Cut       `json:"cuts"`
	Findings    []Finding   `json:"findings"`
	Environment Environment `json:"environment"`
	// Directory is where the test is saved.
	Directory string `json:"directory,omitempty"`
}

// DurabilityProven reports whether the tests show that flushed writes to the target
// outlive a cut of its power; why is a sentence for people either way. One test
// that found a loss outweighs all others, and a killed process proves nothing of
// this kind: below it lies a page cache that was not cut.
func DurabilityProven(tests []Durability, t Target) (proven bool, why string) {
	why = "no durability test of " + t.Name + " is part of this run"
	for _, d := range tests {
		if d.Target.Kind != t.Kind || d.Target.Path != t.Path || d.Target.URI != t.URI {
			continue
		}
		switch {
		case d.Result == DurabilityLostWrites || d.Result == DurabilityCorrupt:
			return false, d.Statement
		case d.Result != DurabilityClean:
			if !proven {
				why = d.Statement
			}
		case !powerCut(d.Cuts):
			if !proven {
				why = fmt.Sprintf("%s, but only a process was killed: that is no loss of power", d.Statement)
			}
		default:
			proven, why = true, d.Statement
		}
	}
	return proven, why
}

// powerCut reports whether a cut took more than a process, by its user's word or by
// the machine's going down.
func powerCut(cuts []Cut) bool {
	for _, c := range cuts {
		if c.Noticed && (c.Kind == CutCommand || c.Kind == CutReboot) {
			return true
		}
	}
	return false
}
