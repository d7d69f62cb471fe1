package durability

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/units"
)

// Read computes the report of a test from its ledger: dir is its directory, or the ledger itself. It
// can read what a crash left at any moment.
func Read(dir string) (*model.Durability, error) {
	s, err := readState(dir)
	if err != nil {
		return nil, err
	}
	return s.report(dir), nil
}

// report computes the report from the ledger alone.
func (s *state) report(dir string) *model.Durability {
	h := &s.header
	d := &model.Durability{
		Schema: model.DurabilitySchema, ID: h.ID, Started: h.Started, Status: model.Interrupted, Command: h.Command, Labels: h.Labels,
		Target: h.Target, Path: h.Path, Sync: h.Sync, BlockSize: h.BlockSize, Blocks: h.Blocks, Jobs: h.Jobs,
		Cuts: []model.Cut{}, Environment: h.Environment, Directory: dir,
		Reason: "the test ended unexpectedly (killed, or the machine went down)",
	}
	if d.Path == "" {
		d.Path = h.Target.URI
	}
	if s.end != nil {
		d.Status, d.Reason, d.Finished = s.end.Status, s.end.Reason, s.end.At
	}
	for _, p := range s.phases {
		if p.checked != nil {
			d.Cuts = append(d.Cuts, p.checked.Cut)
		}
	}
	d.Findings = findings(h, d.Cuts)
	conclude(h, d)
	if p := s.last(); p == nil || p.checked == nil {
		d.Findings = append(d.Findings, s.unchecked(dir))
	}
	if len(d.Cuts) == 0 && s.pends(dir) {
		d.Proves = "nothing yet: what was written has not been checked."
		if s.last().cutting != nil {
			d.Proves = "nothing yet: a cut had begun, and what it left has not been checked."
		}
	}
	return d
}

// pends reports whether something was written that can still be checked.
func (s *state) pends(dir string) bool {
	pending, err := s.pending(filepath.Join(dir, LedgerFile), false)
	return err == nil && pending
}

// Survival is the rule of the finding that a cut was not followed by a check. Its advice is how to check.
const Survival = "survival"

// unchecked returns the finding for a test whose last phase was not followed by a check.
func (s *state) unchecked(dir string) model.Finding {
	f := model.Finding{Rule: Survival, Severity: model.SeverityNotChecked, Message: "no cut was followed by a check",
		Next: "bring the target back and check: " + ResumeLine(s.header.Target.InCommand(), dir)}
	if p := s.last(); p != nil && len(s.phases) > 1 {
		f.Message = fmt.Sprintf("cut %d was not followed by a check", p.write.Cut)
	}
	switch {
	case s.removed():
		f.Next = "start the test again: its file was removed when it ended"
	case s.end != nil && !s.pends(dir):
		f.Next = "start the test again: it ended before a cut"
	}
	return f
}

