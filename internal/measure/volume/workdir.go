package volume

import (
	"crypto/sha256"
	"errors"
	"fmt"
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

// workDirName is what the directories are called that applications live in while they are
// measured, exactly, and lockName is the file in each by which its run holds it.
var workDirName = regexp.MustCompile(`^\.loadline-\d{8}-\d{6}[a-z0-9-]*\.app$`)

const (
	workDirEnd = ".app"
	lockName   = "lock"
)

// WorkDir is a directory of Loadline's own in which an application lives while it is
// measured: its data, its sockets. It belongs to who runs Loadline, also when the programs
// in it run as somebody else, so that none of them can put something in its place. Who owns
// the directory above it can: so it is held open, and what is done in it is done there and
// not by its name.
type WorkDir struct {
	path         string
	parent, root *os.Root
	lock         *os.File
	// ended is called when what ran in it has ended, before its files go; it may be nil.
	ended func(*os.Root)
}

// mostAtOnce is how many runs may begin in one directory in the same second.
const mostAtOnce = 9

// MakeWorkDir makes one in a directory, named by the run and locked until Close. Of the
// run's name its time and a hash are used, and a number where another run has taken that
// in the same second: the path of a socket has 107 bytes at most.
func MakeWorkDir(dir, runID string) (*WorkDir, error) {
	sum := sha256.Sum256([]byte(runID))
	name := fmt.Sprintf("%s%.15s-%x%s", Prefix, runID, sum[:3], workDirEnd)
	if !workDirName.MatchString(name) {
		return nil, fmt.Errorf("%q is no name of a run", runID)
	}
	parent, err := os.OpenRoot(dir)
	if err != nil {
		return nil, writeRefusal(dir, err)
	}
	w := &WorkDir{path: filepath.Join(dir, name), parent: parent}
	// Programs of another user pass through it and cannot list it.
	err = parent.Mkdir(name, 0o711)
	for i := 2; errors.Is(err, fs.ErrExist) && i <= mostAtOnce; i++ {
		name = fmt.Sprintf("%s%.15s-%x-%d%s", Prefix, runID, sum[:3], i, workDirEnd)
		w.path = filepath.Join(dir, name)
		err = parent.Mkdir(name, 0o711)
	}
	if err != nil {
		w.release()
		if errors.Is(err, fs.ErrExist) {
			return nil, model.RefusedError(fmt.Sprintf("%s exists already, so it is not Loadline's to make", w.path), "loadline cleanup "+safetext.ShellWord(dir))
		}
		return nil, writeRefusal(dir, err)
	}
	if err := w.enter(); err != nil {
		err = writeRefusal(w.path, err)
		// What is not empty stays: it is not what was made.
		_ = parent.Remove(name)
		w.release()
		return nil, err
	}
	return w, nil
}

// enter opens a working directory that has just been made, and takes its lock.
func (w *WorkDir) enter() error {
	info, err := w.open()
	if err != nil {
		return err
	}
	entries, err := fs.ReadDir(w.root.FS(), ".")
	if err == nil && (!ours(info) || len(entries) > 0) {
		err = errReplaced
	}
	if err != nil {
		return err
	}
	// Whatever the umask says.
	if err := w.root.Chmod(".", 0o711); err != nil {
		return err
	}
	if w.lock, err = w.root.OpenFile(lockName, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600); err != nil {
		return err
	}
	if err := unix.Flock(int(w.lock.Fd()), unix.LOCK_EX|unix.LOCK_NB); err != nil {
		_ = w.root.Remove(lockName)
		return err
	}
	return nil
}

// errReplaced is about a name that means something else than a moment before.
var errReplaced = errors.New("somebody else has put something in its place")

// open opens the directory that the name means, and not what a link leads to.
func (w *WorkDir) open() (fs.FileInfo, error) {
	name := filepath.Base(w.path)
	named, err := w.parent.Lstat(name)
	if err != nil {
		return nil, err
	}
	if !named.IsDir() {
		return nil, errors.New("it is no directory")
	}
	if w.root, err = w.parent.OpenRoot(name); err != nil {
		return nil, err
	}
	info, err := w.root.Stat(".")
	if err == nil && !os.SameFile(named, info) {
		err = errReplaced
	}
	return info, err
}

// ours reports whether a file belongs to who runs Loadline.
func ours(info fs.FileInfo) bool {
	st, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(st.Uid) == os.Geteuid()
}

// Path is the directory, by the name that it was made with.
func (w *WorkDir) Path() string { return w.path }

// Root is the directory itself, whatever becomes of its name. Close closes it.
func (w *WorkDir) Root() *os.Root { return w.root }

// Close ends what still runs in it and removes it. It may be called twice.
func (w *WorkDir) Close() error {
	if w == nil || w.lock == nil {
		return nil
	}
	defer w.release()
	return w.clearOut()
}

// release lets go of it, and leaves everything where it is.
func (w *WorkDir) release() {
	if w.lock != nil {
		_ = w.lock.Close()
	}
	for _, dir := range []*os.Root{w.root, w.parent} {
		if dir != nil {
			_ = dir.Close()
		}
	}
	w.lock, w.root, w.parent = nil, nil, nil
}

// clearOut ends the programs in a working directory and removes it, the lock last: what an
// interruption leaves is still found.
func (w *WorkDir) clearOut() error {
	again := "loadline cleanup " + safetext.ShellWord(filepath.Dir(w.path))
	if left := endOwnIn(w.where()); len(left) > 0 {
		return model.BrokenError(fmt.Sprintf("%s stays: the processes %v in it do not end, not even by a kill", w.path, left), again+"   (when they have ended)")
	}
	if w.ended != nil {
		w.ended(w.root)
	}
	entries, failed := fs.ReadDir(w.root.FS(), ".")
	for _, e := range entries {
		if e.Name() != lockName {
			failed = errors.Join(failed, w.root.RemoveAll(e.Name()))
		}
	}
	if failed != nil {
		return model.BrokenError(fmt.Sprintf("%s could not be removed: %s", w.path, env.Reason(failed)), again)
	}
	name := filepath.Base(w.path)
	is, err := w.root.Stat(".")
	now, gone := w.parent.Lstat(name)
	if err = errors.Join(err, w.root.RemoveAll(lockName)); err != nil {
		return err
	}
	if gone != nil || !os.SameFile(is, now) {
		return model.BrokenError(fmt.Sprintf("somebody else has renamed %s while it was in use: it is empty now, and what has its name stays", w.path), "")
	}
	return w.parent.Remove(name)
}

// where is the path that the directory has now, free of links; "" where nothing tells.
func (w *WorkDir) where() string {
	f, err := w.root.Open(".")
	if err != nil {
		return ""
	}
	defer f.Close()
	at, err := os.Readlink(fmt.Sprintf("/proc/self/fd/%d", f.Fd()))
	if err != nil {
		return ""
	}
	return strings.TrimSuffix(at, " (deleted)")
}

// Abandoned is a working directory that a killed run has left behind.
type Abandoned struct {
	Path string
	// Stays tells why it is not to be removed; empty when it may go.
	Stays string
	// Held tells that this is because a running Loadline uses it.
	Held bool
}

// AbandonedWorkDirs lists the working directories in a directory, with those that a running
// Loadline holds.
func AbandonedWorkDirs(dir string) ([]Abandoned, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, unsearchable(dir, err)
	}
	var left []Abandoned
	for _, e := range entries {
		if !workDirName.MatchString(e.Name()) {
			continue
		}
		a := Abandoned{Path: filepath.Join(dir, e.Name())}
		w, err := a.hold()
		switch {
		case errors.Is(err, errInUse):
			a.Stays, a.Held = err.Error(), true
		case err != nil:
			a.Stays = err.Error()
		default:
			w.release()
		}
		left = append(left, a)
	}
	return left, nil
}

