package agent

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/loadline/loadline/internal/cluster/link"
	"github.com/loadline/loadline/internal/cluster/link/linktest"
	"github.com/loadline/loadline/internal/env"
	"github.com/loadline/loadline/internal/model"
)

// detached starts a detached worker in its own directory.
func detached(t *testing.T, abandonAfter time.Duration) (dir string, ended chan error, stop context.CancelFunc) {
	t.Helper()
	dir = t.TempDir()
	ctx, stop := context.WithCancel(t.Context())
	ended = make(chan error, 1)
	o := Options{Env: env.OS(), RunID: "r", Tools: tools(stub{hold: true})}
	go func() { ended <- ServeDetached(ctx, dir, abandonAfter, o) }()
	t.Cleanup(stop)
	return dir, ended, stop
}

// attached is an engine that is linked to a detached worker.
type attached struct {
	t     *testing.T
	link  io.ReadWriteCloser
	lines *bufio.Reader
}

func attach(t *testing.T, dir string, cuts ...linktest.Cut) *attached {
	t.Helper()
	l := linktest.Connect(t.Context(), dir, cuts...)
	t.Cleanup(func() { l.Close() })
	return &attached{t: t, link: l, lines: bufio.NewReader(l)}
}

// line returns the next line; nil at the end.
func (v *attached) line() []byte {
	v.t.Helper()
	line, err := v.lines.ReadBytes('\n')
	if err != nil && err != io.EOF {
		v.t.Fatal(err)
	}
	return line
}

func (v *attached) event() (ev model.Event) {
	v.t.Helper()
	if err := json.Unmarshal(v.line(), &ev); err != nil {
		v.t.Fatal(err)
	}
	return ev
}

func (v *attached) send(req model.Request) {
	v.t.Helper()
	if err := json.NewEncoder(v.link).Encode(req); err != nil {
		v.t.Fatal(err)
	}
}

func startRequest(id int) model.Request {
	return model.Request{ID: id, Start: &model.StartRequest{Step: model.Step{Number: 1}, Volume: model.Volume{Path: "x", Target: model.Target{Kind: model.Fake}}}}
}

// TestDetachedOutlivesItsConnections: wherever the connection is cut, the engine receives every event once,
// and the worker handles every request once.
func TestDetachedOutlivesItsConnections(t *testing.T) {
	linktest.Survives(t, func(dir string) (func(), error) {
		ctx, stop := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		o := Options{Env: env.OS(), RunID: "r", Tools: tools(stub{hold: true})}
		go func() { ended <- ServeDetached(ctx, dir, time.Minute, o) }()
		return func() {
			stop()
			<-ended
		}, nil
	}, func(stream io.ReadWriter) (heard string, err error) {
		events, requests := json.NewDecoder(stream), json.NewEncoder(stream)
		for _, ask := range []func() error{
			func() error { return requests.Encode(startRequest(1)) },
			func() error { return requests.Encode(model.Request{ID: 2, Stop: &model.StopRequest{ID: 1}}) },
			func() error { return requests.Encode(model.Request{ID: 3, Bye: &struct{}{}}) },
			func() error { return nil },
		} {
			var ev model.Event
			if err := events.Decode(&ev); err != nil {
				return heard, err
			}
			heard += fmt.Sprintf("%d %d: hello %v, sample %v, result %v, bye %v\n", ev.Seq, ev.ID, ev.Hello != nil, ev.Sample != nil, ev.Result != nil, ev.Bye != nil)
			if err := ask(); err != nil {
				return heard, err
			}
		}
		return heard, nil
	})
}

func TestDetachedWithoutDriverEnds(t *testing.T) {
	_, ended, _ := detached(t, 50*time.Millisecond)
	select {
	case err := <-ended:
		if err == nil {
			t.Error("it ended as if it had been told to")
		}
	case <-time.After(10 * time.Second):
		t.Error("it waits for ever")
	}
}

// TestDetachedEndsWhenItsPodIsDeleted: the worker reports neither a failed step nor an error: it is the pod
// that ended, and the cluster knows why.
func TestDetachedEndsWhenItsPodIsDeleted(t *testing.T) {
	dir, ended, stop := detached(t, time.Minute)
	gone := errors.New("the pod was evicted")
	l := link.Connect(t.Context(), &link.Link{Name: "the pod", Pause: time.Millisecond, Say: func(string) {}, Away: func(context.Context) error { return nil },
		Gone: func(context.Context) error {
			select {
			case err := <-ended:
				ended <- err
				return gone
			default:
				return nil
			}
		},
		Dial: func(ctx context.Context) (io.ReadWriteCloser, error) {
			var d net.Dialer
			return d.DialContext(ctx, "unix", filepath.Join(dir, "link.sock"))
		}})
	defer l.Close()
	v := &attached{t: t, link: l, lines: bufio.NewReader(l)}
	v.event()
	v.send(startRequest(1))
	v.event()
	stop()
	rest, err := io.ReadAll(v.lines)
	if !errors.Is(err, gone) {
		t.Errorf("%v", err)
	}
	if strings.Contains(string(rest), "result") || strings.Contains(string(rest), "error") {
		t.Errorf("it said %s", rest)
	}
}

func TestAskingDoesNotDisturb(t *testing.T) {
	dir, _, _ := detached(t, time.Minute)
	ask := func() bool {
		t.Helper()
		var d net.Dialer
		var conn net.Conn
		for begin := time.Now(); ; time.Sleep(10 * time.Millisecond) {
			var err error
			if conn, err = d.DialContext(t.Context(), "unix", filepath.Join(dir, "link.sock")); err == nil {
				break
			}
			if time.Since(begin) > 10*time.Second {
				t.Fatal(err)
			}
		}
		defer conn.Close()
		attended, err := link.Ask(conn)
		if err != nil {
			t.Fatal(err)
		}
		return attended
	}
	if ask() {
		t.Error("nobody is there")
	}
	v := attach(t, dir)
	v.event()
	if !ask() {
		t.Error("an engine is there")
	}
	v.send(startRequest(1))
	if ev := v.event(); ev.Sample == nil {
		t.Errorf("the engine was disturbed: %+v", ev)
	}
}
