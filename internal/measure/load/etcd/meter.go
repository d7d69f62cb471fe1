package etcd

import (
	"math"
	"sync"

	"github.com/loadline/loadline/internal/measure/load/daemon"
	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/histogram"
)

// meter makes samples of puts. It keeps a histogram for each second that has not been reported yet,
// and no individual puts. Times are seconds since the step began.
type meter struct {
	step         int
	ramp, length float64
	emit         func(model.Sample)

	mu      sync.Mutex
	seconds []tally
	told    int
	largest float64
	sums    model.AppCounts
	// due is the number of puts that were due in the measured part.
	due         uint64
	first, last float64
	// answered is when the last put ended; stalls are the periods in which none did.
	answered float64
	stalls   []model.Stall
	// fault is the first error of a put.
	fault string
}

// tally counts what ended in one second.
type tally struct {
	done    uint64
	latency float64
	most    float64
	buckets histogram.Histogram
}

func newMeter(step model.Step, emit func(model.Sample)) *meter {
	return &meter{step: step.Number, ramp: step.Ramp, length: step.Seconds, emit: emit,
		seconds: make([]tally, max(1, int(math.Ceil(step.Seconds-1e-9)))), first: math.Inf(1)}
}

func (m *meter) end() float64 { return m.ramp + m.length }

// second returns the tally for a point in time; nil outside the measured part. A put that ends just
// after its second was reported counts in the next one.
func (m *meter) second(at float64) *tally {
	if at < m.ramp || at >= m.end() || m.told >= len(m.seconds) {
		return nil
	}
	return &m.seconds[max(m.told, min(len(m.seconds)-1, int(at-m.ramp)))]
}

// put records a put with the times at which it was due and ended, and its error.
func (m *meter) put(due, ended float64, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if due >= m.ramp && due < m.end() {
		m.due++
	}
	if err != nil {
		m.sums.Failed++
		if m.fault == "" {
			m.fault = err.Error()
		}
		return
	}
	latency := ended - due
	m.stalls = daemon.AddStall(m.stalls, m.answered, due, ended)
	m.answered = max(m.answered, ended)
	m.sums.Transactions++
	m.sums.LatencySum += latency
	m.first, m.last = min(m.first, due), max(m.last, ended)
	if t := m.second(ended); t != nil {
		t.done++
		t.latency += latency
		t.most = max(t.most, latency)
		t.buckets.Add(histogram.BucketOf(uint64(latency*1e9)), 1)
	}
}

// skip records a put that was due but not begun, late seconds late: its latency is known only to
// exceed that.
func (m *meter) skip(due, late float64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if due >= m.ramp && due < m.end() {
		m.due++
	}
	m.sums.Skipped++
	at := due + late
	if at >= m.end() && due < m.end() {
		at = math.Nextafter(m.end(), 0)
	}
	if t := m.second(at); t != nil {
		t.buckets.Add(histogram.BucketOf(uint64(late*1e9)), 1)
	}
}

// tell emits the seconds that ended before the given time.
func (m *meter) tell(now float64) {
	var samples []model.Sample
	// Emit outside the lock, so that puts do not wait for samples to be written.
	defer func() {
		for _, s := range samples {
			m.emit(s)
		}
	}()
	m.mu.Lock()
	defer m.mu.Unlock()
	for m.told < len(m.seconds) {
		end := math.Min(float64(m.told+1), m.length)
		if now < m.ramp+end {
			return
		}
		t := &m.seconds[m.told]
		m.largest = max(m.largest, t.most)
		s := model.Sample{Step: m.step, End: m.ramp + end, Seconds: end - float64(m.told),
			Write: &model.Flow{IOs: t.done, LatencySum: t.latency, Max: m.largest, Histogram: t.buckets}}
		// What has been reported is not kept.
		m.seconds[m.told] = tally{}
		m.told++
		samples = append(samples, s)
	}
}

// counts returns the sums over everything, ramp included.
func (m *meter) counts() model.AppCounts {
	m.mu.Lock()
	defer m.mu.Unlock()
	c := m.sums
	if m.last > m.first {
		c.Seconds = m.last - m.first
	}
	c.ToolTransactions = c.Transactions
	return c
}
