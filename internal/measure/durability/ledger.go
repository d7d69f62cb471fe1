package durability

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/jsonlimit"
)

// LedgerFile is the name of the ledger in a test's directory.
const LedgerFile = "ledger.jsonl"

// ledgerSchema is in the first line of a ledger.
const ledgerSchema = "loadline.ledger/v1"

// entry is a line of the ledger. One of its fields is set; the first line is a header, the second
// records what the blocks held before.
type entry struct {
	Header *header  `json:"header,omitempty"`
	Before []string `json:"before,omitempty"`
	// Write begins a phase of writing.
	Write *writeEntry `json:"write,omitempty"`
	// Intent and Ack hold a block's index and the number of the write to it.
	Intent *[2]uint64 `json:"intent,omitempty"`
	Ack    *[2]uint64 `json:"ack,omitempty"`
	// Cutting is written right before the cut, Cut after it, by whichever process survived.
	Cutting *cuttingEntry `json:"cutting,omitempty"`
	Cut     *cutEntry     `json:"cut,omitempty"`
	Checked *checkedEntry `json:"checked,omitempty"`
	End     *endEntry     `json:"end,omitempty"`
}

// header describes a test.
type header struct {
	Schema  string       `json:"schema"`
	ID      string       `json:"id"`
	Started time.Time    `json:"started"`
	Command []string     `json:"command"`
	Labels  model.Labels `json:"labels,omitempty"`
	Target  model.Target `json:"target"`
	// Path is the file or device that is written; empty for NBD.
	Path string `json:"path,omitempty"`
	// Made is true if Path is a file created by the test, which is removed when the test ends.
	Made   bool     `json:"made"`
	Volume volumeID `json:"volume"`
	// Size is the range, in bytes, over which Blocks blocks are spread evenly.
	Size        int64             `json:"size"`
	BlockSize   int64             `json:"block_size"`
	Blocks      int               `json:"blocks"`
	Jobs        int               `json:"jobs"`
	Sync        string            `json:"sync"`
	Environment model.Environment `json:"environment"`
}

// offset returns the offset of block i, in bytes.
func (h *header) offset(i int) int64 {
	step := h.Size / int64(h.Blocks) / h.BlockSize * h.BlockSize
	return int64(i) * step
}

// promised reports whether acknowledged writes are flushed.
func (h *header) promised() bool { return h.Sync != syncNone }

type writeEntry struct {
	Cut  int       `json:"cut"`
	At   time.Time `json:"at"`
	Boot string    `json:"boot,omitempty"`
	// Held is true if what the last check found has been flushed since.
	Held bool `json:"held,omitempty"`
}

type cuttingEntry struct {
	Kind model.CutKind `json:"kind"`
	What string        `json:"what"`
	At   time.Time     `json:"at"`
}

type cutEntry struct {
	Noticed bool   `json:"noticed"`
	Words   string `json:"words,omitempty"`
	// Failed is why the cut did not happen as requested.
	Failed string `json:"failed,omitempty"`
}

type checkedEntry struct {
	Cut model.Cut `json:"cut"`
	// Found is the number of the write that each block holds, 0 for its content before the test.
	Found []uint64 `json:"found"`
}

type endEntry struct {
	Status model.Status `json:"status"`
	Reason string       `json:"reason,omitempty"`
	At     time.Time    `json:"at"`
	// Removed is true if the test's own file was removed at this end: what was written to it cannot be
	// checked any more.
	Removed bool `json:"removed,omitempty"`
}

// ledger is an open ledger. When append returns, its entry is on stable storage.
type ledger struct {
	file *os.File

	mu      sync.Mutex
	flushed sync.Cond
	pending []byte
	// asked and done count batches; err is the first failure, after which nothing is written.
	asked, done uint64
	busy        bool
	err         error
}

// createLedger creates a ledger, which must not exist yet, and locks it.
func createLedger(path string) (*ledger, error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_RDWR|os.O_APPEND, 0o600)
	if err != nil {
		return nil, err
	}
	if err := hold(f, true); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	if err := syncDirectory(filepath.Dir(path)); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return newLedger(f), nil
}

// openLedger opens a ledger for appending; alone requires that no other process has it open.
func openLedger(path string, alone bool) (*ledger, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_APPEND|unix.O_NOFOLLOW, 0)
	if err != nil {
		return nil, err
	}
	if err := hold(f, alone); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return newLedger(f), nil
}

// cutOff removes an incomplete line that a crash has left after the good bytes.
func (l *ledger) cutOff(good int64) error { return l.file.Truncate(good) }

