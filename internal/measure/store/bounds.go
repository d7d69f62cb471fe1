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

// A directory may come from someone else, so nothing read from it may take unlimited memory. The
// bounds are far beyond what a day (86,400 s) of any number of workers writes:
//
//   - One second of one worker is a line of 0.4 to 1 kB. The longest possible line has three
//     flows whose histograms fill all 1,856 buckets with 64-bit counts, base64 of 13 bytes
//     each: 97 kB.
//   - Seconds under load compress to a third or a quarter of their text, and take up to 2.5 times its
//     size in memory; seconds without I/O compress to a tenth, and take 3.5 times.
const (
	longestLine = 256 << 10
	// textFloor and textRatio bound the unpacked text of the samples relative to the size of their
	// file.
	textFloor, textRatio = 16 << 20, 64
	// memoryFloor and memoryRatio bound the memory for the samples in the same way.
	memoryFloor, memoryRatio = 64 << 20, 64
	// largestWindow is the largest window for the decoder; we write 1 MiB, zstd's own tools at their
	// highest usual level 8 MiB.
	largestWindow = 8 << 20
	// largestJob bounds the text of a job, in bytes: a user's own file may have 1 MiB.
	largestJob = 2 << 20
	// largestRaw bounds one piece of raw output, unpacked, in bytes: the size of an imported file.
	largestRaw = 256 << 20
)

// damageError returns the error for a file that exceeds a bound, which no file written by Loadline
// does.
func damageError(dir, file, what string) error {
	return model.BrokenError(fmt.Sprintf("%s/%s is damaged: %s", dir, file, what),
		"copy the directory again from where it was measured, or measure again")
}

// boundError is the message about a bound that was exceeded.
type boundError string

func (e boundError) Error() string { return string(e) }

// newDecompressor returns a decoder that uses little memory. More than one goroutine would read
// ahead, each with its own window.
func newDecompressor(r io.Reader) (*zstd.Decoder, error) {
	return zstd.NewReader(r, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxWindow(largestWindow),
		zstd.WithDecoderMaxMemory(largestRaw))
}

// meter counts what the samples of one file take. It is safe for concurrent use.
type meter struct {
	packed       func() int64
	text, memory atomic.Int64
}

// newMeter returns a meter that compares with the file's size at the time of each check.
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
			return boundError(fmt.Sprintf("its %s unpack to more than %s, which no samples do", units.FormatSize(packed), units.FormatSize(textFloor+textRatio*packed)))
		}
	}
	return nil
}

// addSample counts the memory of a sample that is kept.
func (m *meter) addSample(s *model.Sample) error {
	if got := m.memory.Add(footprint(s)); got > memoryFloor {
		if packed := m.packed(); got > memoryFloor+memoryRatio*packed {
			return boundError(fmt.Sprintf("its %s hold more samples than %s of memory, which no samples do", units.FormatSize(packed), units.FormatSize(memoryFloor+memoryRatio*packed)))
		}
	}
	return nil
}

// footprint estimates the memory of a sample, including its place in two growing slices, and without its histograms: those stay
// packed after reading, and so are smaller than their text, which has a bound of its own.
func footprint(s *model.Sample) int64 {
	n := int64(192)
	for _, f := range []*model.Flow{s.Read, s.Write, s.Sync} {
		if f != nil {
			n += 128
		}
	}
	return n
}

// checkSample refuses a line that is JSON but not a second of a worker.
func checkSample(s *model.Sample) error {
	if s.Step < 1 || s.Worker < 0 || !(s.Seconds > 0) || !(s.End >= 0) {
		return boundError("a line is not a sample: it has no step, or no time")
	}
	return nil
}

// readBounded reads a whole file, unless it is larger than most bytes.
func readBounded(files fs.FS, name string, most int64) ([]byte, error) {
	f, err := files.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return readAtMost(f, most)
}

// readAtMost reads an open file to its end, unless it is larger than most bytes.
func readAtMost(f fs.File, most int64) ([]byte, error) {
	tooLarge := boundError(fmt.Sprintf("it is larger than %s", units.FormatSize(most)))
	if info, err := f.Stat(); err == nil && info.Size() > most {
		return nil, tooLarge
	}
	data, err := io.ReadAll(io.LimitReader(f, most+1))
	if err == nil && int64(len(data)) > most {
		err = tooLarge
	}
	return data, err
}

// ReadDocument reads a JSON document and checks that decoding it takes memory in proportion to its
// size.
func ReadDocument(files fs.FS, name string) ([]byte, error) {
	f, err := files.Open(name)
	if err != nil {
		return nil, err
	}
	return readDocumentOf(f)
}

// ReadNamedDocument is ReadDocument for a file named by the user, which may be a pipe (see env.Open).
func ReadNamedDocument(name string) ([]byte, error) {
	f, err := env.Open(name)
	if err != nil {
		return nil, err
	}
	return readDocumentOf(f)
}

// readDocumentOf reads an open document and closes it.
func readDocumentOf(f fs.File) ([]byte, error) {
	defer f.Close()
	data, err := readAtMost(f, jsonlimit.Largest)
	if err == nil {
		err = checkDocument(data)
	}
	return data, err
}

// checkDocument is jsonlimit.Check with its errors turned into boundError.
func checkDocument(data []byte) error {
	if err := jsonlimit.Check(data); err != nil {
		return boundError(err.Error())
	}
	return nil
}

// isBoundError reports whether an error means that a bound was exceeded.
func isBoundError(err error) bool {
	var b boundError
	return errors.As(err, &b) || errors.Is(err, zstd.ErrWindowSizeExceeded) || errors.Is(err, zstd.ErrDecoderSizeExceeded)
}
