package volume

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/test/lab"
)

// An accepted O_DIRECT only counts as direct if the data read is not in a cache.
func TestProbeSeesWhetherDirectIOIsDirect(t *testing.T) {
	for _, c := range []struct {
		name, mkfs, options string
		bypassed            bool
	}{
		{"ext4", "mkfs.ext4 -q -F", "defaults", true},
		{"ext4 that journals data", "mkfs.ext4 -q -F", "data=journal", false},
		{"xfs", "mkfs.xfs -q -f", "defaults", true},
		{"btrfs", "mkfs.btrfs -q -f", "defaults", true},
	} {
		t.Run(c.name, func(t *testing.T) {
			words := strings.Fields(c.mkfs)
			lab.Need(t, words[0])
			dev := loopDevice(t, image(t, t.TempDir(), 400<<20))
			run(t, words[0], append(words[1:], dev)...)
			dir := mountAt(t, "-o", c.options, dev)
			s := probe(t, dir)
			if s.Direct == nil || !*s.Direct || s.Bypassed == nil || *s.Bypassed != c.bypassed || (s.BypassDetail == "") != c.bypassed {
				t.Errorf("of a directory: %+v", s)
			}
			if s.Bypassed != nil {
				t.Log(*s.Bypassed, s.BypassDetail)
			}
			reachable(t, dir)
			if err := os.Chmod(dir, 0o777); err != nil {
				t.Fatal(err)
			}
			if s := probeAs(t, 65534, dir); s.Bypassed == nil || *s.Bypassed != c.bypassed {
				t.Errorf("of a directory, as an ordinary user: %+v", s)
			}
			// A user's file is only read.
			file := image(t, dir, 4<<20)
			run(t, "sync", "-f", file)
			drop(t, file)
			if s := probe(t, file); s.Bypassed == nil || *s.Bypassed != c.bypassed {
				t.Errorf("of a file: %+v", s)
			}
			// A device counts nothing for holes, which proves nothing either way.
			hollow := filepath.Join(dir, "hollow")
			if err := os.WriteFile(hollow, nil, 0o600); err != nil {
				t.Fatal(err)
			}
			if err := os.Truncate(hollow, 4<<20); err != nil {
				t.Fatal(err)
			}
			if s := probe(t, hollow); c.bypassed && s.Bypassed != nil && !*s.Bypassed {
				t.Errorf("of holes: %+v", s)
			}
		})
	}
}

// drop evicts a file from the page cache.
func drop(t *testing.T, path string) {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := unix.Fadvise(int(f.Fd()), 0, 0, unix.FADV_DONTNEED); err != nil {
		t.Fatal(err)
	}
}

// Reads with O_DIRECT are answered from the page cache if a loop device anywhere below uses it, and the
// loop device counts them all the same.
func TestProbeSeesALoopDeviceThatUsesThePageCache(t *testing.T) {
	lab.Need(t, "mkfs.ext4")
	cached := func(t *testing.T, target, loop string) {
		t.Helper()
		s := probe(t, target)
		if s.Direct == nil || !*s.Direct || s.Bypassed == nil || *s.Bypassed || !strings.HasPrefix(s.BypassDetail, sysBase(loop)+" reads and writes its file through the page cache") {
			t.Errorf("%s: %+v", target, s)
		}
	}
	file := image(t, t.TempDir(), 64<<20)
	lower := loopDevice(t, file, "--direct-io=off")
	run(t, "mkfs.ext4", "-q", "-F", lower)
	cached(t, lower, lower)
	dir := mountAt(t, lower)
	cached(t, dir, lower)
	inner := image(t, dir, 4<<20)
	run(t, "fallocate", "-l", "4M", inner)
	cached(t, inner, lower)
	cached(t, loopDevice(t, inner), lower)
	// Its file cannot be found any more.
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	cached(t, dir, lower)
}

