package results

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"

	"github.com/loadline/loadline/internal/measure/store"
	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/iotrace"
	"github.com/loadline/loadline/internal/model/safetext"
	"github.com/loadline/loadline/internal/show/report/html"
	"github.com/loadline/loadline/internal/show/report/jsonout"
	"github.com/loadline/loadline/internal/show/report/text"
)

// mostTraceRows limits a report's rows, and its operations on devices: the busiest are shown, and all
// the others are in the samples.
const mostTraceRows = 500

// assembleTrace computes the report of a trace.
func assembleTrace(rec *store.RecordedTrace) *iotrace.Report {
	t := &iotrace.Report{Schema: iotrace.Schema, Run: rec.Run, Kinds: traceKinds(rec.Samples), Damage: rec.Damage, Directory: rec.Directory}
	t.Rows = TraceRows(rec.Samples)
	if over := len(t.Rows) - mostTraceRows; over > 0 {
		t.Findings = append(t.Findings, model.Finding{Rule: "rows", Severity: model.SeverityNote,
			Message: fmt.Sprintf("%d more processes and operations, none of them busier than those shown, are in the samples only", over)})
		t.Rows = t.Rows[:mostTraceRows]
	}
	if over := len(t.Kinds) - mostTraceRows; over > 0 {
		t.Kinds = busiestKinds(t.Kinds)
		t.Findings = append(t.Findings, model.Finding{Rule: "kinds", Severity: model.SeverityNote,
			Message: fmt.Sprintf("%d more operations on devices, none of them busier than those shown, are in the samples only", over)})
	}
	if t.Run.Seconds == 0 {
		// It was cut off: only the end of its last second is known.
		for _, s := range rec.Samples {
			t.Run.Seconds = max(t.Run.Seconds, s.End)
		}
	}
	estimateTrace(t, rec.Samples)
	t.Findings = append(t.Findings, lostFindings(&t.Run)...)
	for i := range t.Run.Devices {
		t.Findings = append(t.Findings, traceFindings(&t.Run, &t.Run.Devices[i])...)
	}
	if t.Findings == nil {
		t.Findings = []model.Finding{}
	}
	return t
}

// TraceRows sums samples up by process, device and operation, the busiest first.
func TraceRows(samples []iotrace.Sample) []iotrace.Row {
	sums := map[rowKey]*figures{}
	var order []rowKey
	for i := range samples {
		s := &samples[i]
		k := rowOf(s)
		if sums[k] == nil {
			sums[k] = &figures{}
			order = append(order, k)
		}
		sums[k].add(s)
	}
	rows := make([]iotrace.Row, 0, len(order))
	for _, k := range order {
		rows = append(rows, iotrace.Row{Device: k.device, Operation: k.op, Originator: k.who,
			Unowned: k.op == iotrace.Flush && k.who == iotrace.Originator{}, Figures: sums[k].done()})
	}
	slices.SortStableFunc(rows, func(a, b iotrace.Row) int {
		return cmp.Or(cmp.Compare(b.IOs, a.IOs), cmp.Compare(a.Device, b.Device), cmp.Compare(a.PID, b.PID), cmp.Compare(a.Operation, b.Operation))
	})
	return rows
}

// traceKinds sums samples up by device and operation, and within these by size.
func traceKinds(samples []iotrace.Sample) []iotrace.Kind {
	sums := map[kindKey]*figures{}
	for i := range samples {
		s := &samples[i]
		for _, k := range kindsOf(s) {
			if sums[k] == nil {
				sums[k] = &figures{}
			}
			sums[k].add(s)
		}
	}
	order := make([]kindKey, 0, len(sums))
	for k := range sums {
		order = append(order, k)
	}
	// A kind comes before its sizes: its own is 0.
	slices.SortFunc(order, func(a, b kindKey) int {
		return cmp.Or(cmp.Compare(a.device, b.device), cmp.Compare(slices.Index(iotrace.Operations, a.op), slices.Index(iotrace.Operations, b.op)),
			cmp.Compare(a.op, b.op), cmp.Compare(a.size, b.size))
	})
	kinds := []iotrace.Kind{}
	for _, k := range order {
		if k.all {
			kinds = append(kinds, iotrace.Kind{Device: k.device, Operation: k.op, Figures: sums[k].done()})
		} else if k.size > 0 {
			last := &kinds[len(kinds)-1]
			last.Sizes = append(last.Sizes, iotrace.Size{Size: k.size, Figures: sums[k].done()})
		}
	}
	return kinds
}

