package volume

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/loadline/loadline/internal/env"
	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/safetext"
)

// The exact names of what Loadline creates in a directory: the data file of a run (its name begins
// with the time at which the run began) or of a worker without a run, the small file of a probe, and
// the note beside the data file of a durability test. Any other .loadline-something is not ours.
var (
	dataName  = regexp.MustCompile(`^\.loadline-(\d{8}-\d{6}[a-z0-9-]*|doctor-[a-z0-9]{8}|agent)\.data$`)
	probeName = regexp.MustCompile(`^\.loadline-(probe|ends)-\d+$`)
	testName  = regexp.MustCompile(`^\.loadline-\d{8}-\d{6}[a-z0-9-]*-durability(\.data|\.ledger)$`)
)

const (
	dataEnd = ".data"
	noteEnd = ".ledger"
	// noteLimit bounds the size of a note, which holds a path and a name.
	noteLimit = 64 << 10
)

// LedgerNote says which durability test still needs the data file beside it. It is a separate file
// because that survives kill -9 and a reboot on every filesystem.
type LedgerNote struct {
	// Ledger is the test's directory, Target what names its target in a command.
	Ledger string `json:"ledger"`
	Target string `json:"target"`
}

// noteOf returns the name of the note beside a data file. It returns "" for a file that the user
// named: no cleanup takes that for a leftover.
func noteOf(path string) string {
	if !testName.MatchString(filepath.Base(path)) {
		return ""
	}
	return strings.TrimSuffix(path, dataEnd) + noteEnd
}

// NoteLedger writes the note beside the data file of a durability test. Its content is synced to
// stable storage here, its directory entry later together with that of the data file.
func NoteLedger(path string, note LedgerNote) error {
	name := noteOf(path)
	if name == "" {
		return nil
	}
	words, err := json.Marshal(note)
	if err != nil {
		return err
	}
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL|unix.O_NOFOLLOW, 0o600)
	if err != nil {
		return writeRefusal(name, err)
	}
	_, err = f.Write(append(words, '\n'))
	return errors.Join(err, f.Sync(), f.Close())
}

// ForgetLedger removes the note beside a data file that has been removed.
func ForgetLedger(path string) error {
	name := noteOf(path)
	if name == "" {
		return nil
	}
	if err := os.Remove(name); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// Leftover is a file that a run has left behind in a directory.
type Leftover struct {
	Path string
	// Stays is the reason why it must not be removed; empty if it may be.
	Stays string
	// Held is true if the reason is that a running Loadline uses it.
	Held bool
	// Test is true if it belongs to a durability test, which may need it for its check. Note is the
	// note about that test; nil if there is none.
	Test bool
	Note *LedgerNote

	info fs.FileInfo
}

// Data returns the path of the test's data file, if this is one of the test's files.
func (l Leftover) Data() string {
	return strings.TrimSuffix(strings.TrimSuffix(l.Path, dataEnd), noteEnd) + dataEnd
}

// Leftovers lists the files in a directory that have one of Loadline's names. Files that a running
// Loadline holds, that belong to another user, or that have a second hard link are marked as staying.
// Whether a durability test still needs its files is left to the caller.
func Leftovers(dir string) ([]Leftover, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, unsearchable(dir, err)
	}
	defer root.Close()
	entries, err := fs.ReadDir(root.FS(), ".")
	if err != nil {
		return nil, unsearchable(dir, err)
	}
	var left []Leftover
	for _, e := range entries {
		name := e.Name()
		isTest := testName.MatchString(name)
		if !isTest && !dataName.MatchString(name) && !probeName.MatchString(name) {
			continue
		}
		l := Leftover{Path: filepath.Join(dir, name), Test: isTest}
		f, err := lockAt(root, name)
		if l.Held = errors.Is(err, errInUse) || err == nil && l.Path != l.Data() && isTest && heldAt(root, filepath.Base(l.Data())); l.Held {
			_ = f.Close()
			l.Stays = errInUse.Error()
			left = append(left, l)
			continue
		}
		if err != nil {
			continue // not a regular file, or gone
		}
		if l.info, err = f.Stat(); err == nil {
			l.Stays = foreign(l.info)
			if isTest {
				l.Note = readNote(root, name)
			}
			left = append(left, l)
		}
		_ = f.Close()
	}
	return left, nil
}

