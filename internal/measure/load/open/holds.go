package open

// holds records when the storage held up the load generator, so that only the rest of an I/O's
// delay is attributed to the generator itself. Times are in seconds; I/Os come in the order in
// which they are due.
type holds struct {
	spans []hold
	sum   float64
}

type hold struct{ from, to float64 }

const (
	// heldFor is how long a submission must take to count as waiting rather than work.
	heldFor = 100e-6
	// heldOn is the gap up to which holds are merged, so that a long overload, in which each I/O
	// waits for a slot, is not recorded I/O by I/O.
	heldOn = 20e-6
)

// add records a hold, which must have ended after all others.
func (h *holds) add(from, to float64) {
	if n := len(h.spans); n > 0 && from-h.spans[n-1].to < heldOn {
		h.sum += to - h.spans[n-1].to
		h.spans[n-1].to = to
		return
	}
	h.spans = append(h.spans, hold{from, to})
	h.sum += to - from
}

// since returns how long we have waited for the storage since the given moment, which must not be
// earlier than in the previous call.
func (h *holds) since(moment float64) float64 {
	for len(h.spans) > 0 && h.spans[0].from < moment {
		first := &h.spans[0]
		h.sum -= min(first.to, moment) - first.from
		if first.to > moment {
			first.from = moment
			break
		}
		h.spans = h.spans[1:]
	}
	if len(h.spans) == 0 {
		// Rounding must not add up over a long repeat.
		h.sum = 0
	}
	return h.sum
}
