package store

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
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

// MakeParent creates a folder for the user. If something else is in the way, the error says what.
func MakeParent(dir string) error {
	for at := filepath.Clean(dir); ; at = filepath.Dir(at) {
		if _, err := os.Lstat(at); err != nil {
			if at == filepath.Dir(at) {
				break
			}
			continue
		}
		if info, err := os.Stat(at); err != nil || !info.IsDir() {
			return fmt.Errorf("%s is %s", at, noFolder(at))
		}
		break
	}
	return os.MkdirAll(dir, 0o755)
}
