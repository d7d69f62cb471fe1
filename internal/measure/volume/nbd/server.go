package nbd

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"sync"
	"syscall"
)

const (
	// maxRequest is the size of the largest read or write, in bytes: what clients may assume
	// (proto.md).
	maxRequest = 32 << 20
	// maxOption bounds the data of an option, above all a name, in bytes.
	maxOption = 64 << 10
)

var order = binary.BigEndian

// Export is the only export that a server offers, whatever name a client asks for.
type Export struct {
	// Size is in bytes.
	Size  uint64
	Flags Flags
	// MinBlock and PreferredBlock are announced to clients in bytes, together with the largest
	// request; if MinBlock is 0, nothing is announced and any byte may be addressed.
	MinBlock, PreferredBlock uint32
}

// Server is the server's end of one connection: it does the handshake, reads requests and writes
// replies. The data itself is up to the caller.
type Server struct {
	conn   net.Conn
	in     *bufio.Reader
	export Export

	writing sync.Mutex // replies come from several goroutines
}

// NewServer returns the server's end of a connection that a client has opened.
func NewServer(conn net.Conn, export Export) *Server {
	return &Server{conn: conn, in: bufio.NewReaderSize(conn, 256<<10), export: export}
}

// Request is a client's request: a read, a write, or otherwise a flush.
type Request struct {
	// Cookie is the client's number for the request, which the reply repeats.
	Cookie      uint64
	Read, Write bool
	// Offset and Length are in bytes and lie within the export; Data is the data of a write.
	Offset uint64
	Length uint32
	Data   []byte
}

// Negotiate runs the handshake. If there is no error, it reports whether the client goes on to
// transmission; otherwise the client only asked for information, or has disconnected.
func (s *Server) Negotiate() (bool, error) {
	hello := order.AppendUint64(order.AppendUint64(nil, magicInit), magicOption)
	if err := s.send(order.AppendUint16(hello, flagFixedNewstyle|flagNoZeroes)); err != nil {
		return false, err
	}
	var flags uint32
	if err := binary.Read(s.in, order, &flags); err != nil {
		return false, gone(err)
	}
	for {
		var head struct {
			Magic          uint64
			Option, Length uint32
		}
		if err := binary.Read(s.in, order, &head); err != nil {
			return false, gone(err)
		}
		if head.Magic != magicOption || head.Length > maxOption {
			return false, fmt.Errorf("the client sent no NBD option: magic %#x, %d bytes", head.Magic, head.Length)
		}
		data := make([]byte, head.Length)
		if _, err := io.ReadFull(s.in, data); err != nil {
			return false, err
		}
		var err error
		switch head.Option {
		case optExportName:
			export := order.AppendUint16(order.AppendUint64(nil, s.export.Size), uint16(s.export.Flags|HasFlags))
			if flags&uint32(flagNoZeroes) == 0 {
				export = append(export, make([]byte, 124)...)
			}
			return true, s.send(export)
		case optGo, optInfo:
			if len(data) < 6 {
				err = s.answer(head.Option, repErrInvalid, nil)
				break
			}
			if err = s.describe(head.Option); err == nil && head.Option == optGo {
				return true, nil
			}
		case optAbort:
			return false, s.answer(head.Option, repAck, nil)
		default:
			err = s.answer(head.Option, repErrUnsup, nil)
		}
		if err != nil {
			return false, err
		}
	}
}

// describe answers a request for information about the export.
func (s *Server) describe(option uint32) error {
	export := order.AppendUint64(order.AppendUint16(nil, infoExport), s.export.Size)
	infos := [][]byte{order.AppendUint16(export, uint16(s.export.Flags|HasFlags))}
	if s.export.MinBlock > 0 {
		sizes := order.AppendUint16(nil, infoBlockSize)
		for _, size := range []uint32{s.export.MinBlock, s.export.PreferredBlock, maxRequest} {
			sizes = order.AppendUint32(sizes, size)
		}
		infos = append(infos, sizes)
	}
	for _, info := range infos {
		if err := s.answer(option, repInfo, info); err != nil {
			return err
		}
	}
	return s.answer(option, repAck, nil)
}

// answer replies to an option.
func (s *Server) answer(option, kind uint32, data []byte) error {
	b := order.AppendUint64(nil, magicReply)
	b = order.AppendUint32(b, option)
	b = order.AppendUint32(b, kind)
	b = order.AppendUint32(b, uint32(len(data)))
	return s.send(append(b, data...))
}

// Next returns the next valid request; invalid ones are answered here. The error is io.EOF if the
// client has disconnected, properly or between two requests.
func (s *Server) Next() (Request, error) {
	for {
		var head struct {
			Magic          uint32
			Flags, Command uint16
			Cookie, Offset uint64
			Length         uint32
		}
		if err := binary.Read(s.in, order, &head); err != nil {
			return Request{}, err
		}
		if head.Magic != magicRequest {
			return Request{}, fmt.Errorf("the client sent no NBD request: magic %#x", head.Magic)
		}
		r := Request{Cookie: head.Cookie, Read: head.Command == cmdRead, Write: head.Command == cmdWrite, Offset: head.Offset, Length: head.Length}
		switch {
		case head.Command == cmdDisc:
			return Request{}, io.EOF
		case head.Length > maxRequest:
			return Request{}, fmt.Errorf("a request of %d bytes is too large", head.Length)
		case r.Write:
			r.Data = make([]byte, r.Length)
			if _, err := io.ReadFull(s.in, r.Data); err != nil {
				return Request{}, err
			}
		}
		fault := s.check(head.Command, r)
		if fault == 0 {
			return r, nil
		}
		if err := s.Reply(r.Cookie, fault, nil); err != nil {
			return Request{}, err
		}
	}
}

// check returns the error number for an invalid request, 0 for a valid one.
func (s *Server) check(command uint16, r Request) syscall.Errno {
	block := max(1, s.export.MinBlock)
	beyond := r.Offset > s.export.Size || uint64(r.Length) > s.export.Size-r.Offset
	switch {
	case command == cmdFlush && s.export.Flags.Has(CanFlush):
		return 0
	case !r.Read && !r.Write, r.Length == 0, r.Offset%uint64(block) != 0, r.Length%block != 0:
		return syscall.EINVAL
	case beyond && r.Write:
		return syscall.ENOSPC
	case beyond:
		return syscall.EINVAL
	}
	return 0
}

// Reply completes a request, with the data of a read or an error number (0 for none), whose values
// the protocol shares with Linux.
func (s *Server) Reply(cookie uint64, fault syscall.Errno, data []byte) error {
	head := order.AppendUint32(make([]byte, 0, 16), magicSimpleReply)
	head = order.AppendUint64(order.AppendUint32(head, uint32(fault)), cookie)
	s.writing.Lock()
	defer s.writing.Unlock()
	buffers := net.Buffers{head}
	if len(data) > 0 {
		buffers = append(buffers, data)
	}
	_, err := buffers.WriteTo(s.conn)
	return err
}

func (s *Server) send(b []byte) error {
	_, err := s.conn.Write(b)
	return err
}

// gone turns the error of a client that disconnects between two messages into nil.
func gone(err error) error {
	if err == io.EOF {
		return nil
	}
	return err
}
