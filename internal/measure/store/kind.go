package store

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"
)

// Kind describes what exists under a name, for use in a sentence: "a block device", or "a link to x,
// which does not exist".
func Kind(name string) string {
	link, err := os.Lstat(name)
	if err != nil {
		return "nothing that can be looked at"
	}
	info, err := os.Stat(name)
	if err != nil {
		to, _ := os.Readlink(name)
		if !filepath.IsAbs(to) {
			to = filepath.Join(filepath.Dir(name), to)
		}
		return fmt.Sprintf("a link to %s, which does not exist", to)
	}
	kind := map[fs.FileMode]string{
		0: "a file", fs.ModeDir: "a folder", fs.ModeNamedPipe: "a named pipe", fs.ModeSocket: "a socket",
		fs.ModeDevice: "a block device", fs.ModeDevice | fs.ModeCharDevice: "a character device",
	}[info.Mode().Type()]
	if kind == "" {
		kind = "something else than a file"
	}
	if link.Mode()&fs.ModeSymlink != 0 {
		return "a link to " + kind
	}
	return kind
}

// noFolder is Kind for a name that should be a folder's: "a file, not a folder".
func noFolder(name string) string {
	kind := Kind(name)
	if _, err := os.Stat(name); err != nil {
		return kind
	}
	return kind + ", not a folder"
}

// Reserve creates the folder for results before anything is measured, so that one that cannot be created is refused then. A measurement
// that leaves nothing there calls release, which removes the folders that were created, those that are still empty. If ".." follows another folder in
// its name, which means something else behind a link, it is left to be created when something is saved.
func Reserve(dir string) (release func(), err error) {
	release = func() {}
	rest := filepath.ToSlash(dir)
	for strings.HasPrefix(rest, "../") {
		rest = rest[len("../"):]
	}
	if strings.Contains("/"+rest+"/", "/../") && rest != ".." {
		return release, nil
	}
	created, err := makeFolders(dir)
	release = func() {
		for _, name := range created {
			// What has this name by now may be a file, or a link to another folder.
			if unix.Rmdir(name) != nil {
				return
			}
		}
	}
	if err == nil {
		if err = unix.Access(dir, unix.W_OK|unix.X_OK); err != nil {
			err = fmt.Errorf("%s cannot be written to: %w", dir, err)
		}
	}
	if err != nil {
		release()
		return nil, err
	}
	return release, nil
}

// makeFolders creates a folder for the user and those above it, and returns the ones that were missing, the innermost first. If something else is in
// the way, the error says what.
func makeFolders(dir string) (missing []string, err error) {
	for at := filepath.Clean(dir); ; at = filepath.Dir(at) {
		if _, err := os.Lstat(at); err != nil {
			if at == filepath.Dir(at) {
				break
			}
			if errors.Is(err, fs.ErrNotExist) {
				missing = append(missing, at)
			}
			continue
		}
		if info, err := os.Stat(at); err != nil || !info.IsDir() {
			return nil, fmt.Errorf("%s is %s", at, noFolder(at))
		}
		break
	}
	var failed *fs.PathError
	if err = os.MkdirAll(dir, 0o755); errors.As(err, &failed) {
		// The system's word for it, "mkdir", says less than the name of the folder.
		err = fmt.Errorf("%s: %w", failed.Path, failed.Err)
	}
	return missing, err
}
