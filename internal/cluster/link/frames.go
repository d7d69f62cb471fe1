package link

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/loadline/loadline/internal/env"
)

// hello is the client's first message.
type hello struct {
	// Client distinguishes several clients: each has sent its own bytes.
	Client string `json:"client,omitempty"`
	// From is how many bytes the client has received.
	From int64 `json:"from"`
	// Ask only asks whether a client is connected, without replacing it.
	Ask bool `json:"ask,omitempty"`
}

// welcome is the answer: how many of the client's bytes have arrived.
type welcome struct {
	// Server distinguishes this server from one that has taken its place.
	Server   string `json:"server,omitempty"`
	Received int64  `json:"received"`
	// Attended answers Ask.
	Attended bool `json:"attended,omitempty"`
}

const (
	// longestHello limits the first lines, in bytes.
	longestHello = 4 << 10
	// heartbeat is the longest time in which a connection carries no data.
	heartbeat = 2 * time.Second
	// largestFrame limits the bytes of a frame; endMark is the length field of the last one.
	largestFrame = 1 << 20
	endMark      = 1<<32 - 1
)

// frames writes frames.
type frames struct {
	clock env.Clock
	mu    sync.Mutex
	to    io.Writer
	last  time.Time
}

// Write writes frames; an empty one is a heartbeat.
func (f *frames) Write(p []byte) (n int, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.last = f.clock.Now()
	for {
		part := p[n:min(len(p), n+largestFrame)]
		// A single write: each one is a separate message on the exec connection.
		if _, err = f.to.Write(append(binary.BigEndian.AppendUint32(make([]byte, 0, 4+len(part)), uint32(len(part))), part...)); err != nil {
			return n, err
		}
		if n += len(part); n == len(p) {
			return n, nil
		}
	}
}

// beat sends a heartbeat if nothing was sent recently.
func (f *frames) beat() error {
	f.mu.Lock()
	silent := f.clock.Since(f.last) >= heartbeat/2
	f.mu.Unlock()
	if !silent {
		return nil
	}
	_, err := f.Write(nil)
	return err
}

// end marks the end of the stream.
func (f *frames) end() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	_, err := f.to.Write(binary.BigEndian.AppendUint32(nil, endMark))
	return err
}

// errEnd is returned for the last frame.
var errEnd = errors.New("the end")

// readFrame reads the next frame into a buffer; an empty one is a heartbeat.
func readFrame(r io.Reader, buffer []byte) ([]byte, error) {
	var head [4]byte
	if _, err := io.ReadFull(r, head[:]); err != nil {
		return nil, err
	}
	n := binary.BigEndian.Uint32(head[:])
	switch {
	case n == endMark:
		return nil, errEnd
	case n > largestFrame:
		return nil, fmt.Errorf("a frame of %d bytes came, and none has more than %d", n, largestFrame)
	}
	if uint32(cap(buffer)) < n {
		buffer = make([]byte, n)
	}
	_, err := io.ReadFull(r, buffer[:n])
	return buffer[:n], err
}
