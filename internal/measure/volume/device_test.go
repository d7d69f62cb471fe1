//go:build linux

package volume

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/loadline/loadline/internal/env"
	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/test/lab"
)

// run runs a program and fails the test when that fails.
func run(t testing.TB, name string, args ...string) string {
	t.Helper()
	lab.Need(t, name)
	out, err := exec.Command(name, args...).CombinedOutput()
	if err != nil {
		t.Fatalf("%s %s: %v: %s", name, strings.Join(args, " "), err, out)
	}
	return strings.TrimSpace(string(out))
}

// image creates a sparse file.
func image(t testing.TB, dir string, size int64) string {
	t.Helper()
	f, err := os.CreateTemp(dir, "image")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := f.Truncate(size); err != nil {
		t.Fatal(err)
	}
	return f.Name()
}

// loopDevice attaches a file to a loop device for the duration of the test, with direct I/O unless an
// option says otherwise.
func loopDevice(t testing.TB, file string, options ...string) string {
	t.Helper()
	if os.Geteuid() != 0 {
		lab.Unavailable(t, "loop devices need root")
	}
	lab.Need(t, "losetup")
	if !slices.Contains(options, "--direct-io=off") {
		options = append(options, "--direct-io=on")
	}
	out, err := exec.Command("losetup", append(options, "--show", "-f", file)...).CombinedOutput()
	if err != nil {
		lab.Unavailable(t, "no loop device can be had: %s", strings.TrimSpace(string(out)))
	}
	dev := strings.TrimSpace(string(out))
	t.Cleanup(func() {
		if out, err := exec.Command("losetup", "-d", dev).CombinedOutput(); err != nil {
			t.Errorf("losetup -d %s: %s", dev, out)
		}
	})
	return dev
}

// addPartition tells the kernel about a first partition (start and length in sectors), without the
// kernel reading a partition table.
func addPartition(t testing.TB, dev string, number, start, sectors int) string {
	t.Helper()
	lab.Need(t, "addpart")
	if out, err := exec.Command("addpart", dev, fmt.Sprint(number), fmt.Sprint(start), fmt.Sprint(sectors)).CombinedOutput(); err != nil {
		lab.Unavailable(t, "addpart: %s", strings.TrimSpace(string(out)))
	}
	t.Cleanup(func() { run(t, "delpart", dev, fmt.Sprint(number)) })
	return fmt.Sprintf("%sp%d", dev, number)
}

// mountAt mounts a filesystem for the duration of the test.
func mountAt(t testing.TB, args ...string) string {
	t.Helper()
	if os.Geteuid() != 0 {
		lab.Unavailable(t, "mounting needs root")
	}
	dir := t.TempDir()
	if out, err := exec.Command("mount", append(args, dir)...).CombinedOutput(); err != nil {
		lab.Unavailable(t, "mount: %s", strings.TrimSpace(string(out)))
	}
	t.Cleanup(func() {
		if out, err := exec.Command("umount", dir).CombinedOutput(); err != nil {
			t.Errorf("umount %s: %s", dir, out)
		}
	})
	return dir
}

// parse returns the target for a name. Users get theirs from package target, which this package must
// not import.
func parse(t testing.TB, name string) model.Target {
	t.Helper()
	if scheme, rest, ok := strings.Cut(name, ":"); ok {
		if scheme == "rbd" {
			image, user, _ := strings.Cut(rest, ":id=")
			return model.Target{Name: name, Kind: model.RBD, URI: image, User: user}
		}
		return model.Target{Name: name, Kind: model.NBD, URI: name}
	}
	tg := model.Target{Name: name, Kind: model.File, Path: name}
	info, err := os.Stat(name)
	if err != nil {
		return tg // a file that is to be created
	}
	if tg.Path, err = filepath.EvalSymlinks(name); err != nil {
		t.Fatal(err)
	}
	switch {
	case info.IsDir():
		tg.Kind = model.Directory
	case info.Mode()&os.ModeDevice != 0:
		tg.Kind = model.BlockDevice
	}
	return tg
}

// probe probes a target and fails the test if that is refused.
func probe(t testing.TB, name string) model.Storage {
	t.Helper()
	s, err := Probe(t.Context(), env.OS(), parse(t, name))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// sysBase returns the kernel's name of a device node.
func sysBase(dev string) string { return filepath.Base(dev) }
