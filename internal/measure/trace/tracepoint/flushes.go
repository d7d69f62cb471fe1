package tracepoint

// flushes is what is known of a device's flushes and of the I/Os waiting for them.
type flushes struct {
	waiting []waiter
	// ended is a ring with the issue times of the last completed flushes. A queue has one flush in
	// flight, which answers all requests made before it was issued.
	ended []uint64
	count int
	// sequences says, by the flushes that a write with data requires, whether the kernel completes
	// the write once more after these flushes.
	sequences [4]bool
}

// waiter is an I/O that waits for a flush.
type waiter struct {
	flight *flight // nil once its data has been written
	who    who
	asks   asks
	since  uint64
	// end is the sector after its data. Once the data has been written, over is true if nothing more
	// is expected, as far as is known of the device.
	end  uint64
	over bool
}

// mostWaiting bounds the number of waiters.
const mostWaiting = 4096

// wantFlush records an I/O that waits for a flush.
func (d *watched) wantFlush(f *flight) {
	if f == nil || f.asks == 0 || len(d.waiting) >= mostWaiting {
		return
	}
	d.waiting = append(d.waiting, waiter{flight: f, who: f.who, asks: f.asks, since: f.start})
}

// hadFlush forgets an I/O that no longer waits.
func (d *watched) hadFlush(f *flight) {
	if f.asks != 0 {
		d.drop(func(w *waiter) bool { return w.flight == f })
	}
}

func (d *watched) drop(match func(*waiter) bool) {
	kept := d.waiting[:0]
	for i := range d.waiting {
		if !match(&d.waiting[i]) {
			kept = append(kept, d.waiting[i])
		}
	}
	d.waiting = kept
}

// dataEnded handles the end of an I/O whose data ends before the sector end. One with data continues
// to wait for the flush after it, if the device is known to report that.
func (d *watched) dataEnded(f *flight, end, now uint64) {
	if f.asks == 0 {
		return
	}
	if f.bytes == 0 {
		d.hadFlush(f)
		return
	}
	d.drop(func(w *waiter) bool { return w.over && since(now, w.since) > 1e9 })
	for i := range d.waiting {
		if w := &d.waiting[i]; w.flight == f {
			w.flight, w.end, w.over = nil, end, !d.sequences[f.asks]
		}
	}
}

// sequenceEnded handles the end of the flushes around a write with data.
func (d *watched) sequenceEnded(e *event) {
	for i := range d.waiting {
		if w := &d.waiting[i]; w.flight == nil && w.end == e.sector {
			d.sequences[w.asks] = true
			d.waiting = append(d.waiting[:i], d.waiting[i+1:]...)
			return
		}
	}
}

// owner returns to whom a flush is attributed: the process that waits for one; if several wait, their
// cgroup if it is the same; otherwise no one.
func (d *watched) owner(now uint64) (is who) {
	d.drop(func(w *waiter) bool { return since(now, w.since) > stale })
	first := true
	for i := range d.waiting {
		w := &d.waiting[i]
		switch {
		case w.over:
		case first:
			is, first = w.who, false
		case w.who.group != is.group:
			return who{}
		case w.who.pid != is.pid:
			is = who{group: is.group}
		}
	}
	return is
}

// endsKept returns how many ends of flushes are remembered for a device with that many queues. With
// one queue, every request made before the last flush but one was issued has been answered. Flushes
// of several queues overtake each other.
func endsKept(queues int) int {
	if queues <= 1 {
		return 2
	}
	return 4 * queues
}

// flushEnded records that a flush has ended, and when it was issued to the device.
func (d *watched) flushEnded(issue uint64) {
	d.ended[d.count%len(d.ended)] = issue
	d.count++
}

// dropStaleWaits forgets I/Os that must have been answered without our seeing it.
func (p *pairing) dropStaleWaits(d *watched, at key) {
	if d.count < len(d.ended) {
		return
	}
	first := d.ended[d.count%len(d.ended)]
	for {
		f := oldest(p.flying[at], func(*flight) bool { return true })
		if f == nil || f.start >= first {
			return
		}
		d.hadFlush(f)
		p.remove(at, f)
	}
}
