package nbd

import (
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
)

// Dial connects to the export that uri names and negotiates. ctx bounds connecting and negotiating,
// not the life of the connection. A refusal by the server is a *RefusedError; if the export is
// unknown, it lists those that exist.
func Dial(ctx context.Context, uri string) (*Conn, error) {
	a, err := ParseURI(uri)
	if err != nil {
		return nil, err
	}
	c, err := connect(ctx, a)
	if err != nil {
		return nil, err
	}
	err = c.bounded(ctx, func() error { return c.goExport(a.Export) })
	var refused *RefusedError
	if errors.As(err, &refused) && refused.Unknown {
		// Failing to list the exports is not reported: the server may forbid it.
		_ = c.bounded(ctx, func() error {
			refused.Exports, _ = c.list()
			return nil
		})
	}
	if err != nil {
		c.abort(ctx)
		return nil, err
	}
	return c, nil
}

// connect opens the socket and exchanges the greeting.
func connect(ctx context.Context, a Address) (*Conn, error) {
	var d net.Dialer
	sock, err := d.DialContext(ctx, a.Network, a.Server)
	if err != nil {
		return nil, err
	}
	c := newConn(sock)
	if err := c.bounded(ctx, c.greet); err != nil {
		_ = sock.Close()
		return nil, err
	}
	return c, nil
}

func newConn(sock net.Conn) *Conn { return &Conn{sock: sock, in: bufio.NewReaderSize(sock, 64<<10)} }

func (c *Conn) greet() error {
	var hello struct {
		Init, Option uint64
		Flags        uint16
	}
	if err := binary.Read(c.in, binary.BigEndian, &hello); err != nil {
		return fmt.Errorf("the server hung up instead of greeting: %w", err)
	}
	if hello.Init != magicInit {
		return errors.New("the server does not speak NBD")
	}
	if hello.Option != magicOption || hello.Flags&flagFixedNewstyle == 0 {
		return errors.New("the server speaks an old style of NBD; the fixed newstyle is needed")
	}
	// NO_ZEROES only matters to NBD_OPT_EXPORT_NAME, but is echoed when offered.
	return binary.Write(c.sock, binary.BigEndian, uint32(hello.Flags&(flagFixedNewstyle|flagNoZeroes)))
}

// goExport requests the export with NBD_OPT_GO and stores its size, flags and block sizes.
func (c *Conn) goExport(name string) error {
	data := binary.BigEndian.AppendUint32(nil, uint32(len(name)))
	data = append(data, name...)
	data = binary.BigEndian.AppendUint16(data, 1)
	data = binary.BigEndian.AppendUint16(data, infoBlockSize)
	if err := c.sendOption(optGo, data); err != nil {
		return err
	}
	c.MinBlock, c.PreferredBlock, c.MaxBlock = 1, 4096, 32<<20 // proto.md's defaults
	sized := false
	for {
		kind, body, err := c.optionReply(optGo)
		switch {
		case err != nil:
			return err
		case kind == repAck && !sized:
			return errors.New("the server accepted the export without telling its size")
		case kind == repAck:
			return nil
		case kind != repInfo || len(body) < 2:
			return fmt.Errorf("the server gave an unexpected answer (%#x) to NBD_OPT_GO", kind)
		}
		switch info := binary.BigEndian.Uint16(body); {
		case info == infoExport && len(body) == 12:
			size := binary.BigEndian.Uint64(body[2:])
			if size > 1<<63-1 {
				return fmt.Errorf("the server gives the export an impossible size of %d bytes", size)
			}
			c.Size, c.Flags, sized = int64(size), Flags(binary.BigEndian.Uint16(body[10:])), true
		case info == infoBlockSize && len(body) == 14:
			c.MinBlock = int64(binary.BigEndian.Uint32(body[2:]))
			c.PreferredBlock = int64(binary.BigEndian.Uint32(body[6:]))
			c.MaxBlock = int64(binary.BigEndian.Uint32(body[10:]))
			// The smallest is a power of two (the protocol's proto.md, NBD_INFO_BLOCK_SIZE).
			if c.MinBlock < 1 || c.MinBlock&(c.MinBlock-1) != 0 || c.MaxBlock < c.MinBlock {
				return fmt.Errorf("the server gives impossible block sizes: %d to %d", c.MinBlock, c.MaxBlock)
			}
		}
	}
}

// list returns the names of the exports.
func (c *Conn) list() ([]string, error) {
	if err := c.sendOption(optList, nil); err != nil {
		return nil, err
	}
	var names []string
	for {
		kind, body, err := c.optionReply(optList)
		switch {
		case err != nil:
			return nil, err
		case kind == repAck:
			return names, nil
		case kind != repServer || len(body) < 4:
			return nil, fmt.Errorf("the server gave an unexpected answer (%#x) to NBD_OPT_LIST", kind)
		}
		n := binary.BigEndian.Uint32(body)
		if int64(n) > int64(len(body)-4) {
			return nil, errors.New("the server gave a torn export name")
		}
		names = append(names, string(body[4:4+n]))
	}
}

func (c *Conn) sendOption(option uint32, data []byte) error {
	msg := binary.BigEndian.AppendUint64(nil, magicOption)
	msg = binary.BigEndian.AppendUint32(msg, option)
	msg = binary.BigEndian.AppendUint32(msg, uint32(len(data)))
	_, err := c.sock.Write(append(msg, data...))
	return err
}

// optionReply reads one reply; an error reply becomes a *RefusedError.
func (c *Conn) optionReply(option uint32) (kind uint32, body []byte, err error) {
	var head struct {
		Magic                uint64
		Option, Kind, Length uint32
	}
	if err := binary.Read(c.in, binary.BigEndian, &head); err != nil {
		return 0, nil, fmt.Errorf("the server hung up during negotiation: %w", err)
	}
	if head.Magic != magicReply || head.Option != option {
		return 0, nil, errors.New("the server's answer is not NBD")
	}
	if head.Length > maxOptionReply {
		return 0, nil, fmt.Errorf("the server's answer of %d bytes is too long", head.Length)
	}
	body = make([]byte, head.Length)
	if _, err := io.ReadFull(c.in, body); err != nil {
		return 0, nil, fmt.Errorf("the server hung up during negotiation: %w", err)
	}
	if head.Kind&repError != 0 {
		return 0, nil, refusal(head.Kind, string(body))
	}
	return head.Kind, body, nil
}

func refusal(kind uint32, words string) *RefusedError {
	r := &RefusedError{Unknown: kind == repErrUnknown, TLS: kind == repErrTLS, Words: words}
	if r.Words != "" {
		return r
	}
	switch kind {
	case repErrUnknown:
		r.Words = "the export is unknown"
	case repErrTLS:
		r.Words = "TLS is required"
	case repErrPolicy:
		r.Words = "forbidden by the server's policy"
	case repErrUnsup:
		r.Words = "the server does not know this request (NBD_OPT_GO or NBD_OPT_LIST)"
	default:
		r.Words = fmt.Sprintf("error %#x", kind)
	}
	return r
}
