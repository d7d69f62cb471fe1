package store

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"time"

	"github.com/loadline/loadline/internal/env"
	"github.com/loadline/loadline/internal/model"
)

// Follow reads the samples of a run while they are being written, polling for more at the given
// interval, and passes each to take; whenever it has caught up, it calls rest. It returns nil once
// the writer has finished and everything has been read, or the context's error if the context ends
// first. A sample arrives about two seconds after it was measured, because that is how often the
// writer flushes.
func Follow(ctx context.Context, clock env.Clock, files fs.FS, every time.Duration, take func(model.Sample), rest func()) error {
	f, err := files.Open(samplesFile)
	if err != nil {
		return err
	}
	defer f.Close()
	// The decoder does not read ahead: it returns a block as soon as it is complete.
	unzip, err := newDecompressor(&tailReader{ctx: ctx, clock: clock, files: files, file: f, every: every, rest: rest})
	if err != nil {
		return err
	}
	defer unzip.Close()
	lines, m := bufio.NewReaderSize(unzip, longestLine), newMeter(f)
	for {
		line, err := lines.ReadSlice('\n')
		switch {
		case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
			return nil
		case errors.Is(err, bufio.ErrBufferFull):
			return errLongLine
		case err != nil:
			return err
		}
		if err := m.addText(len(line)); err != nil {
			return err
		}
		s, err := decodeLine(bytes.TrimSuffix(line, []byte("\n")), m)
		if err != nil {
			return err
		}
		take(s)
	}
}

// tailReader reads a file that another process appends to, and ends when that process has released
// the lock.
type tailReader struct {
	ctx   context.Context
	clock env.Clock
	files fs.FS
	file  fs.File
	every time.Duration
	rest  func()
	ended bool
}

func (g *tailReader) Read(p []byte) (int, error) {
	for {
		n, err := g.file.Read(p)
		if n > 0 || !errors.Is(err, io.EOF) {
			return n, err
		}
		if g.ended {
			return 0, io.EOF
		}
		// Read once more what was written between the last read and the release of the lock.
		if g.ended = !locked(g.files, samplesFile); g.ended {
			continue
		}
		g.rest()
		select {
		case <-g.ctx.Done():
			return 0, g.ctx.Err()
		case <-g.clock.After(g.every):
		}
	}
}

// ReadHead is ReadFS without the samples. It is fast enough to be called repeatedly during a run.
func ReadHead(files fs.FS, dir string) (*model.Recorded, error) {
	rec := &model.Recorded{Directory: dir}
	if err := readHead(files, dir, rec); err != nil {
		return nil, err
	}
	rec.Jobs = readJobs(files, rec.Run.Steps)
	return rec, nil
}
