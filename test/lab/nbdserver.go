package lab

import (
	"bufio"
	"encoding/binary"
	"errors"
	"io"
	"net"
	"sync"
)

// disk is what serveNBD serves. Its methods are called from many
// goroutines at once, with offsets and lengths within the export.
type disk interface {
	io.ReaderAt
	io.WriterAt
}

// The numbers of the NBD protocol that this server needs
// (https://github.com/NetworkBlockDevice/nbd/blob/master/doc/proto.md).
const (
	nbdMagic     = 0x4e42444d41474943
	optionMagic  = 0x49484156454f5054
	answerMagic  = 0x0003e889045565a9
	requestMagic = 0x25609513
	replyMagic   = 0x67446698

	fixedNewstyle, noZeroes = 1 << 0, 1 << 1
	// A flush has nothing to do: no power is lost here. Connections see each other's writes.
	hasFlags, canFlush, multiConn = 1 << 0, 1 << 2, 1 << 8

	optionAbort, optionInfo, optionGo = 2, 6, 7
	ackDone, ackInfo, ackUnsupported  = 1, 3, 1<<31 | 1

	commandRead, commandWrite, commandDisconnect, commandFlush = 0, 1, 2, 3

	faultIO, faultInvalid = 5, 22

	longestOption, longestRequest = 64 << 10, 32 << 20
)

var order = binary.BigEndian

// serveNBD serves a disk of size bytes to whoever connects, whatever name is asked for,
// until the listener is closed. A connection's requests are answered as they are done.
func serveNBD(l net.Listener, d disk, size int64) {
	for {
		conn, err := l.Accept()
		if err != nil {
			return
		}
		go func() {
			s := session{conn: conn, in: bufio.NewReaderSize(conn, 256<<10), disk: d, size: uint64(size)}
			defer conn.Close()
			if s.negotiate() == nil {
				// The client leaves, in order or not: there is nobody to tell.
				_ = s.transmit()
			}
		}()
	}
}

type session struct {
	conn net.Conn
	in   *bufio.Reader
	disk disk
	size uint64

	writing sync.Mutex
}

var errOver = errors.New("the client has only asked questions")

// negotiate returns nil when the client goes on to transmission.
func (s *session) negotiate() error {
	hello := order.AppendUint64(nil, nbdMagic)
	hello = order.AppendUint64(hello, optionMagic)
	if _, err := s.conn.Write(order.AppendUint16(hello, fixedNewstyle|noZeroes)); err != nil {
		return err
	}
	var flags uint32
	if err := binary.Read(s.in, order, &flags); err != nil {
		return err
	}
	for {
		var head struct {
			Magic          uint64
			Option, Length uint32
		}
		if err := binary.Read(s.in, order, &head); err != nil {
			return err
		}
		if head.Magic != optionMagic || head.Length > longestOption {
			return errors.New("no NBD option")
		}
		if _, err := io.CopyN(io.Discard, s.in, int64(head.Length)); err != nil {
			return err
		}
		kind, body := uint32(ackUnsupported), []byte(nil)
		switch head.Option {
		case optionInfo, optionGo:
			// Type 0 describes the export: its size and its flags.
			export := order.AppendUint64(order.AppendUint16(nil, 0), s.size)
			if err := s.answer(head.Option, ackInfo, order.AppendUint16(export, hasFlags|canFlush|multiConn)); err != nil {
				return err
			}
			kind = ackDone
		case optionAbort:
			kind = ackDone
		}
		if err := s.answer(head.Option, kind, body); err != nil {
			return err
		}
		switch head.Option {
		case optionGo:
			return nil
		case optionAbort:
			return errOver
		}
	}
}

func (s *session) answer(option, kind uint32, body []byte) error {
	b := order.AppendUint64(nil, answerMagic)
	b = order.AppendUint32(b, option)
	b = order.AppendUint32(b, kind)
	b = order.AppendUint32(b, uint32(len(body)))
	_, err := s.conn.Write(append(b, body...))
	return err
}

// transmit does what is asked for until the client is gone.
func (s *session) transmit() error {
	for {
		var head struct {
			Magic          uint32
			Flags, Command uint16
			Cookie, Offset uint64
			Length         uint32
		}
		if err := binary.Read(s.in, order, &head); err != nil {
			return err
		}
		switch {
		case head.Magic != requestMagic || head.Length > longestRequest:
			return errors.New("no NBD request")
		case head.Command == commandDisconnect:
			return nil
		}
		var data []byte
		if head.Command == commandRead || head.Command == commandWrite {
			data = make([]byte, head.Length)
		}
		if head.Command == commandWrite {
			if _, err := io.ReadFull(s.in, data); err != nil {
				return err
			}
		}
		if head.Offset > s.size || uint64(head.Length) > s.size-head.Offset {
			s.reply(head.Cookie, faultInvalid, nil)
			continue
		}
		go func() {
			var err error
			switch head.Command {
			case commandRead:
				_, err = s.disk.ReadAt(data, int64(head.Offset))
			case commandWrite:
				_, err = s.disk.WriteAt(data, int64(head.Offset))
				data = nil
			case commandFlush:
			default:
				s.reply(head.Cookie, faultInvalid, nil)
				return
			}
			if err != nil {
				s.reply(head.Cookie, faultIO, nil)
				return
			}
			s.reply(head.Cookie, 0, data)
		}()
	}
}

// reply ends a request; a client that is gone shows when the next one is read.
func (s *session) reply(cookie uint64, fault uint32, data []byte) {
	head := order.AppendUint32(make([]byte, 0, 16), replyMagic)
	head = order.AppendUint64(order.AppendUint32(head, fault), cookie)
	s.writing.Lock()
	defer s.writing.Unlock()
	_, _ = (&net.Buffers{head, data}).WriteTo(s.conn)
}
