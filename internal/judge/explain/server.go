package explain

import (
	"math"
	"math/rand/v2"

	"github.com/loadline/loadline/internal/model/prediction"
)

// server is a model of PostgreSQL under clients that do one transaction after the other. A transaction
// consists of statements with equal work; processors and readers serve in order of arrival. One flush
// of the log is in progress at a time, and covers all commits that wait when it begins. A client that
// changes a teller or a branch holds its row lock until the transaction is flushed; there are as many
// branches as the scale says, with ten tellers each.
//
// Between the laws, and if clients wait for rows, there is no formula: it is simulated. Where a law
// applies, the simulation agrees with it (server_test.go). Times are in seconds.
type server struct {
	clients int
	// processors and readers are the numbers served at once; 0 is unlimited.
	processors, readers int
	// work is a transaction's time on a processor, other its remaining own time.
	work, other float64
	// reads is the number of reads per transaction, each taking read seconds.
	reads, read float64
	// log is how many bytes a transaction writes, flush how long a flush of that many bytes takes.
	log   float64
	flush func(bytes float64) float64
	// unlimited is set if the storage limits the rate of flushes: flush is then the time from one to the
	// next under the limit, and unlimited that of a flush that does not wait for it.
	unlimited func(bytes float64) float64
	// storageWork is the time that a flush takes on processors: in its own system calls, in the
	// kernel's threads, or in those of the storage; nil is none.
	storageWork func(bytes float64) float64
	script
	scale int
}

// script is one of pgbench's scripts.
type script struct {
	option, words string
	// statements is the number of its round trips; rows is set if tellers and branches are changed, by
	// the statements with these numbers.
	statements int
	rows       bool
}

// The statements of pgbench's TPC-B-like script, from 0 on: BEGIN, UPDATE accounts, SELECT, UPDATE
// tellers, UPDATE branches, INSERT, END. Simple update leaves out tellers and branches.
const (
	changesAccount = 1
	changesTeller  = 3
	changesBranch  = 4
	tellers        = 10
)

// outcome is the result of the simulation: rates per second, averages per transaction, and shares of
// the time.
type outcome struct {
	rate, flushes, flushing, busy float64
	// log is the number of bytes of log per transaction.
	log   float64
	parts prediction.Parts
}

// simulate runs the server for a few thousand transactions. The random numbers are the same each time.
func (s server) simulate() outcome {
	g := &simulation{server: s, random: rand.New(rand.NewPCG(1, 18)), all: make([]client, s.clients)}
	if s.script.rows {
		g.rows = make([]row, s.scale*(tellers+1))
	}
	for c := range g.all {
		g.all[c].owes = g.random.Float64()
		g.begin(c)
	}
	g.until(200 + 10*s.clients)
	began := g.now
	g.spent, g.done, g.flushed, g.flushTime, g.storageTime = [stages]float64{}, 0, 0, 0, 0
	for c := range g.all {
		g.all[c].since = began
	}
	g.until(4000 + 40*s.clients)
	for c := range g.all {
		g.enter(c, g.all[c].stage)
	}
	n, seconds := float64(g.done), g.now-began
	p := outcome{rate: n / seconds, log: s.log, flushes: float64(g.flushed) / n, flushing: min(1, g.flushTime/seconds),
		parts: prediction.Parts{Work: (g.spent[atOther] + g.spent[atProcessor]) / n, Queue: g.spent[atQueue] / n, Reads: g.spent[atRead] / n,
			Rows: g.spent[atRow] / n, Wait: g.spent[atCommit] / n, Flush: g.spent[atFlush] / n}}
	if s.processors > 0 {
		p.busy = (g.spent[atProcessor] + g.storageTime) / seconds / float64(s.processors)
	}
	return p
}

// within is the settled outcome on processors of which only so many may be used, which may be a fraction: a
// limit takes them away for the rest of each period once their time is used up, so everything on them takes longer, until they
// are used no more than is allowed.
func (s server) within(allowed float64, images *imageModel) outcome {
	is := s.settled(images)
	if s.processors == 0 || allowed <= 0 || allowed >= float64(s.processors) {
		return is
	}
	// used is how many processors all work would use without being held back.
	used, most := is.busy*float64(s.processors), float64(s.processors)/allowed
	low, high, longer := 1.0, most, math.Min(most, used/allowed)
	if used > allowed {
		for range limitSteps {
			x := s
			x.work *= longer
			if s.storageWork != nil {
				x.storageWork = func(bytes float64) float64 { return longer * s.storageWork(bytes) }
			}
			is = x.settled(images)
			if used = is.busy * float64(s.processors) / longer; used > allowed {
				low = longer
			} else {
				high = longer
			}
			if math.Abs(used/allowed-1) < limitClose {
				break
			}
			longer = math.Sqrt(low * high)
		}
	}
	is.busy = math.Min(1, used/allowed)
	return is
}

// limitSteps halve the range of what a limit makes of all work, on a logarithmic scale, until what is used differs from what is
// allowed by no more than limitClose of it.
const (
	limitSteps = 12
	limitClose = 0.005
)

// A transaction's log depends on the rate, and the rate on the log: mostTurns simulations are made until the rate stays
// the same to steadyRate.
const (
	mostTurns  = 12
	steadyRate = 0.003
)

// settled is the outcome with as much log per transaction as the model says there is at its rate; images may be nil.
func (s server) settled(images *imageModel) outcome {
	is := s.simulate()
	for range mostTurns {
		if images == nil || !finite(is.rate) || is.rate <= 0 {
			break
		}
		before := is.rate
		s.log = images.log(is.rate, s.scale)
		if is = s.simulate(); math.Abs(is.rate/before-1) < steadyRate {
			break
		}
	}
	return is
}
