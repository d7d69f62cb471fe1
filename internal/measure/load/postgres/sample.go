package postgres

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/waits"
)

// The server is asked every samplesEvery on average what the clients' sessions wait for, at random
// moments, because group flushes follow each other at a rhythm of their own. If answers are slow it
// is asked less often, so that answering takes no more than one part in answersShare of the time.
const (
	samplesEvery = 50 * time.Millisecond
	answersShare = 10
	// rarest is the longest interval between two samples, so that a server that was slow to answer
	// once is asked again.
	rarest = time.Second
	// giveUp is how long an answer is waited for after the load has ended.
	giveUp = 5 * time.Second
	// mostStates and mostSessions are beyond any PostgreSQL: it has about 300 wait events, and at most
	// 262,143 sessions. An answer with more is not kept.
	mostStates, mostSessions = 1000, 1 << 18
	// mostBins bounds what is kept of a long step: then a bin is longer than a second.
	mostBins = 600
)

// Separators between a state and its count, and between two states, in an answer.
const (
	countMark = "\x1d"
	stateMark = "\x1e"
)

// sampler samples, in its own session, what the sessions of a load's clients wait for.
type sampler struct {
	server *server
	// heldSession is the server process of a session that has the clients' name but is not one of them; 0
	// if there is none.
	heldSession int
	begin       time.Time
	// emit takes the rate of flushes, for the progress.
	emit func(model.Event)
	rate flushRate

	mu    sync.Mutex
	found waits.Sampled
	// readings is how often the flushes were read.
	readings int
}

// clients returns the condition that selects the sessions of a load's clients: in a server that we
// start, all others are in other databases, including the sampling session, because the server's
// client processes are counted (processors); in an existing server the clients are named after the
// schema, like the session that holds it and the one that samples. The backend type of sessions
// that we may not inspect is hidden.
func (m *sampler) clients() string {
	if x := m.server.exists; x != nil {
		return fmt.Sprintf("datid = (SELECT oid FROM pg_database WHERE datname = current_database()) AND application_name = '%s' AND pid NOT IN (pg_backend_pid(), %d)", x.schema, m.heldSession)
	}
	return fmt.Sprintf("datid = (SELECT oid FROM pg_database WHERE datname = '%s') AND backend_type = 'client backend' AND pid <> pg_backend_pid()", database)
}

// statement returns a query for one row: how many sessions hide their state, and how many are in
// each state. A session whose type may be seen but that has no state is still starting, and not counted.
func (m *sampler) statement() string {
	return fmt.Sprintf(`SELECT 'states', coalesce(sum(n) FILTER (WHERE w IS NULL), 0), coalesce(string_agg(w || chr(%d) || n, chr(%d)) FILTER (WHERE w IS NOT NULL), '')
FROM (SELECT CASE WHEN state IS NULL THEN NULL WHEN wait_event IS NULL THEN '%s' ELSE wait_event_type || ':' || wait_event END AS w, count(*) AS n FROM pg_stat_get_activity(NULL) WHERE %s AND (state IS NOT NULL OR backend_type IS NULL) GROUP BY 1) s`,
		countMark[0], stateMark[0], waits.None, m.clients())
}

// sampleWaits samples until it is stopped, and emits the rate of flushes as progress; stop returns what was
// found, and how often the server was asked in all. No failure in sampling ends the step.
func (s *server) sampleWaits(ctx context.Context, req model.StartRequest, emit func(model.Event)) (stop func() (found *waits.Sampled, asked int)) {
	if req.Workload.App.Reconnect {
		return func() (*waits.Sampled, int) {
			return &waits.Sampled{Without: "each transaction opens its own connection, so the set of sessions keeps changing"}, 0
		}
	}
	m := &sampler{server: s, begin: s.env.Now(), emit: emit}
	length := req.Step.Ramp + req.Step.Seconds + beyond
	m.found = waits.Sampled{Sessions: max(1, req.Workload.Depth), Width: max(1, float64(int(length/mostBins)+1))}
	ctx, cancel := context.WithCancel(ctx)
	end, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		if err := m.sample(ctx, end); err != nil {
			m.mu.Lock()
			m.found.Without = err.Error()
			m.mu.Unlock()
		}
	}()
	return func() (*waits.Sampled, int) {
		close(end)
		select {
		case <-ended:
		case <-s.env.After(giveUp):
			// The sampler is waiting for an answer that the server does not give.
			cancel()
			<-ended
		}
		cancel()
		m.mu.Lock()
		defer m.mu.Unlock()
		return &m.found, m.found.Moments() + m.readings
	}
}

