//go:build unix

package volume

import (
	"io/fs"
	"syscall"
)

// allocated is the space that a file takes on its filesystem, in bytes.
func allocated(info fs.FileInfo) int64 {
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		return st.Blocks * 512
	}
	return info.Size()
}
