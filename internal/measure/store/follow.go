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

// Follow reads the samples of a run while they are being written, looking for more
// at the interval given, and hands each to take; whenever all that is there has been taken
// it calls rest. It returns nil when nobody writes the run any more and all is read,
// and the context's error when that is done before. A sample arrives about two seconds
// after it was measured, because the writer flushes as often.
func Follow(ctx context.Context, clock env.Clock, files fs.FS, every time.Duration, take func(model.Sample), rest func()) error {
	f, err := files.Open(samplesFile)
	if err != nil {
		return err
	}
	defer f.Close()
	// The decoder does not read ahead: it hands out a block as soon as that is there.
	unzip, err := newUnzip(&growing{ctx: ctx, clock: clock, files: files, file: f, every: every, rest: rest})
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

// growing reads a file that somebody else appends to, and ends when that one has
// let go of it.
type growing struct {
	ctx   context.Context
	clock env.Clock
	files fs.FS
	file  fs.File
	every time.Duration
	rest  func()
	ended bool
}

func (g *growing) Read(p []byte) (int, error) {
	for {
		n, err := g.file.Read(p)
		if n > 0 || !errors.Is(err, io.EOF) {
			return n, err
		}
		if g.ended {
			return 0, io.EOF
		}
		// What came between the read and the end of the lock is read once more.
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

// ReadHead is ReadFS without the samples. It is quick enough to be done again and
// again while the run goes on.
func ReadHead(files fs.FS, dir string) (*model.Recorded, error) {
	rec := &model.Recorded{Directory: dir}
	if err := readHead(files, dir, rec); err != nil {
		return nil, err
	}
	rec.Jobs = readJobs(files, rec.Run.Steps)
	return rec, nil
}
