package fio

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"syscall"

	"github.com/loadline/loadline/internal/measure/load"
	"github.com/loadline/loadline/internal/model"
)

// A gate holds back the first I/O of fio jobs that have been started until it is opened: fio first
// calibrates clocks, parses, allocates and opens files, and on a machine with many workers and few
// cores that takes seconds. The gate is a named pipe in fio's working directory. The shell that fio
// runs before each job opens it for reading, which blocks until it is open for writing. If the job
// file is later used by hand, there is no pipe and it does not wait.
//
// What fio prints about the shell is of no interest (see lineFilter).
const (
	gateName  = "gate"
	gateWords = "Saving output of prerun"
	// gateLines are added to the text of a job that is to wait.
	gateLines = "# Volumes that are loaded together wait here for each other.\nexec_prerun=test ! -p " + gateName + " || : < " + gateName + "\n"
	// gateShell is the shell that fio uses, with the job's name as part of a file name.
	gateShell = "/bin/sh"
)

// canGate reports whether a step can wait at a gate and has other steps to wait for. Without a
// ramp, fio's first status would include the time before the gate opened.
func canGate(req model.StartRequest) bool {
	if req.At == 0 || req.Step.Ramp <= 0 || load.FileName(req.Workload.Name) != req.Workload.Name {
		return false
	}
	_, err := os.Stat(gateShell)
	return err == nil
}

// makeGate creates a closed gate in fio's working directory.
func makeGate(dir string) error {
	if err := syscall.Mkfifo(filepath.Join(dir, gateName), 0o600); err != nil {
		return model.BrokenError(fmt.Sprintf("fio's start cannot be prepared: %v.", err), "set TMPDIR to a directory of a filesystem that has named pipes")
	}
	return nil
}

// openGate opens the gate until the function it returns is called. It does not block, and jobs that
// arrive later find the gate open.
func openGate(dir string) (shut func(), err error) {
	f, err := os.OpenFile(filepath.Join(dir, gateName), os.O_RDWR, 0)
	if err != nil {
		return nil, model.BrokenError(fmt.Sprintf("fio's start cannot be released: %v.", err), "")
	}
	return func() { _ = f.Close() }, nil
}

// lineFilter removes fio's messages about gates from text that arrives in pieces.
type lineFilter struct{ line []byte }

// feed passes on the complete lines that matter.
func (c *lineFilter) feed(piece []byte, keep func([]byte)) {
	c.line = append(c.line, piece...)
	for {
		end := bytes.IndexByte(c.line, '\n') + 1
		if end == 0 {
			return
		}
		if line := c.line[:end]; !bytes.Contains(line, []byte(gateWords)) {
			keep(line)
		}
		c.line = c.line[end:]
	}
}

// rest passes on an unterminated last line.
func (c *lineFilter) rest(keep func([]byte)) { keep(c.line) }
