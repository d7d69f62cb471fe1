package model

import (
	"fmt"
	"time"
)

// DurabilitySchema is the schema name of a durability test's report.
const DurabilitySchema = "loadline.durability/v1"

// DurabilityResult is the result of a durability test. There is no "safe": no number of clean cuts can
// show that.
type DurabilityResult string

// The results. DurabilityClean: after every cut, each block was at least as new as the last
// acknowledged write. DurabilityLostWrites: acknowledged and flushed writes were lost.
// DurabilityCorrupt: blocks were torn, foreign, unreadable, or returned different data on each read.
// DurabilityUnproven: no fault was found, but what was cut, or which guarantee was given, says nothing
// about power loss.
const (
	DurabilityClean      DurabilityResult = "clean"
	DurabilityLostWrites DurabilityResult = "lost-writes"
	DurabilityCorrupt    DurabilityResult = "corrupt"
	DurabilityUnproven   DurabilityResult = "unproven"
)

// CutKind says what was cut.
type CutKind string

// The kinds, weakest evidence first: CutWriter kills the writing process itself; CutProcess kills
// another process by its PID; CutCommand runs the user's own command; CutReboot means that the machine
// went down without a clean shutdown.
const (
	CutWriter  CutKind = "writer"
	CutProcess CutKind = "process"
	CutCommand CutKind = "command"
	CutReboot  CutKind = "reboot"
)

// Cut is one cut and what the check after it found. Counts are of writes, or of blocks where stated.
type Cut struct {
	Number int     `json:"number"`
	Kind   CutKind `json:"kind"`
	// What describes what was cut: a command, "process 4711 (nbdkit)".
	What string    `json:"what"`
	At   time.Time `json:"at"`
	// Noticed is set if the cut affected the writer: an error, a stall, or its termination.
	Noticed bool `json:"noticed"`
	// Words is the error that the writer got.
	Words string `json:"words,omitempty"`
	// Issued and Acknowledged count writes since the previous cut; InFlight were issued but not
	// acknowledged when the cut came, and InFlightFound of these were found.
	Issued        int `json:"issued"`
	Acknowledged  int `json:"acknowledged"`
	InFlight      int `json:"in_flight"`
	InFlightFound int `json:"in_flight_found"`
	// Lost counts acknowledged writes for which neither the write nor a newer one was found, LostBlocks
	// the blocks affected.
	Lost       int `json:"lost"`
	LostBlocks int `json:"lost_blocks"`
	// Torn counts blocks that are torn or damaged (TornInFlight: at most how many of them because of a
	// write in flight), Foreign those that belong elsewhere, Unstable those that read differently the
	// second time, and Unreadable those that cannot be read.
	Torn         int `json:"torn"`
	TornInFlight int `json:"torn_in_flight"`
	Foreign      int `json:"foreign"`
	Unstable     int `json:"unstable"`
	Unreadable   int `json:"unreadable"`
	// Buffered is set if the check had to read through the page cache.
	Buffered bool `json:"buffered,omitempty"`
	// Examples are sentences on individual blocks, a few for each fault.
	Examples []string `json:"examples,omitempty"`
}

// Damaged returns the number of blocks with a fault other than a loss.
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
	// Path is what was written: the target, or our own file in it.
	Path string `json:"path"`
	// Sync is how a write was made durable before it counted as acknowledged:
	// "fsync", "fdatasync", "dsync", "flush", "fua", or "none".
	Sync string `json:"sync"`
	// BlockSize is in bytes; Blocks is the number of blocks that were written over and over.
	BlockSize int64 `json:"block_size"`
	Blocks    int   `json:"blocks"`
	Jobs      int   `json:"jobs"`

	Result DurabilityResult `json:"result"`
	// Statement is the result as a sentence, Proves what the cut can and cannot show.
	Statement string `json:"statement"`
	Proves    string `json:"proves"`
	// Clean is how many of the Counted cuts (those that show anything) were clean. Bound is the upper
	// limit of the probability that a cut loses data, at 95 % confidence (the rule of three, 3/n;
	// Hanley and Lippman-Hand 1983). Absent unless the result is clean.
	Clean   int      `json:"clean"`
	Counted int      `json:"counted"`
	Bound   *float64 `json:"bound,omitempty"`

	Cuts        []Cut       `json:"cuts"`
	Findings    []Finding   `json:"findings"`
	Environment Environment `json:"environment"`
	// Directory is where the test is stored.
	Directory string `json:"directory,omitempty"`
}

// Broken reports whether the test has shown that the storage loses, or changes, what it has acknowledged.
func (d Durability) Broken() bool {
	return d.Result == DurabilityLostWrites || d.Result == DurabilityCorrupt
}

// DurabilityProven reports whether the tests show that flushed writes to the target survive a power
// cut; why is a sentence for people either way. One test that found a loss outweighs all others. A
// killed process proves nothing of the kind, because the page cache below it survived.
func DurabilityProven(tests []Durability, t Target) (proven bool, why string) {
	why = "no durability test of " + t.Name + " is part of this run"
	for _, d := range tests {
		if d.Target.Kind != t.Kind || d.Target.Path != t.Path || d.Target.URI != t.URI {
			continue
		}
		switch {
		case d.Broken():
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

// powerCut reports whether a cut took down more than a process, either according to the user or because
// the machine went down.
func powerCut(cuts []Cut) bool {
	for _, c := range cuts {
		if c.Noticed && (c.Kind == CutCommand || c.Kind == CutReboot) {
			return true
		}
	}
	return false
}
