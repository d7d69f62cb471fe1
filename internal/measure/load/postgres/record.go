package postgres

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"sync"
	"time"

	"github.com/loadline/loadline/internal/measure/load/daemon"
	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/histogram"
)

// record makes samples of pgbench's log: a line for each transaction,
//
//	client transaction µs script epoch-seconds epoch-µs [lag]
//
// whose third field is "skipped" or "failed" if there is no latency (the manual's "Per-Transaction
// Logging"). It keeps a histogram for each second that has not been reported yet, and no individual
// transactions.
type record struct {
	step  int
	write bool
	// begin is when the step began, as Unix time in µs; the measured part starts "from" seconds
	// later and lasts "length" seconds.
	begin        int64
	from, length float64
	// limit is the latency in seconds that a skipped transaction had exceeded; 0 is unknown.
	limit float64
	// rate is that of an open loop in 1/s, 0 for a closed one.
	rate float64
	// connecting is set if the clients connect once, before they begin: until then nothing is measured.
	connecting bool
	emit       func(model.Sample)

	seconds []tally
	told    int
	largest float64
	// reached is, for each thread, the time in µs of its last line, and broken the earliest of
	// those times for threads whose log could not be read further: after it, the record is
	// incomplete.
	reached []int64
	broken  int64
	sums    model.AppCounts
	// due counts the transactions that were due in the measured part: all whose end, or whose
	// skipping, was logged in it, and those of a backlog that had not begun. latest is the time, in µs, at which the latest
	// transaction that has ended in it was due or, in a closed loop, began.
	due         uint64
	latest      int64
	first, last int64
	// answered is when the last reported transaction ended, in seconds since the step began; after
	// is what ended after the measured part. stalls are the periods in which no transaction ended.
	answered float64
	after    tally
	stalls   []model.Stall
}

// tally counts what ended in one second.
type tally struct {
	done, skipped uint64
	// first and last are when the first and the last transaction ended, in seconds since the step
	// began, and asked when the first one began; all 0 if there were none.
	first, last, asked float64
	// micros is the sum of the latencies, most the largest.
	micros, most uint64
	buckets      histogram.Histogram
}

func newRecord(step int, write bool, threads int, begin int64, from, length, limit float64, emit func(model.Sample)) *record {
	return &record{step: step, write: write, begin: begin, from: from, length: length, limit: limit, emit: emit, answered: from,
		seconds: make([]tally, max(1, int(math.Ceil(length-1e-9)))), reached: make([]int64, threads), broken: math.MaxInt64, first: math.MaxInt64}
}

// read reads the log of one thread to its end; lock guards the record. After a line that pgbench
// cannot have written, the rest is read and discarded: otherwise pgbench would block.
func (r *record) read(thread int, from io.Reader, lock sync.Locker) error {
	err := r.pieces(thread, from, lock)
	if err != nil {
		lock.Lock()
		r.broken = min(r.broken, r.reached[thread])
		lock.Unlock()
		_, _ = io.Copy(io.Discard, from)
	}
	return err
}

