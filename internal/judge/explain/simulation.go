package explain

import (
	"math"
	"math/rand/v2"
)

// stage is what a client is doing.
type stage int

const (
	atOther stage = iota
	atRow
	atQueue
	atProcessor
	atRead
	atCommit
	atFlush
	stages
)

// client is the state of one client: its progress in its transaction, and the rows that it has locked.
type client struct {
	stage
	statement, reads int
	// owes is the fraction of a read that its transactions still have to do.
	owes  float64
	since float64
	holds []int
}

// row is a row lock: its holder, -1 for none, and the clients that wait for it, in order of arrival.
type row struct {
	holder  int
	waiting []int
}

// simulation is the state of a server at one moment of simulated time.
type simulation struct {
	server
	random  *rand.Rand
	events  events
	now     float64
	all     []client
	queued  []int
	running int
	// unread are the clients that wait for a reader.
	unread            []int
	reading           int
	rows              []row
	waiting, flushing []int
	spent             [stages]float64
	done, flushed     int
	// flushTime and storageTime are the time in flushes, and that of the storage on processors.
	flushTime, storageTime float64
	// unfinished are the parts of the current flush that are not over: its time, and the storage's work on
	// processors, in pieces of storagePiece seconds. flushBegan is when it began, nextFlush when the
	// storage's limit lets the next one begin.
	unfinished                          int
	storagePiece, flushBegan, nextFlush float64
}

// until runs until the given number of transactions is done.
func (g *simulation) until(done int) {
	for g.done < done {
		e := g.events.next()
		g.now = e.at
		switch e.client {
		case storage:
			g.freeProcessor()
			fallthrough
		case flusher:
			if g.unfinished--; g.unfinished == 0 {
				g.endFlush()
			}
			continue
		}
		switch g.all[e.client].stage {
		case atOther:
			g.wantRow(e.client)
		case atProcessor:
			g.leaveProcessor(e.client)
		case atRead:
			g.leaveReader(e.client)
		}
	}
}

// enter records a client's next stage.
func (g *simulation) enter(c int, s stage) {
	x := &g.all[c]
	g.spent[x.stage] += g.now - x.since
	x.stage, x.since = s, g.now
}

// later schedules the end of a client's stage after the given number of seconds.
func (g *simulation) later(c int, seconds float64) {
	g.events.add(g.now+seconds, c)
}

// drawn is a random time with the given mean, within half of it.
func (g *simulation) drawn(mean float64) float64 { return mean * (0.5 + g.random.Float64()) }

// begin starts a client's next statement.
func (g *simulation) begin(c int) {
	g.enter(c, atOther)
	g.later(c, g.drawn(g.other/float64(g.statements)))
}

// wantRow takes the row that the statement changes, or waits for it.
func (g *simulation) wantRow(c int) {
	i := -1
	switch x := &g.all[c]; {
	case !g.script.rows:
	case x.statement == changesTeller:
		i = g.scale + g.random.IntN(tellers*g.scale)
	case x.statement == changesBranch:
		i = g.random.IntN(g.scale)
	}
	if i < 0 {
		g.wantProcessor(c)
		return
	}
	if r := &g.rows[i]; r.holder >= 0 {
		r.waiting = append(r.waiting, c)
		g.enter(c, atRow)
		return
	}
	g.lock(c, i)
}

// lock gives a row to a client.
func (g *simulation) lock(c, i int) {
	g.rows[i].holder = c
	g.all[c].holds = append(g.all[c].holds, i)
	g.wantProcessor(c)
}

func (g *simulation) wantProcessor(c int) {
	if g.processors > 0 && g.running == g.processors {
		if c != storage {
			g.enter(c, atQueue)
		}
		g.queued = append(g.queued, c)
		return
	}
	g.running++
	g.run(c)
}

func (g *simulation) run(c int) {
	if c == storage {
		g.storageTime += g.storagePiece
		g.later(storage, g.storagePiece)
		return
	}
	g.enter(c, atProcessor)
	g.later(c, g.drawn(g.work/float64(g.statements)))
}