func newLedger(f *os.File) *ledger {
	l := &ledger{file: f}
	l.flushed.L = &l.mu
	return l
}

// errHeld means that a running test uses the ledger.
var errHeld = errors.New("the test is still in progress")

// hold takes a shared lock that shows that the test is running; alone first requires that no other
// process holds it. On a filesystem without locks, only this distinction is lost.
func hold(f *os.File, alone bool) error {
	if alone && errors.Is(unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB), unix.EWOULDBLOCK) {
		return errHeld
	}
	_ = unix.Flock(int(f.Fd()), unix.LOCK_SH) // a mere reader releases its lock at once
	return nil
}

// Running reports whether a live process is still working on the test in the directory.
func Running(dir string) bool {
	f, err := os.Open(filepath.Join(dir, LedgerFile))
	if err != nil {
		return false
	}
	defer f.Close()
	return errors.Is(unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB), unix.EWOULDBLOCK)
}

// append writes the entry and returns when it is on stable storage. Entries that arrive during a
// flush share the next one.
func (l *ledger) append(e entry) error {
	line, err := json.Marshal(e)
	if err != nil {
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.pending = append(append(l.pending, line...), '\n')
	mine := l.asked + 1
	for l.done < mine && l.err == nil {
		if l.busy {
			l.flushed.Wait()
			continue
		}
		l.busy = true
		batch := l.pending
		l.pending = nil
		l.asked++
		l.mu.Unlock()
		_, err := l.file.Write(batch)
		if err == nil {
			err = l.file.Sync()
		}
		l.mu.Lock()
		l.busy, l.done = false, l.asked
		if err != nil {
			l.err = fmt.Errorf("the ledger cannot be written: %w", err)
		}
		l.flushed.Broadcast()
	}
	return l.err
}

func (l *ledger) close() error { return l.file.Close() }

// movedFrom reports whether the ledger is no longer at path: its directory was moved, removed or replaced.
func (l *ledger) movedFrom(path string) bool {
	if l == nil {
		return false // it is not open yet
	}
	here, err := l.file.Stat()
	there, gone := os.Lstat(path)
	return err != nil || gone != nil || !os.SameFile(here, there)
}

// mostLine exceeds the longest line of a ledger, which records what a million blocks held before, 27
// bytes for each.
const mostLine = 64 << 20

// readEntries calls visit for each line, and returns how many bytes of the file are good. A crash
// leaves an incomplete last line; an unreadable line followed by readable ones is damage.
func readEntries(path string, visit func(entry) error) (good int64, err error) {
	f, err := os.OpenFile(path, os.O_RDONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK, 0)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		return 0, errors.Join(err, errors.New("it is not a plain file"))
	}
	return readLines(f, visit)
}

// readLines is readEntries for an open ledger.
func readLines(f io.Reader, visit func(entry) error) (good int64, err error) {
	lines := bufio.NewReaderSize(f, 1<<16)
	var torn error
	for number := 1; ; number++ {
		line, whole, err := readLine(lines)
		if err != nil {
			return good, fmt.Errorf("line %d: %w", number, err)
		}
		if len(line) == 0 && !whole {
			return good, nil
		}
		if err := jsonlimit.Check(line); err != nil {
			return good, fmt.Errorf("line %d: %w", number, err)
		}
		var e entry
		err = json.Unmarshal(line, &e)
		switch {
		case err != nil && torn == nil:
			torn = fmt.Errorf("line %d cannot be read: %w", number, err)
		case err == nil && torn != nil:
			return good, torn
		case err == nil && whole:
			if err := visit(e); err != nil {
				return good, fmt.Errorf("line %d: %w", number, err)
			}
			good += int64(len(line)) + 1
		}
	}
}

// readLine returns a line without its newline; whole is true if it had one.
func readLine(r *bufio.Reader) (line []byte, whole bool, err error) {
	for {
		part, err := r.ReadSlice('\n')
		if len(line)+len(part) > mostLine {
			return nil, false, fmt.Errorf("it is longer than %d MiB", mostLine>>20)
		}
		line = append(line, part...)
		switch {
		case err == nil:
			return line[:len(line)-1], true, nil
		case errors.Is(err, io.EOF):
			return line, false, nil
		case !errors.Is(err, bufio.ErrBufferFull):
			return nil, false, err
		}
	}
}

// syncDirectory syncs a directory, so that a new file's name survives a power failure.
func syncDirectory(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer d.Close()
	// Some filesystems cannot sync a directory and return one of these errors.
	if err := d.Sync(); err != nil && !errors.Is(err, unix.EINVAL) && !errors.Is(err, unix.ENOTSUP) {
		return err
	}
	return nil
}
