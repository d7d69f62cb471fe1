package imported

import (
	"cmp"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/loadline/loadline/internal/model"
)

var formatPgbench = Format{
	Name:    "pgbench",
	Title:   "pgbench's output",
	Example: "latency average = 2.873 ms\ntps = 348.055502 (without initial connection time)",
	words:   []string{"latency average", "tps = ", "number of clients", "pgbench ("},
	read:    readPgbench,
}

var (
	pgVersion   = regexp.MustCompile(`^pgbench \((?:PostgreSQL\) )?([0-9][^ )]*)`)
	pgField     = regexp.MustCompile(`^(transaction type|scaling factor|query mode|number of clients|number of threads|duration|number of transactions per client|number of transactions actually processed|number of failed transactions): (.*)$`)
	pgLatency   = regexp.MustCompile(`^latency (average|stddev) = ([0-9.]+ \w+)`)
	pgOldRate   = regexp.MustCompile(`^tps = ([0-9.]+) \((in|ex)cluding connections establishing\)`)
	pgNewRate   = regexp.MustCompile(`^tps = ([0-9.]+) \((without initial connection time|including reconnection times)\)`)
	pgConnect   = regexp.MustCompile(`^(initial|average) connection time = ([0-9.]+ \w+)`)
	pgOffered   = regexp.MustCompile(`^rate limit schedule lag: `)
	pgBreak     = regexp.MustCompile(`(?i)^(?:FATAL|ERROR):|^connection to (?:database|server).*failed|^pgbench: (?:fatal|error):|Run was aborted`)
	pgProcessed = regexp.MustCompile(`^(\d+)(?:/(\d+))?`)
)

// pgBlock is the output of one pgbench run.
type pgBlock struct {
	label  string
	line   int
	fields map[string]string
	tps    float64
	// excluding is set if tps excludes the time for connecting.
	excluding bool
	latency   float64
	// full is the rate including the time for connecting, 0 if not reported; initial is how long all
	// clients took to connect, each how long one takes if each transaction connects.
	full, initial, each float64
	// timed is set if latencies were measured individually, offered if transactions were due at a given
	// rate.
	timed, offered bool
	broken         string
}

func readPgbench(t *text, p *Part) (last int, err error) {
	var b *pgBlock
	open := func(i int) *pgBlock {
		if b == nil {
			b = &pgBlock{label: t.label(i), line: t.at(i), fields: map[string]string{}}
		}
		return b
	}
	for i, l := range t.lines {
		l = strings.TrimSpace(l)
		line := t.at(i)
		if m := pgVersion.FindStringSubmatch(l); m != nil {
			b.add(p)
			b = nil
			open(i)
			p.tool("pgbench", m[1])
			last = line
		} else if m := pgField.FindStringSubmatch(l); m != nil {
			// If a field occurs a second time, another run begins.
			if b != nil && b.fields[m[1]] != "" || b != nil && b.tps > 0 {
				b.add(p)
				b = nil
			}
			open(i).fields[m[1]] = m[2]
			last = line
		} else if m := pgLatency.FindStringSubmatch(l); m != nil {
			if b != nil && b.tps > 0 {
				b.add(p)
				b = nil
			}
			if v, err := span(m[2]); err == nil && m[1] == "average" {
				open(i).latency = v
			}
			// Without timing individual transactions there is no standard deviation either.
			open(i).timed = b.timed || m[1] == "stddev"
			last = line
		} else if m := pgConnect.FindStringSubmatch(l); m != nil {
			if v, err := span(m[2]); err == nil && m[1] == "average" {
				open(i).each = v
			} else if err == nil {
				open(i).initial = v
			}
			last = line
		} else if pgOffered.MatchString(l) {
			open(i).offered = true
			last = line
		} else if m := pgOldRate.FindStringSubmatch(l); m != nil {
			open(i).rate(m[1], m[2] == "ex")
			last = line
		} else if m := pgNewRate.FindStringSubmatch(l); m != nil {
			open(i).rate(m[1], strings.HasPrefix(m[2], "without"))
			last = line
		} else if b != nil && pgBreak.MatchString(l) && b.tps == 0 {
			b.broken = l
			last = line
		}
	}
	b.add(p)
	return last, nil
}

