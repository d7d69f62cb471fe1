package results

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/loadline/loadline/internal/judge/analyze"
	"github.com/loadline/loadline/internal/measure/store"
	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/iotrace"
)

// traceCaution is the caveat of every comparison of two traces, whatever its figures.
const traceCaution = "The two traces watched two loads, one after the other: not the same I/Os, and not interleaved. A difference may be the load's or the hour's as well as the storage's; to compare storage, measure both: loadline compare A B."

// Which processes are compared, by name: the busiest of those with at least this many I/Os and at least
// this share of their operation in both traces. For the others, random variation dominates.
const (
	mostCompared  = 5
	leastCompared = 100
	leastShare    = 0.01
)

// tracedSide is one side of a comparison of traces.
type tracedSide struct {
	report  *iotrace.Report
	samples []iotrace.Sample
	seconds *analyze.Traced
}

// of are the samples of an operation on a device, of all processes or of those with a given name.
func (s *tracedSide) of(device string, op iotrace.Operation, command string) (list []*iotrace.Sample) {
	for i := range s.samples {
		if x := &s.samples[i]; x.Device == device && x.Operation == op && (command == "" || x.Command == command) {
			list = append(list, x)
		}
	}
	return list
}

// madeOf is the composition of these samples, on a device.
func (s *tracedSide) madeOf(list []*iotrace.Sample, device string) analyze.Made {
	m := analyze.Made{Sizes: map[int64]float64{}, Bytes: map[int64]float64{}, Mix: mixOf(s.report, device)}
	for _, x := range list {
		m.Sizes[x.Size] += float64(x.Flow.IOs)
		m.Bytes[x.Size] += float64(x.Flow.Bytes)
	}
	return m
}

// mixOf counts the operations on a device: a wait for a flush is not a separate I/O, and requests by
// drivers do not belong to any load.
func mixOf(t *iotrace.Report, device string) map[iotrace.Operation]float64 {
	m := map[iotrace.Operation]float64{}
	for _, k := range t.Kinds {
		if k.Device == device && k.Operation != iotrace.FlushWait && k.Operation != iotrace.Other {
			m[k.Operation] += float64(k.IOs)
		}
	}
	return m
}

// CompareTraces compares two saved traces with the given margins.
func CompareTraces(dirA, dirB string, asked model.Margins) (*iotrace.Comparison, error) {
	if sameDirectory(dirA, dirB) {
		return nil, model.RefusedError(fmt.Sprintf("%s and %s are the same trace: it would be compared with itself", dirA, dirB), "name two traces")
	}
	var sides [2]tracedSide
	for i, dir := range []string{dirA, dirB} {
		if store.Running(dir) {
			return nil, stillRunning("trace", dir)
		}
		rec, err := store.ReadTrace(dir)
		if err != nil {
			return nil, err
		}
		t := assembleTrace(rec)
		sides[i] = tracedSide{t, rec.Samples, analyze.NewTraced(rec.Samples, t.Run.Seconds, 2*len(t.Kinds)*(1+mostCompared), mostKept)}
	}
	a, b := &sides[0], &sides[1]
	if a.report.Run.ID == b.report.Run.ID && a.report.Run.Started.Equal(b.report.Run.Started) {
		return nil, model.RefusedError(fmt.Sprintf("%s is a copy of %s: a trace would be compared with itself", dirB, dirA), "name two traces")
	}
	if a.report.Run.Method != b.report.Run.Method {
		return nil, differentMethods(a.report.Run.Method, b.report.Run.Method)
	}
	return compareTraces(a, b, Margins(asked, model.Experiment{})), nil
}

// differentMethods refuses two traces that were made with different methods; it advises the method that
// sees less.
func differentMethods(a, b iotrace.Method) error {
	if a == iotrace.ByCounters || b == iotrace.ByCounters {
		other := map[bool]string{true: "perf events", false: "BPF"}[a == iotrace.ByPerf || b == iotrace.ByPerf]
		return model.RefusedError(fmt.Sprintf("one of the two was traced by %s, the other by the device's counters, whose latencies include the wait and whose writes what waits for a flush: they count different things", other),
			"trace both in the same way: loadline trace --method counters")
	}
	return model.RefusedError("one of the two was traced by BPF, the other by perf events, which cost each I/O more, can confuse two I/Os of the same sector, and may leave out others: a difference could be the method's",
		"trace both in the same way: loadline trace --method perf")
}