// heldAt reports whether a running Loadline holds a file.
func heldAt(root *os.Root, name string) bool {
	f, err := lockAt(root, name)
	if err == nil {
		_ = f.Close()
	}
	return errors.Is(err, errInUse)
}

func unsearchable(dir string, err error) error {
	return model.RefusedError(fmt.Sprintf("%s cannot be searched for files of Loadline: %s", dir, env.Reason(err)), "name a directory that exists: ls -ld "+safetext.ShellWord(dir))
}

// foreign returns why this user must not remove a file despite its name, "" if it may be removed.
// Even root only removes root's files: anyone who may write a directory that root cleans up could put
// a file, or a link to another user's file, there.
func foreign(info fs.FileInfo) string {
	st, ok := info.Sys().(*syscall.Stat_t)
	switch {
	case !ok:
		return "its owner cannot be seen"
	case int(st.Uid) != os.Geteuid():
		return fmt.Sprintf("it belongs to the user %d, and not to you (%d)", st.Uid, os.Geteuid())
	case st.Nlink != 1:
		return "it has a second name (a hard link) somewhere"
	}
	return ""
}

// readNote reads the note that belongs to a durability test's file, or that is this file.
func readNote(root *os.Root, name string) *LedgerNote {
	f, err := root.OpenFile(strings.TrimSuffix(strings.TrimSuffix(name, dataEnd), noteEnd)+noteEnd, os.O_RDONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK, 0)
	if err != nil {
		return nil
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() || foreign(info) != "" {
		return nil
	}
	words, err := io.ReadAll(io.LimitReader(f, noteLimit))
	note := &LedgerNote{}
	if err != nil || json.Unmarshal(words, note) != nil || !filepath.IsAbs(note.Ledger) {
		return nil
	}
	return note
}

// Remove removes the file if it is still the one that was found and nobody else holds it. A file that
// is already gone is not an error.
func (l Leftover) Remove() error {
	if l.Stays != "" {
		return fmt.Errorf("%s stays: %s", l.Path, l.Stays)
	}
	root, err := os.OpenRoot(filepath.Dir(l.Path))
	if err != nil {
		return err
	}
	defer root.Close()
	name := filepath.Base(l.Path)
	f, err := lockAt(root, name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("%s stays: %w", l.Path, err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	if why := foreign(info); why != "" {
		return fmt.Errorf("%s stays: %s", l.Path, why)
	}
	now, err := root.Lstat(name)
	if err != nil || !os.SameFile(info, now) || !os.SameFile(info, l.info) {
		return fmt.Errorf("%s is no longer the file that was found, so it stays", l.Path)
	}
	return root.Remove(name)
}

// errInUse means that another process holds the file's lock.
var errInUse = errors.New("a running loadline uses it")

// lockLeftover opens a regular file and takes its lock, which fails while the run that created it is
// alive.
func lockLeftover(path string) (*os.File, error) {
	return lockRegular(os.OpenFile(path, os.O_RDONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK, 0))
}

// lockAt is lockLeftover for a name in an open directory.
func lockAt(root *os.Root, name string) (*os.File, error) {
	if info, err := root.Lstat(name); err != nil || !info.Mode().IsRegular() {
		return nil, errors.Join(err, errors.New("it is not a regular file"))
	}
	return lockRegular(root.OpenFile(name, os.O_RDONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK, 0))
}

func lockRegular(f *os.File, err error) (*os.File, error) {
	if err != nil {
		return nil, err
	}
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		_ = f.Close()
		return nil, errors.New("it is not a regular file")
	}
	if err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB); err != nil {
		_ = f.Close()
		if errors.Is(err, unix.EWOULDBLOCK) {
			return nil, errInUse
		}
		return nil, err
	}
	return f, nil
}
