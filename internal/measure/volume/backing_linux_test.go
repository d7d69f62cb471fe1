package volume

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/loadline/loadline/internal/measure/procfs"
	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/test/lab"
)

// A loop device's file is only known by its name in sysfs, which may lead nowhere from here, or to
// another file. These are the ways to have a loop device on RAM that its name does not show.

// lazily makes a tmpfs with a file, attaches that, and removes the mount while the loop device uses it.
func lazily(t *testing.T) (dev string) {
	t.Helper()
	if os.Geteuid() != 0 {
		lab.Unavailable(t, "mounting needs root")
	}
	dir := t.TempDir()
	run(t, "mount", "-t", "tmpfs", "-o", "size=16m", "tmpfs", dir)
	defer run(t, "umount", "-l", dir)
	return loopDevice(t, image(t, dir, 4<<20))
}

// untraced expects that what is below could not be found, which is no proof of memory and none of a disk.
func untraced(t *testing.T, s model.Storage) {
	t.Helper()
	if s.Memory || !s.Untraced || !strings.Contains(s.Unseen, "is on a filesystem") {
		t.Errorf("%+v", s)
	}
}

func inMemoryNow(t *testing.T, s model.Storage) {
	t.Helper()
	if !s.Memory || s.Unseen != "" || s.Untraced {
		t.Errorf("%+v", s)
	}
}

func onDisk(t *testing.T, s model.Storage, below model.Storage) {
	t.Helper()
	if s.Memory || s.Unseen != "" || s.Untraced || !strings.Contains(strings.Join(s.DeviceChain, " ")+" ", below.Device+" ") {
		t.Errorf("%+v", s)
	}
}

// elsewhere runs a shell script in a mount namespace of its own, in a directory that nobody else
// sees anything mounted on, and keeps that namespace until stop is called. The script prints one line.
func elsewhere(t *testing.T, script string) (line string, stop func()) {
	t.Helper()
	if os.Geteuid() != 0 {
		lab.Unavailable(t, "mount namespaces need root")
	}
	lab.Need(t, "unshare")
	cmd := exec.Command("unshare", "-m", "--propagation", "private", "sh", "-ec", script+"\nread -r end || true")
	cmd.Dir = t.TempDir()
	hold, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	var errs bytes.Buffer
	cmd.Stderr = &errs
	if err := cmd.Start(); err != nil {
		lab.Unavailable(t, "unshare: %v", err)
	}
	ended := false
	stop = func() {
		if !ended {
			ended = true
			_ = hold.Close()
			_ = cmd.Wait()
		}
	}
	if _, err := fmt.Fscanln(out, &line); err != nil {
		stop()
		lab.Unavailable(t, "no loop device in another mount namespace: %s", errs.String())
	}
	t.Cleanup(stop)
	return line, stop
}

// detach detaches a loop device that the test did not attach itself.
func detach(t *testing.T, dev string) {
	t.Cleanup(func() { run(t, "losetup", "-d", dev) })
}

func TestProbeOfALoopDeviceFromAnotherMountNamespace(t *testing.T) {
	t.Run("on tmpfs", func(t *testing.T) {
		dev, stop := elsewhere(t, `mkdir t; mount -t tmpfs -o size=16m tmpfs t; truncate -s 4M t/y; losetup --direct-io=on --show -f t/y`)
		detach(t, dev)
		inMemoryNow(t, probe(t, dev))
		// With its last process the namespace ends, and nobody sees the filesystem any more.
		stop()
		untraced(t, probe(t, dev))
	})
	// The honest ones: on a disk, each time behind a mount that only the other namespace has.
	for name, mkfs := range map[string]string{"ext4": "mkfs.ext4 -q -F", "xfs": "mkfs.xfs -q -f", "btrfs": "mkfs.btrfs -q -f"} {
		t.Run(name, func(t *testing.T) {
			lab.Need(t, strings.Fields(mkfs)[0])
			disk := loopDevice(t, image(t, t.TempDir(), 320<<20))
			run(t, "sh", "-c", mkfs+" "+disk)
			dev, _ := elsewhere(t, fmt.Sprintf(`mkdir t; mount %s t; truncate -s 4M t/y; losetup --direct-io=on --show -f t/y`, disk))
			detach(t, dev)
			onDisk(t, probe(t, dev), model.Storage{Device: sysBase(disk)})
			if t.Failed() || name != "btrfs" {
				return
			}
			// A file whose name is gone: the number of the subvolume is that of no mount, but its mount has it.
			dev, _ = elsewhere(t, fmt.Sprintf(`mkdir t; mount %s t; truncate -s 4M t/z; losetup --direct-io=on --show -f t/z; rm t/z`, disk))
			detach(t, dev)
			onDisk(t, probe(t, dev), model.Storage{Device: sysBase(disk)})
		})
	}
}

