// Package linktest cuts the connections of links. Its assumptions: a connection can be lost anywhere,
// in the first line and between any two bytes, so each server of a link is asked one question: does
// a client receive the same over ten interrupted connections as over one?
package linktest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/loadline/loadline/internal/cluster/link"
	"github.com/loadline/loadline/internal/env"
)

// Cut ends a connection after this many bytes received or sent.
type Cut struct{ Came, Went int }

// Connect returns a link to the server in a directory, whose first connections are cut. The
// connection after those is not cut.
func Connect(ctx context.Context, dir string, cuts ...Cut) *link.Link {
	var mu sync.Mutex
	return link.Connect(ctx, &link.Link{
		Name: "the pod", Pause: time.Millisecond, Say: func(string) {},
		Gone: func(context.Context) error { return nil }, Away: func(context.Context) error { return nil },
		Dial: func(ctx context.Context) (io.ReadWriteCloser, error) {
			mu.Lock()
			defer mu.Unlock()
			cut := Cut{1 << 30, 1 << 30}
			if len(cuts) > 0 {
				cut, cuts = cuts[0], cuts[1:]
			}
			return dial(ctx, dir, cut), nil
		},
	})
}

// dial connects a pipe to the socket, like an exec in a pod.
func dial(ctx context.Context, dir string, cut Cut) io.ReadWriteCloser {
	ctx, cancel := context.WithCancel(ctx)
	inRead, inWrite := io.Pipe()
	outRead, outWrite := io.Pipe()
	go func() {
		err := link.Attach(ctx, env.Clock{}, dir, inRead, outWrite)
		inRead.CloseWithError(io.ErrClosedPipe)
		outWrite.CloseWithError(errors.Join(err, io.EOF))
	}()
	return &connection{in: inWrite, out: outRead, cancel: cancel, left: cut}
}

type connection struct {
	in     *io.PipeWriter
	out    *io.PipeReader
	cancel context.CancelFunc
	mu     sync.Mutex
	left   Cut
}

var errCut = errors.New("the connection was cut")

// allow deducts from the bytes that may still pass.
func (c *connection) allow(left *int, n int) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	n = min(n, *left)
	*left -= n
	return n
}

func (c *connection) Read(p []byte) (int, error) {
	n, err := c.out.Read(p)
	if allowed := c.allow(&c.left.Came, n); allowed < n {
		c.Close()
		return allowed, errCut
	}
	return n, err
}

func (c *connection) Write(p []byte) (int, error) {
	allowed := c.allow(&c.left.Went, len(p))
	n, err := c.in.Write(p[:allowed])
	if err == nil && allowed < len(p) {
		c.Close()
		err = errCut
	}
	return n, err
}

func (c *connection) Close() error {
	c.in.Close()
	c.out.Close()
	c.cancel()
	return nil
}

// Survives checks the server of a link. begin starts one in an empty directory, and returns a
// function that ends it; talk has a complete conversation, to the end of the stream, and returns
// what it received. Wherever the connections are cut, at whichever byte, it receives the same.
func Survives(t *testing.T, begin func(dir string) (end func(), err error), talk func(stream io.ReadWriter) (heard string, err error)) {
	t.Helper()
	once := func(cuts ...Cut) (string, error) {
		dir := t.TempDir()
		end, err := begin(dir)
		if err != nil {
			return "", err
		}
		defer end()
		l := Connect(t.Context(), dir, cuts...)
		defer l.Close()
		heard, err := talk(l)
		if err != nil {
			return heard, err
		}
		if more, err := io.ReadAll(l); err != nil || len(more) > 0 {
			return heard, fmt.Errorf("behind the end came %.80q, %w", more, err)
		}
		return heard, nil
	}
	want, err := once()
	if err != nil || want == "" {
		t.Fatalf("over a whole connection: %q, %v", want, err)
	}
	rapid.Check(t, func(t *rapid.T) {
		bytes := rapid.OneOf(rapid.IntRange(0, 200), rapid.IntRange(0, 2000), rapid.Just(1<<30))
		cuts := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) Cut { return Cut{bytes.Draw(t, "came"), bytes.Draw(t, "went")} }), 1, 10).Draw(t, "cuts")
		if got, err := once(cuts...); err != nil || got != want {
			t.Fatalf("%v: heard\n%s\nwant\n%s", err, got, want)
		}
	})
}