// busiestKinds are the mostTraceRows kinds with the most I/Os, in their original order.
func busiestKinds(kinds []iotrace.Kind) []iotrace.Kind {
	order := make([]int, len(kinds))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(kinds[b].IOs, kinds[a].IOs) })
	order = order[:mostTraceRows]
	slices.Sort(order)
	busiest := make([]iotrace.Kind, 0, mostTraceRows)
	for _, i := range order {
		busiest = append(busiest, kinds[i])
	}
	return busiest
}

// figures is a sum of samples.
type figures struct {
	flow model.Flow
	wait float64
}

func (f *figures) add(s *iotrace.Sample) {
	f.flow.Add(s.Flow)
	f.wait += s.Wait
}

// beyond is how many I/Os must lie beyond a percentile for it to be shown.
const beyond = 10

func (f *figures) done() iotrace.Figures {
	n := float64(f.flow.IOs)
	out := iotrace.Figures{IOs: f.flow.IOs, Bytes: f.flow.Bytes, Max: f.flow.Max, Histogram: f.flow.Histogram}
	if n > 0 {
		out.Mean, out.Wait = f.flow.LatencySum/n, f.wait/n
	}
	count := float64(f.flow.Histogram.Count())
	for _, p := range []struct {
		to      **float64
		percent float64
	}{{&out.P50, 50}, {&out.P99, 99}, {&out.P999, 99.9}} {
		if count*(100-p.percent)/100 >= beyond {
			v := f.flow.Histogram.PercentileUpTo(p.percent, f.flow.Max)
			*p.to = &v
		}
	}
	return out
}

// Limits on what a trace may miss: as a share of the device's I/Os. With more threads than processors,
// up to 3 % of the completions are known to be missed (docs/trace.md). A handful of I/Os at the ends of
// a short trace is negligible.
const (
	unseenWarning = 0.01
	unseenInvalid = 0.05
	unseenHandful = 20
)

// lostFindings reports how many events have no record. If that is a hundredth of the I/Os or more, it
// is a warning, as for a device's unseen I/Os.
func lostFindings(run *iotrace.Run) []model.Finding {
	if run.LostRecords == 0 {
		return nil
	}
	var total uint64
	for _, d := range run.Devices {
		if d.Counters != nil {
			total += d.Counters.Total()
		}
	}
	f := model.Finding{Rule: "lost", Severity: model.SeverityNote,
		Message: fmt.Sprintf("%d events of the kernel have no record, because its buffers were full or it wrote none: as many I/Os or fewer are missing", run.LostRecords)}
	if float64(run.LostRecords) >= unseenWarning*float64(total) {
		f.Severity, f.Next = model.SeverityWarning, "trace one device, or take --method bpf"
	}
	return []model.Finding{f}
}

// traceFindings reports what is to be known about the figures of a device.
func traceFindings(run *iotrace.Run, d *iotrace.Device) (list []model.Finding) {
	add := func(rule string, s model.Severity, next, message string, values ...any) {
		list = append(list, model.Finding{Rule: rule, Severity: s, Results: []string{d.Name}, Message: fmt.Sprintf(message, values...), Next: next})
	}
	switch {
	case run.Method == iotrace.ByCounters:
		add("unseen", model.SeverityNotChecked, "", "%s: the figures are the device's own counters, so there is nothing to compare them with", d.Name)
	case d.Counters == nil && d.Number == "":
		add("unseen", model.SeverityNotChecked, "", "%s: the tracer was lost before it read the device's counters again, so what was not seen is not known", d.Name)
	case d.Counters == nil:
		add("unseen", model.SeverityNotChecked, "", "%s does not count what it does, or went away: what was not seen is not known", d.Name)
	case d.Unseen == nil && len(d.Operations) > 0:
		add("unseen", model.SeverityNotChecked, "", "%s counted nothing: what was not seen is not known", d.Name)
	case d.Unseen != nil:
		total := d.Counters.Total()
		off := *d.Unseen * float64(total)
		severity := model.SeverityPassed
		switch share := math.Abs(*d.Unseen); {
		case math.Abs(off) < unseenHandful || share < unseenWarning:
		case share < unseenInvalid:
			severity = model.SeverityWarning
		default:
			severity = model.SeverityInvalid
		}
		add("unseen", severity, "", "%s: %s unseen: the device counted %d I/Os, and the trace saw %.0f", d.Name, unseenWords(*d.Unseen), total, float64(total)-off)
	}
	if d.Unmatched > 0 {
		add("unmatched", model.SeverityNote, "", "%s: %d ended that were not seen to begin; most were in flight when the trace began", d.Name, d.Unmatched)
	}
	if lost := d.Overflowed + d.Dropped; lost > 0 {
		add("room", model.SeverityWarning, "trace one device, or for a shorter time", "%s: %d I/Os found no room: %d are missing, and %d are counted, but in no row", d.Name, lost, d.Overflowed, d.Dropped)
	}
	if d.Stacked {
		add("stacked", model.SeverityNote, "", "%s stands on other devices: its I/Os appear on those as well, and one that it splits is counted once or more often", d.Name)
	}
	return list
}

