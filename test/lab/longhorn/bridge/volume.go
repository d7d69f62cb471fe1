package main

import (
	"fmt"
	"log"
	"net"
	"sync"

	"github.com/longhorn/longhorn-engine/pkg/dataconn"
)

// volume is the controller's side of a session.
type volume struct {
	wire    *dataconn.Wire
	replier replier

	// sequence numbers the requests; only submit uses it.
	sequence uint32

	mu     sync.Mutex
	flight map[uint32]request // without the data of writes
	idle   *sync.Cond         // nothing is in flight any more
}

// replier takes the answers.
type replier interface {
	reply(cookie uint64, fault uint32, data []byte) error
}

func newVolume(conn net.Conn, r replier) *volume {
	v := &volume{wire: dataconn.NewWire(conn), replier: r, flight: map[uint32]request{}}
	v.idle = sync.NewCond(&v.mu)
	return v
}

// submit hands a request to the controller and does not wait for its answer.
func (v *volume) submit(r request) error {
	v.sequence++
	m := &dataconn.Message{MagicVersion: dataconn.MagicVersion, Seq: v.sequence, Type: dataconn.TypeRead,
		Offset: int64(r.offset), Size: r.length}
	if r.write {
		m.Type, m.Data = dataconn.TypeWrite, r.data
	}
	r.data = nil
	v.mu.Lock()
	v.flight[m.Seq] = r
	v.mu.Unlock()
	return v.wire.Write(m)
}

// replies passes the controller's answers on until its connection ends.
func (v *volume) replies() error {
	// Whoever waits for answers waits in vain now.
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

// pass gives one answer to the client.
func (v *volume) pass(r request, m *dataconn.Message) error {
	switch {
	case m.Type != dataconn.TypeResponse:
		log.Printf("the controller refused %d bytes at %d: %s", r.length, r.offset, m.Data)
		return v.replier.reply(r.cookie, errIO, nil)
	case r.write:
		return v.replier.reply(r.cookie, 0, nil)
	case uint32(len(m.Data)) != r.length:
		log.Printf("the controller read %d bytes of %d at %d", len(m.Data), r.length, r.offset)
		return v.replier.reply(r.cookie, errIO, nil)
	}
	return v.replier.reply(r.cookie, 0, m.Data)
}

// drain waits until everything is answered, or nothing will be any more.
func (v *volume) drain() {
	v.mu.Lock()
	defer v.mu.Unlock()
	for len(v.flight) > 0 {
		v.idle.Wait()
	}
}
