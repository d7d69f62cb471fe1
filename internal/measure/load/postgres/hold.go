package postgres

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/loadline/loadline/internal/env"
	"github.com/loadline/loadline/internal/measure/load/daemon"
	"github.com/loadline/loadline/internal/model"
)

// session is a psql that stays connected and runs one statement after the other. The session that
// exists as long as a schema of ours holds the schema's lock, by which cleanup recognises the
// schema of a live run; it ends when the server does; and once a second it checks what other
// sessions are doing.
type session struct {
	clock   env.Clock
	process daemon.Process
	in      io.WriteCloser
	errs    *daemon.Tail
	rows    chan []string
	// backend is the PID of the server process for the session that holds a schema.
	backend int
	// one is held while a statement runs.
	one sync.Mutex

	mu   sync.Mutex
	seen seen
}

// seen is the activity of other sessions since it was last read.
type seen struct {
	looks  int
	busy   float64
	hidden bool
	tasks  map[string]bool
}

const (
	// answering is how long the session may take to answer: a busy server takes seconds.
	answering = 30 * time.Second
	// looksEvery is the interval between checks.
	looksEvery = time.Second
)

// sessionOptions are the options of a psql that returns rows until its input ends.
var sessionOptions = []string{"-X", "-A", "-t", "-q", "-w", "-F", fieldMark, "-v", "ON_ERROR_STOP=1"}

// openSession starts a psql.
func openSession(clock env.Clock, cmd *exec.Cmd) (*session, error) {
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	// A pipe of our own: that of StdoutPipe is closed as soon as psql has ended, with its last row in it.
	out, theirs, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	h := &session{clock: clock, in: in, errs: &daemon.Tail{}, rows: make(chan []string, 16)}
	cmd.Stdout, cmd.Stderr = theirs, h.errs
	h.process, err = daemon.Launch(clock, cmd)
	theirs.Close()
	if err != nil {
		out.Close()
		return nil, model.BrokenError(fmt.Sprintf("psql cannot be started: %v", err), "")
	}
	go h.read(out)
	return h, nil
}

// read passes on the rows that psql prints, until it has ended. Those that nobody takes are dropped then.
func (h *session) read(out io.ReadCloser) {
	defer out.Close()
	defer close(h.rows)
	for lines := bufio.NewScanner(out); lines.Scan(); {
		row := strings.Split(lines.Text(), fieldMark)
		select {
		case h.rows <- row:
			continue
		default:
		}
		select {
		case h.rows <- row:
		case <-h.process.End:
		}
	}
}

// openHold connects and takes the lock of the schema that the sessions of x are named after.
func (x *existing) openHold(ctx context.Context) (*session, error) {
	h, err := openSession(x.env.Clock, x.account(x.schema, bySearchPath+"pg_catalog"+ofLooking+ofClearing).Command(x.env, "/", x.programs.path("psql"), sessionOptions...))
	if err != nil {
		return nil, err
	}
	// The result of a function without a return value is an empty row.
	row, err := h.ask(ctx, fmt.Sprintf("WITH l AS MATERIALIZED (%s AS got) SELECT 'held', got::text, pg_backend_pid() FROM l;", lockOf("pg_try_advisory_lock", x.schema)))
	if err == nil && (len(row) != 3 || row[1] != "true") {
		err = errHeld
	}
	if err == nil {
		h.backend, err = strconv.Atoi(row[2])
	}
	if err != nil {
		h.close()
		return nil, err
	}
	go h.watch(x)
	return h, nil
}

// ask runs a statement that returns one row.
func (h *session) ask(ctx context.Context, statement string) ([]string, error) {
	h.one.Lock()
	defer h.one.Unlock()
	lost := func() ([]string, error) {
		return nil, saidError(complaint(h.errs.String(), fmt.Errorf("the session with it ended")))
	}
	if _, err := io.WriteString(h.in, statement+"\n"); err != nil {
		return lost()
	}
	select {
	case row, ok := <-h.rows:
		if !ok {
			<-h.process.End
			return lost()
		}
		return row, nil
	case <-ctx.Done():
		// A late answer would be taken for that of the next statement.
		h.process.Kill(syscall.SIGKILL)
		return nil, ctx.Err()
	case <-h.clock.After(answering):
		h.process.Kill(syscall.SIGKILL)
		return nil, saidError(fmt.Sprintf("it did not answer within %s", answering))
	}
}

// others returns the statement that reads what other sessions are doing. Vacuums of our own tables
// are counted elsewhere.
func (x *existing) others() string {
	return fmt.Sprintf(`SELECT 'seen', (SELECT count(*) FROM pg_stat_activity WHERE %s), (SELECT count(*) FROM pg_stat_activity WHERE %s),
coalesce((SELECT string_agg(DISTINCT what, ',') FROM (%s) p WHERE relid IS NULL OR relid NOT IN (SELECT c.oid FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = '%s')), '');`,
		othersBusy, othersHidden, inProgress, x.schema)
}

// watch checks once a second until the session ends.
func (h *session) watch(x *existing) {
	for {
		select {
		case <-h.process.End:
			return
		case <-x.env.After(looksEvery):
		}
		row, err := h.ask(context.Background(), x.others())
		if err != nil || len(row) != 4 {
			return
		}
		busy, _ := strconv.ParseFloat(row[1], 64)
		h.mu.Lock()
		h.seen.looks++
		h.seen.busy = max(h.seen.busy, busy)
		h.seen.hidden = h.seen.hidden || row[2] != "0"
		for _, task := range strings.Split(row[3], ",") {
			if task != "" {
				if h.seen.tasks == nil {
					h.seen.tasks = map[string]bool{}
				}
				h.seen.tasks[task] = true
			}
		}
		h.mu.Unlock()
	}
}

// take returns what was seen since the last call, and resets it.
func (h *session) take() seen {
	h.mu.Lock()
	defer h.mu.Unlock()
	s := h.seen
	h.seen = seen{}
	return s
}

// tell adds it to the counts of a repeat.
func (s seen) tell(c *model.AppCounts) {
	if s.looks > 0 && !s.hidden {
		c.Busy = &s.busy
	}
	c.Tasks = slices.Sorted(maps.Keys(s.tasks))
}

// close ends the session. psql ends when its input does.
func (h *session) close() {
	_ = h.in.Close()
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	h.process.Finish(ctx, syscall.SIGTERM, time.Second)
}