func compareTraces(a, b *tracedSide, margins model.Margins) *iotrace.Comparison {
	c := &iotrace.Comparison{Schema: iotrace.ComparisonSchema, A: a.report.Run, B: b.report.Run, Caution: traceCaution, Margins: margins, Alpha: analyze.Alpha,
		Rows: []iotrace.Compared{}, Findings: []model.Finding{}}
	devices := pairDevices(a.report, b.report)
	var pairs []analyze.TracePair
	for i := range a.report.Kinds {
		k := &a.report.Kinds[i]
		other, both := devices[k.Device]
		if !both || !hasKind(b.report, other, k.Operation) {
			c.LeftOut = append(c.LeftOut, fmt.Sprintf("%s %s: only A has it", k.Device, k.Operation))
			continue
		}
		row := iotrace.Compared{Device: k.Device, Operation: k.Operation}
		if other != k.Device {
			row.DeviceB = other
		}
		unusable := unusableDevice(a.report, b.report, k.Device, other)
		for _, name := range append([]string{""}, commonCommands(a.report, b.report, k.Device, other, k.Operation)...) {
			pair := analyze.TracePair{Row: row, Reason: unusable}
			pair.Row.Command = name
			listA, listB := a.of(k.Device, k.Operation, name), b.of(other, k.Operation, name)
			if unusable == "" {
				pair.Reason = analyze.DifferentIO(a.madeOf(listA, k.Device), b.madeOf(listB, other), k.Operation)
				pair.DifferentIO = pair.Reason != ""
			}
			pair.A, pair.B = a.seconds.Of(listA), b.seconds.Of(listB)
			pairs = append(pairs, pair)
		}
	}
	for _, k := range b.report.Kinds {
		if !slices.ContainsFunc(a.report.Kinds, func(o iotrace.Kind) bool { return devices[o.Device] == k.Device && o.Operation == k.Operation }) {
			c.LeftOut = append(c.LeftOut, fmt.Sprintf("%s %s: only B has it", k.Device, k.Operation))
		}
	}
	c.Rows = append(c.Rows, analyze.CompareFlows(pairs, margins)...)
	c.Findings = append(c.Findings, comparedFindings(c, a.report, b.report)...)
	return c
}

// pairDevices maps the devices of A to those of B with the same name; if each has only one, they are
// paired whatever their names.
func pairDevices(a, b *iotrace.Report) map[string]string {
	names := func(t *iotrace.Report) (list []string) {
		for _, k := range t.Kinds {
			if !slices.Contains(list, k.Device) {
				list = append(list, k.Device)
			}
		}
		return list
	}
	found, listA, listB := map[string]string{}, names(a), names(b)
	for _, name := range listA {
		if slices.Contains(listB, name) {
			found[name] = name
		}
	}
	if len(listA) == 1 && len(listB) == 1 {
		found[listA[0]] = listB[0]
	}
	return found
}

func hasKind(t *iotrace.Report, device string, op iotrace.Operation) bool {
	return slices.ContainsFunc(t.Kinds, func(k iotrace.Kind) bool { return k.Device == device && k.Operation == op })
}

// unusableDevice says why the figures of a device are not reliable in one of the two.
func unusableDevice(a, b *iotrace.Report, deviceA, deviceB string) string {
	for _, side := range []struct {
		name, device string
		t            *iotrace.Report
	}{{"A", deviceA, a}, {"B", deviceB, b}} {
		for _, f := range side.t.Findings {
			if f.Severity == model.SeverityInvalid && slices.Contains(f.Results, side.device) {
				return side.name + ": " + f.Message
			}
		}
	}
	return ""
}

// commonCommands are the names of processes that did an operation in both, the busiest in A first.
func commonCommands(a, b *iotrace.Report, deviceA, deviceB string, op iotrace.Operation) []string {
	count := func(t *iotrace.Report, device string) map[string]uint64 {
		m := map[string]uint64{}
		for _, r := range t.Rows {
			if r.Device == device && r.Operation == op && r.Command != "" {
				m[r.Command] += r.IOs
			}
		}
		return m
	}
	inA, inB := count(a, deviceA), count(b, deviceB)
	enough := func(m map[string]uint64, name string) bool {
		all := uint64(0)
		for _, n := range m {
			all += n
		}
		return m[name] >= leastCompared && float64(m[name]) >= leastShare*float64(all)
	}
	var names []string
	for name := range inA {
		if enough(inA, name) && enough(inB, name) {
			names = append(names, name)
		}
	}
	slices.SortFunc(names, func(x, y string) int { return cmp.Or(cmp.Compare(inA[y], inA[x]), cmp.Compare(x, y)) })
	return names[:min(len(names), mostCompared)]
}

// comparedFindings reports what both traces lack, and where the load on the storage was higher.
func comparedFindings(c *iotrace.Comparison, a, b *iotrace.Report) (list []model.Finding) {
	for i, t := range []*iotrace.Report{a, b} {
		for _, f := range t.Findings {
			if f.Severity == model.SeverityInvalid || f.Severity == model.SeverityWarning {
				f.Message = []string{"A: ", "B: "}[i] + f.Message
				list = append(list, f)
			}
		}
	}
	if a.Run.Method == iotrace.ByCounters {
		list = append(list, model.Finding{Rule: "sizes", Severity: model.SeverityNotChecked,
			Message: "the devices' counters have one mean size for all I/Os of an operation: where these means are within 5 % the latencies are judged, but I/Os of other sizes may have the same mean"})
	}
	for _, r := range c.Rows {
		if r.Command == "" && r.Metric == model.IOPS && (r.Verdict == iotrace.More || r.Verdict == iotrace.Fewer) {
			list = append(list, model.Finding{Rule: "load", Severity: model.SeverityWarning, Results: []string{r.Device},
				Message: fmt.Sprintf("%s %s: B did %.2f times as many I/Os a second as A, so its latencies are those of another load: I/Os wait for each other", r.Device, r.Operation, r.Ratio.Value)})
		}
	}
	return list
}