// pieces reads the log of one thread as it arrives.
func (r *record) pieces(thread int, from io.Reader, lock sync.Locker) error {
	buf := make([]byte, 64<<10)
	have := 0
	for {
		n, err := from.Read(buf[have:])
		have += n
		if n > 0 {
			end := bytes.LastIndexByte(buf[:have], '\n') + 1
			lock.Lock()
			bad := r.lines(thread, buf[:end])
			lock.Unlock()
			if bad != nil {
				return bad
			}
			if end == 0 && have == len(buf) {
				return fmt.Errorf("pgbench's log has a line of more than %d bytes", have)
			}
			have = copy(buf, buf[end:have])
		}
		if err == io.EOF || errors.Is(err, os.ErrDeadlineExceeded) {
			if have > 0 {
				return fmt.Errorf("pgbench's log ends within a line: %q", buf[:min(have, 80)])
			}
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// lines parses complete lines of one thread.
func (r *record) lines(thread int, text []byte) error {
	for len(text) > 0 {
		end := bytes.IndexByte(text, '\n')
		if err := r.line(thread, text[:end]); err != nil {
			return err
		}
		text = text[end+1:]
	}
	r.tell(false)
	return nil
}

// line parses one line without its newline.
func (r *record) line(thread int, line []byte) error {
	rest := line
	next := func() []byte {
		i := bytes.IndexByte(rest, ' ')
		if i < 0 {
			i = len(rest)
		}
		word := rest[:i]
		rest = rest[min(len(rest), i+1):]
		return word
	}
	next() // the client
	next() // its transaction's number
	took := next()
	next() // the script
	seconds, ok1 := whole(next())
	micros, ok2 := whole(next())
	if !ok1 || !ok2 || micros >= 1e6 {
		return fmt.Errorf("pgbench's log has the line %q, which is none of its own", line[:min(len(line), 80)])
	}
	at := int64(seconds)*1e6 + int64(micros)
	r.reached[thread] = max(r.reached[thread], at)
	second := r.second(at)
	if latency, ok := whole(took); ok {
		r.sums.Transactions++
		r.sums.LatencySum += float64(latency) / 1e6
		r.first, r.last = min(r.first, at-int64(latency)), max(r.last, at)
		ended := float64(at-r.begin) / 1e6
		if second != nil {
			second.answer(ended, float64(latency)/1e6)
			r.due++
			r.latest = max(r.latest, at-int64(latency))
			second.done++
			second.micros += latency
			second.most = max(second.most, latency)
			second.buckets.Add(histogram.BucketOf(latency*1000), 1)
		} else if ended >= r.from+r.length {
			r.after.answer(ended, float64(latency)/1e6)
		}
		return nil
	}
	switch string(took) {
	case "skipped":
		r.sums.Skipped++
		if second != nil {
			r.due++
			second.skipped++
			// It would have taken longer than the limit: this is all that is known of its latency.
			if r.limit > 0 {
				second.buckets.Add(histogram.BucketOf(uint64(r.limit*1e9)), 1)
			}
		}
	case "failed", "serialization", "deadlock":
		r.sums.Failed++
		if second != nil {
			r.due++
		}
	default:
		return fmt.Errorf("pgbench's log has the line %q, whose time is not a number", line[:min(len(line), 80)])
	}
	return nil
}

// answer records that a transaction that took so many seconds has ended. The threads' logs are not
// in order of time.
func (t *tally) answer(ended, took float64) {
	if t.first == 0 || ended < t.first {
		t.first, t.asked = ended, ended-took
	}
	t.last = max(t.last, ended)
}

// still records a stall if nothing had ended for long before the transactions in t.
func (r *record) still(t *tally) {
	if t.first > 0 {
		r.stalls = daemon.AddStall(r.stalls, r.answered, t.asked, t.first)
		r.answered = t.last
	}
}

// whole parses an unsigned decimal number.
func whole(word []byte) (v uint64, ok bool) {
	if len(word) == 0 || len(word) > 18 {
		return 0, false
	}
	for _, c := range word {
		if c < '0' || c > '9' {
			return 0, false
		}
		v = v*10 + uint64(c-'0')
	}
	return v, true
}

// second returns the tally for a point in time; nil outside the measured part, and nil for one that
// was already reported (a thread's line came more than a second after the others').
func (r *record) second(at int64) *tally {
	t := float64(at-r.begin)/1e6 - r.from
	i := int(math.Floor(t))
	if t < 0 || t >= r.length || i >= len(r.seconds) || i < r.told {
		return nil
	}
	return &r.seconds[i]
}

// tell emits the seconds that all threads have passed, or all of them at the end.
func (r *record) tell(over bool) {
	behind := int64(math.MaxInt64)
	for _, at := range r.reached {
		behind = min(behind, at)
	}
	for r.told < len(r.seconds) {
		end := math.Min(float64(r.told+1), r.length)
		if !over && float64(behind-r.begin)/1e6 < r.from+end {
			return
		}
		t := &r.seconds[r.told]
		r.still(t)
		if end >= r.length {
			r.backlog(t)
		}
		r.largest = math.Max(r.largest, float64(t.most)/1e6)
		from := float64(r.told)
		if late := float64(r.first-r.begin)/1e6 - r.from; r.connecting && late > from && late < end {
			from = late
		}
		f := &model.Flow{IOs: t.done, LatencySum: float64(t.micros) / 1e6, Max: r.largest, Histogram: t.buckets}
		s := model.Sample{Step: r.step, End: r.from + end, Seconds: end - from}
		if r.write {
			s.Write = f
		} else {
			s.Read = f
		}
		// What has been reported is not kept.
		r.seconds[r.told] = tally{}
		r.told++
		r.emit(s)
	}
	if over {
		r.still(&r.after)
	}
}

// backlog adds to the last second, as skipped, the transactions of an open loop that were due and had not ended when the
// measured part did: pgbench logs none of those that it does not begin, unless there is a latency limit. When they were
// due is spread evenly since the latest that has ended.
func (r *record) backlog(last *tally) {
	missing := r.rate*r.length - float64(r.due)
	end := float64(r.begin)/1e6 + r.from + r.length
	waited := end - float64(r.latest)/1e6
	// A few are always in progress, and their number is a matter of chance.
	if r.rate <= 0 || r.limit > 0 || r.latest == 0 || waited <= 0 || missing < backlogSure*math.Sqrt(r.rate*r.length) {
		return
	}
	n := uint64(missing)
	r.due, last.skipped, r.sums.Skipped = r.due+n, last.skipped+n, r.sums.Skipped+n
	for part := range uint64(backlogParts) {
		share := n*(part+1)/backlogParts - n*part/backlogParts
		last.buckets.Add(histogram.BucketOf(uint64(waited*(float64(part)+0.5)/backlogParts*1e9)), share)
	}
}

// A backlog is certain if it exceeds the spread of a Poisson process by this many standard deviations; its waiting times
// are counted in so many parts.
const backlogSure, backlogParts = 5, 100

// until reports the whole seconds that ended before a moment, in µs of Unix time, and before any
// thread's log broke off, and discards the others: these are what was measured of an interrupted
// load.
func (r *record) until(at int64) (told int) {
	at = min(at, r.broken)
	whole := int(math.Floor(float64(at-r.begin)/1e6 - r.from))
	r.seconds = r.seconds[:max(r.told, min(len(r.seconds), whole))]
	r.tell(true)
	return r.told
}

// counts returns the sums over everything, ramp included.
func (r *record) counts() model.AppCounts {
	c := r.sums
	if r.last > r.first {
		c.Seconds = float64(r.last-r.first) / 1e6
	}
	return c
}

// ReadLog makes from the log of one thread the samples of a repeat that began at the given time:
// one for each second after the ramp. ramp and seconds are in seconds.
func ReadLog(log io.Reader, begin time.Time, ramp, seconds float64, emit func(model.Sample)) (model.AppCounts, error) {
	r := newRecord(0, true, 1, begin.UnixMicro(), ramp, seconds, 0, emit)
	var lock sync.Mutex
	if err := r.read(0, log, &lock); err != nil {
		return r.counts(), err
	}
	r.tell(true)
	return r.counts(), nil
}
