package link

import (
	"bufio"
	"context"
	"crypto/rand"
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

// socketName is the socket in a server's directory.
const socketName = "link.sock"

// Options are the data that a server sends and receives.
type Options struct {
	// Out opens the outgoing stream at an offset: Read waits for data that is not there yet, Close
	// ends such a wait, and io.EOF is the end of the stream. It yields the same data whenever it is
	// read.
	Out func(from int64) (io.ReadCloser, error)
	// In receives what a client sends, every byte once. It is called once for each client.
	In func() io.Writer
	// Alone is set if there is only one client, whatever it calls itself: a new connection ends the
	// older one, which is presumed dead.
	Alone bool
	// AbandonAfter is how long no client may be connected before Abandoned is called; 0 means for
	// ever.
	AbandonAfter time.Duration
	Abandoned    func()
	// Clock is used for waiting.
	Clock env.Clock
}

// Server is the end of a link that stays.
type Server struct {
	o         Options
	name      string
	listener  net.Listener
	abandoned *time.Timer
	// sent is closed when a client has confirmed the end of the stream.
	sent chan struct{}
	once sync.Once

	mu      sync.Mutex
	clients map[string]*client
	present int
	closed  bool
}

// client is a client, over successive connections.
type client struct {
	mu       sync.Mutex
	in       io.Writer
	conn     net.Conn
	received int64
}

// Listen starts serving connections to a socket in the directory.
func Listen(dir string, o Options) (*Server, error) {
	path := filepath.Join(dir, socketName)
	// The socket may be left over from a process that no longer exists; that no other is running is
	// ensured by a lock elsewhere.
	if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, err
	}
	listener, err := net.Listen("unix", path)
	if err != nil {
		return nil, err
	}
	s := &Server{o: o, name: rand.Text(), listener: listener, sent: make(chan struct{}), clients: map[string]*client{}}
	if o.AbandonAfter > 0 {
		s.abandoned = o.Clock.AfterFunc(o.AbandonAfter, o.Abandoned)
	}
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go s.serve(conn)
		}
	}()
	return s, nil
}

// Sent is closed when a client has confirmed the end of the stream.
func (s *Server) Sent() <-chan struct{} { return s.sent }

// Close closes all connections and accepts no more.
func (s *Server) Close() {
	s.listener.Close()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	if s.abandoned != nil {
		s.abandoned.Stop()
	}
	for _, c := range s.clients {
		c.mu.Lock()
		if c.conn != nil {
			c.conn.Close()
		}
		c.mu.Unlock()
	}
}

// serve serves one connection until it ends.
func (s *Server) serve(conn net.Conn) {
	defer conn.Close()
	in := bufio.NewReaderSize(conn, longestHello)
	line, err := in.ReadSlice('\n')
	var h hello
	if err != nil || json.Unmarshal(line, &h) != nil {
		return
	}
	if h.Ask {
		s.mu.Lock()
		w := welcome{Attended: s.present > 0}
		s.mu.Unlock()
		_ = writeLine(conn, w)
		return
	}
	out, err := s.o.Out(h.From)
	if err != nil {
		return
	}
	defer out.Close()
	c, received := s.enter(conn, h.Client)
	if c == nil {
		return
	}
	defer s.leave(c, conn)
	if writeLine(conn, welcome{Server: s.name, Received: received}) != nil {
		return
	}
	go s.send(conn, out)
	var frame []byte
	for {
		frame, err = readFrame(in, frame)
		if errors.Is(err, errEnd) {
			s.once.Do(func() { close(s.sent) })
		}
		if err != nil || !c.take(conn, frame) {
			return
		}
	}
}

// enter makes a connection the current one of its client.
func (s *Server) enter(conn net.Conn, name string) (c *client, received int64) {
	if s.o.Alone {
		name = ""
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil, 0
	}
	if s.present++; s.abandoned != nil {
		s.abandoned.Stop()
	}
	if c = s.clients[name]; c == nil {
		c = &client{in: s.o.In()}
		s.clients[name] = c
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.conn != nil {
		c.conn.Close()
	}
	c.conn = conn
	return c, c.received
}

func (s *Server) leave(c *client, conn net.Conn) {
	c.mu.Lock()
	if c.conn == conn {
		c.conn = nil
	}
	c.mu.Unlock()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.present--; s.present == 0 && s.abandoned != nil && !s.closed {
		s.abandoned.Reset(s.o.AbandonAfter)
	}
}

// take passes on what has arrived over a client's latest connection.
func (c *client) take(conn net.Conn, p []byte) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.conn != conn {
		return false
	}
	n, err := c.in.Write(p)
	c.received += int64(n)
	return err == nil
}

// send sends until the connection or the stream ends.
func (s *Server) send(conn net.Conn, out io.Reader) {
	f := &frames{to: conn, clock: s.o.Clock}
	over := make(chan struct{})
	defer close(over)
	go func() {
		for {
			select {
			case <-over:
				return
			case <-s.o.Clock.After(heartbeat / 2):
				if f.beat() != nil {
					return
				}
			}
		}
	}()
	buffer := make([]byte, 64<<10)
	for {
		n, err := out.Read(buffer)
		if n > 0 {
			if _, err := f.Write(buffer[:n]); err != nil {
				return
			}
		}
		switch {
		case errors.Is(err, io.EOF):
			_ = f.end() // a client that has not received it will reconnect
			return
		case err != nil:
			conn.Close()
			return
		}
	}
}

func writeLine(w io.Writer, v any) error {
	line, err := json.Marshal(v)
	if err == nil {
		_, err = w.Write(append(line, '\n'))
	}
	return err
}

// attachTries and attachPause are how Attach waits for a server that is starting.
const (
	attachTries = 50
	attachPause = 100 * time.Millisecond
)

// Attach connects in and out to the server of a directory until either side ends: this is what the
// program run by an exec in the pod does.
func Attach(ctx context.Context, clock env.Clock, dir string, in io.Reader, out io.Writer) error {
	conn, err := dial(ctx, clock, dir)
	if err != nil {
		return fmt.Errorf("nobody is there in %s: %w", dir, err)
	}
	defer conn.Close()
	stop := context.AfterFunc(ctx, func() { conn.Close() })
	defer stop()
	go func() {
		_, _ = io.Copy(conn, in)
		conn.Close()
	}()
	_, err = io.Copy(out, conn)
	if errors.Is(err, net.ErrClosed) {
		return nil
	}
	return err
}

func dial(ctx context.Context, clock env.Clock, dir string) (conn net.Conn, err error) {
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

// Ask asks over a connection whether a client is connected.
func Ask(stream io.ReadWriter) (attended bool, err error) {
	if err := writeLine(stream, hello{Ask: true}); err != nil {
		return false, err
	}
	var w welcome
	err = json.NewDecoder(io.LimitReader(stream, longestHello)).Decode(&w)
	return w.Attended, err
}
