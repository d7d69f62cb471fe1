package lab

import (
	"fmt"
	"os"
	"sync"
	"time"
)

// Backlog is the configuration of a device behind a write-back cache.
type Backlog struct {
	// IOPS is the rate of the disk behind the cache, in 1/s; a request counts as one I/O
	// per 128 KiB.
	IOPS float64
	// Cache is how many of these I/Os the cache holds.
	Cache int
	// Size is the capacity in bytes; 0 means 256 MiB.
	Size int64
}

// Backlogged starts a disk behind a write-back cache: writes complete after 3 ms as long as
// the cache has room, and go to the disk in the background. Meanwhile the disk alternates between
// reads and writes, so that reads get half of it; without reads, the writes
// get all of it.
func Backlogged(t T, c Backlog) Device {
	t.Helper()
	if c.Size == 0 {
		c.Size = 256 * mebi
	}
	over := make(chan struct{})
	return served(t, fmt.Sprintf("%.0f IOPS behind a write-back cache of %d I/Os", c.IOPS, c.Cache), c.Size,
		func(contents *os.File) disk {
			b := &backlogged{File: contents, most: c.Cache, reads: make(chan chan struct{}, 4096), over: over}
			b.space = sync.NewCond(&b.mu)
			go b.serve(time.Duration(float64(time.Second) / c.IOPS))
			return b
		}, func() { close(over) })
}

// backlogged is the disk with its cache. The contents of the cache are in the file already; only
// the disk time is still to be spent.
type backlogged struct {
	*os.File
	most  int
	reads chan chan struct{}
	over  chan struct{}

	mu      sync.Mutex
	space   *sync.Cond
	backlog int
}

const (
	// perIO is how many bytes the disk moves in one I/O.
	perIO = 128 << 10
	// absorbed is how long a write into the cache takes.
	absorbed = 3 * time.Millisecond
	// idleTurn is how long an idle disk waits for a read before it looks for writes again.
	idleTurn = time.Millisecond
	// mostLate bounds how much missed time the disk may make up for after it woke up late.
	mostLate = 200 * time.Millisecond
)

func (b *backlogged) ReadAt(p []byte, offset int64) (int, error) {
	for n := 0; n < len(p); n += perIO {
		done := make(chan struct{})
		select {
		case b.reads <- done:
		case <-b.over:
			return 0, os.ErrClosed
		}
		select {
		case <-done:
		case <-b.over:
			return 0, os.ErrClosed
		}
	}
	return b.File.ReadAt(p, offset)
}

func (b *backlogged) WriteAt(p []byte, offset int64) (int, error) {
	b.mu.Lock()
	for n := 0; n < len(p); n += perIO {
		for b.backlog >= b.most {
			b.space.Wait()
		}
		b.backlog++
	}
	b.mu.Unlock()
	time.Sleep(absorbed)
	return b.File.WriteAt(p, offset)
}

// drain moves a write from the cache to the disk, if there is one.
func (b *backlogged) drain() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.backlog == 0 {
		return false
	}
	b.backlog--
	b.space.Signal()
	return true
}

// serve is the disk's loop: one I/O after the other, each taking that long.
func (b *backlogged) serve(each time.Duration) {
	next := time.Now()
	for wrote := false; ; {
		if now := time.Now(); next.Before(now.Add(-mostLate)) {
			next = now
		}
		var read chan struct{}
		if !wrote && b.drain() {
			wrote = true
		} else {
			select {
			case read = <-b.reads:
				wrote = false
			case <-b.over:
				return
			default:
				if !b.drain() {
					select {
					case read = <-b.reads:
						wrote = false
					case <-b.over:
						return
					case <-time.After(idleTurn):
						continue
					}
				}
			}
		}
		next = next.Add(each)
		time.Sleep(time.Until(next))
		if read != nil {
			close(read)
		}
	}
}
