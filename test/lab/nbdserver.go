package lab

import (
	"io"
	"net"
	"syscall"

	"github.com/loadline/loadline/internal/measure/volume/nbd"
)

// disk is what serveNBD serves. Its methods are called concurrently from many
// goroutines, with offsets and lengths within the export.
type disk interface {
	io.ReaderAt
	io.WriterAt
}

// serveNBD serves a disk of size bytes to every client, whatever name it asks for,
// until the listener is closed. The requests of a connection are answered as they complete.
func serveNBD(l net.Listener, d disk, size int64) {
	// A flush has nothing to do: power is never lost here. Connections see each other's writes.
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
					return // the client has left, cleanly or not: no reply is possible
				}
				go perform(s, d, r)
			}
		}()
	}
}

// perform carries out a request. If the client is gone, reading the next request fails.
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
