package analyze

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/safetext"
	"github.com/loadline/loadline/internal/model/units"
)

// compareFindings returns what a reader of the rows must know.
func compareFindings(c *model.Comparison, a, b Measured) []model.Finding {
	findings := []model.Finding{checkComparable(c), checkMethod(c)}
	findings = append(findings, checkImported(c)...)
	findings = append(findings, checkTransactions(c, a, b)...)
	findings = append(findings, checkPlaced(c, a, b)...)
	findings = append(findings, checkSkipped(c, a, b)...)
	for _, f := range []*model.Finding{checkShared(c), checkPartial(c, a.Recorded, b.Recorded), checkMissing(c, a.Recorded, b.Recorded), checkSingle(c, a, b)} {
		if f != nil {
			findings = append(findings, *f)
		}
	}
	findings = append(findings, sidesFindings(a.Report.Findings, b.Report.Findings)...)
	if c.Method == model.Paired {
		adviseOneSize(findings)
	}
	return findings
}

// adviseOneSize gives both sides of a comparison the advice of the one that needs the larger volume: one command measures both.
func adviseOneSize(findings []model.Finding) {
	needed := func(f model.Finding) int64 {
		if f.Rule != "size" {
			return 0
		}
		n, _ := f.Evidence["needed"].(int64)
		return n
	}
	var largest model.Finding
	for _, f := range findings {
		if needed(f) > needed(largest) {
			largest = f
		}
	}
	for i, f := range findings {
		if needed(f) > 0 {
			findings[i].Next = largest.Next
		}
	}
}

// sidesFindings lists the findings of both sides. What both have in the same words, the next step
// included, is said once.
func sidesFindings(a, b []model.Finding) []model.Finding {
	as, bs := sideFindings(a), sideFindings(b)
	var list []model.Finding
	for _, f := range as {
		side := string(model.SideA)
		if i := slices.IndexFunc(bs, func(o model.Finding) bool { return saysTheSame(f, o) }); i >= 0 {
			side += " and " + string(model.SideB)
			bs = slices.Delete(bs, i, i+1)
		}
		f.Message = side + ": " + f.Message
		list = append(list, f)
	}
	for _, f := range bs {
		f.Message = string(model.SideB) + ": " + f.Message
		list = append(list, f)
	}
	return list
}

// saysTheSame reports whether two findings say the same about the same workloads.
func saysTheSame(a, b model.Finding) bool {
	return a.Rule == b.Rule && a.Severity == b.Severity && a.Message == b.Message && a.Next == b.Next && slices.Equal(a.Results, b.Results)
}

// checkComparable reports that the sides are not comparable: a block device and a filesystem, two engines,
// two sizes, and so on.
func checkComparable(c *model.Comparison) model.Finding {
	var words []string
	for _, d := range c.Differences {
		if d.NotComparable {
			words = append(words, fmt.Sprintf("%s %s against %s", d.Name, d.A, d.B))
		}
	}
	if len(words) == 0 {
		return model.Finding{Rule: "not-comparable", Severity: model.SeverityPassed, Message: "both sides were measured in the same way"}
	}
	next := "measure both with the same flags: " + compareCommand(c)
	switch {
	case unlikeKinds(c):
		// No flags make a directory of a device.
		next = "compare two targets of one kind"
	case c.A.Prepare != nil && c.A.Prepare.App != nil:
		// No command compares two servers in one directory, and two settings may be what is to be compared.
		next = "measure both with the same flags and settings"
	case oneTarget(c):
		next = againAsA(c)
	}
	return model.Finding{
		Rule: "not-comparable", Severity: model.SeverityWarning,
		Message: "not comparable: " + strings.Join(words, "; ") + ". A change may come from that and not from the storage",
		Next:    next,
	}
}

// checkMethod reports that the runs were not interleaved, so that their difference also contains
// whatever else changed between them.
func checkMethod(c *model.Comparison) model.Finding {
	if c.Method == model.Paired {
		return model.Finding{Rule: "interleaved", Severity: model.SeverityPassed, Message: "measured in blocks, each side first as often as the other"}
	}
	apart := ""
	if !c.A.Started.IsZero() && !c.B.Started.IsZero() {
		apart = units.FormatSpan(math.Abs(c.B.Started.Sub(c.A.Started).Seconds())) + " apart and "
	}
	f := model.Finding{
		Rule: "interleaved", Severity: model.SeverityNote,
		Message: "the runs were " + apart + "not interleaved: Welch's test on their repeats, in which everything that changed in between counts as a difference",
	}
	if !oneTarget(c) && !unlikeKinds(c) {
		f.Next = "to be surer, measure both at once: " + compareCommand(c)
	}
	return f
}

