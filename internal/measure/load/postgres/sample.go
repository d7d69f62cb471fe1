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

// How often the server is asked what the clients' sessions wait for: every samplesEvery on
// average, at random moments, because flushes of a group follow each other at a pace of their own. Where
// an answer takes long, less often, so that it takes no more than one part in answersShare of the time.
const (
	samplesEvery = 50 * time.Millisecond
	answersShare = 10
	// rarest is the longest time between two, so that a server that once took long to answer is
	// asked again.
	rarest = time.Second
	// mostStates and mostSessions are beyond any PostgreSQL: it has about 300 wait events, and at most
	// 262,143 sessions. An answer with more is not kept.
	mostStates, mostSessions = 1000, 1 << 18
	// mostBins bounds what is kept of a long step: then a bin is longer than a second.
	mostBins = 600
)

// What stands between a state and its count, and between two of them, in an answer.
const (
	countMark = "\x1d"
	stateMark = "\x1e"
)

// sampler asks, in a session of its own, what the sessions of a load's clients wait for.
type sampler struct {
	server *server
	// aside is the process of a session that goes by the clients' name and is none of theirs; 0 is none.
	aside int
	begin time.Time

	mu    sync.Mutex
	found waits.Sampled
}

// clients tells the sessions of a load's clients from others: in a server of ours nobody else is
// in the database, and the session that asks is in another, because the processes for clients are
// counted (processors); in one that exists they go by the name of the schema, as the session that
// holds it does and the one that asks. Of a session that we may not look into, its kind is not told.
func (m *sampler) clients() string {
	if x := m.server.exists; x != nil {
		return fmt.Sprintf("datid = (SELECT oid FROM pg_database WHERE datname = current_database()) AND application_name = '%s' AND pid NOT IN (pg_backend_pid(), %d)", x.schema, m.aside)
	}
	return fmt.Sprintf("datid = (SELECT oid FROM pg_database WHERE datname = '%s') AND backend_type = 'client backend' AND pid <> pg_backend_pid()", database)
}

// statement asks for one row: how many sessions hide their state, and how many are in each.
func (m *sampler) statement() string {
	return fmt.Sprintf(`SELECT 'states', coalesce(sum(n) FILTER (WHERE w IS NULL), 0), coalesce(string_agg(w || chr(%d) || n, chr(%d)) FILTER (WHERE w IS NOT NULL), '')
FROM (SELECT CASE WHEN state IS NULL THEN NULL WHEN wait_event IS NULL THEN '%s' ELSE wait_event_type || ':' || wait_event END AS w, count(*) AS n FROM pg_stat_get_activity(NULL) WHERE %s GROUP BY 1) s`,
		countMark[0], stateMark[0], waits.None, m.clients())
}

// sampleWaits asks until it is stopped; stop returns what was found. Nothing that goes wrong
// with it ends the step.
func (s *server) sampleWaits(ctx context.Context, req model.StartRequest) (stop func() *waits.Sampled) {
	if req.Workload.App.Reconnect {
		return func() *waits.Sampled {
			return &waits.Sampled{Without: "each transaction opens its own connection, so the set of sessions keeps changing"}
		}
	}
	m := &sampler{server: s, begin: s.env.Now()}
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
	return func() *waits.Sampled {
		close(end)
		select {
		case <-ended:
		case <-s.env.After(rarest):
			// It is in the middle of a question that the server does not answer.
			cancel()
			<-ended
		}
		cancel()
		m.mu.Lock()
		defer m.mu.Unlock()
		return &m.found
	}
}

// open connects, and prepares the statement: to plan it takes longer than to answer.
func (m *sampler) open(ctx context.Context) (h *session, err error) {
	s := m.server
	var cmd *exec.Cmd
	if x := s.exists; x != nil {
		// It is not asked here: a question that is given up ends the session, and the schema's lock with it.
		m.aside = x.hold.backend
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
	if _, err = h.ask(ctx, "PREPARE states AS "+m.statement()+";\nSELECT 'prepared';"); err != nil {
		h.close()
		return nil, err
	}
	return h, nil
}

// sample asks until the end; the error says why it stopped before.
func (m *sampler) sample(ctx context.Context, end <-chan struct{}) error {
	h, err := m.open(ctx)
	if err != nil {
		return fmt.Errorf("the sampling session could not connect: %w", err)
	}
	defer h.close()
	clock := m.server.env
	usual := 0.0
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
		m.add(asked.Sub(m.begin).Seconds(), took, hidden, states)
	}
}

// statesIn takes an answer apart.
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