// rate records the transactions per second; the rate excluding the time for connecting takes precedence
// over the one including it.
func (b *pgBlock) rate(s string, excluding bool) {
	v, err := number(s)
	if err == nil && !excluding {
		b.full = v
	}
	if err == nil && (b.tps == 0 || excluding && !b.excluding) {
		b.tps, b.excluding = v, excluding
	}
}

// add adds the run, if it has a result. A nil block has none.
func (b *pgBlock) add(p *Part) {
	if b == nil || b.tps <= 0 {
		return
	}
	clients, _ := strconv.Atoi(b.fields["number of clients"])
	w := model.Workload{Name: "pgbench", Direction: model.Mixed, Metric: model.Transactions, Depth: clients, Words: "pgbench"}
	if kind := strings.Trim(strings.TrimPrefix(b.fields["transaction type"], "<builtin: "), "<>"); kind != "" {
		w.Words += " " + kind
		if !strings.HasPrefix(kind, "TPC-B") {
			w.Name += "-" + slug(kind)
		}
	}
	if clients > 0 {
		w.Words += fmt.Sprintf(" %d clients", clients)
		if clients == 1 {
			w.Words = strings.TrimSuffix(w.Words, "s")
		}
	}
	if scale := b.fields["scaling factor"]; scale != "" {
		w.Name += "-s" + slug(scale)
		w.Words += " scale " + scale
	}
	if mode := b.fields["query mode"]; mode != "" && mode != "simple" {
		w.Name += "-" + slug(mode)
		w.Words += " " + mode
	}
	if clients > 0 {
		w.Name += fmt.Sprintf("-c%d", clients)
	}
	if n := b.fields["number of transactions per client"]; n != "" {
		w.Words += " × " + n
	}
	if !b.excluding {
		// Here connecting is part of each transaction, so it is another workload.
		w.Name += "-connect"
		w.Words += " with reconnection"
	}
	f := model.Figure{Direction: model.Mixed, Group: "pgbench", Line: b.line, Values: map[model.Metric]float64{model.Transactions: b.tps}}
	if b.latency > 0 {
		f.Values[model.Latency] = b.latency
	}
	r := run{label: b.label, workload: w}
	done, asked := b.processed()
	f.Clients = b.clients(clients, done, asked)
	if seconds, err := span(b.fields["duration"]); err == nil {
		f.Seconds = seconds
	} else if done > 0 {
		f.Seconds = float64(done) / b.tps
	}
	r.step.Step.Seconds = f.Seconds
	f.Outcome = done > 0
	r.figures = []model.Figure{f}
	status := model.Complete
	switch {
	case asked > done:
		r.step.Error = fmt.Sprintf("%d of %d transactions never ran, so the load was not the one that was asked for", asked-done, asked)
	case b.failed() > 0:
		r.step.IOErrors = b.failed()
	case b.broken != "":
		r.step.Error = "pgbench says: " + b.broken
	case done == 0:
		// The output is an excerpt that does not say how the run ended.
		status = model.Unknown
	}
	p.status, p.reason = worseStatus(cmp.Or(p.status, model.Complete), p.reason, status, "")
	p.add(r)
}

// clients returns what the run reports about its clients.
func (b *pgBlock) clients(n int, done, asked uint64) *model.ClientFigure {
	c := &model.ClientFigure{Clients: n, Done: done, Asked: asked, Rate: b.full, Reconnect: !b.excluding, Connect: b.each, Timed: b.timed, Offered: b.offered}
	c.Threads, _ = strconv.Atoi(b.fields["number of threads"])
	if c.Rate == 0 && done > 0 {
		// The time includes the transactions and the initial connecting.
		c.Rate = float64(done) / (float64(done)/b.tps + b.initial)
	}
	return c
}

// processed returns how many transactions ran, and how many were requested (0 is unknown).
func (b *pgBlock) processed() (done, asked uint64) {
	m := pgProcessed.FindStringSubmatch(b.fields["number of transactions actually processed"])
	if m == nil {
		return 0, 0
	}
	done, _ = strconv.ParseUint(m[1], 10, 53)
	asked, _ = strconv.ParseUint(m[2], 10, 53)
	return done, asked
}

// failed returns how many transactions failed.
func (b *pgBlock) failed() uint64 {
	n, _, _ := strings.Cut(b.fields["number of failed transactions"], " ")
	v, _ := strconv.ParseUint(n, 10, 53)
	return v
}
