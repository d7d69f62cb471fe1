package lab

import (
	"io"
	"net"
	"syscall"

	"github.com/loadline/loadline/internal/measure/volume/nbd"
)

// disk is what serveNBD serves. Its methods are called from many
// goroutines at once, with offsets and lengths within the export.
type disk interface {
	io.ReaderAt
	io.WriterAt
}

// serveNBD serves a disk of size bytes to whoever connects, whatever name is asked for,
// until the listener is closed. A connection's requests are answered as they are done.
func serveNBD(l net.Listener, d disk, size int64) {
	// A flush has nothing to do: no power is lost here. Connections see each other's writes.
	export := nbd.Export{Size: uint64(size), Flags: nbd.CanFlush | nbd.MultiConn}
	for {
		conn, err := l.Accept()
		if err != nil {
			return
		}
		go func() {
			defer conn.Close()
			s := nbd.NewServer(conn, export)
			if goOn, err := s.Negotiate(); err != nil || !goOn {
				return
			}
			for {
				r, err := s.Next()
				if err != nil {
					return // the client leaves, in order or not: there is nobody to tell
				}
				go perform(s, d, r)
			}
		}()
	}
}

// perform does what is asked for; a client that is gone shows when the next request is read.
func perform(s *nbd.Server, d disk, r nbd.Request) {
	var data []byte
	var err error
	switch {
	case r.Read:
		data = make([]byte, r.Length)
		_, err = d.ReadAt(data, int64(r.Offset))
	case r.Write:
		_, err = d.WriteAt(r.Data, int64(r.Offset))
	}
	if err != nil {
		_ = s.Reply(r.Cookie, syscall.EIO, nil)
		return
	}
	_ = s.Reply(r.Cookie, 0, data)
}
