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

// hello is what who comes says first.
type hello struct {
	// Client tells several who come apart: each has sent its own bytes.
	Client string `json:"client,omitempty"`
	// From is how many bytes it has had.
	From int64 `json:"from"`
	// Ask only asks whether anybody is there, and does not take the place.
	Ask bool `json:"ask,omitempty"`
}

// welcome is the answer: so many bytes of the client's have arrived.
type welcome struct {
	Received int64 `json:"received"`
	// Attended answers Ask.
	Attended bool `json:"attended,omitempty"`
}

const (
	// longestHello bounds the first lines, in bytes.
	longestHello = 4 << 10
	// heartbeat is the longest silence of a connection.
	heartbeat = 2 * time.Second
	// largestFrame bounds the bytes of a frame; endMark is the length of the last one.
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

// Write writes frames; an empty one breaks a silence.
func (f *frames) Write(p []byte) (n int, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.last = f.clock.Now()
	for {
		part := p[n:min(len(p), n+largestFrame)]
		// One write: each is a message of its own on the way.
		if _, err = f.to.Write(append(binary.BigEndian.AppendUint32(make([]byte, 0, 4+len(part)), uint32(len(part))), part...)); err != nil {
			return n, err
		}
		if n += len(part); n == len(p) {
			return n, nil
		}
	}
}

// beat breaks a silence.
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

// end tells that nothing more will come.
func (f *frames) end() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	_, err := f.to.Write(binary.BigEndian.AppendUint32(nil, endMark))
	return err
}

// errEnd is the last frame.
var errEnd = errors.New("the end")

// readFrame reads the next frame into a buffer; empty is a heartbeat.
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
