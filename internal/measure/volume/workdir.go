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

// workDirName matches exactly the names of the working directories of applications; lockName is the
// file in each of them that its run locks.
var workDirName = regexp.MustCompile(`^\.loadline-\d{8}-\d{6}[a-z0-9-]*\.app$`)

const (
	workDirEnd = ".app"
	lockName   = "lock"
)

// WorkDir is a directory created by Loadline for an application's data and sockets while it is
// measured. It belongs to the user running Loadline, even if the programs in it run as another user,
// so that none of them can replace it. The owner of the parent directory could: so it is held open,
// and accessed through that handle rather than by name.
type WorkDir struct {
	path         string
	parent, root *os.Root
	lock         *os.File
	// ended is called after the programs in it have ended and before its files are removed; it may be
	// nil.
	ended func(*os.Root)
}

// mostAtOnce is how many runs may begin in one directory in the same second.
const mostAtOnce = 9

// MakeWorkDir creates a working directory named after the run and locked until Close. Its name
// consists of the run's time and a hash, plus a number if another run has taken that name in the same
// second: the path of a socket has 107 bytes at most.
func MakeWorkDir(dir, runID string) (*WorkDir, error) {
	begin := workDirBegin(runID)
	name := begin + workDirEnd
	if !workDirName.MatchString(name) {
		return nil, fmt.Errorf("%q is not a valid run ID", runID)
	}
	parent, err := os.OpenRoot(dir)
	if err != nil {
		return nil, writeRefusal(dir, err)
	}
	w := &WorkDir{path: filepath.Join(dir, name), parent: parent}
	// Programs of another user may traverse it but not list it.
	err = parent.Mkdir(name, 0o711)
	for i := 2; errors.Is(err, fs.ErrExist) && i <= mostAtOnce; i++ {
		name = fmt.Sprintf("%s-%d%s", begin, i, workDirEnd)
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
		// If it is not empty, it is not the one created here, and stays.
		_ = parent.Remove(name)
		w.release()
		return nil, err
	}
	return w, nil
}

// workDirBegin returns how the names of the working directories of a run begin.
func workDirBegin(runID string) string {
	sum := sha256.Sum256([]byte(runID))
	return fmt.Sprintf("%s%.15s-%x", Prefix, runID, sum[:3])
}

// RemoveWorkDirsOf removes the working directories that a killed process of the same run has left in a directory; ended
// is that of Abandoned.Remove.
func RemoveWorkDirsOf(runID, dir string, ended func(*os.Root)) error {
	all, err := AbandonedWorkDirs(dir)
	for _, a := range all {
		rest, its := strings.CutPrefix(filepath.Base(a.Path), workDirBegin(runID))
		if its && (rest == workDirEnd || strings.HasPrefix(rest, "-")) && !a.Held {
			err = errors.Join(err, a.Remove(ended))
		}
	}
	return err
}

// enter opens a newly created working directory and takes its lock.
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
	// Regardless of the umask.
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

// errReplaced means that a name refers to something else than a moment ago.
var errReplaced = errors.New("somebody else has put something in its place")

// open opens the directory that has the name, without following a symbolic link.
func (w *WorkDir) open() (fs.FileInfo, error) {
	name := filepath.Base(w.path)
	named, err := w.parent.Lstat(name)
	if err != nil {
		return nil, err
	}
	if !named.IsDir() {
		return nil, errors.New("it is not a directory")
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

// ours reports whether a file belongs to the user running Loadline.
func ours(info fs.FileInfo) bool {
	st, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(st.Uid) == os.Geteuid()
}

// Path returns the path under which the directory was created.
func (w *WorkDir) Path() string { return w.path }

// Root returns the directory itself, even if it has been renamed. Close closes it.
func (w *WorkDir) Root() *os.Root { return w.root }

// Close ends the programs that still run in it and removes it. It may be called twice.
func (w *WorkDir) Close() error {
	if w == nil || w.lock == nil {
		return nil
	}
	defer w.release()
	return w.clearOut()
}

// release closes the handles and leaves all files in place.
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

// clearOut ends the programs in a working directory and removes it. The lock goes last, so that what
// an interruption leaves can still be found.
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

// where returns the directory's current path, free of links; "" if it cannot be found out.
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
	// Stays is the reason why it must not be removed; empty if it may be.
	Stays string
	// Held is true if the reason is that a running Loadline uses it.
	Held bool
}

// AbandonedWorkDirs lists the working directories in a directory, including those that a running
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

// hold takes the lock of a working directory after checking that it belongs to this user.
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
		// Its removal was interrupted just before the end, or it has only just been created.
		return errors.New("it has no lock, so nobody can tell whether a run uses it")
	}
	return err
}

// Remove ends what runs in it and removes it, unless another process holds it. ended, if not nil,
// removes what the application left elsewhere, while the directory's files still identify that.
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
