package env

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"syscall"
)

// largestFile is the maximum size of a file named by an argument, in bytes: a hand-written profile, job
// or file of points has a few thousand.
const largestFile = 4 << 20

// errNoWriter is the error of reading a pipe that no process has open for writing.
var errNoWriter = errors.New("it is a pipe that nobody writes into")

// Open opens a file named by the user for reading. For a pipe without a writer it does not wait, as an
// ordinary open would, uninterruptible by ^C: reading from it then fails. What another program writes,
// as in <(…), is read to its end.
func Open(name string) (fs.File, error) {
	f, err := os.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	if info, err := f.Stat(); err == nil && info.Mode()&os.ModeNamedPipe != 0 {
		return &pipe{File: f}, nil
	}
	return f, nil
}

// pipe is the read end of a pipe.
type pipe struct {
	fs.File
	begun bool
}

// Read reads from the pipe. A pipe is at its end when no process has it open for writing; if that
// happens before any data, nothing was ever sent.
func (p *pipe) Read(b []byte) (int, error) {
	n, err := p.File.Read(b)
	p.begun = p.begun || n > 0
	if errors.Is(err, io.EOF) && !p.begun {
		err = errNoWriter
	}
	return n, err
}

// Exists reports whether something has this name, at the end of any links.
func Exists(name string) bool {
	_, err := os.Stat(name)
	return err == nil
}

// ReadFile reads a hand-written file, opened by Open; it rejects files larger than 4 MiB and endless
// devices.
func ReadFile(name string) ([]byte, error) {
	f, err := Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, largestFile+1))
	if err == nil && len(data) > largestFile {
		err = fmt.Errorf("it is larger than the limit of %d MiB", largestFile>>20)
	}
	return data, err
}
