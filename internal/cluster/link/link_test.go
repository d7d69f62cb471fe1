package link_test

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/loadline/loadline/internal/cluster/link"
	"github.com/loadline/loadline/internal/cluster/link/linktest"
	"github.com/loadline/loadline/internal/model"
)

// echo echoes whatever is sent to it, after some data of its own; "." ends it.
type echo struct{ spool *link.Spool }

func (p echo) Write(b []byte) (int, error) {
	text, _, ended := bytes.Cut(b, []byte("."))
	_, err := p.spool.Write(text)
	if ended {
		p.spool.End()
	}
	return len(b), err
}

// listen starts an echo in a directory.
func listen(dir string, o link.Options) (server *link.Server, end func(), err error) {
	spool, err := link.NewSpool(filepath.Join(dir, "spool"))
	if err != nil {
		return nil, nil, err
	}
	fmt.Fprintln(spool, "hello")
	o.Out, o.In = spool.From, func() io.Writer { return echo{spool} }
	if server, err = link.Listen(dir, o); err != nil {
		return nil, nil, err
	}
	return server, func() { server.Close(); spool.Close() }, nil
}

// TestNothingIsLostOrRepeated checks that, wherever connections break, every byte arrives once and
// in order, in both directions.
func TestNothingIsLostOrRepeated(t *testing.T) {
	long := make([]byte, 3000)
	for i := range long {
		long[i] = byte('a' + rand.IntN(26))
	}
	linktest.Survives(t, func(dir string) (func(), error) {
		_, end, err := listen(dir, link.Options{Alone: true})
		return end, err
	}, func(stream io.ReadWriter) (string, error) {
		r := bufio.NewReader(stream)
		heard, err := r.ReadString('\n')
		for i := 0; i < 5 && err == nil; i++ {
			// Some messages wait for their answer, others follow at once.
			if _, err = fmt.Fprintf(stream, "%d %s\n", i, long[:i*i*150]); err == nil && i%2 == 0 {
				var line string
				for n := strings.Count(heard, "\n"); n <= i+1 && err == nil; n++ {
					line, err = r.ReadString('\n')
					heard += line
				}
			}
		}
		if err == nil {
			_, err = io.WriteString(stream, ".")
		}
		rest, readErr := io.ReadAll(r)
		return heard + string(rest), errors.Join(err, readErr)
	})
}

// quick returns a link that dials as the test specifies, with short pauses.
func quick(t *testing.T, l *link.Link) *link.Link {
	t.Helper()
	alive := func(context.Context) error { return nil }
	l.Name, l.Pause = "the pod on node3", time.Millisecond
	if l.Gone == nil {
		l.Gone = alive
	}
	if l.Away == nil {
		l.Away = alive
	}
	if l.Say == nil {
		l.Say = func(string) {}
	}
	link.Connect(t.Context(), l)
	t.Cleanup(func() { l.Close() })
	return l
}

func refusing(err error) func(context.Context) (io.ReadWriteCloser, error) {
	return func(context.Context) (io.ReadWriteCloser, error) { return nil, err }
}

func TestLinkEndsWithThePodsWords(t *testing.T) {
	gone := errors.New("the pod was evicted")
	l := quick(t, &link.Link{Dial: refusing(errors.New("no route")), Gone: func(context.Context) error { return gone }})
	if _, err := io.ReadAll(l); !errors.Is(err, gone) {
		t.Errorf("%v", err)
	}
	l.Close()
	if _, err := io.WriteString(l, "x"); err == nil {
		t.Error("words to nobody were taken")
	}
}

// TestLinkDoesNotAskAgainForARight: waiting does not supply a missing right.
func TestLinkDoesNotAskAgainForARight(t *testing.T) {
	l := quick(t, &link.Link{Dial: refusing(fmt.Errorf("no answer: %w", model.RefusedError("the right to create pods/exec is missing", "ask for it")))})
	var refused *model.WorkerError
	if _, err := io.ReadAll(l); !errors.As(err, &refused) || refused.Hint != "ask for it" {
		t.Errorf("%v", err)
	}
}

