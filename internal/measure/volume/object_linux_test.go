package volume

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/loadline/loadline/internal/env"
	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/modeltest"
)

func open(t *testing.T, target model.Target, share string) *Object {
	t.Helper()
	o, err := Open(t.Context(), env.OS(), target, true, target.Name, share)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = o.Close() })
	return o
}

// A device may be named by a symbolic link, such as those that udev creates.
func TestOpenFollowsTheLinksOfDevices(t *testing.T) {
	dir := t.TempDir()
	dev := loopDevice(t, image(t, dir, 32<<20))
	link := filepath.Join(dir, "by-id")
	if err := os.Symlink(dev, link); err != nil {
		t.Fatal(err)
	}
	o := open(t, model.Target{Name: link, Kind: model.BlockDevice, Path: link}, "")
	if err := o.Check(); err != nil || o.Path() != dev {
		t.Errorf("%s: %v", o.Path(), err)
	}
}

// Workers of one run share a descriptor, and no other run gets the device before the last of them has
// released it.
func TestShare(t *testing.T) {
	dev := loopDevice(t, image(t, t.TempDir(), 32<<20))
	target := parse(t, dev)
	a, b := open(t, target, "run 1"), open(t, target, "run 1")
	if a.File() != b.File() {
		t.Error("two workers of a run hold it twice")
	}
	refused := func(share string) {
		t.Helper()
		_, err := Open(t.Context(), env.OS(), target, true, dev, share)
		modeltest.Refused(t, err, "in use by the kernel, or by a program that holds it exclusively")
	}
	refused("run 2")
	refused("")
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	refused("run 2")
	if err := b.Check(); err != nil {
		t.Error(err)
	}
	if err := b.Close(); err != nil {
		t.Fatal(err)
	}
	open(t, target, "run 2")
}

// A worker in another process of the run gets the same descriptor; a request for something else under
// that name gets nothing.
func TestBorrow(t *testing.T) {
	dev := loopDevice(t, image(t, t.TempDir(), 32<<20))
	target := parse(t, dev)
	o := open(t, target, "run 1")
	f, err := sharedDescriptor(target, true, "run 1")
	if err != nil || f == nil {
		t.Fatalf("%v, %v", f, err)
	}
	defer f.Close()
	if flags, err := unix.FcntlInt(f.Fd(), unix.F_GETFD, 0); err != nil || flags&unix.FD_CLOEXEC == 0 {
		t.Errorf("programs that are started get it too: %#x, %v", flags, err)
	}
	// It is the same open file description: it already has the lock.
	if err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB); err != nil {
		t.Errorf("it is another open file: %v", err)
	}
	if f, err := sharedDescriptor(target, true, "run 2"); f != nil || err != nil {
		t.Errorf("another run got it: %v, %v", f, err)
	}
	// The socket's name contains a path, and another process may offer a different device under it.
	other := parse(t, loopDevice(t, image(t, t.TempDir(), 32<<20)))
	stop := shareDescriptor(o.File(), other, true, "run 3")
	defer stop()
	_, err = sharedDescriptor(other, true, "run 3")
	modeltest.Refused(t, err, "is not what another worker of this run has opened")
}

func TestCheckNoticesWhatHappensToAFile(t *testing.T) {
	for name, c := range map[string]struct {
		happens func(path string) error
		want    string
	}{
		"removed":   {os.Remove, "was removed or renamed during the run"},
		"a link":    {func(p string) error { return replaceBy(p, func() error { return os.Symlink("/etc/passwd", p) }) }, "was replaced by a symbolic link"},
		"a file":    {func(p string) error { return replaceBy(p, func() error { return os.WriteFile(p, nil, 0o600) }) }, "was replaced by another file"},
		"directory": {func(p string) error { return replaceBy(p, func() error { return os.Mkdir(p, 0o700) }) }, "was replaced by another directory"},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "file")
			if err := os.WriteFile(path, make([]byte, 1<<20), 0o600); err != nil {
				t.Fatal(err)
			}
			o := open(t, parse(t, path), "")
			if err := o.Check(); err != nil {
				t.Fatal(err)
			}
			if err := c.happens(path); err != nil {
				t.Fatal(err)
			}
			if err := o.Check(); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("it says %v, want %q", err, c.want)
			}
		})
	}
}

func replaceBy(path string, make func() error) error {
	if err := os.Rename(path, path+".old"); err != nil {
		return err
	}
	return make()
}