// open connects, and prepares the statement: planning it takes longer than running it.
func (m *sampler) open(ctx context.Context) (h *session, err error) {
	s := m.server
	var cmd *exec.Cmd
	if x := s.exists; x != nil {
		// The holding session is not used: a query that times out ends its session, and with it the
		// schema's lock.
		m.heldSession = x.hold.backend
		cmd = x.account(x.schema, bySearchPath+"pg_catalog"+ofLooking).Command(s.env, "/", s.programs.path("psql"), sessionOptions...)
	} else {
		dir, done, err := s.place(s.socket)
		if err != nil {
			return nil, err
		}
		defer done()
		cmd = s.account.Command(s.env, dir, s.programs.path("psql"), append([]string{"-h", s.host(), "-p", port, "-U", superuser, "-d", "postgres"}, sessionOptions...)...)
	}
	if h, err = openSession(s.env.Clock, cmd); err != nil {
		return nil, err
	}
	if _, err = h.ask(ctx, "PREPARE states AS "+m.statement()+";\nPREPARE flushes AS "+flushesOf(s.programs.major)+";\nSELECT 'prepared';"); err != nil {
		h.close()
		return nil, err
	}
	return h, nil
}

// sample samples until the end; the error says why it stopped earlier.
func (m *sampler) sample(ctx context.Context, end <-chan struct{}) error {
	h, err := m.open(ctx)
	if err != nil {
		return fmt.Errorf("the sampling session could not connect: %w", err)
	}
	defer h.close()
	clock := m.server.env
	usual, nextFlushes := 0.0, 0.0
	for {
		every := max(samplesEvery.Seconds(), min(rarest.Seconds(), answersShare*usual))
		wait := time.Duration((0.5 + rand.Float64()) * every * float64(time.Second))
		select {
		case <-end:
			return nil
		case <-clock.After(wait):
		}
		asked := clock.Now()
		row, err := h.ask(ctx, "EXECUTE states;")
		took := clock.Now().Sub(asked).Seconds()
		if err != nil {
			return fmt.Errorf("the server stopped answering: %w", err)
		}
		hidden, states, err := statesIn(row)
		if err != nil {
			return err
		}
		usual = 0.8*usual + 0.2*took
		at := asked.Sub(m.begin).Seconds()
		m.add(at, took, hidden, states)
		if m.server.programs.major < flushesFrom || at < nextFlushes {
			continue
		}
		if took, err = m.flushes(ctx, h); err != nil {
			return err
		}
		nextFlushes = at + max(flushesEvery.Seconds(), answersShare*took)
	}
}

// statesIn parses an answer.
func statesIn(row []string) (hidden int, states map[string]int, err error) {
	if len(row) != 3 || row[0] != "states" {
		return 0, nil, fmt.Errorf("the server answered %q when it was asked for the states of sessions", row)
	}
	hidden, err = sessionCount(row[1])
	states = map[string]int{}
	for _, one := range strings.Split(row[2], stateMark) {
		if one == "" {
			continue
		}
		name, count, _ := strings.Cut(one, countMark)
		n, bad := sessionCount(count)
		if bad == nil && waits.Clean(name) == "" {
			bad = errors.New("a state has no name")
		}
		if bad == nil && len(states) == mostStates {
			bad = fmt.Errorf("more than %d states", mostStates)
		}
		if bad != nil {
			err = bad
		}
		states[name] += n
	}
	if err != nil {
		return 0, nil, fmt.Errorf("the server answered %q when it was asked for the states of sessions: %w", row, err)
	}
	return hidden, states, nil
}

// sessionCount reads how many sessions are in a state.
func sessionCount(text string) (int, error) {
	n, err := strconv.Atoi(text)
	if err == nil && (n < 0 || n > mostSessions) {
		err = fmt.Errorf("%d sessions", n)
	}
	return n, err
}

// add keeps one answer. Before the clients are connected there is none to be kept.
func (m *sampler) add(at, took float64, hidden int, states map[string]int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	f := &m.found
	f.Spent += took
	f.Hidden += hidden
	i := int(max(0, at) / f.Width)
	for len(f.Bins) <= i {
		f.Bins = append(f.Bins, waits.Bin{})
	}
	f.Bins[i].Add(states)
}
