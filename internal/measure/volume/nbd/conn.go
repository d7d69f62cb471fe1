package nbd

import (
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"sync"
	"time"

	"github.com/loadline/loadline/internal/env"
)

// Conn is a connection to one export. Its methods may be called from several
// goroutines; the requests go one after the other.
type Conn struct {
	// Size is the export's, in bytes.
	Size  int64
	Flags Flags
	// Requests must be multiples of MinBlock in offset and length and at most
	// MaxBlock long (Read and Write split longer ones), in bytes.
	MinBlock, PreferredBlock, MaxBlock int64

	mu     sync.Mutex
	sock   net.Conn
	in     *bufio.Reader
	handle uint64
	broken error
}

// ErrReadOnly is returned by Write on an export that does not take writes.
var ErrReadOnly = errors.New("the export is read-only")

// errNoFlush and errNoFUA tell that the export does not offer what was asked.
var (
	errNoFlush = errors.New("the export does not know flush")
	errNoFUA   = errors.New("the export does not know FUA")
)

// maxPayload keeps requests moderate on servers that would take more.
const maxPayload = 1 << 20

// Read fills p from the given offset, in bytes.
func (c *Conn) Read(ctx context.Context, p []byte, offset int64) error {
	return c.split(p, offset, func(part []byte, at int64) error {
		return c.request(ctx, "read", cmdRead, 0, at, uint32(len(part)), nil, part)
	})
}

// Write writes p at the given offset, in bytes; with fua it returns only when
// the data is said to be on stable storage.
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

// Flush returns when everything written before is said to be on stable storage.
func (c *Conn) Flush(ctx context.Context) error {
	if !c.Flags.Has(CanFlush) {
		return errNoFlush
	}
	return c.request(ctx, "flush", cmdFlush, 0, 0, 0, nil, nil)
}

// Close says goodbye and closes the connection. It does not flush.
func (c *Conn) Close() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.broken == nil {
		// A deadline is the kernel's, by its own clock.
		_ = c.sock.SetDeadline(env.Clock{}.Now().Add(time.Second))
		_, _ = c.sock.Write(header(cmdDisc, 0, 0, 0, 0))
		c.broken = net.ErrClosed
	}
	return c.sock.Close()
}

// abort ends a connection that is still negotiating.
func (c *Conn) abort(ctx context.Context) {
	_ = c.bounded(ctx, func() error { return c.sendOption(optAbort, nil) })
	_ = c.sock.Close()
}

// split cuts a request into parts that the server takes.
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
		bufs := net.Buffers{header(cmd, flags, c.handle, offset, length), out}
		if _, err := bufs.WriteTo(c.sock); err != nil {
			return fmt.Errorf("%s at %d: the connection broke: %w", op, offset, err)
		}
		var reply struct {
			Magic, Error uint32
			Handle       uint64
		}
		if err := binary.Read(c.in, binary.BigEndian, &reply); err != nil {
			return fmt.Errorf("%s at %d: the server hung up: %w", op, offset, err)
		}
		if reply.Magic != magicSimpleReply || reply.Handle != c.handle {
			return fmt.Errorf("%s at %d: the server's reply is not the expected one", op, offset)
		}
		if reply.Error != 0 {
			return &IOError{Op: op, Offset: offset, Code: reply.Error}
		}
		if _, err := io.ReadFull(c.in, in); err != nil {
			return fmt.Errorf("%s at %d: the server hung up: %w", op, offset, err)
		}
		return nil
	})
}

// bounded runs one exchange that the context can end. After any failure but the
// server's own "no" the two sides may disagree about where they are, so the
// connection is given up.
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

// header is a request's first 28 bytes.
func header(cmd, flags uint16, handle uint64, offset int64, length uint32) []byte {
	b := binary.BigEndian.AppendUint32(nil, magicRequest)
	b = binary.BigEndian.AppendUint16(b, flags)
	b = binary.BigEndian.AppendUint16(b, cmd)
	b = binary.BigEndian.AppendUint64(b, handle)
	b = binary.BigEndian.AppendUint64(b, uint64(offset))
	return binary.BigEndian.AppendUint32(b, length)
}
