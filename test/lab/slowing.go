package lab

import (
	"fmt"
	"os"
	"sync"
	"time"
)

// Slowing is a device with fast writes until its cache is full, and slow ones from then on.
type Slowing struct {
	// Budget is how many bytes are written at Fast bytes/s; all later ones are written at Slow. Reads
	// are not limited.
	Budget     int64
	Fast, Slow float64
	// Size is the capacity in bytes; 0 means 256 MiB.
	Size int64
}

// SlowsDown starts such a device: like an SLC cache that is never folded, or a volume that has
// used up its burst credit.
func SlowsDown(t T, c Slowing) Device {
	t.Helper()
	if c.Size == 0 {
		c.Size = 256 * mebi
	}
	return served(t, fmt.Sprintf("%.0f MB/s, after %d MiB %.0f MB/s", c.Fast/1e6, c.Budget/mebi, c.Slow/1e6), c.Size,
		func(contents *os.File) disk { return &slowing{File: contents, Slowing: c} }, func() {})
}

type slowing struct {
	*os.File
	Slowing

	mu      sync.Mutex
	written int64
	// free is when the device will have finished everything submitted so far.
	free time.Time
}

func (s *slowing) WriteAt(p []byte, offset int64) (int, error) {
	s.mu.Lock()
	rate := s.Fast
	if s.written >= s.Budget {
		rate = s.Slow
	}
	s.written += int64(len(p))
	if now := time.Now(); s.free.Before(now) {
		s.free = now
	}
	s.free = s.free.Add(time.Duration(float64(len(p)) / rate * float64(time.Second)))
	done := s.free
	s.mu.Unlock()
	time.Sleep(time.Until(done))
	return s.File.WriteAt(p, offset)
}
