package nbd

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"sync"
	"time"

	"github.com/loadline/loadline/internal/env"
)

// Conn is a connection to one export. It is safe for concurrent use; requests are sent one at a time.
type Conn struct {
	// Size is the size of the export, in bytes.
	Size  int64
	Flags Flags
	// MinBlock, PreferredBlock and MaxBlock are in bytes. The offset and length of a request must be
	// multiples of MinBlock, and the length at most MaxBlock (Read and Write split longer requests).
	MinBlock, PreferredBlock, MaxBlock int64

	mu     sync.Mutex
	sock   net.Conn
	in     *bufio.Reader
	handle uint64
	broken error
}

// ErrReadOnly is returned by Write on an export that does not take writes.
var ErrReadOnly = errors.New("the export is read-only")

// errNoFlush and errNoFUA mean that the export does not offer what was requested.
var (
	errNoFlush = errors.New("the export does not know flush")
	errNoFUA   = errors.New("the export does not know FUA")
)

// maxPayload limits the size of requests, in bytes, on servers that would take larger ones.
const maxPayload = 1 << 20

// Read fills p from the given offset, in bytes.
func (c *Conn) Read(ctx context.Context, p []byte, offset int64) error {
	return c.split(p, offset, func(part []byte, at int64) error {
		return c.request(ctx, "read", cmdRead, 0, at, uint32(len(part)), nil, part)
	})
}

// Write writes p at the given offset, in bytes; with fua it returns only when the server reports the
// data to be on stable storage.
func (c *Conn) Write(ctx context.Context, p []byte, offset int64, fua bool) error {
	if c.Flags.Has(ReadOnly) {
		return ErrReadOnly
	}
	var flags uint16
	if fua {
		if !c.Flags.Has(CanFUA) {
			return errNoFUA
		}
		flags = cmdFlagFUA
	}
	return c.split(p, offset, func(part []byte, at int64) error {
		return c.request(ctx, "write", cmdWrite, flags, at, uint32(len(part)), part, nil)
	})
}

// Flush returns when the server reports that everything written before is on stable storage.
func (c *Conn) Flush(ctx context.Context) error {
	if !c.Flags.Has(CanFlush) {
		return errNoFlush
	}
	return c.request(ctx, "flush", cmdFlush, 0, 0, 0, nil, nil)
}

// Close disconnects properly and closes the connection. It does not flush.
func (c *Conn) Close() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.broken == nil {
		// The kernel enforces deadlines by its own clock.
		_ = c.sock.SetDeadline(env.Clock{}.Now().Add(time.Second))
		_, _ = c.sock.Write(AppendDisconnect(nil))
		c.broken = net.ErrClosed
	}
	return c.sock.Close()
}

// abort ends a connection that is still being negotiated.
func (c *Conn) abort(ctx context.Context) {
	_ = c.bounded(ctx, func() error { return c.sendOption(optAbort, nil) })
	_ = c.sock.Close()
}

// split splits a request into parts that the server accepts.
func (c *Conn) split(p []byte, offset int64, do func([]byte, int64) error) error {
	if offset < 0 || offset+int64(len(p)) > c.Size {
		return fmt.Errorf("bytes %d to %d lie outside the export of %d bytes", offset, offset+int64(len(p)), c.Size)
	}
	if offset%c.MinBlock != 0 || int64(len(p))%c.MinBlock != 0 {
		return fmt.Errorf("%d bytes at %d do not fit the export's blocks of %d bytes", len(p), offset, c.MinBlock)
	}
	most := min(c.MaxBlock, maxPayload)
	most = max(most-most%c.MinBlock, c.MinBlock)
	for len(p) > 0 {
		n := min(int64(len(p)), most)
		if err := do(p[:n], offset); err != nil {
			return err
		}
		p, offset = p[n:], offset+n
	}
	return nil
}

// request sends one request and waits for its reply.
func (c *Conn) request(ctx context.Context, op string, cmd, flags uint16, offset int64, length uint32, out, in []byte) error {
	return c.bounded(ctx, func() error {
		c.handle++
		bufs := net.Buffers{appendRequest(nil, cmd, flags, c.handle, offset, length), out}
		if _, err := bufs.WriteTo(c.sock); err != nil {
			return fmt.Errorf("%s at %d: the connection broke: %w", op, offset, err)
		}
		var head [ReplySize]byte
		if _, err := io.ReadFull(c.in, head[:]); err != nil {
			return fmt.Errorf("%s at %d: the server hung up: %w", op, offset, err)
		}
		cookie, code, err := ParseReply(head[:])
		if err != nil || cookie != c.handle {
			return fmt.Errorf("%s at %d: %w", op, offset, errReply)
		}
		if code != 0 {
			return &IOError{Op: op, Offset: offset, Code: code}
		}
		if _, err := io.ReadFull(c.in, in); err != nil {
			return fmt.Errorf("%s at %d: the server hung up: %w", op, offset, err)
		}
		return nil
	})
}

// bounded runs one exchange, which ends early if ctx is done. After any failure other than a refusal
// by the server the two sides may be out of step, so the connection becomes unusable.
func (c *Conn) bounded(ctx context.Context, exchange func() error) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.broken != nil {
		return fmt.Errorf("the connection is no longer usable: %w", c.broken)
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	stop := context.AfterFunc(ctx, func() { _ = c.sock.SetDeadline(time.Unix(1, 0)) })
	err := exchange()
	ended := !stop()
	var no *RefusedError
	var io *IOError
	if ended {
		// The deadline is set, or about to be: nothing further can be sent.
		c.broken = ctx.Err()
		if err != nil {
			err = fmt.Errorf("%w (%w)", ctx.Err(), err)
		}
	} else if err != nil && !errors.As(err, &no) && !errors.As(err, &io) {
		c.broken = err
	}
	return err
}