// An overlay has no device of its own, and its files have no pages: those of the files below show
// whether reads are direct, also to an ordinary user.
func TestProbeOfAnOverlay(t *testing.T) {
	for options, bypassed := range map[string]bool{"defaults": true, "data=journal": false} {
		t.Run(options, func(t *testing.T) {
			lab.Need(t, "mkfs.ext4")
			dev := loopDevice(t, image(t, t.TempDir(), 64<<20))
			run(t, "mkfs.ext4", "-q", "-F", dev)
			below := mountAt(t, "-o", options, dev)
			for _, name := range []string{"lower", "upper", "work"} {
				if err := os.Mkdir(filepath.Join(below, name), 0o777); err != nil {
					t.Fatal(err)
				}
			}
			if err := os.Chmod(filepath.Join(below, "upper"), 0o777); err != nil {
				t.Fatal(err)
			}
			dir := mountAt(t, "-t", "overlay", "-o", fmt.Sprintf("lowerdir=%[1]s/lower,upperdir=%[1]s/upper,workdir=%[1]s/work", below), "overlay")
			reachable(t, dir)
			seen := func(who string, s model.Storage) {
				if s.Filesystem != "overlay" || s.Bypassed == nil || *s.Bypassed != bypassed {
					t.Errorf("%s: %+v", who, s)
				}
			}
			seen("the directory", probe(t, dir))
			// What was written a moment ago is still in the page cache, in large pages or small ones.
			file := filepath.Join(dir, "file")
			for _, piece := range []int{4 << 10, 2 << 20} {
				written(t, file, piece, 2<<20)
				if s := probe(t, file); bypassed {
					seen("a file", s)
				} else if s.Bypassed == nil && !strings.Contains(s.BypassDetail, "stay in the page cache") || s.Bypassed != nil && *s.Bypassed {
					t.Errorf("a file whose pages stay: %+v", s)
				}
			}
			seen("the directory, as an ordinary user", probeAs(t, 65534, dir))
			// The kernel tells only those who may write a file what of it is in the page cache.
			if err := os.Chmod(file, 0o644); err != nil {
				t.Fatal(err)
			}
			if s := probeAs(t, 65534, file); s.Bypassed != nil || !strings.Contains(s.BypassDetail, "the kernel does not tell this user") {
				t.Errorf("a file that an ordinary user may only read: %+v", s)
			}
		})
	}
}

// written writes a new file through the page cache, in pieces of some bytes.
func written(t *testing.T, path string, piece, size int) {
	t.Helper()
	_ = os.Remove(path)
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for range size / piece {
		if _, err := f.Write(bytes.Repeat([]byte{'x'}, piece)); err != nil {
			t.Fatal(err)
		}
	}
}

// reachable lets every user enter the folders of the test above a directory.
func reachable(t *testing.T, dir string) {
	t.Helper()
	for dir = filepath.Dir(dir); dir != os.TempDir() && dir != "/"; dir = filepath.Dir(dir) {
		if err := os.Chmod(dir, 0o711); err != nil {
			t.Fatal(err)
		}
	}
}

// probeAs probes a target as another user: in a process of its own, which is this test again.
func probeAs(t *testing.T, uid uint32, target string) (s model.Storage) {
	t.Helper()
	// The user may not enter the folder of this program.
	self, err := os.Open("/proc/self/exe")
	if err != nil {
		t.Fatal(err)
	}
	defer self.Close()
	cmd := exec.Command("/proc/self/fd/3", "-test.run=^TestProbesForAnotherUser$", "-test.v")
	cmd.ExtraFiles = []*os.File{self}
	cmd.Env = append(os.Environ(), "LOADLINE_PROBE="+target)
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uid, Gid: uid}}
	out, err := cmd.CombinedOutput()
	_, document, ok := strings.Cut(string(out), "probed: ")
	if document, _, _ = strings.Cut(document, "\n"); err != nil || !ok || json.Unmarshal([]byte(document), &s) != nil {
		t.Fatalf("the other user's probe: %v\n%s", err, out)
	}
	return s
}

// This is what probeAs starts.
func TestProbesForAnotherUser(t *testing.T) {
	name := os.Getenv("LOADLINE_PROBE")
	if name == "" {
		t.Skip("skipped: other tests run this as another user")
	}
	document, err := json.Marshal(probe(t, name))
	if err != nil {
		t.Fatal(err)
	}
	fmt.Printf("probed: %s\n", document)
}

// Where nothing shows whether reads are direct, there is a reason and no proof: on a filesystem that may
// have a cache of its own, in a file too small to look, and where a process may answer.
func TestProbeWithoutProof(t *testing.T) {
	file := image(t, t.TempDir(), 1<<20)
	direct, err := os.OpenFile(file, os.O_RDWR|unix.O_DIRECT, 0)
	if err != nil {
		lab.Unavailable(t, "no direct I/O here: %v", err)
	}
	defer direct.Close()
	for name, c := range map[string]struct {
		storage model.Storage
		size    int64
		says    string
	}{
		"a cache of its own": {model.Storage{Filesystem: "newfs", DeviceChain: []string{"newfs"}}, 1 << 20, "newfs may have a cache of its own, and no single device counts"},
		"too small":          {model.Storage{Filesystem: "ext4"}, 4096, "smaller than the 64 KiB"},
		"a process":          {model.Storage{Filesystem: "fuse.rclone", DeviceChain: []string{"fuse.rclone"}, MountFrom: "remote:"}, 1 << 20, ""},
		"a process on disk":  {model.Storage{Filesystem: "fuseblk", Device: "none", DeviceChain: []string{"none"}}, 1 << 20, ""},
		"a server":           {model.Storage{Filesystem: "nfs4", DeviceChain: []string{"nfs4"}}, 1 << 20, ""},
	} {
		t.Run(name, func(t *testing.T) {
			s := c.storage
			bypass.probe(&s, direct, c.size, true)
			if s.Bypassed != nil || !strings.Contains(s.BypassDetail, c.says) || (c.says == "") != (s.BypassDetail == "") {
				t.Errorf("%+v", s)
			}
		})
	}
}