func TestLinkGivesUpInWords(t *testing.T) {
	l := &link.Link{Dial: refusing(errors.New("connection refused"))}
	link.SetReconnectTimeout(l, 20*time.Millisecond)
	quick(t, l)
	_, err := io.ReadAll(l)
	if err == nil || !strings.Contains(err.Error(), "connection refused") || !strings.Contains(err.Error(), "could not be made again within 20ms") {
		t.Errorf("%v", err)
	}
}

func TestSilentConnectionIsDropped(t *testing.T) {
	dir := t.TempDir()
	_, end, err := listen(dir, link.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer end()
	said, dials := make(chan string, 9), 0
	l := &link.Link{Say: func(s string) { said <- s }, Dial: func(ctx context.Context) (io.ReadWriteCloser, error) {
		if dials++; dials > 1 {
			var d net.Dialer
			return d.DialContext(ctx, "unix", filepath.Join(dir, "link.sock"))
		}
		here, there := net.Pipe()
		go func() { _, _ = io.WriteString(there, `{"received":0}`+"\n") }()
		return here, nil
	}}
	link.SetSilence(l, 2*time.Second)
	quick(t, l)
	// It is reported at once, before anything is tried.
	select {
	case words := <-said:
		if !strings.HasPrefix(words, "the connection to the pod on node3 is lost (nothing was heard from it for 2s)") {
			t.Error(words)
		}
	case <-time.After(time.Minute):
		t.Fatal("nothing is reported")
	}
	if line, err := bufio.NewReader(l).ReadString('\n'); err != nil || line != "hello\n" {
		t.Errorf("%q, %v", line, err)
	}
}

// TestSlowReaderIsNotSilence checks that a reader that takes long to process data does not cause a
// timeout.
func TestSlowReaderIsNotSilence(t *testing.T) {
	dir := t.TempDir()
	_, end, err := listen(dir, link.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer end()
	dials := 0
	l := &link.Link{Dial: func(ctx context.Context) (io.ReadWriteCloser, error) {
		dials++
		var d net.Dialer
		return d.DialContext(ctx, "unix", filepath.Join(dir, "link.sock"))
	}}
	link.SetSilence(l, 2*time.Second)
	quick(t, l)
	time.Sleep(3 * time.Second)
	if line, err := bufio.NewReader(l).ReadString('\n'); err != nil || line != "hello\n" || dials != 1 {
		t.Errorf("%q, %v, %d connections", line, err, dials)
	}
}

// TestLostNodeEndsTheLink: a pod that the cluster has not given up runs for ever on a lost node;
// the link ends when the cluster says that the node no longer reports, but not before the timeout.
func TestLostNodeEndsTheLink(t *testing.T) {
	begin, asked := time.Now(), 0
	lost := errors.New("the pod p is lost with its node")
	l := &link.Link{Dial: refusing(errors.New("no route to host")), Away: func(context.Context) error {
		if asked++; asked == 1 {
			return nil
		}
		return lost
	}}
	link.SetAbsence(l, 50*time.Millisecond)
	quick(t, l)
	if _, err := io.ReadAll(l); !errors.Is(err, lost) || asked != 2 || time.Since(begin) < 50*time.Millisecond {
		t.Errorf("%v after %s, asked %d times", err, time.Since(begin), asked)
	}
}

func TestCloseTakesDownOnce(t *testing.T) {
	times := 0
	failed := errors.New("still there")
	l := quick(t, &link.Link{Dial: refusing(errors.New("no")), End: func() error { times++; return failed }})
	for range 2 {
		if err := l.Close(); err != failed {
			t.Errorf("%v", err)
		}
	}
	if times != 1 {
		t.Errorf("taken down %d times", times)
	}
}

// TestSeveralHearAll checks that, if several clients are allowed, each receives everything and none
// is disconnected.
func TestSeveralHearAll(t *testing.T) {
	dir := t.TempDir()
	_, end, err := listen(dir, link.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer end()
	first, second := linktest.Connect(t.Context(), dir), linktest.Connect(t.Context(), dir, linktest.Cut{Came: 30, Went: 1 << 30})
	defer first.Close()
	defer second.Close()
	a, b := bufio.NewReader(first), bufio.NewReader(second)
	for _, from := range []*bufio.Reader{a, b} {
		if line, err := from.ReadString('\n'); err != nil || line != "hello\n" {
			t.Errorf("%q, %v", line, err)
		}
	}
	fmt.Fprintln(first, "one")
	for _, from := range []*bufio.Reader{a, b} {
		if line, err := from.ReadString('\n'); err != nil || line != "one\n" {
			t.Errorf("%q, %v", line, err)
		}
	}
	fmt.Fprint(second, "two.")
	for _, from := range []*bufio.Reader{a, b} {
		if rest, err := io.ReadAll(from); err != nil || string(rest) != "two" {
			t.Errorf("%q, %v", rest, err)
		}
	}
}

// TestNonsenseIsRefused checks that anything that is neither a hello nor a frame ends the
// connection.
func TestNonsenseIsRefused(t *testing.T) {
	dir := t.TempDir()
	_, end, err := listen(dir, link.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer end()
	for _, words := range []string{"GET / HTTP/1.1\r\n", `{"from":0}` + "\n\x7f\xff\xff\xff", `{"from":99}` + "\n", `{"from":-1}` + "\n", strings.Repeat("x", 8<<10) + "\n"} {
		conn, err := net.Dial("unix", filepath.Join(dir, "link.sock"))
		if err != nil {
			t.Fatal(err)
		}
		_, _ = io.WriteString(conn, words)
		// A valid hello is answered before the invalid frame.
		if got, _ := io.ReadAll(conn); len(got) != 0 && !strings.HasPrefix(words, `{"from":0}`) {
			t.Errorf("%.20q: %q", words, got)
		}
		conn.Close()
	}
	for words, want := range map[string]string{
		"200 OK\n":                              "answered with",
		strings.Repeat("y", 99<<10):             "a line of more than",
		`{"received":7}` + "\n":                 "has had 7 bytes, and 0 to 0 were sent",
		`{"received":0}` + "\n\x7f\xff\xff\xff": "a frame of 2147483647 bytes came",
	} {
		l := &link.Link{Dial: func(context.Context) (io.ReadWriteCloser, error) {
			here, there := net.Pipe()
			go func() { _, _ = io.Copy(io.Discard, there) }()
			go func() { _, _ = io.WriteString(there, words) }()
			return here, nil
		}}
		link.SetReconnectTimeout(l, time.Millisecond)
		quick(t, l)
		if _, err := io.ReadAll(l); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.20q: %v", words, err)
		}
	}
}

// Heartbeats keep a connection whose other end has nothing to say, for as long as it takes: they are no empty reads,
// of which a hundred in a row are an error to bufio.
func TestALongSilenceIsNoEnd(t *testing.T) {
	const heartbeats = 300
	dials := 0
	l := quick(t, &link.Link{Dial: func(context.Context) (io.ReadWriteCloser, error) {
		dials++
		here, there := net.Pipe()
		go func() {
			in := bufio.NewReader(there)
			_, _ = in.ReadString('\n')
			_, _ = io.WriteString(there, `{"received":0}`+"\n")
			for range heartbeats {
				_, _ = there.Write(make([]byte, 4))
			}
			_, _ = there.Write(append([]byte{0, 0, 0, 6}, "hello\n"...))
			_, _ = io.Copy(io.Discard, in)
		}()
		return here, nil
	}})
	lines := bufio.NewScanner(l)
	if !lines.Scan() || lines.Text() != "hello" || dials != 1 {
		t.Errorf("%q, %v, %d connections", lines.Text(), lines.Err(), dials)
	}
}
