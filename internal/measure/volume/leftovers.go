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

// The names of what Loadline makes in a directory, exactly: the data file of a run (its
// name begins with the time that the run began at) or of a worker without a run, the
// small file of a probe, and the note beside the data file of a durability test. What is
// only called .loadline-something is somebody else's.
var (
	dataName  = regexp.MustCompile(`^\.loadline-(\d{8}-\d{6}[a-z0-9-]*|doctor-[a-z0-9]{8}|agent)\.data$`)
	probeName = regexp.MustCompile(`^\.loadline-(probe|ends)-\d+$`)
	testName  = regexp.MustCompile(`^\.loadline-\d{8}-\d{6}[a-z0-9-]*-durability(\.data|\.ledger)$`)
)

const (
	dataEnd = ".data"
	noteEnd = ".ledger"
	// noteLimit bounds a note, which is a path and a name.
	noteLimit = 64 << 10
)

// LedgerNote tells, beside the data file of a durability test, who still needs it. It is
// a file of its own, because that outlives kill -9 and a reboot on every filesystem.
type LedgerNote struct {
	// Ledger is the test's directory, Target what the user named.
	Ledger string `json:"ledger"`
	Target string `json:"target"`
}

// noteOf is the name of the note beside a data file, "" for a file that the user named:
// no cleanup takes that for a leftover.
func noteOf(path string) string {
	if !testName.MatchString(filepath.Base(path)) {
		return ""
	}
	return strings.TrimSuffix(path, dataEnd) + noteEnd
}

// NoteLedger writes the note beside the data file of a durability test, to stable
// storage but for its name, which comes to last with that of the data file.
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

// ForgetLedger removes the note beside a data file that is gone.
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
	// Stays tells why it is not to be removed; empty when it may go.
	Stays string
	// Held tells that this is because a running Loadline uses it.
	Held bool
	// Test tells that it belongs to a durability test, which may need it for its check.
	// Note is what is known of that; nil when there is no note.
	Test bool
	Note *LedgerNote

	info fs.FileInfo
}

// Data is the path of the test's data file, where this is one of its files.
func (l Leftover) Data() string {
	return strings.TrimSuffix(strings.TrimSuffix(l.Path, dataEnd), noteEnd) + dataEnd
}

// Leftovers lists the files in a directory that bear one of Loadline's names. Those that a
// running Loadline holds, that are another user's, or have a second name somewhere, stay;
// whether a durability test needs its files is not for this package to know.
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
			continue // no regular file, or gone
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

// heldAt reports whether a running loadline holds a file.
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

// foreign tells why a file is not this user's to remove, though its name is ours: "" when
// it is. Root removes root's: who may write a directory that root cleans up can put a
// file or a link to one of another's there.
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

// readNote reads the note that belongs to a file of a durability test, or is it.
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

// Remove removes it if it is still the file that was found, and nobody's meanwhile. One
// that is gone is fine.
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

// errInUse tells that another process holds the file's lock.
var errInUse = errors.New("a running loadline uses it")

// lockLeftover opens a regular file and takes its lock, which fails while the
// run that made it is alive.
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
