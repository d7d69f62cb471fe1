package main

import (
	"fmt"
	"log"
	"net"
	"sync"
	"syscall"

	"github.com/longhorn/longhorn-engine/pkg/dataconn"

	"github.com/loadline/loadline/test/lab/longhorn/nbd"
)

// volume is the controller's side of a session.
type volume struct {
	wire    *dataconn.Wire
	replier replier

	// sequence numbers the requests; only submit uses it.
	sequence uint32

	mu     sync.Mutex
	flight map[uint32]nbd.Request // without the data of writes
	idle   *sync.Cond             // signalled when nothing is in flight any more
}

// replier takes the replies.
type replier interface {
	Reply(cookie uint64, fault syscall.Errno, data []byte) error
}

func newVolume(conn net.Conn, r replier) *volume {
	v := &volume{wire: dataconn.NewWire(conn), replier: r, flight: map[uint32]nbd.Request{}}
	v.idle = sync.NewCond(&v.mu)
	return v
}

// submit sends a request to the controller and does not wait for its reply.
func (v *volume) submit(r nbd.Request) error {
	v.sequence++
	m := &dataconn.Message{MagicVersion: dataconn.MagicVersion, Seq: v.sequence, Type: dataconn.TypeRead,
		Offset: int64(r.Offset), Size: r.Length}
	if r.Write {
		m.Type, m.Data = dataconn.TypeWrite, r.Data
	}
	r.Data = nil
	v.mu.Lock()
	v.flight[m.Seq] = r
	v.mu.Unlock()
	return v.wire.Write(m)
}

// replies passes the controller's replies on until its connection ends.
func (v *volume) replies() error {
	// No more replies will come, so wake up those that wait for them.
	defer func() {
		v.mu.Lock()
		defer v.mu.Unlock()
		clear(v.flight)
		v.idle.Broadcast()
	}()
	for {
		m, err := v.wire.Read()
		if err != nil {
			return err
		}
		v.mu.Lock()
		r, known := v.flight[m.Seq]
		v.mu.Unlock()
		if !known {
			return fmt.Errorf("the controller answered what was not asked: number %d", m.Seq)
		}
		if err := v.pass(r, m); err != nil {
			return err
		}
		v.mu.Lock()
		delete(v.flight, m.Seq)
		if len(v.flight) == 0 {
			v.idle.Broadcast()
		}
		v.mu.Unlock()
	}
}

// pass sends one reply to the client.
func (v *volume) pass(r nbd.Request, m *dataconn.Message) error {
	switch {
	case m.Type != dataconn.TypeResponse:
		log.Printf("the controller refused %d bytes at %d: %s", r.Length, r.Offset, m.Data)
		return v.replier.Reply(r.Cookie, syscall.EIO, nil)
	case r.Write:
		return v.replier.Reply(r.Cookie, 0, nil)
	case uint32(len(m.Data)) != r.Length:
		log.Printf("the controller read %d bytes of %d at %d", len(m.Data), r.Length, r.Offset)
		return v.replier.Reply(r.Cookie, syscall.EIO, nil)
	}
	return v.replier.Reply(r.Cookie, 0, m.Data)
}

// drain waits until every request has been answered, or the connection has ended.
func (v *volume) drain() {
	v.mu.Lock()
	defer v.mu.Unlock()
	for len(v.flight) > 0 {
		v.idle.Wait()
	}
}
