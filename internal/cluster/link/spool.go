package link

import (
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
)

// Spool keeps bytes on disk, so that a later connection can read them all again. It may be written
// and read at the same time.
type Spool struct {
	mu   sync.Mutex
	file *os.File
	size int64
	over bool
	// grown is closed and replaced whenever there is more to read.
	grown chan struct{}
}

// NewSpool makes a spool from a file, which is truncated if it exists.
func NewSpool(path string) (*Spool, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return nil, err
	}
	return &Spool{file: f, grown: make(chan struct{})}, nil
}

// Write appends to the spool.
func (s *Spool) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	n, err := s.file.WriteAt(p, s.size)
	s.size += int64(n)
	s.wake()
	return n, err
}

// End marks the end: nothing more will be written. It may be called again.
func (s *Spool) End() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.over = true
	s.wake()
}

// Close closes the file. Reads fail from then on.
func (s *Spool) Close() error {
	s.End()
	return s.file.Close()
}

func (s *Spool) wake() {
	close(s.grown)
	s.grown = make(chan struct{})
}

// state returns the size, whether it is final, and a channel that is closed when either changes.
func (s *Spool) state() (size int64, over bool, grown <-chan struct{}) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.size, s.over, s.grown
}

// From returns a reader from an offset: Read waits for more data, and returns io.EOF after End.
func (s *Spool) From(offset int64) (io.ReadCloser, error) {
	if size, _, _ := s.state(); offset < 0 || offset > size {
		return nil, fmt.Errorf("there are %d bytes, and somebody has had %d", size, offset)
	}
	return &spoolReader{spool: s, at: offset, closed: make(chan struct{})}, nil
}

type spoolReader struct {
	spool  *Spool
	at     int64
	once   sync.Once
	closed chan struct{}
}

func (r *spoolReader) Read(p []byte) (int, error) {
	for {
		size, over, grown := r.spool.state()
		switch {
		case size > r.at:
			n, err := r.spool.file.ReadAt(p[:min(int64(len(p)), size-r.at)], r.at)
			r.at += int64(n)
			if n > 0 && errors.Is(err, io.EOF) {
				err = nil
			}
			return n, err
		case over:
			return 0, io.EOF
		}
		select {
		case <-grown:
		case <-r.closed:
			return 0, io.ErrClosedPipe
		}
	}
}

func (r *spoolReader) Close() error {
	r.once.Do(func() { close(r.closed) })
	return nil
}

// Size returns the total number of bytes once the end is marked; before, it returns an error.
func (s *Spool) Size() (int64, error) {
	size, over, _ := s.state()
	if !over {
		return 0, errors.New("it has not ended yet")
	}
	return size, nil
}
