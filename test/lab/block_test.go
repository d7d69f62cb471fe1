package lab

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestBlockKeepsRateAndContents(t *testing.T) {
	t.Parallel()
	d := Throttled(t, Throttle{IOPS: 1000})
	b := At(Block(t, d), d.Size)
	Verify(t, b)
	within(t, "IOPS", 1000, 0.01, doneBy(t, b, Job{Depth: 8, Ramp: time.Second}))
}

func TestBlockKeepsDelayAndErrors(t *testing.T) {
	d := Delayed(t, 2*time.Millisecond, 2*time.Millisecond)
	checkDelay(t, At(Block(t, d), d.Size), Job{}, 2*time.Millisecond, 0.4)
	f := Errors(t, Fault{Error: "EIO", On: "read", Switched: true})
	dev := At(Block(t, f.Device), f.Size)
	Verify(t, dev)
	f.On(t)
	if m := Fio(t, dev, Job{}); m.Errors == 0 {
		t.Error("an EIO of the device does not reach the user of the block device")
	}
}

func TestLoopOnMemoryIsFast(t *testing.T) {
	const size = 64 * mebi
	d := At(LoopOnMemory(t, size), size)
	Verify(t, d)
	if m := Fio(t, d, Job{Depth: 32}); m.IOPS < 20000 {
		t.Errorf("%.0f IOPS: a loop device in memory should be faster than any throttled device here", m.IOPS)
	}
}

// Only one of the loop devices answers from the page cache, and that one is faster than what is below.
func TestLoopsBypassThePageCache(t *testing.T) {
	size := int64(64 * mebi)
	direct := func(dev string) string {
		text, err := os.ReadFile(filepath.Join("/sys/block", filepath.Base(dev), "loop/dio"))
		if err != nil {
			t.Fatal(err)
		}
		return strings.TrimSpace(string(text))
	}
	file := filepath.Join(t.TempDir(), "image")
	hollow(t, file, mebi)
	throttled := Block(t, Throttled(t, Throttle{IOPS: 1000, Size: 2 * size}))
	for name, dev := range map[string]string{"Block": throttled, "LoopOnFile": LoopOnFile(t, mebi), "Loop": Loop(t, file)} {
		if got := direct(dev); got != "1" {
			t.Errorf("%s: direct I/O is %s", name, got)
		}
	}
	cached := Loop(t, Filled(t, Filesystem(t, throttled, "ext4"), size), "--direct-io=off")
	if got := direct(cached); got != "0" {
		t.Errorf("Loop without direct I/O: it is %s", got)
	}
	if m := Fio(t, At(cached, size), Job{Depth: 8}); m.IOPS < 2000 {
		t.Errorf("%.0f IOPS through the page cache, on a device of 1,000", m.IOPS)
	}
}

func TestFilesystem(t *testing.T) {
	// 320 MiB is the minimum that XFS accepts.
	for kind, dev := range map[string]string{"ext4": LoopOnFile(t, 64*mebi), "xfs": LoopOnMemory(t, 320*mebi)} {
		dir := Filesystem(t, dev, kind)
		Verify(t, At(Filled(t, dir, 8*mebi), 8*mebi))
		out, err := exec.Command("findmnt", "-n", "-o", "SOURCE,FSTYPE", dir).Output()
		if got := strings.Fields(string(out)); err != nil || len(got) != 2 || got[0] != dev || got[1] != kind {
			t.Errorf("on %s is %q (%v), want %s with %s", dir, out, err, dev, kind)
		}
	}
}

func TestTmpfsHasItsSize(t *testing.T) {
	dir := Tmpfs(t, mebi)
	if err := os.WriteFile(filepath.Join(dir, "file"), make([]byte, 2*mebi), 0o600); err == nil {
		t.Error("2 MiB fit on a tmpfs of 1 MiB")
	}
}

func TestExtentsOfFiles(t *testing.T) {
	dir := t.TempDir()
	for path, want := range map[string]string{
		Sparse(t, dir, mebi): "0 extents",
		Filled(t, dir, mebi): "last,eof",
	} {
		out, err := exec.Command("filefrag", "-v", path).CombinedOutput()
		if err != nil {
			t.Skipf("skipped: no extent map here: %s", out)
		}
		if !strings.Contains(string(out), want) {
			t.Errorf("the extents of %s have no %q:\n%s", filepath.Base(path), want, out)
		}
	}
}

// Exactly what the cache mode promises survives a power loss.
func TestPowerLoss(t *testing.T) {
	for mode, survives := range map[CacheMode]bool{WriteThrough: true, WriteBack: true, Unsafe: false} {
		t.Run(string(mode), func(t *testing.T) {
			t.Parallel()
			d := PowerLoss(t, mode)
			m := Fio(t, d.Device, Job{Pattern: "write", Time: time.Second, Options: []string{"--buffer_pattern=0x5a", "--fsync=1"}})
			if m.Total == 0 || m.Errors > 0 {
				t.Fatalf("writing failed: %s", m.Messages)
			}
			d.Kill()
			f, err := os.Open(d.Image)
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			first := make([]byte, 1)
			if _, err := f.ReadAt(first, 0); err != nil {
				t.Fatal(err)
			}
			if got := first[0] == 0x5a; got != survives {
				t.Errorf("a flushed write survives: %v, should be %v", got, survives)
			}
		})
	}
}
