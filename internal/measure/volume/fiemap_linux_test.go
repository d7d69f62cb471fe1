package volume

import (
	"crypto/rand"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
	"pgregory.net/rapid"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/test/lab"
)

func prove(t *testing.T, path string, size int64) model.Proof {
	t.Helper()
	p, err := ProveFile(path, size)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// onEachFilesystem runs a test on real filesystems, created on loop devices.
func onEachFilesystem(t *testing.T, test func(t *testing.T, dir string)) {
	for kind, size := range map[string]int64{"ext4": 64 << 20, "xfs": 320 << 20} {
		t.Run(kind, func(t *testing.T) {
			lab.Need(t, "mkfs."+kind)
			dev := loopDevice(t, image(t, t.TempDir(), size))
			force := "-f"
			if kind == "ext4" {
				force = "-F"
			}
			run(t, "mkfs."+kind, "-q", force, dev)
			test(t, mountAt(t, dev))
		})
	}
}

func TestProveFile(t *testing.T) {
	onEachFilesystem(t, func(t *testing.T, dir string) {
		const size = 4 << 20
		written := filepath.Join(dir, "written")
		data := make([]byte, size)
		_, _ = rand.Read(data)
		if err := os.WriteFile(written, data, 0o600); err != nil {
			t.Fatal(err)
		}
		if p := prove(t, written, size); p.Method != "fiemap" || p.Unwritten != 0 || p.Checked != size || p.Detail != "" {
			t.Errorf("a written file: %+v", p)
		}
		if p := prove(t, written, size+1<<20); p.Unwritten != 1<<20 || p.Detail != "1 MiB holes" {
			t.Errorf("a file that is too short: %+v", p)
		}
		if p := prove(t, written, 0); p.Unwritten != 0 || p.Checked != 0 {
			t.Errorf("nothing: %+v", p)
		}
		sparse := image(t, dir, size)
		if p := prove(t, sparse, size); p.Unwritten != size || p.Detail != "4 MiB holes" {
			t.Errorf("a sparse file: %+v", p)
		}
		put(t, sparse, 1<<20, data[:1<<20])
		if p := prove(t, sparse, size); p.Unwritten != 3<<20 {
			t.Errorf("a file that is a quarter written: %+v", p)
		}
		reserved := image(t, dir, size)
		f, err := os.OpenFile(reserved, os.O_RDWR, 0)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		if err := unix.Fallocate(int(f.Fd()), 0, 0, size); err != nil {
			lab.Unavailable(t, "fallocate: %v", err)
		}
		if p := prove(t, reserved, size); p.Unwritten != size || !strings.Contains(p.Detail, "allocated but never written") {
			t.Errorf("a fallocated file: %+v", p)
		}
		put(t, reserved, 0, data)
		if p := prove(t, reserved, size); p.Unwritten != 0 {
			t.Errorf("a fallocated file, then written: %+v", p)
		}
	})
}

func TestProveManyExtents(t *testing.T) {
	// Every second block written: more extents than one page of FIEMAP holds.
	onEachFilesystem(t, func(t *testing.T, dir string) {
		const blocks = 3*extentsPerPage + 7
		file := image(t, dir, 2*blocks*4096)
		f, err := os.OpenFile(file, os.O_WRONLY, 0)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		data := make([]byte, 4096)
		_, _ = rand.Read(data)
		for i := range int64(blocks) {
			if _, err := f.WriteAt(data, 2*i*4096); err != nil {
				t.Fatal(err)
			}
		}
		if p := prove(t, file, 2*blocks*4096); p.Unwritten != blocks*4096 {
			t.Errorf("%+v, want %d unwritten", p, blocks*4096)
		}
	})
}

func TestProveInlineData(t *testing.T) {
	dev := loopDevice(t, image(t, t.TempDir(), 32<<20))
	run(t, "mkfs.ext4", "-q", "-F", "-O", "inline_data", "-I", "256", dev)
	file := filepath.Join(mountAt(t, dev), "f")
	if err := os.WriteFile(file, []byte("a few bytes"), 0o600); err != nil {
		t.Fatal(err)
	}
	if p := prove(t, file, 11); p.Unwritten != 11 || p.Detail != "11 B inside the inode" {
		t.Errorf("%+v", p)
	}
}

func TestProveWithoutAMap(t *testing.T) {
	file := filepath.Join(mountAt(t, "-t", "tmpfs", "-o", "size=1m", "tmpfs"), "f")
	if err := os.WriteFile(file, make([]byte, 4096), 0o600); err != nil {
		t.Fatal(err)
	}
	if p := prove(t, file, 4096); p.Method != "none" || !strings.Contains(p.Detail, "not supported") {
		t.Errorf("%+v", p)
	}
	if _, err := ProveFile(file+"x", 1); err == nil {
		t.Error("a missing file was proved")
	}
}

// TestTally compares the sums with a map of every byte.
func TestTally(t *testing.T) {
	flags := []uint32{0, extentUnwritten, extentDelalloc | extentUnknown, extentInline, extentEncoded, extentUnwritten | extentEncoded}
	rapid.Check(t, func(t *rapid.T) {
		size := rapid.Uint64Range(1, 400).Draw(t, "size")
		page := rapid.IntRange(1, 4).Draw(t, "page")
		var extents []fiemapExtent
		written := 0
		for at := rapid.Uint64Range(0, 20).Draw(t, "first"); at < size+50; {
			e := fiemapExtent{Logical: at, Length: rapid.Uint64Range(1, 60).Draw(t, "length"), Flags: rapid.SampledFrom(flags).Draw(t, "flags")}
			extents = append(extents, e)
			for b := at; b < min(at+e.Length, size); b++ {
				if e.Flags&^extentEncoded == 0 {
					written++
				}
			}
			at += e.Length + rapid.Uint64Range(0, 30).Draw(t, "hole")
		}
		if len(extents) > 0 {
			extents[len(extents)-1].Flags |= extentLast
		}
		var tally extentTally
		at, last := uint64(0), false
		for !last && at < size {
			// Like the kernel: a page holds the extents that end after the requested offset.
			var p []fiemapExtent
			for _, e := range extents {
				if e.Logical+e.Length > at && e.Logical < size && len(p) < page {
					p = append(p, e)
				}
			}
			next, end := tally.add(p, at, size)
			if next == at {
				break
			}
			at, last = next, end
		}
		proof := tally.proof(int64(size))
		if proof.Unwritten != int64(size)-int64(written) {
			t.Fatalf("unwritten %d, want %d: %+v", proof.Unwritten, int64(size)-int64(written), proof)
		}
	})
}
