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
	pendingIO  *pendingIO // nil once its data has been written
	task       task
	flushFlags flushFlags
	since      uint64
	// end is the sector after its data. Once the data has been written, over is true if nothing more
	// is expected, as far as is known of the device.
	end  uint64
	over bool
}

// maxWaiters bounds the number of waiters.
const maxWaiters = 4096

// addFlushWait records an I/O that waits for a flush.
func (d *watchedDevice) addFlushWait(f *pendingIO) {
	if f == nil || f.flushFlags == 0 || len(d.waiting) >= maxWaiters {
		return
	}
	d.waiting = append(d.waiting, waiter{pendingIO: f, task: f.task, flushFlags: f.flushFlags, since: f.start})
}

// removeFlushWait forgets an I/O that no longer waits.
func (d *watchedDevice) removeFlushWait(f *pendingIO) {
	if f.flushFlags != 0 {
		d.removeWaiters(func(w *waiter) bool { return w.pendingIO == f })
	}
}

func (d *watchedDevice) removeWaiters(match func(*waiter) bool) {
	kept := d.waiting[:0]
	for i := range d.waiting {
		if !match(&d.waiting[i]) {
			kept = append(kept, d.waiting[i])
		}
	}
	d.waiting = kept
}

// onDataComplete handles the end of an I/O whose data ends before the sector end. One with data
// continues to wait for the flush after it, if the device is known to report that.
func (d *watchedDevice) onDataComplete(f *pendingIO, end, now uint64) {
	if f.flushFlags == 0 {
		return
	}
	if f.bytes == 0 {
		d.removeFlushWait(f)
		return
	}
	d.removeWaiters(func(w *waiter) bool { return w.over && since(now, w.since) > 1e9 })
	for i := range d.waiting {
		if w := &d.waiting[i]; w.pendingIO == f {
			w.pendingIO, w.end, w.over = nil, end, !d.sequences[f.flushFlags]
		}
	}
}

// onSequenceComplete handles the end of the flushes around a write with data.
func (d *watchedDevice) onSequenceComplete(e *event) {
	for i := range d.waiting {
		if w := &d.waiting[i]; w.pendingIO == nil && w.end == e.sector {
			d.sequences[w.flushFlags] = true
			d.waiting = append(d.waiting[:i], d.waiting[i+1:]...)
			return
		}
	}
}

// owner returns to whom a flush is attributed: the process that waits for one; if several wait, their
// cgroup if it is the same; otherwise no one.
func (d *watchedDevice) owner(now uint64) (is task) {
	d.removeWaiters(func(w *waiter) bool { return since(now, w.since) > staleAge })
	first := true
	for i := range d.waiting {
		w := &d.waiting[i]
		switch {
		case w.over:
		case first:
			is, first = w.task, false
		case w.task.group != is.group:
			return task{}
		case w.task.pid != is.pid:
			is = task{group: is.group}
		}
	}
	return is
}

// flushHistory returns how many ends of flushes are remembered for a device with that many queues.
// With one queue, every request made before the last flush but one was issued has been answered.
// Flushes of several queues overtake each other.
func flushHistory(queues int) int {
	if queues <= 1 {
		return 2
	}
	return 4 * queues
}

// onFlushComplete records that a flush has ended, and when it was issued to the device.
func (d *watchedDevice) onFlushComplete(issue uint64) {
	d.ended[d.count%len(d.ended)] = issue
	d.count++
}

// dropStaleWaits forgets I/Os that must have been answered without our seeing it.
func (p *pairing) dropStaleWaits(d *watchedDevice, at key) {
	if d.count < len(d.ended) {
		return
	}
	first := d.ended[d.count%len(d.ended)]
	for {
		f := oldest(p.inFlight[at], func(*pendingIO) bool { return true })
		if f == nil || f.start >= first {
			return
		}
		d.removeFlushWait(f)
		p.remove(at, f)
	}
}
