package tracepoint

// flushes is what is known of a device's flushes, and of who waits for them.
type flushes struct {
	waiting []waiter
	// ended is when those flushes were issued that ended last, a ring. A queue has one flush in
	// flight, which answers all who asked before it was issued.
	ended []uint64
	count int
	// sequences tells, by the flushes that a write with data asks for, whether the kernel
	// answers it once more when they are done.
	sequences [4]bool
}

// waiter is one that waits for a flush.
type waiter struct {
	flight *flight // nil when its data have been written
	who    who
	asks   asks
	since  uint64
	// end is the sector behind its data. Once they are written, over tells that nothing more
	// is expected, as far as is known of the device.
	end  uint64
	over bool
}

// mostWaiting bounds those that are remembered.
const mostWaiting = 4096

// wantFlush notes one that waits for a flush.
func (d *watched) wantFlush(f *flight) {
	if f == nil || f.asks == 0 || len(d.waiting) >= mostWaiting {
		return
	}
	d.waiting = append(d.waiting, waiter{flight: f, who: f.who, asks: f.asks, since: f.start})
}

// hadFlush forgets one that waits no longer.
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

// dataEnded is told that an I/O has ended, whose data are before the sector end. One with
// data waits on for the flush after it, on a device that is known to answer then.
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

// sequenceEnded is told that the flushes around a write with data are done.
func (d *watched) sequenceEnded(e *event) {
	for i := range d.waiting {
		if w := &d.waiting[i]; w.flight == nil && w.end == e.sector {
			d.sequences[w.asks] = true
			d.waiting = append(d.waiting[:i], d.waiting[i+1:]...)
			return
		}
	}
}

// owner is who a flush is attributed to: the process that waits for one, else the cgroup of
// several, else nobody.
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

// endsKept is how many ends of flushes are remembered of a device with so many queues. With
// one queue, who asked before the last but one was issued has been answered. Those of several
// queues overtake each other.
func endsKept(queues int) int {
	if queues <= 1 {
		return 2
	}
	return 4 * queues
}

// flushEnded notes that a flush has ended, and when the device got it.
func (d *watched) flushEnded(issue uint64) {
	d.ended[d.count%len(d.ended)] = issue
	d.count++
}

// dropStaleWaits forgets who has been answered without being seen.
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
