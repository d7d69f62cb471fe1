package agent

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/loadline/loadline/internal/env"
)

// Residence is where a worker lives whose engine may lose the way to it.
type Residence struct {
	// Dir holds the socket and the events; it is made if it is missing.
	Dir string
	// Patience is how long the worker waits for an engine before it cleans up and ends.
	Patience time.Duration
}

const (
	socketName = "agent.sock"
	spoolName  = "events.jsonl"
	// heartbeat is the longest silence of a connection; an empty line breaks it.
	heartbeat = 2 * time.Second
	// farewell is how long the last events wait for an engine that is not there.
	farewell = 2 * time.Minute
)

// Attachment is the first line of a connection to a resident worker.
type Attachment struct {
	// From is the number of the last event that the engine has.
	From int64 `json:"from"`
	// Ask only asks whether an engine is there, and does not take its place.
	Ask bool `json:"ask,omitempty"`
}

// Attached is the worker's answer: the requests up to Received have arrived, so
// those behind it must be sent again.
type Attached struct {
	Received int `json:"received"`
	// Attended answers Ask.
	Attended bool `json:"attended,omitempty"`
}

// Reside serves one session like Serve, but to connections on a unix socket: when
// one is lost the work goes on, and the next one asks for the events that it has
// not seen. It ends after bye, when ctx ends, or when no engine has been there
// for too long; in all cases the worker has cleaned up.
func Reside(ctx context.Context, r Residence, o Options) error {
	if err := os.MkdirAll(r.Dir, 0o700); err != nil {
		return err
	}
	events, err := newSpool(filepath.Join(r.Dir, spoolName))
	if err != nil {
		return fmt.Errorf("the worker has no room for its events: %w", err)
	}
	defer events.file.Close()
	listener, err := net.Listen("unix", filepath.Join(r.Dir, socketName))
	if err != nil {
		return err
	}
	requests, toWorker := io.Pipe()
	h := &relay{events: events, requests: toWorker, abandoned: o.Env.AfterFunc(r.Patience, func() {
		toWorker.CloseWithError(errors.New("no engine has been there for " + r.Patience.String()))
	}), patience: r.Patience, clock: o.Env.Clock, left: make(chan struct{})}
	defer h.abandoned.Stop()
	stop := context.AfterFunc(ctx, func() { toWorker.CloseWithError(ctx.Err()) })
	defer stop()
	go h.accept(listener)

	err = Serve(ctx, requests, runningWriter{ctx, events}, o)
	requests.CloseWithError(io.ErrClosedPipe)
	events.close()
	// The answer to bye is worth waiting for, unless nobody is to be waited for.
	if err == nil {
		select {
		case <-h.left:
		case <-ctx.Done():
		case <-o.Env.After(farewell):
		}
	}
	listener.Close()
	h.leave(nil)
	return err
}

// runningWriter passes events on until ctx ends. A worker is told to end when its pod is
// taken away: what it would say of its work then is about the pod, and who asks the
// cluster is told why.
type runningWriter struct {
	ctx context.Context
	io.Writer
}

func (l runningWriter) Write(event []byte) (int, error) {
	if l.ctx.Err() != nil {
		return len(event), nil
	}
	return l.Writer.Write(event)
}

// relay lets one engine in at a time: a new connection ends the older one, which
// is dead for all we know.
type relay struct {
	events    *spool
	requests  *io.PipeWriter
	patience  time.Duration
	clock     env.Clock
	abandoned *time.Timer

	mu       sync.Mutex
	engine   net.Conn
	received int
	// left is closed when an engine has had the last event.
	left chan struct{}
	once sync.Once
}

func (h *relay) accept(l net.Listener) {
	for {
		conn, err := l.Accept()
		if err != nil {
			return
		}
		go h.serve(conn)
	}
}