// incomplete names the device for which a trace has too few I/Os in its rows for figures about an
// operation; "" if there is none.
func incomplete(run *iotrace.Run) string {
	for i := range run.Devices {
		d := &run.Devices[i]
		var total, missing float64
		for _, c := range d.Operations {
			total += float64(c.Done)
		}
		if d.Counters != nil && d.Unseen != nil {
			total = float64(d.Counters.Total())
			missing = math.Abs(*d.Unseen) * total
		}
		missing += float64(d.Dropped)
		if missing >= unseenHandful && missing >= unseenInvalid*total {
			return fmt.Sprintf("of %s it lacks %s of the I/Os", d.Name, unseenWords(min(1, missing/total)))
		}
		// A device without a number is one whose tracer was lost. What it did after that is in no row,
		// while the other devices' rows go on.
		if len(run.Devices) > 1 && d.Counters == nil && d.Number == "" && run.Reason != "" {
			return fmt.Sprintf("of %s it ends early: %s", d.Name, run.Reason)
		}
	}
	return ""
}

// unseenWords formats a share in percent, with more digits for smaller shares.
func unseenWords(share float64) string {
	switch p := math.Abs(share) * 100; {
	case p == 0:
		return "0 %"
	case p < 0.01:
		return "less than 0.01 %"
	case share < 0:
		return fmt.Sprintf("−%.2g %% (more than it counted)", p)
	default:
		return fmt.Sprintf("%.2g %%", p)
	}
}

// FinishTrace computes the report of a trace, and saves it in the trace's directory. With an unsaved error the report is complete.
func FinishTrace(rec *store.RecordedTrace) (*iotrace.Report, error) {
	t := assembleTrace(rec)
	if store.IsTrace(rec.Directory) {
		return t, saveTrace(t)
	}
	// It was not saved there, so the directory is not named.
	t.Directory = ""
	return t, movedAway(rec.Directory, "trace", "loadline analyze DIR")
}

// tracedBeside is the report of the trace made beside the run in a directory: the saved one, otherwise
// it is computed from its samples. It is nil if there is no trace.
func tracedBeside(run string) (*iotrace.Report, error) {
	dir := filepath.Join(run, store.TraceDir)
	if data, err := traceDocument(run); err == nil {
		if doc, err := jsonout.Read(data); err == nil && doc.Trace != nil {
			doc.Trace.Directory = dir
			return doc.Trace, nil
		}
	}
	rec, err := store.ReadRunTrace(run, store.TraceDir)
	if rec == nil || err != nil {
		return nil, err
	}
	return assembleTrace(rec), nil
}

// traceDocument is the saved report of the trace beside a run.
func traceDocument(run string) ([]byte, error) {
	root, err := os.OpenRoot(run)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	return store.ReadRunTraceReport(root)
}

func saveTrace(t *iotrace.Report) error {
	var doc, summary bytes.Buffer
	err := errors.Join(jsonout.WriteTrace(&doc, t), text.RenderTrace(&summary, t, text.TraceOptions{Options: text.Options{Width: 120, Unicode: true}}))
	if err != nil {
		return err
	}
	f, err := store.Open(t.Directory)
	if err != nil {
		return err
	}
	defer f.Close()
	return saving(t.Directory, "loadline analyze "+safetext.ShellWord(t.Directory),
		computed{store.ReportFile, doc.Bytes(), summary.Bytes(), store.CardOfTrace(t), func(w io.Writer) error { return html.RenderTraces(w, t) }}.save(f))
}

// analyzeTrace is FinishTrace for Analyze. A report that cannot be saved is complete all the same.
func analyzeTrace(dir string) (Outcome, error) {
	rec, err := store.ReadTrace(dir)
	if err != nil {
		return Outcome{}, err
	}
	if store.Running(dir) {
		return Outcome{}, stillRunning("trace", dir)
	}
	t, err := FinishTrace(rec)
	if isUnsaved(err) {
		return Outcome{Trace: t, Unsaved: err}, nil
	}
	return Outcome{Trace: t}, err
}
