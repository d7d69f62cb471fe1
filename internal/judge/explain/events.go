package explain

// task is what somebody waits for or does on a processor: a client's stage, or a part of a flush.
type task int

const (
	// clientStage is the stage of a client, and the only task that is a client's own.
	clientStage task = iota
	// flushPause is the pause of one stage of a flush, after which the storage needs processors for that stage, and
	// storageWork that work on one of them.
	flushPause
	storageWork
	// callerReturns is when the client that called the flush has a processor again, which it needs to let the others go
	// on, and waiterWakes when one of the clients that wait for the next flush has one, which it needs to begin it.
	callerReturns
	waiterWakes
)

// activity is a task; client says whose stage it is.
type activity struct {
	task   task
	client int
}

// event is the end of a task.
type event struct {
	at    float64
	order int
	activity
}

// before reports whether an event precedes another; of two at the same time, the one that was scheduled
// first.
func (e event) before(o event) bool { return e.at < o.at || e.at == o.at && e.order < o.order }

// events is a binary heap of events with the next one on top.
type events struct {
	list    []event
	planned int
}

func (e *events) add(at float64, of activity) {
	e.planned++
	e.list = append(e.list, event{at, e.planned, of})
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