// serve answers one connection until it ends.
func (h *relay) serve(conn net.Conn) {
	defer conn.Close()
	lines := bufio.NewScanner(conn)
	lines.Buffer(make([]byte, 64<<10), longestRequest)
	var hello Attachment
	if !lines.Scan() || json.Unmarshal(lines.Bytes(), &hello) != nil {
		return
	}
	if hello.Ask {
		h.tell(conn)
		return
	}
	last, _, _ := h.events.last()
	if hello.From < 0 || hello.From > last {
		return
	}
	received := h.enter(conn)
	defer h.leave(conn)
	answer, err := json.Marshal(Attached{Received: received})
	if err != nil {
		return
	}
	if _, err := conn.Write(append(answer, '\n')); err != nil {
		return
	}
	go func() {
		h.follow(conn, hello.From)
		conn.Close()
	}()
	for lines.Scan() {
		h.forward(conn, lines.Bytes())
	}
}

// tell answers whether an engine is there.
func (h *relay) tell(conn net.Conn) {
	h.mu.Lock()
	a := Attached{Received: h.received, Attended: h.engine != nil}
	h.mu.Unlock()
	if line, err := json.Marshal(a); err == nil {
		_, _ = conn.Write(append(line, '\n'))
	}
}

func (h *relay) enter(conn net.Conn) (received int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.engine != nil {
		h.engine.Close()
	}
	h.engine = conn
	h.abandoned.Stop()
	return h.received
}

// leave forgets the connection; nil means whichever there is.
func (h *relay) leave(conn net.Conn) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.engine == nil || conn != nil && h.engine != conn {
		return
	}
	h.engine.Close()
	h.engine = nil
	h.abandoned.Reset(h.patience)
}

// forward gives the worker a request that it has not got yet.
func (h *relay) forward(conn net.Conn, line []byte) {
	var req struct {
		ID int `json:"id"`
	}
	if json.Unmarshal(line, &req) != nil {
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.engine != conn || req.ID <= h.received {
		return
	}
	h.received = req.ID
	_, _ = h.requests.Write(append(line, '\n'))
}

// follow sends the events behind number from as they come.
func (h *relay) follow(conn net.Conn, from int64) {
	for {
		last, over, grown := h.events.last()
		if last > from {
			if h.events.copy(conn, from, last) != nil {
				return
			}
			from = last
			continue
		}
		if over {
			h.once.Do(func() { close(h.left) })
			return
		}
		select {
		case <-grown:
		case <-h.clock.After(heartbeat):
			if _, err := conn.Write([]byte("\n")); err != nil {
				return
			}
		}
	}
}

// attachTries and attachPause are how Attach waits for a worker that is starting.
const (
	attachTries = 50
	attachPause = 100 * time.Millisecond
)

// Attach joins in and out with the resident worker of a directory until
// either side ends.
func Attach(ctx context.Context, clock env.Clock, dir string, hello Attachment, in io.Reader, out io.Writer) error {
	conn, err := dialResident(ctx, clock, dir)
	if err != nil {
		return fmt.Errorf("there is no worker in %s: %w", dir, err)
	}
	defer conn.Close()
	stop := context.AfterFunc(ctx, func() { conn.Close() })
	defer stop()
	line, err := json.Marshal(hello)
	if err != nil {
		return err
	}
	if _, err := conn.Write(append(line, '\n')); err != nil {
		return err
	}
	if !hello.Ask {
		go func() {
			_, _ = io.Copy(conn, in)
			conn.Close()
		}()
	}
	_, err = io.Copy(out, conn)
	if errors.Is(err, net.ErrClosed) {
		return nil
	}
	return err
}

func dialResident(ctx context.Context, clock env.Clock, dir string) (conn net.Conn, err error) {
	var d net.Dialer
	for range attachTries {
		if conn, err = d.DialContext(ctx, "unix", filepath.Join(dir, socketName)); err == nil {
			return conn, nil
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-clock.After(attachPause):
		}
	}
	return nil, err
}
