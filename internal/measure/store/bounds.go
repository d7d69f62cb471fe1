package store

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"sync/atomic"

	"github.com/klauspost/compress/zstd"

	"github.com/loadline/loadline/internal/env"
	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/jsonlimit"
	"github.com/loadline/loadline/internal/model/units"
)

// What is read may have been sent by somebody, so nothing of it may take memory without
// end. The bounds are far beyond what a day (86,400 s) of any number of workers writes:
//
//   - A second of one worker is a line of 0.4 to 1 kB. The longest that can be has three
//     flows whose histograms fill all 1,856 buckets with counts of 64 bits, base64 of
//     13 bytes each: 97 kB.
//   - Seconds under load compress to a third or a fourth, and take 2.5 times the room of
//     their text in memory; seconds without I/O to a tenth, and take 3.5 times.
const (
	longestLine = 256 << 10
	// textFloor and textRatio bound the text of the samples by the size of their file.
	textFloor, textRatio = 16 << 20, 64
	// memoryFloor and memoryRatio bound what the samples take in memory in the same way.
	memoryFloor, memoryRatio = 64 << 20, 64
	// largestWindow is what a decoder must remember; we write 1 MiB, zstd's own tools at
	// their highest usual level 8 MiB.
	largestWindow = 8 << 20
	// largestJob bounds the text of a job: a user's own file may have 1 MiB.
	largestJob = 2 << 20
	// largestRaw bounds a piece of raw output, unpacked: the size of what is imported.
	largestRaw = 256 << 20
)

// damaged is the error of a file that goes beyond a bound, which none of ours does.
func damaged(dir, file, what string) error {
	return model.BrokenError(fmt.Sprintf("%s/%s is damaged: %s", dir, file, what),
		"copy the directory again from where it was measured, or measure again")
}

// errBound is a bound that was passed, in words.
type errBound string

func (e errBound) Error() string { return string(e) }

// newUnzip reads what was compressed with little memory. More than one goroutine would
// read ahead, each with a window of its own.
func newUnzip(r io.Reader) (*zstd.Decoder, error) {
	return zstd.NewReader(r, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxWindow(largestWindow),
		zstd.WithDecoderMaxMemory(largestRaw))
}

// meter counts what the samples of one file take. Several goroutines may count.
type meter struct {
	packed       func() int64
	text, memory atomic.Int64
}

// newMeter counts against the size that the file has when it is asked.
func newMeter(f fs.File) *meter {
	return &meter{packed: func() int64 {
		info, err := f.Stat()
		if err != nil {
			return 0
		}
		return info.Size()
	}}
}

// addText counts unpacked text.
func (m *meter) addText(n int) error {
	if got := m.text.Add(int64(n)); got > textFloor {
		if packed := m.packed(); got > textFloor+textRatio*packed {
			return errBound(fmt.Sprintf("its %s unpack to more than %s, which no samples do", units.FormatSize(packed), units.FormatSize(textFloor+textRatio*packed)))
		}
	}
	return nil
}

// addSample counts a sample that is kept.
func (m *meter) addSample(s *model.Sample) error {
	if got := m.memory.Add(footprint(s)); got > memoryFloor {
		if packed := m.packed(); got > memoryFloor+memoryRatio*packed {
			return errBound(fmt.Sprintf("its %s hold more samples than %s of memory, which no samples do", units.FormatSize(packed), units.FormatSize(memoryFloor+memoryRatio*packed)))
		}
	}
	return nil
}

// footprint is about what a sample takes in memory, its place in two growing slices included.
func footprint(s *model.Sample) int64 {
	n := int64(192)
	for _, f := range []*model.Flow{s.Read, s.Write, s.Sync} {
		if f != nil {
			n += 128 + 10*int64(f.Histogram.Len())
		}
	}
	return n
}

// checkSample refuses a line that is JSON, but no second of a worker.
func checkSample(s *model.Sample) error {
	if s.Step < 1 || s.Worker < 0 || !(s.Seconds > 0) || !(s.End >= 0) {
		return errBound("a line is no sample: it has no step, or no time")
	}
	return nil
}

// readBounded reads a file whole, unless it is larger than most.
func readBounded(files fs.FS, name string, most int64) ([]byte, error) {
	f, err := files.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return readAtMost(f, most)
}

// readAtMost reads an open file whole, unless it is larger than most bytes.
func readAtMost(f fs.File, most int64) ([]byte, error) {
	tooLarge := errBound(fmt.Sprintf("it is larger than %s", units.FormatSize(most)))
	if info, err := f.Stat(); err == nil && info.Size() > most {
		return nil, tooLarge
	}
	data, err := io.ReadAll(io.LimitReader(f, most+1))
	if err == nil && int64(len(data)) > most {
		err = tooLarge
	}
	return data, err
}

// ReadDocument reads a JSON document that may be decoded without taking memory out of
// all proportion to it.
func ReadDocument(files fs.FS, name string) ([]byte, error) {
	f, err := files.Open(name)
	if err != nil {
		return nil, err
	}
	return readDocumentOf(f)
}

// ReadNamedDocument is ReadDocument of a file that a person has named, which may be a pipe
// (see env.Open).
func ReadNamedDocument(name string) ([]byte, error) {
	f, err := env.Open(name)
	if err != nil {
		return nil, err
	}
	return readDocumentOf(f)
}

// readDocumentOf reads an open document, and closes it.
func readDocumentOf(f fs.File) ([]byte, error) {
	defer f.Close()
	data, err := readAtMost(f, jsonlimit.Largest)
	if err == nil {
		err = checkDocument(data)
	}
	return data, err
}

// checkDocument is jsonlimit.Check, whose errors are bounds.
func checkDocument(data []byte) error {
	if err := jsonlimit.Check(data); err != nil {
		return errBound(err.Error())
	}
	return nil
}

// isBound reports whether an error is that of a bound.
func isBound(err error) bool {
	var b errBound
	return errors.As(err, &b) || errors.Is(err, zstd.ErrWindowSizeExceeded) || errors.Is(err, zstd.ErrDecoderSizeExceeded)
}
