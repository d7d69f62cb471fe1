package explain

import (
	"fmt"
	"strings"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/budget"
	"github.com/loadline/loadline/internal/model/iotrace"
	"github.com/loadline/loadline/internal/model/units"
)

// partOf separates the name of a whole from that of a part of it, so that the parts can be combined
// again.
const partOf = ": "

// underTransaction is what a trace saw of the devices below a server, per transaction: reads and writes
// of the server's own processes, and their flushes if there are any, otherwise those of all processes.
type underTransaction struct {
	reads, writes, flushes each
	// anyone is set if the flushes are those of all processes.
	anyone bool
	// elsewhere is set if the log is on a device that was not traced.
	elsewhere bool
}

// time is what the devices spent on a transaction.
func (u underTransaction) time() float64 { return u.reads.time() + u.writes.time() + u.flushes.time() }

// under sums up what was traced below a server; ok is false if nothing was. Flushes are those of the
// log's device, if it has a separate one.
func (ev Evidence) under(w model.Workload, t transaction) (u underTransaction, ok bool) {
	log := ev.logDevice(w.Name)
	type one struct{ own, all sums }
	seen := map[iotrace.Operation]*one{iotrace.Read: {}, iotrace.Write: {}, iotrace.Flush: {}}
	logTraced := log == ""
	seconds := ev.during(w, func(x *iotrace.Sample) {
		logTraced = logTraced || onDevice(log, x.Device)
		sum := seen[x.Operation]
		if sum == nil || x.Operation == iotrace.Flush && log != "" && !onDevice(log, x.Device) {
			return
		}
		sum.all.add(x)
		if strings.HasPrefix(x.Command, t.app.Process) {
			sum.own.add(x)
		}
	})
	n := seconds * t.rate
	if n <= 0 {
		return u, false
	}
	u.reads, u.writes, u.flushes = seen[iotrace.Read].own.each(n), seen[iotrace.Write].own.each(n), seen[iotrace.Flush].own.each(n)
	if u.flushes.n == 0 {
		u.flushes = seen[iotrace.Flush].all.each(n)
		u.anyone = u.flushes.n > 0
	}
	u.elsewhere = !logTraced
	return u, u.time() > 0
}

// logDevice is the device of the log, if it has a separate one.
func (ev Evidence) logDevice(workload string) string {
	for _, s := range ev.steps(workload) {
		if s.Counters != nil && s.Counters.LogDevice != "" {
			return s.Counters.LogDevice
		}
	}
	return ""
}

// onDevice reports whether a device, or a partition, is on the traced one, which is a whole device.
func onDevice(name, traced string) bool {
	name = name[strings.LastIndex(name, "/")+1:]
	part, ok := strings.CutPrefix(name, traced)
	if !ok || traced == "" || part == "" {
		return ok && traced != ""
	}
	const digits = "0123456789"
	if strings.ContainsAny(traced[len(traced)-1:], digits) {
		// The kernel inserts a p between two numbers: loop1p2; loop12 is another device.
		if part, ok = strings.CutPrefix(part, "p"); !ok {
			return false
		}
	}
	return part != "" && strings.Trim(part, digits) == ""
}

// tracedTransaction adds what a trace saw below the server: the device's part of each flush of the log,
// and what the devices spent on a transaction.
func (ev Evidence) tracedTransaction(b *budget.Budget, w model.Workload, t transaction) {
	if len(ev.Trace) > 0 && ev.Recorded.Run.Clock.IsZero() {
		b.Notes = append(b.Notes, "there is a trace beside it, which cannot be used: an older version did not note when the run's seconds began")
		return
	}
	u, ok := ev.under(w, t)
	if !ok {
		return
	}
	b.Counts = append(b.Counts, budget.Count{Name: deviceCounts + "time", Unit: "s", Value: u.time()})
	var parts []string
	for _, x := range []struct {
		e            each
		one, several string
	}{{u.reads, "read", "reads"}, {u.writes, "write", "writes"}, {u.flushes, "flush", "flushes"}} {
		if x.e.n > 0 {
			parts = append(parts, times(x.e.n, x.one, x.several)+units.FormatDuration(x.e.each))
		}
	}
	b.Notes = append(b.Notes, fmt.Sprintf("for each transaction the server's own I/O took the devices %s (%s; block trace); a transaction does not wait for all of it, such as a checkpoint's writes",
		units.FormatDuration(u.time()), strings.Join(parts, ", ")))
	switch {
	case u.elsewhere:
		b.Notes = append(b.Notes, "the log's device was not traced, so nothing is known of its flushes below the server")
	case u.flushes.n == 0:
		b.Notes = append(b.Notes, "the device was asked for no flush: it says that it has no volatile cache, so a flush of the WAL is a write")
	case t.flush != nil:
		splitFlush(b, *t.flush, u)
	}
}

// splitFlush divides each flush of the log that a transaction waits for into the device's part and the
// rest, which is the write before it, the filesystem and the kernel.
func splitFlush(b *budget.Budget, whole float64, u underTransaction) {
	device := min(u.flushes.each, whole)
	var rows []budget.Row
	for _, r := range b.Rows {
		if r.Part != budget.Flush || whole <= 0 {
			rows = append(rows, r)
			continue
		}
		n := r.Seconds / whole
		rows = append(rows,
			budget.Row{Part: budget.Flush, Name: r.Name + partOf + "device", Seconds: n * device, Of: times(n, "flush", "flushes") + units.FormatDuration(device), Source: "block trace"},
			budget.Row{Part: budget.Flush, Name: r.Name + partOf + "write, filesystem", Seconds: r.Seconds - n*device, Of: times(n, "flush", "flushes") + units.FormatDuration(whole-device), Source: r.Source + " less block trace"})
	}
	b.Rows = rows
	if u.flushes.each > whole {
		b.Notes = append(b.Notes, fmt.Sprintf("a flush took the device %s, which is longer than the server's own: some are of others", units.FormatDuration(u.flushes.each)))
	} else if u.anyone {
		b.Notes = append(b.Notes, "the trace saw no flush of the server's own processes, so these are everybody's on the device")
	}
}
