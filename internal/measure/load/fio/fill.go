package fio

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"time"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/units"
)

// fillBlock is the block size of the prefill and of its verification, in bytes.
const fillBlock = 1 << 20

// segment is a part of the volume that is written and read with one block size.
type segment struct{ offset, size, block int64 }

// segments splits a volume into whole MiB and the remainder. Less than 512 bytes at the end are
// out of reach of direct I/O and of every workload.
func segments(size int64) []segment {
	var all []segment
	whole := size / fillBlock * fillBlock
	if whole > 0 {
		all = append(all, segment{0, whole, fillBlock})
	}
	if rest := (size - whole) / 512 * 512; rest > 0 {
		all = append(all, segment{whole, rest, rest & -rest})
	}
	return all
}

// Fill writes the whole volume once, sequentially, with data that neither compresses nor
// deduplicates, and flushes it if the storage supports that. It first extends a file to the size of
// the volume. After limit it ends with a model.SlowFill (0 is no limit). It returns the bytes
// written even if it fails. progress is called once a second with model.PhasePrefill.
//
// Where no extent map can prove that everything is written (devices and servers, and filesystems
// without FIEMAP), fio writes, and every block carries a checksum for ReadBack: one core produces
// 0.95 GB/s of that.
func (d *Driver) Fill(ctx context.Context, v model.Volume, limit time.Duration, progress func(model.Progress)) (written int64, err error) {
	v = d.asUser(v)
	if _, err := d.Version(ctx); err != nil {
		return 0, err
	}
	if v.Size < 512 {
		return 0, workerError("there is nothing to write: the volume has a size of %d bytes.", v.Size)
	}
	if err := extendFile(v); err != nil {
		return 0, err
	}
	d.known.Lock()
	delete(d.seeds, name(v))
	d.known.Unlock()
	if mapped(v.Reach()) {
		return d.write(ctx, v, limit, progress)
	}
	seed := rand.Uint64N(1<<31-1) + 1

	// fio has no time limit for jobs that are not time-based, so the context enforces it.
	limited := ctx
	if limit > 0 {
		var cancel context.CancelFunc
		limited, cancel = context.WithTimeout(ctx, limit)
		defer cancel()
	}
	for _, part := range segments(v.Size) {
		var t text
		t.comment("Loadline, prefill")
		t.section("prefill")
		t.sequential(v, part)
		t.set("rw", "write")
		t.set("refill_buffers", 1)
		if !v.NoFlush {
			t.set("end_fsync", 1)
		}
		t.set("randseed", seed)
		t.checksum()
		t.set("do_verify", 0)
		n, err := d.runPass(limited, v, t.String(), model.PhasePrefill, written, progress)
		written += n.bytes
		if n.outcome != nil && n.outcome.interrupted && ctx.Err() == nil {
			// Writes that were in flight may not have completed.
			written = max(0, written-int64(depth(v))*part.block)
			d.storeSeed(v, seed)
			return written, prefillTimeout(limit, written, v.Size, "")
		}
		if err != nil {
			return written, workerError("the prefill failed after %s of %s: %v", units.FormatSize(written), units.FormatSize(v.Size), err)
		}
		if n.bytes != part.size {
			return written, workerError("the prefill wrote only %s of %s.", units.FormatSize(written), units.FormatSize(v.Size))
		}
	}
	d.storeSeed(v, seed)
	return written, nil
}

// storeSeed records what ReadBack should find.
func (d *Driver) storeSeed(v model.Volume, seed uint64) {
	d.known.Lock()
	defer d.known.Unlock()
	d.seeds[name(v)] = seed
}

// prefillTimeout returns the error of a prefill that has exceeded its time limit.
func prefillTimeout(limit time.Duration, written, size int64, stuck string) error {
	return model.SlowFill{WorkerError: model.BrokenError(
		fmt.Sprintf("the prefill was given up: after %s only %s of %s were written%s.",
			units.FormatSpan(limit.Seconds()), units.FormatSize(written), units.FormatSize(size), stuck),
		"use a smaller --size, or allow more time: --max-prefill")}
}

// passResult is the result of one pass over a segment.
type passResult struct {
	bytes   int64
	last    *job
	outcome *outcome
}

// runPass runs a job that goes over a segment once and reports its progress.
func (d *Driver) runPass(ctx context.Context, v model.Volume, text string, phase model.Phase, before int64, progress func(model.Progress)) (passResult, error) {
	var p passResult
	var ms, bytes int64
	o, err := d.execute(ctx, process{
		text: text, link: link(v), open: v.Open, silence: d.limits.flush,
		args: []string{"--status-interval=1", "--output-format=json"},
		document: func(data []byte) error {
			j, err := decode(data)
			if err != nil {
				return err
			}
			p.last = j
			p.bytes = int64(j.Read.Bytes + j.Write.Bytes)
			report := model.Progress{Phase: phase, Done: float64(before + p.bytes), Total: float64(v.Size)}
			if now := j.milliseconds(1); now > ms {
				report.Rate = float64(p.bytes-bytes) / float64(now-ms) * 1000
				ms, bytes = now, p.bytes
			}
			if progress != nil {
				progress(report)
			}
			return nil
		},
	})
	p.outcome = o
	if err != nil {
		return p, err
	}
	if why := failure(o, p.last); why != "" {
		return p, workerError("%s.", why)
	}
	return p, nil
}

// sequential writes the options that Fill and ReadBack have in common.
func (t *text) sequential(v model.Volume, part segment) {
	t.volume(v, v.Engine)
	t.set("direct", flag(v.Direct))
	t.set("bs", part.block)
	t.set("iodepth", depth(v))
	t.set("thread", 1)
	t.systemClock()
	if part.offset > 0 {
		t.set("offset", part.offset)
	}
	t.set("size", part.size)
}

// systemClock makes fio skip the calibration of a faster clock, half of the 0.15 s of a core that it
// takes to start (fio 3.33). It is for jobs whose timings are not reported, or slow enough for this
// clock.
func (t *text) systemClock() { t.set("clocksource", "clock_gettime") }

// checksum makes fio write, or verify, a checksum in every block.
func (t *text) checksum() {
	t.set("verify", "crc32c")
	t.set("verify_state_save", 0)
}

// depth returns the queue depth of sequential passes: synchronous engines have a depth of one.
func depth(v model.Volume) int {
	if v.Engine == "psync" {
		return 1
	}
	return 8
}

// extendFile extends a regular file to the size of the volume. Its blocks are reserved if the
// filesystem supports that, so that a lack of space shows before the writing starts and writes do
// not wait for each other's allocations; the writing then converts the reserved blocks into written
// ones.
func extendFile(v model.Volume) error {
	if v.Path == "" {
		return nil
	}
	info, err := os.Stat(v.Reach())
	if err != nil {
		return workerError("the volume cannot be found: %v.", err)
	}
	if !info.Mode().IsRegular() || info.Size() >= v.Size {
		return reachable(v)
	}
	f, err := os.OpenFile(v.Reach(), os.O_WRONLY, 0)
	if err != nil {
		return workerError("%s cannot be opened for writing: %v.", v.Path, err)
	}
	defer f.Close()
	if err := reserve(f, v.Size); err != nil {
		return workerError("%s cannot be made %s long: %v.", v.Path, units.FormatSize(v.Size), err)
	}
	if err := f.Truncate(v.Size); err != nil {
		return workerError("%s cannot be made %s long: %v.", v.Path, units.FormatSize(v.Size), err)
	}
	return nil
}
