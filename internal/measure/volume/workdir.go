package volume

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

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
	// quitting is how long the programs of a working directory may take to end before they are killed.
	quitting = 5 * time.Second
)

// WorkDir is a directory of Loadline's own in which an application lives while it is
// measured: its data, its sockets. It belongs to who runs Loadline, also when the programs
// in it run as somebody else, so that none of them can put something in its place.
type WorkDir struct {
	path string
	lock *os.File
}

// MakeWorkDir makes one in a directory, named by the run and locked until Close. Of the
// run's name its time and a hash are used: the path of a socket has 107 bytes at most.
func MakeWorkDir(dir, runID string) (*WorkDir, error) {
	sum := sha256.Sum256([]byte(runID))
	name := fmt.Sprintf("%s%.15s-%x%s", Prefix, runID, sum[:3], workDirEnd)
	if !workDirName.MatchString(name) {
		return nil, fmt.Errorf("%q is no name of a run", runID)
	}
	path := filepath.Join(dir, name)
	// Programs of another user pass through it and cannot list it.
	if err := os.Mkdir(path, 0o711); err != nil {
		if errors.Is(err, fs.ErrExist) {
			return nil, model.RefusedError(fmt.Sprintf("%s exists already, so it is not Loadline's to make", path), "loadline cleanup "+safetext.ShellWord(dir))
		}
		return nil, writeRefusal(dir, err)
	}
	// Whatever the umask says.
	_ = os.Chmod(path, 0o711)
	f, err := os.OpenFile(filepath.Join(path, lockName), os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if err == nil {
		err = unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
	}
	if err != nil {
		if f != nil {
			_ = f.Close()
		}
		return nil, errors.Join(writeRefusal(path, err), os.RemoveAll(path))
	}
	return &WorkDir{path: path, lock: f}, nil
}

// Path is the directory.
func (w *WorkDir) Path() string { return w.path }

// Close ends what still runs in it and removes it. It may be called twice.
func (w *WorkDir) Close() error {
	if w == nil || w.lock == nil {
		return nil
	}
	err := clearOut(w.path)
	_ = w.lock.Close()
	w.lock = nil
	return err
}

// clearOut ends the programs in a working directory and removes it, the lock last: what an
// interruption leaves is still found.
func clearOut(path string) error {
	if left := Evict(path); len(left) > 0 {
		return model.BrokenError(fmt.Sprintf("%s stays: the processes %v in it do not end, not even by a kill", path, left), "loadline cleanup "+safetext.ShellWord(filepath.Dir(path))+"   (when they have ended)")
	}
	entries, err := os.ReadDir(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	var failed error
	for _, e := range entries {
		if e.Name() != lockName {
			failed = errors.Join(failed, os.RemoveAll(filepath.Join(path, e.Name())))
		}
	}
	if failed != nil {
		return model.BrokenError(fmt.Sprintf("%s could not be removed: %s", path, env.Reason(failed)), "loadline cleanup "+safetext.ShellWord(filepath.Dir(path)))
	}
	return os.RemoveAll(path)
}

// Evict ends the processes whose working directory is at or below dir, first by asking
// (SIGQUIT, by which PostgreSQL leaves no shared memory behind), then by a kill. It returns
// those that are still there.
func Evict(dir string) (left []int) {
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		dir = real
	}
	for _, s := range []syscall.Signal{syscall.SIGQUIT, syscall.SIGKILL} {
		for until := system.Now().Add(quitting); system.Now().Before(until); system.Sleep(20 * time.Millisecond) {
			all := ProcessesIn(dir)
			if len(all) == 0 {
				return nil
			}
			if left == nil || s == syscall.SIGKILL {
				for _, id := range all {
					_ = syscall.Kill(id, s)
				}
			}
			left = all
		}
	}
	return ProcessesIn(dir)
}

// ProcessesIn are the ids of the processes whose working directory is at or below dir, which
// must be free of symbolic links; none where there is no /proc.
func ProcessesIn(dir string) []int {
	var ids []int
	links, _ := filepath.Glob("/proc/[0-9]*/cwd")
	for _, link := range links {
		at, err := os.Readlink(link)
		// A removed directory shows as "… (deleted)".
		if err != nil || at != dir && !strings.HasPrefix(at, dir+"/") && !strings.HasPrefix(at, dir+" (deleted)") {
			continue
		}
		if id, err := strconv.Atoi(filepath.Base(filepath.Dir(link))); err == nil && id != os.Getpid() {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return ids
}

// Abandoned is a working directory that a killed run has left behind.
type Abandoned struct {
	Path string
	// Stays tells why it is not to be removed; empty when it may go.
	Stays string
}

// AbandonedWorkDirs lists the working directories in a directory that no running Loadline holds.
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
		lock, err := a.hold()
		switch {
		case errors.Is(err, errInUse):
			continue
		case err != nil:
			a.Stays = err.Error()
		}
		if lock != nil {
			_ = lock.Close()
		}
		left = append(left, a)
	}
	return left, nil
}

// hold takes the lock of a working directory after looking whether it is one of this user's.
func (a Abandoned) hold() (*os.File, error) {
	info, err := os.Lstat(a.Path)
	if err != nil {
		return nil, err
	}
	st, ok := info.Sys().(*syscall.Stat_t)
	switch {
	case !info.IsDir():
		return nil, errors.New("it is no directory")
	case !ok || int(st.Uid) != os.Geteuid():
		return nil, errors.New("it does not belong to you")
	case info.Mode().Perm()&0o022 != 0:
		return nil, errors.New("others may write into it, and Loadline makes none like that")
	}
	root, err := os.OpenRoot(a.Path)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	lock, err := lockAt(root, lockName)
	if errors.Is(err, fs.ErrNotExist) {
		// Its removal was interrupted just before the end, or it has just been made.
		return nil, errors.New("it has no lock, so nobody can tell whether a run uses it")
	}
	return lock, err
}

// Remove ends what runs in it and removes it, if nobody holds it meanwhile.
func (a Abandoned) Remove() error {
	lock, err := a.hold()
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("%s stays: %w", a.Path, err)
	}
	defer lock.Close()
	return clearOut(a.Path)
}
