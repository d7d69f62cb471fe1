package volume

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/loadline/loadline/internal/env"
	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/modeltest"
	"github.com/loadline/loadline/test/lab"
)

func TestProbeDirectoryLeavesNothing(t *testing.T) {
	dir := t.TempDir()
	s := probe(t, dir)
	if s.Filesystem == "" || s.Mount == "" || s.Total <= 0 || s.Free <= 0 || s.Total < s.Used+s.Free || s.Direct == nil {
		t.Errorf("%+v", s)
	}
	if entries, _ := os.ReadDir(dir); len(entries) != 0 {
		t.Errorf("the probe left %v", entries)
	}
	fresh := probe(t, filepath.Join(dir, "new"))
	if diff := cmp.Diff([]string{s.Filesystem, s.Device}, []string{fresh.Filesystem, fresh.Device}); diff != "" {
		t.Error(diff)
	}
	if _, err := os.Stat(filepath.Join(dir, "new")); err == nil {
		t.Error("the probe made the file")
	}
}

func TestProbeTmpfsIsMemory(t *testing.T) {
	s := probe(t, mountAt(t, "-t", "tmpfs", "-o", "size=16m", "tmpfs"))
	if !s.Memory || s.Filesystem != "tmpfs" || s.Device != "" || s.Total != 16<<20 || !strings.Contains(s.MountOpts, "size=16384k") {
		t.Errorf("%+v", s)
	}
}

func TestProbeLoopDevice(t *testing.T) {
	file := image(t, t.TempDir(), 32<<20)
	dev := loopDevice(t, file, "--sector-size", "4096")
	s := probe(t, dev)
	if s.Device != sysBase(dev) || s.DeviceSize != 32<<20 || s.LogicalBlock != 4096 || s.Memory || s.Direct == nil || !*s.Direct || s.ReadOnly {
		t.Errorf("%+v", s)
	}
	below := probe(t, filepath.Dir(file))
	if diff := cmp.Diff(append([]string{sysBase(dev)}, below.DeviceChain...), s.DeviceChain); diff != "" {
		t.Errorf("the chain does not go on under the file: %s", diff)
	}
	if c := Capacity(s, parse(t, dev), true); c != 32<<20 {
		t.Errorf("capacity %d", c)
	}
}

func TestProbeSeesRAMThroughLoopAndFilesystem(t *testing.T) {
	tmpfs := mountAt(t, "-t", "tmpfs", "-o", "size=64m", "tmpfs")
	file := image(t, tmpfs, 48<<20)
	dev := loopDevice(t, file)
	if s := probe(t, dev); !s.Memory || !cmp.Equal(s.DeviceChain, []string{sysBase(dev), "tmpfs"}) {
		t.Errorf("a loop device on tmpfs: %+v", s)
	}
	run(t, "mkfs.ext4", "-q", "-F", dev)
	dir := mountAt(t, dev)
	s := probe(t, dir)
	if !s.Memory || s.Filesystem != "ext4" || s.Device != sysBase(dev) || s.Mount != dir || s.MountFrom != dev {
		t.Errorf("a filesystem on it: %+v", s)
	}
	// A second layer: a loop device on a file of that filesystem.
	upper := loopDevice(t, image(t, dir, 1<<20))
	if s := probe(t, upper); !s.Memory || !cmp.Equal(s.DeviceChain, []string{sysBase(upper), sysBase(dev), "tmpfs"}) {
		t.Errorf("a loop device on that: %+v", s)
	}
}

func TestProbeSeesRAMUnderADeletedFile(t *testing.T) {
	file := image(t, mountAt(t, "-t", "tmpfs", "-o", "size=8m", "tmpfs"), 4<<20)
	dev := loopDevice(t, file)
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	if s := probe(t, dev); !s.Memory {
		t.Errorf("%+v", s)
	}
}

func TestProbePartition(t *testing.T) {
	dev := loopDevice(t, image(t, t.TempDir(), 32<<20))
	part := addPartition(t, dev, 1, 2048, 20480)
	s := probe(t, part)
	if s.DeviceSize != 20480*512 || s.Device != sysBase(dev) || s.DeviceChain[0] != sysBase(part) || s.DeviceChain[1] != sysBase(dev) {
		t.Errorf("%+v", s)
	}
}

func TestProbeRefusals(t *testing.T) {
	refused := func(t *testing.T, name string) error {
		t.Helper()
		_, err := Probe(t.Context(), env.OS(), parse(t, name))
		return err
	}
	t.Run("read-only", func(t *testing.T) {
		modeltest.Refused(t, refused(t, mountAt(t, "-t", "tmpfs", "-o", "ro", "tmpfs")), "mounted read-only")
	})
	t.Run("kernel's view", func(t *testing.T) {
		modeltest.Refused(t, refused(t, "/proc/self"), "proc", "stores no data")
	})
	t.Run("full", func(t *testing.T) {
		dir := mountAt(t, "-t", "tmpfs", "-o", "size=1m", "tmpfs")
		if err := os.WriteFile(filepath.Join(dir, "f"), make([]byte, 1<<20), 0o600); err != nil {
			t.Fatal(err)
		}
		modeltest.Refused(t, refused(t, dir), "no space left", "df -h")
	})
	t.Run("nearly full", func(t *testing.T) {
		dir := mountAt(t, "-t", "tmpfs", "-o", "size=1m", "tmpfs")
		if err := os.WriteFile(filepath.Join(dir, "f"), make([]byte, 1000<<10), 0o600); err != nil {
			t.Fatal(err)
		}
		modeltest.Refused(t, refused(t, dir), "98 % full", "5 %")
	})
	t.Run("not set up", func(t *testing.T) {
		free := strings.TrimSpace(run(t, "losetup", "-f"))
		if _, err := os.Stat(free); err != nil {
			t.Skip("skipped: the next free loop device has no node yet")
		}
		modeltest.Refused(t, refused(t, free), "its size is 0", "lsblk")
	})
	t.Run("forbidden", func(t *testing.T) {
		dir := t.TempDir()
		if err := exec.Command("chattr", "+i", dir).Run(); err != nil {
			lab.Unavailable(t, "chattr +i does not work here: %v", err)
		}
		t.Cleanup(func() { _ = exec.Command("chattr", "-i", dir).Run() })
		modeltest.Refused(t, refused(t, dir), "operation not permitted", "may write")
	})
}

func TestDirectIsRefusedInTheKernelsWords(t *testing.T) {
	// A sysfs file is the closest that an ordinary machine has to a file without direct I/O.
	const file = "/sys/kernel/uevent_seqnum"
	if _, err := os.Stat(file); err != nil {
		lab.Unavailable(t, "%v", err)
	}
	var s model.Storage
	if err := probeDirect(&s, model.Target{Name: file, Path: file}); err != nil {
		t.Fatal(err)
	}
	if s.Direct == nil || *s.Direct || s.DirectError != "invalid argument" {
		t.Errorf("direct %v, %q", s.Direct, s.DirectError)
	}
}

func TestProbeFakeIsAnError(t *testing.T) {
	if _, err := Probe(context.Background(), env.OS(), model.Target{Kind: model.Fake}); err == nil {
		t.Error("numbers were probed")
	}
}
