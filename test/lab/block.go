package lab

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sys/unix"
)

// Block makes an NBD device a block device under /dev: nbdfuse exposes it as a file, and a
// loop device with 4 KiB sectors and direct I/O makes a block device of the
// file. Rates are unchanged; latency grows by about 0.1 ms.
func Block(t T, d Device) string {
	t.Helper()
	needLoop(t)
	return loop(t, File(t, d))
}

// File exposes an NBD device as a file, by nbdfuse: the only file in the directory where
// it is mounted. Flushing the file flushes the device.
func File(t T, d Device) string {
	t.Helper()
	needFUSE(t)
	dir := directory(t, "")
	mount := filepath.Join(dir, "mount")
	file := filepath.Join(mount, "vol")
	if err := os.Mkdir(mount, 0o700); err != nil {
		t.Fatalf("the lab cannot make a mount point: %v", err)
	}
	ready := func() bool {
		info, err := os.Stat(file)
		return err == nil && info.Size() == d.Size
	}
	// Unmounting ends nbdfuse cleanly. It is also the last step, after
	// the process has ended, if the start fails half-way.
	undo(t, unmountScript(mount), nil)
	// 16 connections: a single one would serialise the I/O.
	start(t, dir, ready, "nbdfuse", "-C", "16", file, d.URI)
	undo(t, unmountScript(mount), nil)
	allowDepth(mount)
	return file
}

// allowDepth raises FUSE's limit of 12 requests in flight, if fusectl is
// mounted; otherwise only queue depths above 12 are affected.
func allowDepth(mount string) {
	var st unix.Stat_t
	if unix.Stat(mount, &st) != nil {
		return
	}
	limit := fmt.Sprintf("/sys/fs/fuse/connections/%d/max_background", unix.Minor(st.Dev))
	os.WriteFile(limit, []byte("256"), 0)
}

// LoopOnMemory returns a loop device on a fully written file on tmpfs: the fastest
// block device available here, and faster than any real one.
func LoopOnMemory(t T, size int64) string {
	t.Helper()
	needLoop(t)
	Lock(t)
	image := filepath.Join(memory(t, size), "raw.img")
	fill(t, image, size)
	return loop(t, image)
}

// LoopOnFile returns a loop device on a fully written file on the machine's own disk.
func LoopOnFile(t T, size int64) string {
	t.Helper()
	needLoop(t)
	Lock(t)
	image := filepath.Join(directory(t, ""), "raw.img")
	fill(t, image, size)
	return loop(t, image)
}

// Loop attaches the test's own file to a loop device, whose name it returns, and
// detaches it at the end unless the test has done so; options go to losetup. It bypasses
// the page cache, if the file's filesystem can, unless an option is --direct-io=off: then
// the device accepts direct I/O and answers from memory.
func Loop(t T, file string, options ...string) string {
	t.Helper()
	needLoop(t)
	if !slices.Contains(options, "--direct-io=off") {
		options = append(options, "--direct-io=on")
	}
	return attach(t, file, options...)
}

// loop attaches a device's file with blocks of 4 KiB, bypassing the page cache.
func loop(t T, file string) string {
	t.Helper()
	return attach(t, file, "--sector-size", "4096", "--direct-io=on")
}

// attach attaches a file. The cleanup script finds the device by its file, because its
// name is not known in advance; if the test has removed the file, its name alone is used.
func attach(t T, file string, options ...string) string {
	t.Helper()
	undo(t, fmt.Sprintf(`attached() { losetup -n -O NAME -j %[1]s; losetup -n -O NAME,BACK-FILE | while read -r dev back; do case "$back" in %[1]s|%[1]s" (deleted)") echo "$dev";; esac; done; }
for dev in $(attached | sort -u); do losetup -d "$dev"; done
for i in $(seq 600); do [ -z "$(attached)" ] && exit 0; sleep 0.1; done
echo "a loop device is still busy" >&2; exit 1`, quote(file)), nil)
	out, err := exec.Command("losetup", append(options, "--show", "--find", file)...).CombinedOutput()
	if err != nil {
		t.Fatalf("cannot attach a loop device: %s", strings.TrimSpace(string(out)))
	}
	return strings.TrimSpace(string(out))
}

// unmountScript unmounts a directory if something is mounted there. It waits up to ten seconds
// for processes that still have it open, then unmounts it lazily.
func unmountScript(dir string) string {
	// mountpoint fails on a FUSE mount whose server was killed.
	return fmt.Sprintf(`mounted() { mountpoint -q %[1]s || grep -qF %[2]s /proc/self/mounts; }
for i in $(seq 100); do mounted || exit 0; umount %[1]s 2>/dev/null; mounted && sleep 0.1; done
umount -l %[1]s`, quote(dir), quote(" "+dir+" "))
}

// Filesystem makes a file system of the kind ("ext4" or "xfs") on the device and
// mounts it; options go to mkfs. It returns the directory.
func Filesystem(t T, dev, kind string, options ...string) string {
	t.Helper()
	needMounts(t)
	Need(t, "mkfs."+kind)
	args := append([]string{"-q"}, options...)
	if kind == "ext4" {
		// Otherwise the kernel would still be initialising the file system during the test.
		args = append(args, "-F", "-E", "lazy_itable_init=0,lazy_journal_init=0")
	}
	if out, err := exec.Command("mkfs."+kind, append(args, dev)...).CombinedOutput(); err != nil {
		t.Fatalf("mkfs.%s: %s", kind, strings.TrimSpace(string(out)))
	}
	return Mounted(t, "-t", kind, dev)
}

// Tmpfs mounts a file system in memory with room for size bytes.
func Tmpfs(t T, size int64) string {
	t.Helper()
	return Mounted(t, "-t", "tmpfs", "-o", fmt.Sprintf("size=%d", size), "tmpfs")
}

// Userspace mounts an ext4 of size bytes that a user-space process serves (fuse2fs), on an image in
// memory. It accepts O_DIRECT, but reads the image through the page cache.
func Userspace(t T, size int64) string {
	t.Helper()
	needMounts(t)
	Need(t, "fuse2fs", "mkfs.ext4")
	image := filepath.Join(Tmpfs(t, size+size/8), "image")
	if err := errors.Join(os.WriteFile(image, nil, 0o600), os.Truncate(image, size)); err != nil {
		t.Fatalf("the image: %v", err)
	}
	if out, err := exec.Command("mkfs.ext4", "-q", "-F", image).CombinedOutput(); err != nil {
		t.Fatalf("mkfs.ext4: %s", strings.TrimSpace(string(out)))
	}
	dir := directory(t, "")
	undo(t, unmountScript(dir), nil)
	if out, err := exec.Command("fuse2fs", "-o", "rw,fakeroot", image, dir).CombinedOutput(); err != nil {
		Unavailable(t, "a FUSE mount is not possible here: %s", strings.TrimSpace(string(out)))
	}
	return dir
}

// Mounted mounts a new directory with those arguments of mount, until the test
// ends.
func Mounted(t T, args ...string) string {
	t.Helper()
	needMounts(t)
	dir := directory(t, "")
	undo(t, unmountScript(dir), nil)
	if out, err := exec.Command("mount", append(args, dir)...).CombinedOutput(); err != nil {
		Unavailable(t, "mount is not possible here: %s", strings.TrimSpace(string(out)))
	}
	return dir
}
