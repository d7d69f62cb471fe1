package explain

import (
	"math/rand/v2"

	"github.com/loadline/loadline/internal/model/prediction"
)

// server is a PostgreSQL under the load of clients that do one transaction after the other, as
// the laws see it. A transaction is statements of equal work; processors and readers serve in the
// order of arrival. One flush of the log is in progress at a time, and takes along all commits
// that wait when it begins. Who changes a teller or a branch holds its row lock until
// the transaction is flushed; there are as many branches as the scale says, with ten tellers each.
//
// Between the laws, and where rows are waited for, there is no formula: it is simulated. Where a law
// holds, the simulation comes to it (server_test.go). Times are in seconds.
type server struct {
	clients int
	// processors and readers are how many are served at once; 0 is as many as want to be.
	processors, readers int
	// work is a transaction's time on a processor, other what else it takes by itself.
	work, other float64
	// reads are those of each transaction, of read seconds.
	reads, read float64
	// log is how many bytes a transaction writes, flush how long one of that many bytes takes.
	log   float64
	flush func(bytes float64) float64
	script
	scale int
}

// script is one of pgbench's.
type script struct {
	option, words string
	// statements are its round trips; rows tells that tellers and branches are changed, by the
	// statements of these numbers.
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

// outcome is what comes out: per second and for each transaction, and shares of the time.
type outcome struct {
	rate, flushes, flushing, busy float64
	parts                         prediction.Parts
}

// simulate lets the server run for a few thousand transactions. The draws are the same each time.
func (s server) simulate() outcome {
	g := &simulation{server: s, random: rand.New(rand.NewPCG(1, 18)), all: make([]client, s.clients)}
	if s.script.rows {
		g.rows = make([]row, s.scale*(tellers+1))
		for i := range g.rows {
			g.rows[i].holder = -1
		}
	}
	for c := range g.all {
		g.all[c].owes = g.random.Float64()
		g.begin(c)
	}
	g.until(200 + 10*s.clients)
	began := g.now
	g.spent, g.done, g.flushed, g.flushTime = [stages]float64{}, 0, 0, 0
	for c := range g.all {
		g.all[c].since = began
	}
	g.until(4000 + 40*s.clients)
	for c := range g.all {
		g.enter(c, g.all[c].stage)
	}
	n, seconds := float64(g.done), g.now-began
	p := outcome{rate: n / seconds, flushes: float64(g.flushed) / n, flushing: min(1, g.flushTime/seconds),
		parts: prediction.Parts{Work: (g.spent[atOther] + g.spent[atProcessor]) / n, Queue: g.spent[atQueue] / n, Reads: g.spent[atRead] / n,
			Rows: g.spent[atRow] / n, Wait: g.spent[atCommit] / n, Flush: g.spent[atFlush] / n}}
	if s.processors > 0 {
		p.busy = g.spent[atProcessor] / seconds / float64(s.processors)
	}
	return p
}