// conclude decides the result and its statement.
func conclude(h *header, d *model.Durability) {
	var all model.Cut
	var power, process, writer, unnoticed int
	for _, c := range d.Cuts {
		all.Lost += c.Lost
		all.LostBlocks = max(all.LostBlocks, c.LostBlocks)
		all.Acknowledged += c.Acknowledged
		all.Torn, all.Foreign = all.Torn+c.Torn, all.Foreign+c.Foreign
		all.Unstable, all.Unreadable = all.Unstable+c.Unstable, all.Unreadable+c.Unreadable
		switch {
		case c.Kind == model.CutWriter:
			writer++
		case !c.Noticed:
			unnoticed++
		case c.Kind == model.CutProcess:
			process++
		default:
			power++
		}
	}
	// Only the strongest kind of cut counts; weaker ones are not added to it.
	d.Counted = power
	if power == 0 {
		d.Counted = process
	}
	damaged := faults(h, all)
	switch {
	case h.promised() && all.Lost > 0:
		d.Result = model.DurabilityLostWrites
		d.Statement = fmt.Sprintf("LOST WRITES: %s lost", units.FormatCount(all.Lost, "flushed write"))
		if len(damaged) > 0 {
			d.Statement += ", and " + strings.Join(damaged, ", ")
		}
	case len(damaged) > 0:
		d.Result = model.DurabilityCorrupt
		d.Statement = "CORRUPT: " + strings.Join(damaged, ", ")
	case len(d.Cuts) == 0:
		d.Result = model.DurabilityUnproven
		d.Statement = "unproven: nothing was checked after a cut"
	case !h.promised():
		d.Result = model.DurabilityUnproven
		d.Statement = fmt.Sprintf("unproven: nothing was flushed, so nothing was promised; %d of %s lost", all.Lost, units.FormatCount(all.Acknowledged, "unflushed write"))
	case h.Environment.Storage.Memory:
		d.Result = model.DurabilityUnproven
		d.Statement = "unproven: this is memory, which a loss of power empties"
	case h.Environment.Storage.MemoryPart != "":
		d.Result = model.DurabilityUnproven
		d.Statement = "unproven: " + h.Environment.Storage.MemoryPart + ", part of the target, is memory, which a loss of power empties"
	case d.Counted == 0 && unnoticed > 0:
		d.Result = model.DurabilityUnproven
		d.Statement = fmt.Sprintf("unproven: nothing was lost, but the writer noticed none of %s: nothing shows that there was one", units.FormatCount(unnoticed, "cut"))
	case d.Counted == 0:
		d.Result = model.DurabilityUnproven
		d.Statement = fmt.Sprintf("unproven: nothing was lost in %s, which says little about a loss of power", units.FormatCount(writer, "kill")+" of the writer")
	default:
		d.Result = model.DurabilityClean
		d.Clean = d.Counted
		bound := min(1, 3/float64(d.Clean))
		d.Bound = &bound
		d.Statement = fmt.Sprintf("%d of %d clean cuts: loss probability below %.3g %% (3/%d) at 95 %%", d.Clean, d.Counted, 100*bound, d.Clean)
		if bound == 1 {
			d.Statement = fmt.Sprintf("%d of %d clean cuts: loss probability below 100 %% (3/%d, at most 1) at 95 %%, which is no bound yet", d.Clean, d.Counted, d.Clean)
		}
	}
	if d.Proves = proves(d.Cuts); d.Broken() {
		d.Proves = "one cut is enough to show that the storage breaks its guarantee; the findings above say how."
	}
}

// faults describes the damage. Without a flush, a half-written block is not a fault.
func faults(h *header, all model.Cut) (words []string) {
	if all.Torn > 0 && h.promised() {
		words = append(words, units.FormatCount(all.Torn, "torn block"))
	}
	if all.Foreign > 0 {
		words = append(words, units.FormatCount(all.Foreign, "foreign block"))
	}
	if all.Unstable > 0 {
		words = append(words, units.FormatCount(all.Unstable, "block")+" that read differently each time")
	}
	if all.Unreadable > 0 {
		words = append(words, units.FormatCount(all.Unreadable, "unreadable block"))
	}
	return words
}

// proves says what the strongest of the cuts shows, and what it leaves open.
func proves(cuts []model.Cut) string {
	words := map[model.CutKind]string{
		model.CutWriter:  "the writing process was killed: that takes what was in its own memory. The kernel, its page cache and the storage went on, so it says nothing about a loss of power.",
		model.CutProcess: "a process was killed: that takes everything that only this process held. The page cache below it went on, so it is no loss of power.",
		model.CutCommand: "the cut took what its command takes: a reset or a loss of power proves the whole path, the kill of a process no more than that process.",
		model.CutReboot:  "this machine went down unexpectedly while it wrote: that takes every cache in it. A reset leaves the disk its power, so a disk's own cache is proven only if that was cut too.",
	}
	for _, kind := range []model.CutKind{model.CutReboot, model.CutCommand, model.CutProcess, model.CutWriter} {
		for _, c := range cuts {
			if c.Kind == kind && c.Noticed {
				return words[kind]
			}
		}
	}
	if len(cuts) > 0 {
		return "nothing: what was cut, if anything, took nothing from the writer."
	}
	return "nothing was cut."
}
