package tracepoint

// newest returns the newest matching I/O under a key.
func newest(f *flight, fits func(*flight) bool) *flight {
	for ; f != nil; f = f.older {
		if fits(f) {
			return f
		}
	}
	return nil
}

// oldest returns the oldest matching I/O under a key.
func oldest(f *flight, fits func(*flight) bool) (last *flight) {
	for ; f != nil; f = f.older {
		if fits(f) {
			last = f
		}
	}
	return last
}

// add adds an I/O; it returns nil if there is no room.
func (p *pairing) add(d *watched, at key, f flight) *flight {
	if p.count >= p.mostFlying {
		p.forgetBefore(f.start)
	}
	if p.count >= p.mostFlying {
		d.Overflowed++
		return nil
	}
	p.count++
	kept := p.free
	if kept == nil {
		kept = &flight{}
	} else {
		p.free = kept.older
	}
	*kept = f
	p.link(at, kept)
	return kept
}

func (p *pairing) link(at key, f *flight) {
	f.older = p.flying[at]
	p.flying[at] = f
}

// unlink removes an I/O from its key's list.
func (p *pairing) unlink(at key, f *flight) {
	first := p.flying[at]
	if first == f {
		if f.older == nil {
			delete(p.flying, at)
		} else {
			p.flying[at] = f.older
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
func (p *pairing) remove(at key, f *flight) {
	p.unlink(at, f)
	p.count--
	f.older, p.free = p.free, f
}

// forgetBefore makes room: an I/O that began long ago must have ended without our seeing it.
func (p *pairing) forgetBefore(now uint64) {
	p.forget(func(_ key, f *flight) bool { return since(now, f.start) > stale })
}

// forget forgets all matching I/Os.
func (p *pairing) forget(match func(key, *flight) bool) {
	for at, f := range p.flying {
		for f != nil {
			older := f.older
			if match(at, f) {
				if d := p.devices[at.device]; d != nil {
					d.hadFlush(f)
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
	p.forget(func(at key, _ *flight) bool { return at.op == opWait || at.op == opFlush })
	for _, d := range p.devices {
		d.waiting = d.waiting[:0]
	}
}