func (g *simulation) leaveProcessor(c int) {
	x := &g.all[c]
	if x.statement == changesAccount {
		x.owes += g.reads
		x.reads = int(x.owes)
		x.owes -= float64(x.reads)
	}
	g.freeProcessor()
	g.wantRead(c)
}

// freeProcessor gives a processor to the next in the queue, if there is one.
func (g *simulation) freeProcessor() {
	if len(g.queued) == 0 {
		g.running--
		return
	}
	next := g.queued[0]
	g.queued = g.queued[1:]
	g.run(next)
}

// wantRead does the statement's remaining reads, or ends it.
func (g *simulation) wantRead(c int) {
	if g.all[c].reads == 0 {
		g.endStatement(c)
		return
	}
	g.enter(c, atRead)
	if g.readers > 0 && g.reading == g.readers {
		g.unread = append(g.unread, c)
		return
	}
	g.reading++
	g.later(c, g.drawn(g.read))
}

func (g *simulation) leaveReader(c int) {
	g.all[c].reads--
	if len(g.unread) > 0 {
		next := g.unread[0]
		g.unread = g.unread[1:]
		g.later(next, g.drawn(g.read))
	} else {
		g.reading--
	}
	g.wantRead(c)
}

// endStatement continues with the next statement, or commits.
func (g *simulation) endStatement(c int) {
	x := &g.all[c]
	if x.statement++; x.statement < g.statements {
		g.begin(c)
		return
	}
	g.enter(c, atCommit)
	g.waiting = append(g.waiting, c)
	if len(g.flushing) == 0 {
		g.beginFlush()
	}
}

// pages is what a flush of so many bytes of log writes, in bytes: whole pages. The first of them is written again with what
// the flush before left in it, which ends anywhere in a page (XLogWrite in PostgreSQL's xlog.c).
func (g *simulation) pages(bytes float64) float64 {
	return page * math.Ceil(g.random.Float64()+bytes/page)
}

// mostPieces limits the number of processors that the storage uses for one flush.
const mostPieces = 64

// beginFlush starts a flush for all waiting clients. Its duration is random, within a fifth of the
// mean. It lasts longer if the storage's own work for it has to wait for a processor, and begins later
// if the storage limits the rate.
func (g *simulation) beginFlush() {
	g.flushing, g.waiting = g.waiting, nil
	for _, c := range g.flushing {
		g.enter(c, atFlush)
	}
	bytes := g.pages(g.log * float64(len(g.flushing)))
	average := g.flush(bytes)
	seconds := average
	begin := g.now
	if g.unlimited != nil {
		begin = math.Max(g.now, g.nextFlush)
		g.nextFlush = begin + average
		seconds = math.Min(average, g.unlimited(bytes))
	}
	g.flushed++
	g.flushBegan, g.unfinished = g.now, 1
	g.later(flusher, begin-g.now+seconds*(0.8+0.4*g.random.Float64()))
	if g.storageWork == nil || g.processors == 0 {
		return
	}
	work := g.storageWork(bytes)
	// It does more than one thing at a time if it is on processors for longer than a flush takes.
	pieces := 1
	if seconds > 0 {
		pieces = int(math.Max(1, math.Min(math.Ceil(work/seconds), float64(min(g.processors, mostPieces)))))
	}
	if g.storagePiece = work / float64(pieces); g.storagePiece <= 0 {
		return
	}
	for range pieces {
		g.unfinished++
		g.wantProcessor(storage)
	}
}

// endFlush releases the clients whose transactions are done, and their rows.
func (g *simulation) endFlush() {
	ended := g.flushing
	g.flushing = nil
	g.flushTime += g.now - g.flushBegan
	if len(g.waiting) > 0 {
		g.beginFlush()
	}
	for _, c := range ended {
		x := &g.all[c]
		g.done++
		x.statement = 0
		kept := x.holds
		x.holds = nil
		g.begin(c)
		for _, i := range kept {
			r := &g.rows[i]
			r.holder = -1
			if len(r.waiting) > 0 {
				next := r.waiting[0]
				r.waiting = r.waiting[1:]
				g.lock(next, i)
			}
		}
	}
}
