package explain

// Client numbers of events that are no client's own. flusher ends the pause of one stage of a flush, after which the
// storage needs processors for that stage; storage ends that work on one of them. returning is when the client that called
// the flush has a processor again, which it needs to let the others go on; woken is when one of the clients that wait
// for the next flush has one, which it needs to begin it.
const flusher, storage, returning, woken = -1, -2, -3, -4

// event is the end of a client's stage, or of a part of a flush (see flusher).
type event struct {
	at            float64
	order, client int
}

// before reports whether an event precedes another; of two at the same time, the one that was scheduled
// first.
func (e event) before(o event) bool { return e.at < o.at || e.at == o.at && e.order < o.order }

// events is a binary heap of events with the next one on top.
type events struct {
	list    []event
	planned int
}

func (e *events) add(at float64, client int) {
	e.planned++
	e.list = append(e.list, event{at, e.planned, client})
	for i := len(e.list) - 1; i > 0 && e.list[i].before(e.list[(i-1)/2]); i = (i - 1) / 2 {
		e.list[i], e.list[(i-1)/2] = e.list[(i-1)/2], e.list[i]
	}
}

func (e *events) next() event {
	first, last := e.list[0], len(e.list)-1
	e.list[0] = e.list[last]
	e.list = e.list[:last]
	for i := 0; ; {
		least := i
		for _, below := range [2]int{2*i + 1, 2*i + 2} {
			if below < last && e.list[below].before(e.list[least]) {
				least = below
			}
		}
		if least == i {
			return first
		}
		e.list[i], e.list[least] = e.list[least], e.list[i]
		i = least
	}
}
