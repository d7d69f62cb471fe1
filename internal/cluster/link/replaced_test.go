package link_test

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/loadline/loadline/internal/cluster/link"
)

// TestARestartedServerIsNotToldAnew: a server that takes the place of another one, such as the worker of a
// container that was restarted, must not receive what the first one has already carried out.
func TestARestartedServerIsNotToldAnew(t *testing.T) {
	for name, cause := range map[string]error{
		"was started again during the measurement": nil,
		"was killed": errors.New("the pod was killed"),
	} {
		var mu sync.Mutex
		var conns []net.Conn
		dir := t.TempDir()
		first, err := record(dir)
		if err != nil {
			t.Fatal(err)
		}
		l := &link.Link{
			Dial: func(context.Context) (io.ReadWriteCloser, error) {
				conn, err := net.Dial("unix", filepath.Join(dir, "link.sock"))
				if err == nil {
					mu.Lock()
					conns = append(conns, conn)
					mu.Unlock()
				}
				return conn, err
			},
			// The cluster may report it late.
			Gone: func(context.Context) error {
				mu.Lock()
				defer mu.Unlock()
				if len(conns) < 2 {
					return nil
				}
				return cause
			},
		}
		link.SetReplaced(l, 50*time.Millisecond)
		quick(t, l)
		if _, err := io.WriteString(l, "write\n"); err != nil {
			t.Fatal(err)
		}
		if got := <-first.said; got != "write\n" {
			t.Errorf("%q", got)
		}
		first.end()
		second, err := record(dir)
		if err != nil {
			t.Fatal(err)
		}
		// Whatever the first one had not yet received is lost with it, too.
		_, _ = io.WriteString(l, "more\n")
		if _, err := io.ReadAll(l); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%v, want %s", err, name)
		}
		l.Close()
		second.end()
		select {
		case words := <-second.said:
			t.Errorf("%s: it was told %q", name, words)
		default:
		}
	}
}

// recorder is a server that passes on what it is told, and says nothing.
type recorder struct {
	said chan string
	end  func()
}

func record(dir string) (recorder, error) {
	r := recorder{said: make(chan string, 10)}
	spool, err := link.NewSpool(filepath.Join(dir, "spool"))
	if err != nil {
		return r, err
	}
	in, out := io.Pipe()
	server, err := link.Listen(dir, link.Options{Alone: true, Out: spool.From, In: func() io.Writer { return out }})
	if err != nil {
		return r, err
	}
	go func() {
		lines := bufio.NewReader(in)
		for {
			line, err := lines.ReadString('\n')
			if err != nil {
				return
			}
			r.said <- line
		}
	}()
	r.end = func() { server.Close(); in.Close(); spool.Close() }
	return r, nil
}
