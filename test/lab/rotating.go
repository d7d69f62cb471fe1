package lab

import (
	"math"
	"os"
	"sync"
	"time"
)

// Rotating starts a disk of size bytes with one head: an I/O takes settle, and up to stroke more for the way from where
// the head is, by the square root of the distance (Ruemmler and Wilkes, "An introduction to disk drive modeling", 1994, for
// short ways). One I/O is served at a time, in the order of arrival.
func Rotating(t T, settle, stroke time.Duration, size int64) Device {
	t.Helper()
	return served(t, "one head, up to "+stroke.String()+" to seek", size,
		func(contents *os.File) disk {
			return &rotating{File: contents, settle: settle, stroke: stroke, size: size}
		}, func() {})
}

type rotating struct {
	*os.File
	settle, stroke time.Duration
	size           int64

	mu   sync.Mutex
	head int64
	// free is when the disk will have finished everything submitted so far.
	free time.Time
}

// seek waits for an I/O's turn, and until the head is there.
func (d *rotating) seek(offset int64, length int) {
	d.mu.Lock()
	way := math.Abs(float64(offset - d.head))
	d.head = offset + int64(length)
	if now := time.Now(); d.free.Before(now) {
		d.free = now
	}
	d.free = d.free.Add(d.settle + time.Duration(float64(d.stroke)*math.Sqrt(way/float64(d.size))))
	done := d.free
	d.mu.Unlock()
	time.Sleep(time.Until(done))
}

func (d *rotating) ReadAt(p []byte, offset int64) (int, error) {
	d.seek(offset, len(p))
	return d.File.ReadAt(p, offset)
}

func (d *rotating) WriteAt(p []byte, offset int64) (int, error) {
	d.seek(offset, len(p))
	return d.File.WriteAt(p, offset)
}
