package explain

import (
	"math"
	"math/rand/v2"
	"slices"
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

// row is a row lock: whether a client holds it, and the clients that wait for it, in order of arrival.
type row struct {
	held    bool
	waiting []int
}

// simulation is the state of a server at one moment of simulated time.
type simulation struct {
	server
	random  *rand.Rand
	events  events
	now     float64
	all     []client
	queued  []activity
	running int
	// unread are the clients that wait for a reader.
	unread            []int
	reading           int
	rows              []row
	waiting, flushing []int
	// locked is true while a client flushes, from its call to the time when it can go on.
	locked        bool
	spent         [stages]float64
	done, flushed int
	// flushTime and storageTime are the time in flushes, and that of the storage on processors.
	flushTime, storageTime float64
	// A flush has stagesLeft, each a pause without a processor and then pieces of storagePiece seconds on lanes
	// processors, of which some are unfinished. flushBegan is when it began, nextFlush when the storage's limit lets the
	// next one begin.
	stagesLeft, lanes, unfinished              int
	pause, storagePiece, flushBegan, nextFlush float64
}

// until runs until the given number of transactions is done.
func (g *simulation) until(done int) {
	for g.done < done {
		e := g.events.next()
		g.now = e.at
		if e.task != clientStage {
			g.progress(e.task)
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

// progress continues a flush after an event that is no client's.
func (g *simulation) progress(ended task) {
	if ended != flushPause {
		g.freeProcessor()
	}
	switch ended {
	case flushPause:
		if g.storagePiece <= 0 {
			g.endStage()
			return
		}
		g.unfinished = g.lanes
		for range g.lanes {
			g.wantProcessor(activity{task: storageWork})
		}
	case storageWork:
		if g.unfinished--; g.unfinished == 0 {
			g.endStage()
		}
	case callerReturns:
		g.endFlush()
	case waiterWakes:
		if !g.locked && len(g.waiting) > 0 {
			g.beginFlush()
		}
	}
}

// endStage begins the next stage of a flush, or lets the client that called it go on.
func (g *simulation) endStage() {
	if g.stagesLeft--; g.stagesLeft > 0 {
		g.later(activity{task: flushPause}, g.pause)
		return
	}
	g.wantProcessor(activity{task: callerReturns})
}

// enter records a client's next stage.
func (g *simulation) enter(c int, s stage) {
	x := &g.all[c]
	g.spent[x.stage] += g.now - x.since
	x.stage, x.since = s, g.now
}

// later schedules the end of a task after the given number of seconds.
func (g *simulation) later(x activity, seconds float64) {
	g.events.add(g.now+seconds, x)
}

// drawn is a random time with the given mean, within half of it.
func (g *simulation) drawn(mean float64) float64 { return mean * (0.5 + g.random.Float64()) }

// begin starts a client's next statement.
func (g *simulation) begin(c int) {
	g.enter(c, atOther)
	g.later(activity{client: c}, g.drawn(g.other/float64(g.statements)))
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
		g.wantProcessor(activity{client: c})
		return
	}
	if r := &g.rows[i]; r.held {
		r.waiting = append(r.waiting, c)
		g.enter(c, atRow)
		return
	}
	g.lock(c, i)
}

// lock gives a row to a client.
func (g *simulation) lock(c, i int) {
	g.rows[i].held = true
	g.all[c].holds = append(g.all[c].holds, i)
	g.wantProcessor(activity{client: c})
}

func (g *simulation) wantProcessor(x activity) {
	if g.processors > 0 && g.running == g.processors {
		switch x.task {
		case callerReturns, waiterWakes:
			// Schedulers prefer those that have slept to those that compute.
			g.queued = slices.Insert(g.queued, 0, x)
			return
		case clientStage:
			g.enter(x.client, atQueue)
		}
		g.queued = append(g.queued, x)
		return
	}
	g.running++
	g.run(x)
}

func (g *simulation) run(x activity) {
	switch x.task {
	case storageWork:
		g.storageTime += g.storagePiece
		g.later(x, g.storagePiece)
	case callerReturns, waiterWakes:
		g.later(x, 0)
	default:
		g.enter(x.client, atProcessor)
		g.later(x, g.drawn(g.work/float64(g.statements)))
	}
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
	g.later(activity{client: c}, g.drawn(g.read))
}

func (g *simulation) leaveReader(c int) {
	g.all[c].reads--
	if len(g.unread) > 0 {
		next := g.unread[0]
		g.unread = g.unread[1:]
		g.later(activity{client: next}, g.drawn(g.read))
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
	if !g.locked {
		g.beginFlush()
	}
}

// pages returns how many bytes a flush of that many bytes of log writes: whole pages. The previous flush ended somewhere within
// a page, and this one writes that page again (XLogWrite in PostgreSQL's xlog.c).
func (g *simulation) pages(bytes float64) float64 {
	return page * math.Ceil(g.random.Float64()+bytes/page)
}

const (
	// mostLanes limits the number of processors that the storage uses for one flush, and mostStages the number of
	// its stages times that of the processors.
	mostLanes, mostStages = 64, 64
	// stageWork is how long a thread of the storage is on a processor until it hands a request on, in seconds.
	stageWork = 60e-6
	// limitBurst is how many seconds' worth of unused I/Os a limit on the rate saves up and lets through at once: a tenth of a
	// second in QEMU's throttle (throttle.c: the bucket holds that much of the average).
	limitBurst = 0.1
)

// beginFlush starts a flush for all waiting clients. Its duration is random, within a fifth of the
// mean. It begins later if the storage limits the rate. If the storage does work for it on processors, it is a
// sequence of stages, one for each thread that a request is handed to, and each of them first has to get a
// processor: so it lasts longer where those are busy.
func (g *simulation) beginFlush() {
	g.locked = true
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
		g.nextFlush = math.Max(g.nextFlush, g.now-limitBurst) + average
		seconds = math.Min(average, g.unlimited(bytes))
	}
	seconds *= 0.8 + 0.4*g.random.Float64()
	g.flushed++
	g.flushBegan, g.stagesLeft, g.lanes, g.storagePiece = g.now, 1, 1, 0
	work := 0.0
	if g.storageWork != nil && g.processors > 0 {
		work = g.storageWork(bytes)
	}
	if work > 0 {
		// It does more than one thing at a time if it is on processors for longer than a flush takes.
		if seconds > 0 {
			g.lanes = int(math.Max(1, math.Min(math.Ceil(work/seconds), float64(min(g.processors, mostLanes)))))
		}
		each := work / float64(g.lanes)
		g.stagesLeft = int(math.Max(1, math.Min(math.Round(each/stageWork), float64(mostStages/g.lanes))))
		g.storagePiece = each / float64(g.stagesLeft)
		seconds = math.Max(0, seconds-each)
	}
	g.pause = seconds / float64(g.stagesLeft)
	g.later(activity{task: flushPause}, begin-g.now+g.pause)
}

// endFlush releases the clients whose transactions are done, and their rows.
func (g *simulation) endFlush() {
	ended := g.flushing
	g.flushing = nil
	g.flushTime += g.now - g.flushBegan
	g.locked = false
	if len(g.waiting) > 0 {
		g.wantProcessor(activity{task: waiterWakes})
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
			r.held = false
			if len(r.waiting) > 0 {
				next := r.waiting[0]
				r.waiting = r.waiting[1:]
				g.lock(next, i)
			}
		}
	}
}
