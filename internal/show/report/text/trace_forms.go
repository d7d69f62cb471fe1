package text

import (
	"fmt"
	"math"
	"strings"

	"github.com/loadline/loadline/internal/model/histogram"
	"github.com/loadline/loadline/internal/model/iotrace"
	"github.com/loadline/loadline/internal/model/units"
	"github.com/loadline/loadline/internal/show/report/term"
)

// traceHistograms draws the latencies of each device and operation in powers of two of a
// microsecond, like biolatency(8).
func (p *page) traceHistograms(t *iotrace.Report) {
	for _, k := range t.Kinds {
		if k.Histogram.Count() == 0 {
			continue
		}
		p.blank()
		p.line(fmt.Sprintf("%s %s, %d I/Os, mean %s", p.Text(k.Device), p.Text(string(k.Operation)), k.IOs, p.Text(units.FormatDuration(k.Mean))))
		p.powers(k.Histogram)
	}
}

// histogramWidth is the width of a histogram's bars.
const histogramWidth = 40

// powers draws a histogram whose rows range from one power of two to the next, in µs; like those of
// other tools, it begins at 0.
func (p *page) powers(h histogram.Histogram) {
	bars := iotrace.BarsOf(h)
	most := uint64(0)
	for _, b := range bars {
		most = max(most, b.IOs)
	}
	p.line(p.Paint(term.Dim, p.Text(fmt.Sprintf("%19s : %-8s %s", "µs", "count", "distribution"))))
	line := func(from, to, n uint64) {
		full := int(float64(n) / float64(most) * histogramWidth)
		p.line(fmt.Sprintf("%8d -> %-8d : %-8d |%s|", from, to, n, strings.Repeat("*", full)+strings.Repeat(" ", histogramWidth-full)))
	}
	micros := func(seconds float64) uint64 { return uint64(math.Round(seconds * 1e6)) }
	for to := uint64(2); to <= micros(bars[0].From); to *= 2 {
		from := to / 2
		if from == 1 {
			from = 0
		}
		line(from, to-1, 0)
	}
	for _, b := range bars {
		line(micros(b.From), micros(b.To)-1, b.IOs)
	}
}

// traceIostat shows the devices' own counters in iostat's columns (iostat -s -x).
func (p *page) traceIostat(t *iotrace.Report) {
	titles := []string{"Device", "tps", "kB/s", "rqm/s", "await", "aqu-sz", "areq-sz", "f/s", "f_await", "%util"}
	columns := make([]*column, len(titles))
	for i, title := range titles {
		columns[i] = &column{title: title, numeric: i > 0}
	}
	seconds := t.Run.Seconds
	for _, d := range t.Run.Devices {
		c := d.Counters
		if c == nil || c.Total() == 0 || seconds <= 0 {
			continue
		}
		ios := float64(c.Reads + c.Writes + c.Discards)
		kb := float64(c.ReadBytes+c.WrittenBytes+c.DiscardBytes) / 1024
		row := []string{d.Name, two(ios / seconds), two(kb / seconds), two(float64(c.ReadMerges+c.WriteMerges) / seconds),
			two(ratio((c.ReadSeconds+c.WriteSeconds)*1e3, float64(c.Reads+c.Writes))), two(c.WeightedSeconds / seconds), two(ratio(kb, ios)),
			two(float64(c.Flushes) / seconds), two(ratio(c.FlushSeconds*1e3, float64(c.Flushes))), two(min(100, 100*c.BusySeconds/seconds))}
		for i, text := range row {
			columns[i].cells = append(columns[i].cells, cell{text: text})
		}
	}
	if len(columns[0].cells) == 0 {
		return
	}
	p.blank()
	p.table(columns)
}

func two(v float64) string { return fmt.Sprintf("%.2f", v) }

func ratio(a, b float64) float64 {
	if b == 0 {
		return 0
	}
	return a / b
}

// traceTotals writes what became of the requests, like the end of blktrace's summary. Writes are
// those with data; waits for a flush are listed below.
func (p *page) traceTotals(t *iotrace.Report) {
	for _, d := range t.Run.Devices {
		if len(d.Operations) == 0 {
			continue
		}
		p.blank()
		p.line(p.Text(fmt.Sprintf("Total (%s, %s):", d.Name, d.Number)))
		r, w := d.Operations[iotrace.Read], d.Operations[iotrace.Write]
		for _, row := range []struct {
			what         string
			r, rk, w, wk uint64
			bytes        bool
		}{
			{"s Queued", r.Queued, r.QueuedBytes, w.Queued, w.QueuedBytes, true},
			{" Dispatches", r.Issued, r.IssuedBytes, w.Issued, w.IssuedBytes, true},
			{"s Requeued", r.Requeued, 0, w.Requeued, 0, false},
			{"s Completed", r.Done, r.DoneBytes, w.Done, w.DoneBytes, true},
			{" Merges", r.Merged, r.MergedBytes, w.Merged, w.MergedBytes, true},
		} {
			p.line(fmt.Sprintf(" %-18s %11d, %12s   %-18s %11d, %12s", "Read"+row.what+":", row.r, kibibytes(row.rk, row.bytes), "Write"+row.what+":", row.w, kibibytes(row.wk, row.bytes)))
		}
		f, wait, dis, other := d.Operations[iotrace.Flush], d.Operations[iotrace.FlushWait], d.Operations[iotrace.Discard], d.Operations[iotrace.Other]
		p.line(fmt.Sprintf(" Flushes: %d   waits for a flush: %d   discards: %d, %s   driver's commands: %d   errors: %d", f.Done, wait.Done, dis.Done, kibibytes(dis.DoneBytes, true), other.Done,
			r.Errors+w.Errors+f.Errors+wait.Errors+dis.Errors+other.Errors))
	}
}

func kibibytes(n uint64, shown bool) string {
	if !shown {
		return ""
	}
	return fmt.Sprintf("%dKiB", n>>10)
}
