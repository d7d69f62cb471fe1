// Package journal runs what is left of the lab's journals: directories of small shell scripts, each of which undoes
// one thing that a test has made. Its assumption: whoever is to undo them holds the journal's lock, so one
// that nobody holds belongs to a test that was killed together with its janitor.
package journal

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
)

// Name is how the names of all journals in the temporary directory begin, and draft those of journals that nobody
// holds yet.
const Name, draft = "loadline-lab-steps-", "loadline-lab-draft-"

// Undo is shell code that runs the steps of the journal in its first argument, newest first, and removes those that
// succeeded. It fails if one did not.
const Undo = `bad=0
for step in $(ls -r "$1"); do
	if timeout -k 5 180 sh "$1/$step"; then rm -f "$1/$step"; else bad=1; fi
done
[ $bad = 0 ] && rm -rf "$1"`

// New makes a journal in the temporary directory, and holds its lock.
func New() (dir string, held *os.File, err error) {
	made, err := os.MkdirTemp("", draft)
	if err != nil {
		return "", nil, err
	}
	if held, err = Hold(made); err != nil {
		return "", nil, errors.Join(err, os.Remove(made))
	}
	// Under its final name it is never without its lock.
	dir = filepath.Join(filepath.Dir(made), Name+strings.TrimPrefix(filepath.Base(made), draft))
	if err := os.Rename(made, dir); err != nil {
		return "", nil, errors.Join(err, held.Close(), os.Remove(made))
	}
	return dir, held, nil
}

// Add writes a step into a journal, completely or not at all. Its name says when it is undone: the last one first.
func Add(dir, name, script string) (step string, err error) {
	step = filepath.Join(dir, name)
	temporary := filepath.Join(dir, "."+name) // which ls does not list
	if err := os.WriteFile(temporary, []byte(script+"\n"), 0o600); err != nil {
		return "", err
	}
	return step, os.Rename(temporary, step)
}

// Leftovers undoes what tests have left whose janitors were killed together with them, as where a container ends: it
// runs their journals, and returns how many there were. What cannot be undone stays in the journal. Journals of tests that
// still run are not touched. It looks into the temporary directory of this process. The error names every journal that
// could not be undone.
func Leftovers() (found int, err error) {
	journals, err := filepath.Glob(filepath.Join(os.TempDir(), Name+"*"))
	if err != nil {
		return 0, err
	}
	var failed []error
	for _, dir := range journals {
		held, err := Hold(dir)
		switch {
		case errors.Is(err, syscall.EWOULDBLOCK), errors.Is(err, os.ErrNotExist):
			continue // of a test that runs, or has just ended
		case errors.Is(err, errForeign), errors.Is(err, syscall.ENOTDIR), errors.Is(err, syscall.ELOOP), errors.Is(err, os.ErrPermission):
			continue // of somebody else
		case err != nil:
			failed = append(failed, err)
			continue
		}
		if here, err := os.Stat(dir); err == nil {
			if about, err := held.Stat(); err == nil && os.SameFile(here, about) {
				found++
				if out, err := exec.Command("sh", "-c", Undo, "leftovers", dir).CombinedOutput(); err != nil {
					failed = append(failed, fmt.Errorf("%s: %w: %s", dir, err, out))
				}
			}
		}
		held.Close()
	}
	return found, errors.Join(failed...)
}

// errForeign is what Hold says of a directory that no test of this user has made.
var errForeign = errors.New("not a journal of this user")

// Hold takes the lock of a journal; the error is EWOULDBLOCK if a test or its janitor has it. What is in a journal is
// executed, and everybody may create directories in the temporary directory: it must belong to this user, and be closed
// to others.
func Hold(dir string) (*os.File, error) {
	f, err := os.OpenFile(dir, os.O_RDONLY|syscall.O_DIRECTORY|syscall.O_NOFOLLOW, 0)
	if err != nil {
		return nil, err
	}
	about, err := f.Stat()
	if err == nil {
		if stat, known := about.Sys().(*syscall.Stat_t); !known || int(stat.Uid) != os.Geteuid() || about.Mode().Perm()&0o077 != 0 {
			err = errForeign
		}
	}
	if err == nil {
		err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}
