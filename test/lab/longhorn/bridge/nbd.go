package main

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"sync"
)

// The numbers of the NBD protocol
// (https://github.com/NetworkBlockDevice/nbd/blob/master/doc/proto.md).
const (
	greeting     = 0x4e42444d41474943 // "NBDMAGIC"
	optionMagic  = 0x49484156454f5054 // "IHAVEOPT"
	answerMagic  = 0x0003e889045565a9
	requestMagic = 0x25609513
	replyMagic   = 0x67446698

	fixedNewstyle, noZeroes = 1 << 0, 1 << 1

	// Several connections see each other's writes, because nothing caches.
	hasFlags, multiConn = 1 << 0, 1 << 8

	optExportName, optAbort, optInfo, optGo = 1, 2, 6, 7

	ackDone, ackInfo             = 1, 3
	ackUnsupported, ackBadOption = 1<<31 | 1, 1<<31 | 3
	infoExport, infoBlockSizes   = 0, 3

	cmdRead, cmdWrite, cmdDisconnect = 0, 1, 2

	errIO, errInvalid, errNoSpace = 5, 22, 28
)

const (
	// maxRequest is the largest read or write, in bytes: what NBD clients may
	// assume.
	maxRequest = 32 << 20
	// maxOption bounds an option's data, a name above all.
	maxOption = 64 << 10
	// block is the sector size of a Longhorn volume in bytes.
	block, preferred = 512, 4096
)

var order = binary.BigEndian

// nbd is the client's side of a session.
type nbd struct {
	conn net.Conn
	in   *bufio.Reader
	size uint64

	writing sync.Mutex // replies come from several goroutines
}

func newNBD(conn net.Conn, size uint64) *nbd {
	return &nbd{conn: conn, in: bufio.NewReaderSize(conn, 256<<10), size: size}
}

// request is what a client wants, in bytes from the start of the volume.
type request struct {
	cookie uint64 // the client's own number for it
	write  bool
	offset uint64
	length uint32
	data   []byte // of a write
}

// handler takes the requests of a session.
type handler interface{ submit(request) error }

// negotiate runs the handshake. Without an error it says whether the client now
// goes on to transmission; otherwise it only had questions.
func (n *nbd) negotiate() (bool, error) {
	hello := order.AppendUint64(nil, greeting)
	hello = order.AppendUint64(hello, optionMagic)
	if err := n.send(order.AppendUint16(hello, fixedNewstyle|noZeroes)); err != nil {
		return false, err
	}
	var flags uint32
	if err := binary.Read(n.in, order, &flags); err != nil {
		return false, gone(err)
	}
	for {
		var head struct {
			Magic          uint64
			Option, Length uint32
		}
		if err := binary.Read(n.in, order, &head); err != nil {
			return false, gone(err)
		}
		if head.Magic != optionMagic || head.Length > maxOption {
			return false, fmt.Errorf("the client sent no NBD option: magic %#x, %d bytes", head.Magic, head.Length)
		}
		// The volume is the only export, so whatever name is asked for is its name.
		data := make([]byte, head.Length)
		if _, err := io.ReadFull(n.in, data); err != nil {
			return false, err
		}
		var err error
		switch head.Option {
		case optExportName:
			export := order.AppendUint16(order.AppendUint64(nil, n.size), hasFlags|multiConn)
			if flags&noZeroes == 0 {
				export = append(export, make([]byte, 124)...)
			}
			return true, n.send(export)
		case optGo, optInfo:
			if len(data) < 6 {
				err = n.answer(head.Option, ackBadOption, nil)
				break
			}
			if err = n.describe(head.Option); err == nil && head.Option == optGo {
				return true, nil
			}
		case optAbort:
			return false, n.answer(head.Option, ackDone, nil)
		default:
			err = n.answer(head.Option, ackUnsupported, nil)
		}
		if err != nil {
			return false, err
		}
	}
}

// describe answers a question about the export.
func (n *nbd) describe(option uint32) error {
	export := order.AppendUint64(order.AppendUint16(nil, infoExport), n.size)
	export = order.AppendUint16(export, hasFlags|multiConn)
	sizes := order.AppendUint16(nil, infoBlockSizes)
	for _, size := range []uint32{block, preferred, maxRequest} {
		sizes = order.AppendUint32(sizes, size)
	}
	for _, info := range [][]byte{export, sizes} {
		if err := n.answer(option, ackInfo, info); err != nil {
			return err
		}
	}
	return n.answer(option, ackDone, nil)
}

// answer replies to an option.
func (n *nbd) answer(option, kind uint32, data []byte) error {
	b := order.AppendUint64(nil, answerMagic)
	b = order.AppendUint32(b, option)
	b = order.AppendUint32(b, kind)
	b = order.AppendUint32(b, uint32(len(data)))
	return n.send(append(b, data...))
}

// requests hands every request to h until the client disconnects.
func (n *nbd) requests(h handler) error {
	for {
		var head struct {
			Magic          uint32
			Flags, Command uint16
			Cookie, Offset uint64
			Length         uint32
		}
		if err := binary.Read(n.in, order, &head); err != nil {
			return gone(err)
		}
		if head.Magic != requestMagic {
			return fmt.Errorf("the client sent no NBD request: magic %#x", head.Magic)
		}
		r := request{cookie: head.Cookie, write: head.Command == cmdWrite, offset: head.Offset, length: head.Length}
		switch {
		case head.Command == cmdDisconnect:
			return nil
		case head.Length > maxRequest:
			return fmt.Errorf("a request of %d bytes is too large", head.Length)
		case r.write:
			r.data = make([]byte, r.length)
			if _, err := io.ReadFull(n.in, r.data); err != nil {
				return err
			}
		}
		if fault := n.check(head.Command, r); fault != 0 {
			if err := n.reply(r.cookie, fault, nil); err != nil {
				return err
			}
			continue
		}
		if err := h.submit(r); err != nil {
			return err
		}
	}
}

// check returns the error number of a request that the volume cannot have.
func (n *nbd) check(command uint16, r request) uint32 {
	beyond := r.offset > n.size || uint64(r.length) > n.size-r.offset
	switch {
	case command != cmdRead && command != cmdWrite, r.length == 0, r.offset%block != 0, r.length%block != 0:
		return errInvalid
	case beyond && r.write:
		return errNoSpace
	case beyond:
		return errInvalid
	}
	return 0
}

// reply ends a request, with the data of a read or an error number.
func (n *nbd) reply(cookie uint64, fault uint32, data []byte) error {
	head := order.AppendUint32(make([]byte, 0, 16), replyMagic)
	head = order.AppendUint32(head, fault)
	head = order.AppendUint64(head, cookie)
	n.writing.Lock()
	defer n.writing.Unlock()
	buffers := net.Buffers{head}
	if len(data) > 0 {
		buffers = append(buffers, data)
	}
	_, err := buffers.WriteTo(n.conn)
	return err
}

func (n *nbd) send(b []byte) error {
	_, err := n.conn.Write(b)
	return err
}

// gone makes no error of a client that leaves between two messages.
func gone(err error) error {
	if err == io.EOF {
		return nil
	}
	return err
}
