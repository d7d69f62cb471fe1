package agent

import (
	"bufio"
	"io"
	"os"
	"sync"
)

// spool keeps a session's events on disk, a line each, so that a connection that
// comes later can have all of them again. Event number n is line n.
type spool struct {
	mu   sync.Mutex
	file *os.File
	// ends[n] is the offset behind event n; ends[0] is 0.
	ends []int64
	over bool
	// grown is closed and replaced whenever there is more to read.
	grown chan struct{}
}

func newSpool(path string) (*spool, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return nil, err
	}
	return &spool{file: f, ends: []int64{0}, grown: make(chan struct{})}, nil
}

// Write appends one event; the worker writes a whole line at a time.
func (s *spool) Write(line []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	last := s.ends[len(s.ends)-1]
	n, err := s.file.WriteAt(line, last)
	if err != nil {
		return n, err
	}
	s.ends = append(s.ends, last+int64(n))
	s.wake()
	return n, nil
}

// close tells that nothing more will come.
func (s *spool) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.over = true
	s.wake()
}

func (s *spool) wake() {
	close(s.grown)
	s.grown = make(chan struct{})
}

// last is the number of the newest event, whether it is the last one of all, and
// what is closed when that changes.
func (s *spool) last() (number int64, over bool, grown <-chan struct{}) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return int64(len(s.ends) - 1), s.over, s.grown
}

// copy writes the events behind number from, up to and with number to.
func (s *spool) copy(w io.Writer, from, to int64) error {
	s.mu.Lock()
	begin, end := s.ends[from], s.ends[to]
	s.mu.Unlock()
	// One write for many small lines: each is a message of its own on the way.
	out := bufio.NewWriterSize(w, 64<<10)
	if _, err := io.Copy(out, io.NewSectionReader(s.file, begin, end-begin)); err != nil {
		return err
	}
	return out.Flush()
}
