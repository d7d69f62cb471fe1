package tracepoint

// newest returns the newest matching I/O under a key.
func newest(f *pendingIO, match func(*pendingIO) bool) *pendingIO {
	for ; f != nil; f = f.older {
		if match(f) {
			return f
		}
	}
	return nil
}

// oldest returns the oldest matching I/O under a key.
func oldest(f *pendingIO, match func(*pendingIO) bool) (last *pendingIO) {
	for ; f != nil; f = f.older {
		if match(f) {
			last = f
		}
	}
	return last
}

// add adds an I/O; it returns nil if there is no room.
func (p *pairing) add(d *watchedDevice, at key, f pendingIO) *pendingIO {
	if p.count >= p.maxInFlight {
		p.forgetBefore(f.start)
	}
	if p.count >= p.maxInFlight {
		d.Overflowed++
		return nil
	}
	p.count++
	kept := p.free
	if kept == nil {
		kept = &pendingIO{}
	} else {
		p.free = kept.older
	}
	*kept = f
	p.link(at, kept)
	return kept
}

func (p *pairing) link(at key, f *pendingIO) {
	f.older = p.inFlight[at]
	p.inFlight[at] = f
}

// unlink removes an I/O from its key's list.
func (p *pairing) unlink(at key, f *pendingIO) {
	first := p.inFlight[at]
	if first == f {
		if f.older == nil {
			delete(p.inFlight, at)
		} else {
			p.inFlight[at] = f.older
		}
		return
	}
	for ; first != nil; first = first.older {
		if first.older == f {
			first.older = f.older
			return
		}
	}
}

// remove forgets an I/O.
func (p *pairing) remove(at key, f *pendingIO) {
	p.unlink(at, f)
	p.count--
	f.older, p.free = p.free, f
}

// forgetBefore makes room: an I/O that began long ago must have ended without our seeing it.
func (p *pairing) forgetBefore(now uint64) {
	p.forget(func(_ key, f *pendingIO) bool { return since(now, f.start) > staleAge })
}

// forget forgets all matching I/Os.
func (p *pairing) forget(match func(key, *pendingIO) bool) {
	for at, f := range p.inFlight {
		for f != nil {
			older := f.older
			if match(at, f) {
				if d := p.devices[at.device]; d != nil {
					d.removeFlushWait(f)
				}
				p.remove(at, f)
			}
			f = older
		}
	}
}

// lost handles missing records. I/Os waiting for a flush are only distinguished by their order, which
// is now unknown.
func (p *pairing) lost() {
	p.forget(func(at key, _ *pendingIO) bool { return at.op == opWait || at.op == opFlush })
	for _, d := range p.devices {
		d.waiting = d.waiting[:0]
	}
}