// unlikeKinds reports whether the targets are of different kinds, such as a directory and a device.
func unlikeKinds(c *model.Comparison) bool {
	return c.A.Imported == nil && c.B.Imported == nil && kindWords(c.A.Target.Kind) != kindWords(c.B.Target.Kind)
}

// oneTarget reports whether both sides are one target, for example before and after an upgrade: a comparison of a target with
// itself is refused, so no command measures both sides at once.
func oneTarget(c *model.Comparison) bool {
	a, b := c.A.Target, c.B.Target
	return a.Cluster.Made() == b.Cluster.Made() && !a.Cluster.Made() && a.InCommand() == b.InCommand()
}

// againAsA advises to measure the target of both sides again in the way of A, which may be what no longer exists.
func againAsA(c *model.Comparison) string {
	if c.A.Again.Verb() != "run" || slices.Equal(c.A.Again, c.B.Again) {
		return "measure it again, each time with the same flags"
	}
	return "measure B again with the flags of A: " + c.A.Again.With().String()
}

// compareCommand is the command that measures both sides again. The name of an imported file is not a
// target.
func compareCommand(c *model.Comparison) string {
	if c.A.Imported != nil || c.B.Imported != nil {
		return "loadline compare TARGET TARGET"
	}
	if again, _ := c.A.Again.Common(c.B.Again, c.A.Target.InCommand(), c.B.Target.InCommand()); again != nil {
		return again.String()
	}
	verb := "loadline compare "
	if app := c.A.Again.Application(); app != "" && app == c.B.Again.Application() {
		verb += "app " + app + " "
	}
	command := verb + safetext.ShellWord(c.A.Target.InCommand()) + " " + safetext.ShellWord(c.B.Target.InCommand())
	for _, run := range []model.RunInfo{c.A, c.B} {
		if run.Volume.Owned && run.Target.Kind == model.File {
			return command + " --create" // the file was removed after the run
		}
	}
	return command
}

// checkShared reports two sides on one disk: they take turns, and one may be affected by what the other
// left behind (write-back, garbage collection).
func checkShared(c *model.Comparison) *model.Finding {
	if c.Method != model.Paired {
		return nil
	}
	disk := sharedDisk(c.A.Environment.Storage, c.B.Environment.Storage)
	if disk == "" {
		return nil
	}
	return &model.Finding{
		Rule: "shared-disk", Severity: model.SeverityWarning,
		Message:  "both sides are on the same disk (" + disk + "): deferred work (writeback, GC) of one side may slow the other",
		Evidence: map[string]any{"disk": disk},
		Next:     "choose targets on different disks, unless the disk itself is not what is compared",
	}
}

// sharedDisk names a device that underlies both storages; "" if there is none or it is unknown.
func sharedDisk(a, b model.Storage) string {
	below := append(slices.Clone(b.DeviceChain), b.Device)
	// The chain is ordered downwards, so it ends with the disk itself.
	for _, name := range slices.Backward(append([]string{a.Device}, a.DeviceChain...)) {
		if name != "" && slices.Contains(below, name) {
			return name
		}
	}
	return ""
}

// checkImported reports sides that another tool measured, and what their numbers lack.
func checkImported(c *model.Comparison) []model.Finding {
	var list []model.Finding
	for _, s := range []struct {
		side model.Side
		run  *model.RunInfo
	}{{model.SideA, &c.A}, {model.SideB, &c.B}} {
		im := s.run.Imported
		if im == nil {
			continue
		}
		f := model.Finding{Rule: "imported", Severity: model.SeverityWarning, Message: string(s.side) + " was imported and holds no raw series: a row without an interval on one side tells no change from chance",
			Next: "measure it: loadline compare TARGET TARGET"}
		if im.Series {
			f.Severity, f.Next = model.SeverityNote, ""
			f.Message = string(s.side) + " was imported with its seconds; what the machine did meanwhile is not known"
		}
		list = append(list, f)
	}
	return list
}

