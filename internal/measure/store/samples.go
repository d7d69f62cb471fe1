package store

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/units"
)

// readSamples decodes on all cores, because a long run of many volumes has more than a hundred
// thousand lines. If the file is truncated, the samples before that are returned with the error,
// which is io.ErrUnexpectedEOF if it ends between two flushes.
func readSamples(files fs.FS, name string) ([]model.Sample, error) {
	f, err := files.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	unzip, err := newDecompressor(f)
	if err != nil {
		return nil, err
	}
	defer unzip.Close()
	d := newParallelDecoder(newMeter(f))
	rest, readErr := d.read(unzip)
	samples, err := d.end()
	switch {
	case err != nil:
		return samples, err
	case readErr != io.EOF && readErr != io.ErrUnexpectedEOF:
		return samples, readErr
	case rest > 0:
		return samples, errors.New("the last line is torn")
	}
	// ReadFull returns the same error for a short final read and for a truncated file; the decoder
	// remembers which it was.
	if _, err := unzip.Read(make([]byte, 1)); err != io.EOF {
		return samples, err
	}
	return samples, nil
}

// chunk is a sequence of whole lines.
type chunk struct {
	lines   []byte
	samples []model.Sample
	err     error
}

// parallelDecoder decodes lines on all cores and keeps their order.
type parallelDecoder struct {
	meter  *meter
	work   chan *chunk
	chunks []*chunk
	pool   sync.WaitGroup
	// spare holds the buffers of chunks for reuse: samples keep no references to their lines.
	spare sync.Pool
	// bad is set on the first error, after which nothing more needs to be read.
	bad atomic.Bool
}

func newParallelDecoder(m *meter) *parallelDecoder {
	d := &parallelDecoder{meter: m, work: make(chan *chunk)}
	for range runtime.GOMAXPROCS(0) {
		d.pool.Go(func() {
			for c := range d.work {
				lines := c.lines
				c.lines = nil
				if c.samples, c.err = decodeLines(lines, d.meter); c.err != nil {
					d.bad.Store(true)
				}
				d.spare.Put(&lines)
			}
		})
	}
	return d
}

// read hands out the lines until the text ends or is invalid. It returns the length of the unfinished
// last line, and why reading ended.
func (d *parallelDecoder) read(text io.Reader) (torn int, err error) {
	const piece = 1 << 20
	var rest []byte
	for err == nil && !d.bad.Load() {
		var buf []byte
		if used, ok := d.spare.Get().(*[]byte); ok {
			buf = (*used)[:0]
		}
		buf = append(slices.Grow(buf, len(rest)+piece), rest...)
		n := 0
		n, err = io.ReadFull(text, buf[len(rest):len(rest)+piece])
		buf = buf[:len(rest)+n]
		if over := d.meter.addText(n); over != nil {
			return 0, over
		}
		end := bytes.LastIndexByte(buf, '\n') + 1
		if rest = buf[end:]; len(rest) > longestLine {
			return 0, errLongLine
		}
		if end > 0 {
			c := &chunk{lines: buf[:end]}
			d.chunks = append(d.chunks, c)
			d.work <- c
		}
	}
	return len(rest), err
}

// end waits for the chunks that were handed out. On an error it returns the samples before it.
func (d *parallelDecoder) end() (samples []model.Sample, err error) {
	close(d.work)
	d.pool.Wait()
	n := 0
	for _, c := range d.chunks {
		n += len(c.samples)
	}
	samples = make([]model.Sample, 0, n)
	for _, c := range d.chunks {
		samples = append(samples, c.samples...)
		if c.err != nil {
			return samples, c.err
		}
		c.samples = nil
	}
	return samples, nil
}

var errLongLine = boundError(fmt.Sprintf("a line is longer than %s", units.FormatSize(longestLine)))

func decodeLines(lines []byte, m *meter) ([]model.Sample, error) {
	samples := make([]model.Sample, 0, len(lines)/512)
	for len(lines) > 0 {
		end := bytes.IndexByte(lines, '\n')
		s, err := decodeLine(lines[:end], m)
		if err != nil {
			return samples, err
		}
		samples = append(samples, s)
		lines = lines[end+1:]
	}
	return samples, nil
}

func decodeLine(line []byte, m *meter) (s model.Sample, err error) {
	if len(line) > longestLine {
		return s, errLongLine
	}
	if err := json.Unmarshal(line, &s); err != nil {
		return s, fmt.Errorf("a line is not a sample: %w", err)
	}
	if err := checkSample(&s); err != nil {
		return s, err
	}
	return s, m.addSample(&s)
}
