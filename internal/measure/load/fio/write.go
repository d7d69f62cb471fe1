package fio

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/units"
)

// A writer fills a file whose extents the kernel exposes, so that no block needs an fio checksum.
// Its writes are not a load and are not measured, and starting fio takes 0.1 s of a core, which
// would be the longest wait when fifty volumes of one machine are filled.
type writer struct {
	file   *os.File
	blocks []segment
	// next is the index of the next block to write, done the number of bytes written.
	next, done atomic.Int64
	stop       atomic.Bool
	// buffered is true if writes end in the page cache.
	buffered bool

	mu  sync.Mutex
	err error
}

// write is Fill for such a file, which already has the size of the volume.
func (d *Driver) write(ctx context.Context, v model.Volume, limit time.Duration, progress func(model.Progress)) (int64, error) {
	d.one.Lock()
	defer d.one.Unlock()
	flags := os.O_WRONLY
	if v.Direct {
		flags |= direct
	}
	f, err := os.OpenFile(v.Reach(), flags, 0)
	if err != nil {
		return 0, workerError("%s cannot be opened for writing: %v.", v.Path, err)
	}
	w := &writer{file: f, buffered: !v.Direct && !v.NoFlush}
	for _, part := range segments(v.Size) {
		for at := part.offset; at < part.offset+part.size; at += part.block {
			w.blocks = append(w.blocks, segment{offset: at, size: part.block})
		}
	}
	end := make(chan struct{})
	go func() {
		defer close(end)
		defer f.Close()
		w.writeAll(depth(v))
		if w.err == nil && !w.stop.Load() && !v.NoFlush {
			w.fail(f.Sync())
		}
	}()
	why, stuck := d.superviseWriter(ctx, w, end, limit, v.Size, progress)
	written := w.done.Load()
	w.mu.Lock()
	defer w.mu.Unlock()
	switch {
	case why == "" && w.err == nil:
		return written, nil
	case why == "":
		why = fmt.Sprintf("%v", w.err)
	case why == reasonTooSlow:
		if stuck == "" {
			return written, prefillTimeout(limit, written, v.Size, "")
		}
		return written, errors.Unwrap(prefillTimeout(limit, written, v.Size, stuck))
	}
	return written, workerError("the prefill failed after %s of %s: %s%s.", units.FormatSize(written), units.FormatSize(v.Size), why, stuck)
}

// reasonTooSlow is the reason for stopping a writer that has exceeded its time limit.
const reasonTooSlow = "too slow"

// superviseWriter reports the progress of a writer until its end, and stops it when ctx is
// cancelled, when the time is up or when there is no progress. It returns the reason, and what is
// stuck if the writer has not ended even so.
func (d *Driver) superviseWriter(ctx context.Context, w *writer, end <-chan struct{}, limit time.Duration, size int64, progress func(model.Progress)) (why, stuck string) {
	tick := d.env.NewTicker(time.Second)
	defer tick.Stop()
	var late <-chan time.Time
	if limit > 0 {
		t := d.env.NewTimer(limit)
		defer t.Stop()
		late = t.C
	}
	before, moved := int64(0), d.env.Now()
	tell := func() {
		done := w.done.Load()
		if progress != nil {
			progress(model.Progress{Phase: model.PhasePrefill, Done: float64(done), Total: float64(size), Rate: float64(done - before)})
		}
		if done > before {
			before, moved = done, d.env.Now()
		}
	}
	for why == "" {
		select {
		case <-end:
			tell()
			return "", ""
		case <-ctx.Done():
			why = "interrupted"
		case <-late:
			why = reasonTooSlow
		case <-tick.C:
			tell()
			if silent := d.env.Since(moved); silent > time.Second+d.limits.flush {
				why = fmt.Sprintf("nothing was written for %s, and it was stopped", units.FormatDuration(silent.Seconds()))
			}
		}
	}
	w.stop.Store(true)
	grace := d.limits.grace
	if why == reasonTooSlow {
		// Slow storage needs its time for the blocks under way, and is then used as far as it was filled.
		grace *= 6
	}
	if !wait(d.env.Clock, end, grace) {
		stuck = ", and the kernel still waits for the storage"
	}
	return why, stuck
}

// writeAll writes all blocks, depth of them at a time.
func (w *writer) writeAll(depth int) {
	var group sync.WaitGroup
	for range min(depth, len(w.blocks)) {
		group.Go(func() { w.fail(w.writeSome()) })
	}
	group.Wait()
}

// writeSome writes blocks until there are none left.
func (w *writer) writeSome() error {
	// Direct I/O needs page-aligned memory.
	buffer, err := unix.Mmap(-1, 0, fillBlock, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE)
	if err != nil {
		return fmt.Errorf("no memory for a block: %w", err)
	}
	defer unix.Munmap(buffer)
	// Data that need not be unpredictable: this takes a third of the time of cryptographically
	// secure bytes.
	random := rand.NewPCG(rand.Uint64(), rand.Uint64())
	var cached int64
	for !w.stop.Load() {
		i := int(w.next.Add(1)) - 1
		if i >= len(w.blocks) {
			return nil
		}
		block := buffer[:w.blocks[i].size]
		for at := 0; at+8 <= len(block); at += 8 {
			binary.LittleEndian.PutUint64(block[at:], random.Uint64())
		}
		n, err := w.file.WriteAt(block, w.blocks[i].offset)
		w.done.Add(int64(n))
		if err != nil {
			return err
		}
		// What memory has taken would otherwise reach the storage in one flush at the end, which looks like
		// storage that does not answer.
		if cached += int64(n); w.buffered && cached >= mostCached {
			if err := w.file.Sync(); err != nil {
				return err
			}
			cached = 0
		}
	}
	return nil
}

// mostCached is how much one writer writes into the page cache before it flushes, in bytes: eight of them take
// less than two minutes for it at 5 MiB/s.
const mostCached = 64 << 20

// fail keeps the first error, as a message, and stops the others.
func (w *writer) fail(err error) {
	if err == nil {
		return
	}
	var code syscall.Errno
	if errors.As(err, &code) {
		err = fmt.Errorf("an I/O failed with %s", errnoMessage(code))
	}
	w.stop.Store(true)
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.err == nil {
		w.err = err
	}
}
