package agent

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/loadline/loadline/internal/env"
	"github.com/loadline/loadline/internal/model"
)

// resident starts a resident worker in a directory of its own.
func resident(t *testing.T, patience time.Duration) (dir string, ended chan error, stop context.CancelFunc) {
	t.Helper()
	dir = t.TempDir()
	ctx, stop := context.WithCancel(t.Context())
	ended = make(chan error, 1)
	o := Options{Env: env.OS(), RunID: "r", Tools: tools(stub{hold: true})}
	go func() { ended <- Reside(ctx, Residence{Dir: dir, Patience: patience}, o) }()
	t.Cleanup(stop)
	return dir, ended, stop
}

// visitor is an engine at one connection to a resident worker.
type visitor struct {
	t        *testing.T
	conn     net.Conn
	lines    *bufio.Reader
	received int
}

func visit(t *testing.T, dir string, from int64) *visitor {
	t.Helper()
	conn, err := dialResident(t.Context(), env.Clock{}, dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	v := &visitor{t: t, conn: conn, lines: bufio.NewReader(conn)}
	fmt.Fprintf(conn, `{"from":%d}`+"\n", from)
	var a Attached
	if err := json.Unmarshal(v.line(), &a); err != nil {
		t.Fatal(err)
	}
	v.received = a.Received
	return v
}

// line is the next line that is no heartbeat; nil at the end.
func (v *visitor) line() []byte {
	v.t.Helper()
	for {
		_ = v.conn.SetReadDeadline(time.Now().Add(10 * time.Second))
		line, err := v.lines.ReadBytes('\n')
		if err == io.EOF {
			return nil
		}
		if err != nil {
			v.t.Fatal(err)
		}
		if len(line) > 1 {
			return line
		}
	}
}

func (v *visitor) event() (ev model.Event) {
	v.t.Helper()
	if err := json.Unmarshal(v.line(), &ev); err != nil {
		v.t.Fatal(err)
	}
	return ev
}

func (v *visitor) send(req model.Request) {
	v.t.Helper()
	line, err := json.Marshal(req)
	if err != nil {
		v.t.Fatal(err)
	}
	if _, err := v.conn.Write(append(line, '\n')); err != nil {
		v.t.Fatal(err)
	}
}

func startRequest(id int) model.Request {
	return model.Request{ID: id, Start: &model.StartRequest{Step: model.Step{Number: 1}, Volume: model.Volume{Path: "x", Target: model.Target{Kind: model.Fake}}}}
}

func TestResidentOutlivesItsConnection(t *testing.T) {
	dir, ended, _ := resident(t, time.Minute)
	v := visit(t, dir, 0)
	if ev := v.event(); ev.Hello == nil || ev.Seq != 1 {
		t.Fatalf("%+v", ev)
	}
	v.send(startRequest(1))
	if ev := v.event(); ev.Sample == nil || ev.Seq != 2 {
		t.Fatalf("%+v", ev)
	}
	v.conn.Close()

	// A second connection that has seen only the hello gets the sample again; what it
	// sends twice counts once; and the step that began before is still there to stop.
	v = visit(t, dir, 1)
	if v.received != 1 {
		t.Errorf("received up to %d", v.received)
	}
	if ev := v.event(); ev.Sample == nil || ev.Seq != 2 {
		t.Fatalf("%+v", ev)
	}
	v.send(startRequest(1))
	v.send(model.Request{ID: 2, Stop: &model.StopRequest{ID: 1}})
	if ev := v.event(); ev.Result == nil || ev.ID != 1 || ev.Seq != 3 {
		t.Fatalf("%+v", ev)
	}
	v.send(model.Request{ID: 3, Bye: &struct{}{}})
	if ev := v.event(); ev.Bye == nil || ev.Seq != 4 {
		t.Fatalf("%+v", ev)
	}
	if line := v.line(); line != nil {
		t.Errorf("after bye came %s", line)
	}
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

func TestNewConnectionEndsTheOldOne(t *testing.T) {
	dir, _, _ := resident(t, time.Minute)
	old := visit(t, dir, 0)
	old.event()
	visit(t, dir, 0).event()
	if line := old.line(); line != nil {
		t.Errorf("the old connection still gets %s", line)
	}
}

func TestResidentRefusesAnEngineFromAnotherRun(t *testing.T) {
	dir, _, _ := resident(t, time.Minute)
	conn, err := dialResident(t.Context(), env.Clock{}, dir)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	fmt.Fprintln(conn, `{"from":99}`)
	if got, err := io.ReadAll(conn); err != nil || len(got) != 0 {
		t.Errorf("%q, %v", got, err)
	}
}

func TestResidentWithoutDriverEnds(t *testing.T) {
	_, ended, _ := resident(t, 50*time.Millisecond)
	select {
	case err := <-ended:
		if err == nil {
			t.Error("it ended as if it had been told to")
		}
	case <-time.After(10 * time.Second):
		t.Error("it waits for ever")
	}
}

func TestResidentEndsWhenItsPodIsDeleted(t *testing.T) {
	dir, ended, stop := resident(t, time.Minute)
	v := visit(t, dir, 0)
	v.event()
	v.send(startRequest(1))
	v.event()
	stop()
	// What it does not say is that the work has failed: the pod has.
	for line := v.line(); line != nil; line = v.line() {
		if strings.Contains(string(line), "result") || strings.Contains(string(line), "error") {
			t.Errorf("it said %s", line)
		}
	}
	select {
	case <-ended:
	case <-time.After(10 * time.Second):
		t.Error("it goes on")
	}
}

func TestAttachJoinsBothDirections(t *testing.T) {
	dir, ended, _ := resident(t, time.Minute)
	in, requests := io.Pipe()
	events, out := io.Pipe()
	attached := make(chan error, 1)
	go func() {
		attached <- Attach(t.Context(), env.Clock{}, dir, Attachment{}, in, out)
		out.Close()
	}()
	lines := bufio.NewScanner(events)
	for _, want := range []string{`{"received":0}`, `{"seq":1,"hello":`} {
		if !lines.Scan() || len(lines.Text()) < len(want) || lines.Text()[:len(want)] != want {
			t.Fatalf("%q, want %q", lines.Text(), want)
		}
	}
	fmt.Fprintln(requests, `{"id":1,"bye":{}}`)
	for lines.Scan() {
		// Up to the end.
	}
	if err := <-attached; err != nil {
		t.Error(err)
	}
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

func TestAttachWithoutAWorker(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	if err := Attach(ctx, env.Clock{}, filepath.Join(t.TempDir(), "none"), Attachment{}, nil, nil); err == nil {
		t.Error("attached to nothing")
	}
}

func TestAskingDoesNotDisturb(t *testing.T) {
	dir, _, _ := resident(t, time.Minute)
	ask := func() string {
		var out strings.Builder
		if err := Attach(t.Context(), env.Clock{}, dir, Attachment{Ask: true}, nil, &out); err != nil {
			t.Fatal(err)
		}
		return out.String()
	}
	if got, want := ask(), `{"received":0}`+"\n"; got != want {
		t.Errorf("nobody is there: %s", got)
	}
	v := visit(t, dir, 0)
	v.event()
	if got, want := ask(), `{"received":0,"attended":true}`+"\n"; got != want {
		t.Errorf("an engine is there: %s", got)
	}
	v.send(startRequest(1))
	if ev := v.event(); ev.Sample == nil {
		t.Errorf("the engine was disturbed: %+v", ev)
	}
}
