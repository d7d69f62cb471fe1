//go:build unix

package volume

import (
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"github.com/loadline/loadline/internal/env"
)

// allocated returns the space that a file takes on its filesystem, in bytes.
func allocated(info fs.FileInfo) int64 {
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		return st.Blocks * 512
	}
	return info.Size()
}

// links returns the number of hard links to a file.
func links(info fs.FileInfo) uint64 {
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		return uint64(st.Nlink)
	}
	return 1
}

// SameFilesystem reports whether two paths are on one filesystem; for a second one that does not exist yet its
// directory is used. What has no path, such as an NBD export, is on none.
func SameFilesystem(a, b string) bool {
	var sa, sb syscall.Stat_t
	if b != "" && !env.Exists(b) {
		b = filepath.Dir(b)
	}
	return syscall.Stat(a, &sa) == nil && syscall.Stat(b, &sb) == nil && sa.Dev == sb.Dev
}

// ownedByUs reports whether a file in a directory belongs to the user running this, as the filesystem
// sees that user: a server may map root to another user.
func ownedByUs(info fs.FileInfo, dir string) bool {
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok || int(st.Uid) == os.Geteuid() {
		return ok
	}
	f, done, err := scratch(dir, "probe")
	if err != nil {
		return false
	}
	defer done()
	ours, err := f.Stat()
	if err != nil {
		return false
	}
	own, ok := ours.Sys().(*syscall.Stat_t)
	return ok && own.Uid == st.Uid
}
