package session

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/loadline/loadline/internal/env"
	"github.com/loadline/loadline/internal/model"
)

// joined is the link to a server's worker and the client's worker that belongs to it. The engine
// communicates only with the server's worker; its requests to the client's worker, and the answers, are
// passed on here, in memory.
type joined struct {
	server, client io.ReadWriteCloser
	clock          env.Clock
	read           *io.PipeReader
	write          *io.PipeWriter
	// one is held while a line is written to the server's worker.
	one  sync.Mutex
	once sync.Once
	err  error
	// clientEnd is closed when nothing more comes from the client's worker.
	clientEnd chan struct{}
}

const (
	// longestLine is the longest line of a worker, in bytes.
	longestLine = 16<<20 + 1<<10
	// longestRequest is the longest line that a worker reads, in bytes.
	longestRequest = 16 << 20
	// clientHello is how long the client's worker may take to say hello, clientBye to go.
	clientHello, clientBye = 30 * time.Second, 10 * time.Second
)

// unnumbered begins the events of the server's worker that are meant for the client's.
var unnumbered = []byte(`{"seq":0,`)

// join waits for the client's hello, and starts passing on lines.
func join(ctx context.Context, clock env.Clock, server, client io.ReadWriteCloser) (*joined, error) {
	j := &joined{server: server, client: client, clock: clock, clientEnd: make(chan struct{})}
	j.read, j.write = io.Pipe()
	hello := make(chan error, 1)
	go j.fromClient(hello)
	select {
	case err := <-hello:
		if err != nil {
			return nil, err
		}
	case <-clock.After(clientHello):
		return nil, fmt.Errorf("the worker in the client's pod said nothing for %s", clientHello)
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	go j.fromServer()
	return j, nil
}

// fromServer passes the server's events on to the engine, and its requests to the client.
func (j *joined) fromServer() {
	lines := bufio.NewScanner(j.server)
	lines.Buffer(make([]byte, 64<<10), longestLine)
	for lines.Scan() {
		line := lines.Bytes()
		if !bytes.HasPrefix(line, unnumbered) {
			if _, err := j.write.Write(append(bytes.Clone(line), '\n')); err != nil {
				return
			}
			continue
		}
		var ev struct {
			Client json.RawMessage `json:"client"`
		}
		if json.Unmarshal(line, &ev) == nil && len(ev.Client) > 0 {
			// If the client is lost, its link reports it.
			_, _ = j.client.Write(append(ev.Client, '\n'))
		}
	}
	err := lines.Err()
	if err == nil {
		err = io.EOF
	}
	j.write.CloseWithError(err)
}

// fromClient passes the client's events on to the server's worker.
func (j *joined) fromClient(hello chan<- error) {
	defer close(j.clientEnd)
	lines := bufio.NewScanner(j.client)
	lines.Buffer(make([]byte, 64<<10), longestLine)
	if !lines.Scan() {
		hello <- errors.Join(errors.New("the worker in the client's pod ended before it said hello"), lines.Err())
		return
	}
	hello <- greeted(lines.Bytes())
	var err error
	for err == nil && lines.Scan() {
		err = j.hand(lines.Bytes())
	}
	if err == nil {
		err = lines.Err()
	}
	if err == nil {
		err = io.EOF
	}
	j.forward(&model.Event{Error: model.BrokenError(fmt.Sprintf("the client's pod was lost: %v", err), "")})
}

// hand forwards a line of the client's worker. It fails unless the line is one event: the pod of a
// client has no volume, and must not be able to send the server's worker, which has, a request.
func (j *joined) hand(line []byte) error {
	var ev model.Event
	if err := json.Unmarshal(line, &ev); err != nil {
		return fmt.Errorf("its worker sent %.80q, which is not an event: %w", line, err)
	}
	return j.forward(&ev)
}

// forward sends the server's worker an event of the client's.
func (j *joined) forward(ev *model.Event) error {
	line, err := json.Marshal(model.Request{Client: ev})
	if err != nil {
		return err
	}
	if len(line) >= longestRequest {
		return fmt.Errorf("its worker sent an event of %d bytes", len(line))
	}
	// If the server's worker is gone, its own link reports that.
	_, _ = j.Write(append(line, '\n'))
	return nil
}

func greeted(line []byte) error {
	var ev model.Event
	switch err := json.Unmarshal(line, &ev); {
	case err != nil || ev.Hello == nil:
		return errors.New("the worker in the client's pod did not say hello first")
	case ev.Hello.Protocol != model.ProtocolVersion:
		return fmt.Errorf("the worker in the client's pod speaks protocol %d, this loadline speaks %d: use the same version at both ends", ev.Hello.Protocol, model.ProtocolVersion)
	}
	return nil
}

// Read returns what the server's worker sends to the engine.
func (j *joined) Read(p []byte) (int, error) { return j.read.Read(p) }

// Write expects whole lines.
func (j *joined) Write(p []byte) (int, error) {
	j.one.Lock()
	defer j.one.Unlock()
	return j.server.Write(p)
}

// Close ends both workers and removes both pods, the server's first: it may still ask the client's to stop.
func (j *joined) Close() error {
	j.once.Do(func() {
		j.read.Close()
		var removed sync.WaitGroup
		var serverErr, clientErr error
		removed.Go(func() { serverErr = j.server.Close() })
		removed.Go(func() {
			if bye, err := json.Marshal(model.Request{Bye: &struct{}{}}); err == nil {
				_, _ = j.client.Write(append(bye, '\n'))
			}
			select {
			case <-j.clientEnd:
			case <-j.clock.After(clientBye):
			}
			clientErr = j.client.Close()
		})
		removed.Wait()
		j.err = errors.Join(serverErr, clientErr)
	})
	return j.err
}
