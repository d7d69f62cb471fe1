package outfile

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/loadline/loadline/internal/model"
)

// refusedWith checks that an error is a refusal that says what is there and what to do.
func refusedWith(t *testing.T, err error, words string) {
	t.Helper()
	var refusal *model.WorkerError
	if !errors.As(err, &refusal) || !strings.Contains(refusal.Message, words) || refusal.Hint == "" || refusal.Class != model.Refused {
		t.Errorf("%v, want a refusal with %q and a hint", err, words)
	}
}

// node makes a device node that is never opened.
func node(t *testing.T, name string, kind uint32, major, minor uint32) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := unix.Mknod(path, kind|0o600, int(unix.Mkdev(major, minor))); err != nil {
		t.Skipf("device nodes need root: %v", err)
	}
	return path
}

func TestReportIsNotWrittenIntoADevice(t *testing.T) {
	dir := t.TempDir()
	link := func(to string) string {
		name := filepath.Join(dir, filepath.Base(to)+"-link")
		if err := os.Symlink(to, name); err != nil {
			t.Fatal(err)
		}
		return name
	}
	// Device numbers without a driver, so that a mistake does no harm.
	disk := node(t, "disk", unix.S_IFBLK, 240, 77)
	for _, force := range []bool{false, true} {
		refusedWith(t, Check(disk, force, "add --force"), "a block device")
		refusedWith(t, Check(node(t, "c", unix.S_IFCHR, 240, 77), force, "add --force"), "a character device")
		refusedWith(t, Check("/dev/zero", force, "add --force"), "a character device")
		refusedWith(t, Check(dir, force, "add --force"), "a folder")
	}
	refusedWith(t, Check(link(disk), true, "add --force"), "a block device")
	refusedWith(t, Check(link(filepath.Join(dir, "nothing")), true, "add --force"), "which does not exist")
	if err := Write(disk, []byte("x")); err == nil {
		t.Error("a block device was written")
	}
	pipe := filepath.Join(dir, "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"/dev/null", "/dev/full", pipe, link(pipe), link("/dev/null"), node(t, "tty", unix.S_IFCHR, 4, 63), "/dev/stdout"} {
		if err := Check(name, false, "add --force"); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestReportKeepsLinkModeAndOwner(t *testing.T) {
	dir := t.TempDir()
	file, link := filepath.Join(dir, "r.md"), filepath.Join(dir, "link.md")
	if err := errors.Join(os.WriteFile(file, []byte("### a **b**\n"), 0o600), os.Chmod(file, 0o640), os.Symlink("r.md", link)); err != nil {
		t.Fatal(err)
	}
	uid := os.Getuid()
	if uid == 0 {
		uid = 12345
		if err := os.Chown(file, uid, 54321); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{file, link} {
		if err := errors.Join(Check(name, false, "add --force"), Write(name, []byte("### "+name+" **b**\n"))); err != nil {
			t.Fatal(err)
		}
		info, err := os.Lstat(file)
		if err != nil {
			t.Fatal(err)
		}
		if st := info.Sys().(*syscall.Stat_t); info.Mode() != 0o640 || int(st.Uid) != uid {
			t.Errorf("%s: %v of %d", name, info.Mode(), st.Uid)
		}
		if data, err := os.ReadFile(file); err != nil || !strings.Contains(string(data), name) {
			t.Errorf("%s: %s %v", name, data, err)
		}
	}
	if to, err := os.Readlink(link); err != nil || to != "r.md" {
		t.Errorf("the link leads to %s: %v", to, err)
	}
	notes := filepath.Join(dir, "notes")
	foreign := filepath.Join(dir, "foreign.md")
	if err := errors.Join(os.WriteFile(notes, []byte("mine"), 0o600), os.Symlink(notes, foreign)); err != nil {
		t.Fatal(err)
	}
	refusedWith(t, Check(foreign, false, "add --force"), "is not a Loadline report")
}