func TestProbeOfALoopDeviceWhoseMountIsGone(t *testing.T) {
	s := probe(t, lazily(t))
	untraced(t, s)
	t.Log(s.Unseen)
}

// In a detached tmpfs, the file's name is "/y", and so may be that of another file.
func TestProbeOfALoopDeviceUnderAnotherFileOfItsName(t *testing.T) {
	other := t.TempDir()
	dir := mountAt(t, "-t", "tmpfs", "-o", "size=16m", "tmpfs")
	file := image(t, dir, 4<<20)
	dev := loopDevice(t, file)
	if err := os.WriteFile(filepath.Join(other, filepath.Base(file)), make([]byte, 4<<20), 0o600); err != nil {
		t.Fatal(err)
	}
	run(t, "mount", "--bind", other, dir)
	t.Cleanup(func() { run(t, "umount", dir) })
	inMemoryNow(t, probe(t, dev))

	// And the other way around: a file on a disk behind one in memory.
	disk := t.TempDir()
	file = image(t, disk, 4<<20)
	dev = loopDevice(t, file)
	run(t, "mount", "-t", "tmpfs", "-o", "size=16m", "tmpfs", disk)
	t.Cleanup(func() { run(t, "umount", disk) })
	if err := os.WriteFile(file, make([]byte, 4<<20), 0o600); err != nil {
		t.Fatal(err)
	}
	onDisk(t, probe(t, dev), probe(t, other))
}