// hold takes the lock of a working directory after looking whether it is one of this user's.
func (a Abandoned) hold() (*WorkDir, error) {
	parent, err := os.OpenRoot(filepath.Dir(a.Path))
	if err != nil {
		return nil, err
	}
	w := &WorkDir{path: a.Path, parent: parent}
	if err := w.hold(); err != nil {
		w.release()
		return nil, err
	}
	return w, nil
}

func (w *WorkDir) hold() error {
	info, err := w.open()
	switch {
	case err != nil:
		return err
	case !ours(info):
		return errors.New("it does not belong to you")
	case info.Mode().Perm()&0o022 != 0:
		return errors.New("others may write into it, and Loadline makes none like that")
	}
	if w.lock, err = lockAt(w.root, lockName); errors.Is(err, fs.ErrNotExist) {
		// Its removal was interrupted just before the end, or it has just been made.
		return errors.New("it has no lock, so nobody can tell whether a run uses it")
	}
	return err
}

// Remove ends what runs in it and removes it, if nobody holds it meanwhile. Where it is given,
// ended removes what the application has left elsewhere, while its files still tell what that is.
func (a Abandoned) Remove(ended func(*os.Root)) error {
	w, err := a.hold()
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("%s stays: %w", a.Path, err)
	}
	w.ended = ended
	return w.Close()
}