// checkPartial reports sides that did not end as planned. One that was stopped after its guaranteed repeats lacks none of them.
func checkPartial(c *model.Comparison, a, b *model.Recorded) *model.Finding {
	var words []string
	short := false
	for _, s := range []struct {
		side model.Side
		run  *model.RunInfo
		rec  *model.Recorded
	}{{model.SideA, &c.A, a}, {model.SideB, &c.B, b}} {
		if s.run.Status != model.Complete && s.run.Status != model.Unknown {
			words = append(words, fmt.Sprintf("%s was %s", s.side, s.run.Status))
			_, all := s.rec.RepeatsMade()
			short = short || !all
		}
	}
	if len(words) == 0 {
		return nil
	}
	message := "partial: " + strings.Join(words, " and ")
	if short {
		message += "; fewer repeats stand behind the rows than were planned"
	} else {
		message += " after all guaranteed repeats"
	}
	return &model.Finding{Rule: "partial", Severity: model.SeverityWarning, Message: message}
}

// checkMissing reports workloads that only one side has, or that differ.
func checkMissing(c *model.Comparison, a, b *model.Recorded) *model.Finding {
	var only, other, bare []string
	for _, w := range a.Plan.Workloads {
		switch bw, ok := b.Plan.Workload(w.Name); {
		case !ok:
			only = append(only, w.Name+" (only in A)")
		case bw != w:
			other = append(other, w.Name)
		case !slices.ContainsFunc(c.Rows, func(r model.Row) bool { return r.Workload == w.Name }):
			bare = append(bare, w.Name)
		}
	}
	for _, w := range b.Plan.Workloads {
		if _, ok := a.Plan.Workload(w.Name); !ok {
			only = append(only, w.Name+" (only in B)")
		}
	}
	var words []string
	if len(only) > 0 {
		words = append(words, strings.Join(only, ", "))
	}
	if len(other) > 0 {
		words = append(words, strings.Join(other, ", ")+" (same name, but not the same workload)")
	}
	if len(bare) > 0 {
		words = append(words, strings.Join(bare, ", ")+" (no complete block)")
	}
	if len(words) == 0 {
		return nil
	}
	return &model.Finding{Rule: "not-compared", Severity: model.SeverityWarning, Message: "not compared: " + strings.Join(words, "; ")}
}

// checkSingle reports a single repeat: its interval does not include the variation between repeats.
func checkSingle(c *model.Comparison, a, b Measured) *model.Finding {
	if c.Method == model.Paired {
		return nil
	}
	var names []string
	for _, list := range [][]model.Result{a.Report.Results, b.Report.Results} {
		for _, r := range list {
			if r.Repeats == 1 && !r.Sustained.Fallen() && !slices.Contains(names, r.Workload) && slices.ContainsFunc(c.Rows, func(row model.Row) bool { return row.Workload == r.Workload }) {
				names = append(names, r.Workload)
			}
		}
	}
	if len(names) == 0 {
		return nil
	}
	return &model.Finding{Rule: "single-repeat", Severity: model.SeverityWarning, Results: names,
		Message: "one repeat only: what changes from one repeat to the next is not in these intervals, so a difference may be chance",
		Next:    "measure in rounds (without --time and --until-steady), or interleaved"}
}

// sideFindings lists the findings that make a side's numbers doubtful, and what is known of its burst
// credits. That a side was imported or did not end as planned is said of the comparison.
func sideFindings(findings []model.Finding) []model.Finding {
	var list []model.Finding
	for _, f := range findings {
		switch {
		case f.Rule == "sustained" && f.Severity != model.SeverityNotChecked:
			list = append(list, f)
		case f.Severity != model.SeverityInvalid && f.Severity != model.SeverityWarning:
		case imprecise(f) || f.Rule == "imported" || f.Rule == "interrupted" && f.Evidence["damage"] == nil:
		default:
			list = append(list, f)
		}
	}
	return list
}

// imprecise reports whether a finding is that a result's interval is wider than was asked for. In a comparison the interval of
// the ratio says how certain a row is: the two sides of a block may vary together. A number without an interval is another
// matter.
func imprecise(f model.Finding) bool { return f.Rule == "precision" && f.Evidence["half_width"] != nil }

// trustIn returns how far a side's number can be trusted in a comparison: its verdict, unless nothing but its precision makes
// it suspect.
func trustIn(findings []model.Finding, r *model.Result) model.Verdict {
	wide := false
	for _, f := range findings {
		if f.Severity != model.SeverityWarning || len(f.Results) > 0 && !slices.Contains(f.Results, r.Workload) {
			continue
		}
		if !imprecise(f) {
			return r.Verdict
		}
		wide = true
	}
	if wide && r.Verdict == model.Suspect {
		return model.Valid
	}
	return r.Verdict
}