// An overlay's file is where the layer is that has it.
func TestProbeOfALoopDeviceOnAnOverlay(t *testing.T) {
	disk := t.TempDir()
	for _, name := range []string{"lower", "upper", "work"} {
		if err := os.Mkdir(filepath.Join(disk, name), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	tmpfs := mountAt(t, "-t", "tmpfs", "-o", "size=64m", "tmpfs")
	written(t, filepath.Join(tmpfs, "ram"), 1<<20, 4<<20)
	written(t, filepath.Join(disk, "lower", "disk"), 1<<20, 4<<20)
	dir := mountAt(t, "-t", "overlay", "-o", fmt.Sprintf("lowerdir=%[2]s:%[1]s/lower,upperdir=%[1]s/upper,workdir=%[1]s/work", disk, tmpfs), "overlay")
	written(t, filepath.Join(dir, "new"), 1<<20, 4<<20)
	attach := func(name string) string { return loopDevice(t, filepath.Join(dir, name), "--read-only") }
	inMemoryNow(t, probe(t, attach("ram")))
	onDisk(t, probe(t, attach("disk")), probe(t, disk))
	onDisk(t, probe(t, attach("new")), probe(t, disk))
	// Without its name, nothing shows which layer has it, nor even that there is an overlay.
	gone := attach("new")
	if err := os.Remove(filepath.Join(dir, "new")); err != nil {
		t.Fatal(err)
	}
	untraced(t, probe(t, gone))
}

// A memfd is on a mount that only the kernel has.
func TestProbeOfALoopDeviceOnAMemfd(t *testing.T) {
	fd, err := unix.MemfdCreate("loadline-test", unix.MFD_CLOEXEC)
	if err != nil {
		lab.Unavailable(t, "memfd_create: %v", err)
	}
	defer unix.Close(fd)
	if err := unix.Ftruncate(fd, 4<<20); err != nil {
		t.Fatal(err)
	}
	for _, direct := range []string{"--direct-io=off", "--direct-io=on"} {
		inMemoryNow(t, probe(t, loopDevice(t, fmt.Sprintf("/proc/%d/fd/%d", os.Getpid(), fd), direct)))
	}
}

// What is written to an overlay goes to its upper directory; what nobody wrote is where it was.
func TestProbeOfAnOverlayInMemory(t *testing.T) {
	layer := func(t *testing.T, memory bool) string {
		t.Helper()
		dir := t.TempDir()
		if memory {
			dir = mountAt(t, "-t", "tmpfs", "-o", "size=64m", "tmpfs")
		}
		for _, name := range []string{"layer", "work"} {
			if err := os.Mkdir(filepath.Join(dir, name), 0o700); err != nil {
				t.Fatal(err)
			}
		}
		return dir
	}
	for _, c := range []struct {
		lower, upper, dir, file bool // in memory
	}{{false, false, false, false}, {true, true, true, true}, {false, true, true, false}, {true, false, false, false}} {
		t.Run(fmt.Sprintf("lower %v upper %v", c.lower, c.upper), func(t *testing.T) {
			lower, upper := layer(t, c.lower), layer(t, c.upper)
			written(t, filepath.Join(lower, "layer", "file"), 1<<20, 4<<20)
			dir := mountAt(t, "-t", "overlay", "-o", fmt.Sprintf("lowerdir=%s/layer,upperdir=%[2]s/layer,workdir=%[2]s/work", lower, upper), "overlay")
			if s := probe(t, dir); s.Memory != c.dir {
				t.Errorf("the directory: %+v", s)
			}
			if s := probe(t, filepath.Join(dir, "file")); s.Memory != c.file {
				t.Errorf("a file of the lower layer: %+v", s)
			}
		})
	}
	t.Run("without an upper directory", func(t *testing.T) {
		memory, disk := layer(t, true), layer(t, false)
		written(t, filepath.Join(memory, "layer", "ram"), 1<<20, 4<<20)
		written(t, filepath.Join(disk, "layer", "disk"), 1<<20, 4<<20)
		dir := mountAt(t, "-t", "overlay", "-o", fmt.Sprintf("lowerdir=%s/layer:%s/layer", memory, disk), "overlay")
		for name, want := range map[string]bool{"ram": true, "disk": false} {
			if s := probe(t, filepath.Join(dir, name)); s.Memory != want {
				t.Errorf("%s: %+v", name, s)
			}
		}
	})
}

// A relative name of a layer begins where the mounting process was, which is found if the numbers agree.
func TestProbeOfAnOverlayWithRelativeNames(t *testing.T) {
	for name, c := range map[string]struct {
		memory bool   // the upper directory is on a tmpfs
		from   string // the directory in which mount runs
		prefix string // of the upper directory from there
		hidden bool   // nothing leads there
	}{
		"above both":                {true, ".", "t/", false},
		"on a disk":                 {false, ".", "t/", false},
		"in the filesystem":         {true, "t", "", false},
		"beside it":                 {true, "l", "../t/", false},
		"somewhere on a filesystem": {true, "t/deep/er", "", true},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			make := func(name string) {
				if err := os.MkdirAll(filepath.Join(dir, name), 0o700); err != nil {
					t.Fatal(err)
				}
			}
			make("l")
			make("m")
			make("t")
			if c.memory {
				run(t, "mount", "-t", "tmpfs", "-o", "size=64m", "tmpfs", filepath.Join(dir, "t"))
				t.Cleanup(func() { run(t, "umount", filepath.Join(dir, "t")) })
			}
			make(c.from)
			make(filepath.Join(c.from, c.prefix, "u"))
			make(filepath.Join(c.from, c.prefix, "w"))
			run(t, "sh", "-c", fmt.Sprintf("cd %s/%s && exec mount -t overlay -o lowerdir=%[1]s/l,upperdir=%[3]su,workdir=%[3]sw overlay %[1]s/m", dir, c.from, c.prefix))
			t.Cleanup(func() { run(t, "umount", filepath.Join(dir, "m")) })
			s := probe(t, filepath.Join(dir, "m"))
			if s.Memory != (c.memory && !c.hidden) || s.Untraced != c.hidden || c.hidden != strings.Contains(s.Unseen, "a relative name, upperdir=u") {
				t.Errorf("%+v", s)
			}
			if s.Memory && strings.Join(s.DeviceChain, " ") != "overlay tmpfs" {
				t.Errorf("the chain is %q", s.DeviceChain)
			}
			written(t, filepath.Join(dir, "m", "file"), 1<<20, 4<<20)
			if s := probe(t, filepath.Join(dir, "m", "file")); s.Memory != (c.memory && !c.hidden) || s.Untraced != c.hidden {
				t.Errorf("a file: %+v", s)
			}
			s = probe(t, loopDevice(t, filepath.Join(dir, "m", "file")))
			if s.Memory != (c.memory && !c.hidden) || s.Untraced != c.hidden {
				t.Errorf("a loop device: %+v", s)
			}
		})
	}
}

// With all layers on one filesystem, a file whose name is gone still has the number of its overlay.
func TestProbeOfALoopDeviceInAnUnknownLayer(t *testing.T) {
	for name, kind := range map[string]string{"a disk": "", "memory": "tmpfs"} {
		t.Run(name, func(t *testing.T) {
			below := t.TempDir()
			if kind != "" {
				below = mountAt(t, "-t", kind, "-o", "size=64m", kind)
			}
			for _, name := range []string{"lower", "upper", "work"} {
				if err := os.Mkdir(filepath.Join(below, name), 0o700); err != nil {
					t.Fatal(err)
				}
			}
			dir := mountAt(t, "-t", "overlay", "-o", fmt.Sprintf("lowerdir=%[1]s/lower,upperdir=%[1]s/upper,workdir=%[1]s/work", below), "overlay")
			file := image(t, dir, 4<<20)
			dev := loopDevice(t, file)
			if err := os.Remove(file); err != nil {
				t.Fatal(err)
			}
			if s := probe(t, dev); s.Memory || s.Untraced != (kind != "") || !strings.Contains(s.Unseen, "on an overlay") {
				t.Errorf("%+v", s)
			}
		})
	}
}

