package env

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"syscall"
)

// largestFile bounds a file that an argument names, in bytes: a profile, a job or a file of
// points that a person has written has a few thousand.
const largestFile = 4 << 20

// errNoWriter is the error of reading a pipe that nobody writes into.
var errNoWriter = errors.New("it is a pipe that nobody writes into")

// Open opens a file that a person has named, for reading. A pipe that nobody writes into is
// no reason to wait: reading from it fails, because opening it the usual way would wait for
// a writer, and no ^C would end that. What another program writes, as in <(…), is read to
// its end.
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

// pipe is the end of a pipe that is read.
type pipe struct {
	fs.File
	begun bool
}

// Read reads what was written. A pipe is at its end when nobody has it open for writing;
// at its beginning that means that nothing was ever sent.
func (p *pipe) Read(b []byte) (int, error) {
	n, err := p.File.Read(b)
	p.begun = p.begun || n > 0
	if errors.Is(err, io.EOF) && !p.begun {
		err = errNoWriter
	}
	return n, err
}

// ReadFile reads a file that a person has written, opened by Open; what is larger than
// 4 MiB, or a device without end, is none.
func ReadFile(name string) ([]byte, error) {
	f, err := Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, largestFile+1))
	if err == nil && len(data) > largestFile {
		err = fmt.Errorf("it is larger than %d MiB, and nothing that a person writes is", largestFile>>20)
	}
	return data, err
}
