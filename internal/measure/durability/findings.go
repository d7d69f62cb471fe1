package durability

import (
	"fmt"
	"slices"
	"strings"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/units"
)

// findings returns the checks and their outcomes over all cuts.
func findings(h *header, cuts []model.Cut) []model.Finding {
	if len(cuts) == 0 {
		return nil
	}
	var all []model.Finding
	sum := func(of func(model.Cut) int) (n int) {
		for _, c := range cuts {
			n += of(c)
		}
		return n
	}
	acked := sum(func(c model.Cut) int { return c.Acknowledged })
	fault := func(rule string, n int, message, passed, next string) {
		f := model.Finding{Rule: rule, Severity: model.SeverityPassed, Message: passed}
		if n > 0 {
			f = model.Finding{Rule: rule, Severity: model.SeverityInvalid, Message: message, Next: next,
				Evidence: map[string]any{"count": n, "acknowledged": acked, "examples": examples(cuts, rule)}}
		}
		if n > 0 && !h.promised() && (rule == "lost" || rule == "torn") {
			f.Severity = model.SeverityNote
		}
		all = append(all, f)
	}
	lost, blocks := sum(func(c model.Cut) int { return c.Lost }), sum(func(c model.Cut) int { return c.LostBlocks })
	message := fmt.Sprintf("%d of %s (%s) are gone, on %s: something below says that data is on stable storage before it is",
		lost, units.FormatCount(acked, "acknowledged write"), h.Sync, units.FormatCount(blocks, "block"))
	if !h.promised() {
		message = fmt.Sprintf("%d of %s that were never flushed are gone, which is no fault: nobody promised to keep them", lost, units.FormatCount(acked, "write"))
	}
	fault("lost", lost, message, fmt.Sprintf("%s: every block holds the newest of its own, or a newer one", units.FormatCount(acked, "acknowledged write")),
		"look for a write-back cache without a battery, cache=unsafe, or a flush that is switched off")
	inFlight := sum(func(c model.Cut) int { return c.TornInFlight })
	fault("torn", sum(func(c model.Cut) int { return c.Torn }),
		fmt.Sprintf("%s torn or damaged, %d of them by a write that was in flight: the acknowledged content before it is gone with it",
			units.FormatCount(sum(func(c model.Cut) int { return c.Torn }), "block"), inFlight),
		"every block is whole", fmt.Sprintf("if only writes in flight tear, the storage writes less than %s at once: try --block-size 512, and keep full-page writes on in databases", units.FormatBlock(h.BlockSize)))
	fault("foreign", sum(func(c model.Cut) int { return c.Foreign }), "blocks hold what belongs elsewhere", "every block is of this volume and this place", "look for another writer, or a mapping that was lost")
	fault("unstable", sum(func(c model.Cut) int { return c.Unstable }), "blocks read differently each time", fmt.Sprintf("%d reads of each block agree", passes), "compare the replicas: they have diverged")
	fault("unreadable", sum(func(c model.Cut) int { return c.Unreadable }), "blocks cannot be read", "every block can be read", "look at the kernel's log: dmesg")
	all = append(all, caveats(h, cuts)...)
	return all
}

// caveats returns what weakens a test that found nothing.
func caveats(h *header, cuts []model.Cut) (all []model.Finding) {
	var unnoticed []int
	buffered := false
	for _, c := range cuts {
		if !c.Noticed {
			unnoticed = append(unnoticed, c.Number)
		}
		buffered = buffered || c.Buffered
	}
	if len(unnoticed) > 0 {
		all = append(all, model.Finding{Rule: "unnoticed", Severity: model.SeverityWarning, Evidence: map[string]any{"cuts": unnoticed},
			Message: fmt.Sprintf("the target answered on through %d of %s, so nothing shows that there was one: these are not counted", len(unnoticed), units.FormatCount(len(cuts), "cut")),
			Next:    "let the command cut what the target depends on, and return only when it has"})
	}
	if h.Target.Kind == model.NBD && !elsewhere(h) && slices.ContainsFunc(cuts, func(c model.Cut) bool { return c.Kind == model.CutCommand }) {
		all = append(all, model.Finding{Rule: "ledger-place", Severity: model.SeverityNotChecked,
			Message: "where the server keeps its data cannot be seen from here: if the ledger is on the same disk, the cut took its last lines too, and losses with them",
			Next:    "keep the test on another disk or machine: --results /mnt/other"})
	}
	if buffered {
		all = append(all, model.Finding{Rule: "page-cache", Severity: model.SeverityWarning,
			Message: "direct I/O is refused here, so the check read through the page cache: what it saw may not be on the storage",
			Next:    "unmount and mount the filesystem in --restart, or cut the whole machine"})
	}
	if h.Environment.Storage.Memory {
		all = append(all, model.Finding{Rule: "memory", Severity: model.SeverityWarning, Message: "the target is memory: it loses everything with its power, whatever was flushed"})
	}
	if part := h.Environment.Storage.MemoryPart; part != "" {
		all = append(all, model.Finding{Rule: "memory", Severity: model.SeverityWarning, Message: "part of the target, " + part + ", is memory: it loses everything with its power, whatever was flushed"})
	}
	if !h.promised() {
		all = append(all, model.Finding{Rule: "no-flush", Severity: model.SeverityNote, Message: "--sync none requests no flush: a loss here shows only that there is a volatile cache"})
	}
	return all
}

// examples returns the examples of one kind of fault.
func examples(cuts []model.Cut, rule string) []string {
	var found []string
	for _, c := range cuts {
		for _, e := range c.Examples {
			if words, ok := strings.CutPrefix(e, rule+": "); ok {
				found = append(found, words)
			}
		}
	}
	return slices.Clip(found)
}