// Only who may open a loop device can ask it for its file. Its name is no proof of a disk then, but of
// memory it is all that there is.
func TestProbeOfALoopDeviceAsAnOrdinaryUser(t *testing.T) {
	lab.Need(t, "mkfs.ext4")
	for name, memory := range map[string]bool{"a disk": false, "memory": true} {
		t.Run(name, func(t *testing.T) {
			below := t.TempDir()
			if memory {
				below = mountAt(t, "-t", "tmpfs", "-o", "size=64m", "tmpfs")
			}
			reachable(t, below)
			if err := os.Chmod(below, 0o755); err != nil {
				t.Fatal(err)
			}
			dev := loopDevice(t, image(t, below, 16<<20))
			run(t, "mkfs.ext4", "-q", "-F", dev)
			dir := mountAt(t, dev)
			reachable(t, dir)
			if err := os.Chmod(dir, 0o777); err != nil {
				t.Fatal(err)
			}
			s := probeAs(t, 65534, dir)
			if s.Memory != memory || s.Untraced || strings.HasPrefix(s.Unseen, "this user cannot ask") == memory {
				t.Errorf("%+v", s)
			}
		})
	}
}

// The names of layers may lead to the overlay itself.
func TestProbeOfAnOverlayOnItsOwnLayer(t *testing.T) {
	lower, disk := mountAt(t, "-t", "tmpfs", "-o", "size=64m", "tmpfs"), t.TempDir()
	for _, name := range []string{"upper", "work"} {
		if err := os.Mkdir(filepath.Join(disk, name), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	written(t, filepath.Join(lower, "file"), 1<<20, 4<<20)
	run(t, "mount", "-t", "overlay", "-o", fmt.Sprintf("lowerdir=%[2]s,upperdir=%[1]s/upper,workdir=%[1]s/work", disk, lower), "overlay", lower)
	t.Cleanup(func() { run(t, "umount", lower) })
	s := probe(t, loopDevice(t, filepath.Join(lower, "file"), "--read-only"))
	if s.Memory || !s.Untraced || !strings.Contains(s.Unseen, "which layer of the overlay") {
		t.Errorf("%+v", s)
	}
}

func TestLayersOf(t *testing.T) {
	for options, want := range map[string]string{
		"rw,lowerdir=/l1:/l2,upperdir=/u,workdir=/w":             "/u /l1 /l2",
		"ro,lowerdir=/a\\134:b\\054c::/data":                     "/a:b,c /data",
		"rw,lowerdir+=/l1,lowerdir+=/l2,datadir+=/d,upperdir=/u": "/u /l1 /l2 /d",
		"rw": "",
	} {
		if got := strings.Join(layersOf(procfs.Mount{Super: options}), " "); got != want {
			t.Errorf("%s: %q, want %q", options, got, want)
		}
	}
}

// Another user's process must neither lead out of its view, nor to a filesystem that never answers.
func TestAnotherView(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"plain", "served"} {
		if err := os.Mkdir(filepath.Join(dir, name), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name, "file"), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink("plain", filepath.Join(dir, "link")); err != nil {
		t.Fatal(err)
	}
	v := view{root: dir, mounts: []procfs.Mount{{Point: "/", Type: "ext4"}, {Point: "/served", Type: "fuse.slow"}, {Point: "/plain/f", Type: "fuse.slow"}}}
	for path, want := range map[string]bool{"/plain/file": true, "/served/file": false, "/link/file": false, "/../" + filepath.Base(dir) + "/plain/file": false} {
		fd, err := v.open(path)
		if err == nil {
			_ = unix.Close(fd)
		}
		if (err == nil && !v.leadsToOthers(path)) != want {
			t.Errorf("%s: %v", path, err)
		}
	}
	// Our own view may lead to one under the name of a loop device's file, too.
	own := view{mounts: append(slices.Clone(newKernel().mounts), procfs.Mount{Point: filepath.Join(dir, "served"), Type: "fuse.slow"})}
	for name, want := range map[string]bool{"plain": true, "served": false} {
		if _, ok := own.lookUp(filepath.Join(dir, name, "file")); ok != want {
			t.Errorf("our own %s: %v", name, ok)
		}
	}
}
