package fio

import (
	"errors"
	"os"
	"unsafe"

	"golang.org/x/sys/unix"
)

// direct is the open(2) flag that bypasses the page cache.
const direct = unix.O_DIRECT

// reserve allocates the blocks of a file. It returns no error if the filesystem does not support this.
func reserve(f *os.File, size int64) error {
	for {
		err := unix.Fallocate(int(f.Fd()), 0, 0, size)
		switch {
		case errors.Is(err, unix.EINTR):
			continue
		case errors.Is(err, unix.EOPNOTSUPP), errors.Is(err, unix.ENOSYS), errors.Is(err, unix.EINVAL):
			return nil
		}
		return err
	}
}

// zeroRange turns the blocks of a file into reserved, unwritten ones in place; it returns an error
// if the filesystem does not support this (ext4, XFS and Btrfs do: fallocate(2),
// FALLOC_FL_ZERO_RANGE).
func zeroRange(f *os.File, size int64) error {
	for {
		err := unix.Fallocate(int(f.Fd()), unix.FALLOC_FL_ZERO_RANGE, 0, size)
		if !errors.Is(err, unix.EINTR) {
			return err
		}
	}
}

// mapped reports whether the kernel shows the extents of a regular file (FIEMAP,
// the kernel's Documentation/filesystems/fiemap.rst).
func mapped(path string) bool {
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		return false
	}
	// struct fiemap without room for extents: the kernel then only counts them.
	request := struct {
		start, length                  uint64
		flags, mapped, count, reserved uint32
	}{length: ^uint64(0)}
	const fiemap = 0xC020660B // FS_IOC_FIEMAP
	_, _, errno := unix.Syscall(unix.SYS_IOCTL, f.Fd(), fiemap, uintptr(unsafe.Pointer(&request)))
	return errno == 0
}
