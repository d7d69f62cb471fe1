package fio

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"syscall"

	"github.com/loadline/loadline/internal/model"
)

// A gate keeps fio's jobs, which have started, from their first I/O until it is opened:
// fio calibrates clocks, parses, allocates and opens first, and on a machine with many
// workers and few cores that takes seconds. It is a named pipe in fio's working
// directory. The shell that fio runs before each job opens it for reading, which waits
// until somebody has it open for writing. A job file that is used again by hand finds no
// pipe and does not wait.
//
// What fio prints about the shell is no news for anybody (see lineFilter).
const (
	gateName  = "gate"
	gateWords = "Saving output of prerun"
	// gateLines are added to the text of a job that is to wait.
	gateLines = "# Volumes that are loaded together wait here for each other.\nexec_prerun=test ! -p " + gateName + " || : < " + gateName + "\n"
	// gateShell is the one that fio uses, with the job's name as a part of a file name.
	gateShell = "/bin/sh"
)

// canGate reports whether a step can wait at a gate, and has somebody to wait for. Without a ramp fio's first status
// would count the time before.
func canGate(req model.StartRequest) bool {
	if req.At == 0 || req.Step.Ramp <= 0 || fileName(req.Workload.Name) != req.Workload.Name {
		return false
	}
	_, err := os.Stat(gateShell)
	return err == nil
}

// makeGate makes a closed gate in fio's working directory.
func makeGate(dir string) error {
	if err := syscall.Mkfifo(filepath.Join(dir, gateName), 0o600); err != nil {
		return model.BrokenError(fmt.Sprintf("fio's start cannot be prepared: %v.", err), "set TMPDIR to a directory of a filesystem that has named pipes")
	}
	return nil
}

// openGate opens the gate until the function it returns is called. It does not wait for
// anybody, and whoever comes later finds the gate open.
func openGate(dir string) (shut func(), err error) {
	f, err := os.OpenFile(filepath.Join(dir, gateName), os.O_RDWR, 0)
	if err != nil {
		return nil, model.BrokenError(fmt.Sprintf("fio's start cannot be released: %v.", err), "")
	}
	return func() { _ = f.Close() }, nil
}

// lineFilter takes the words about gates out of a text that comes in pieces.
type lineFilter struct{ line []byte }

// feed hands on the whole lines that matter.
func (c *lineFilter) feed(piece []byte, matters func([]byte)) {
	c.line = append(c.line, piece...)
	for {
		end := bytes.IndexByte(c.line, '\n') + 1
		if end == 0 {
			return
		}
		if line := c.line[:end]; !bytes.Contains(line, []byte(gateWords)) {
			matters(line)
		}
		c.line = c.line[end:]
	}
}

// rest hands on what did not end its line.
func (c *lineFilter) rest(matters func([]byte)) { matters(c.line) }
