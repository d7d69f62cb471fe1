package volume

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/loadline/loadline/internal/env"
	"github.com/loadline/loadline/internal/env/envtest"
	"github.com/loadline/loadline/internal/model/modeltest"
	"github.com/loadline/loadline/internal/model/safetext"
	"github.com/loadline/loadline/test/lab"
)

// put writes bytes into a file.
func put(t testing.TB, file string, at int64, data []byte) {
	t.Helper()
	f, err := os.OpenFile(file, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.WriteAt(data, at); err != nil {
		t.Fatal(err)
	}
}

// writeMBR writes a DOS partition table with one Linux partition (start and length in sectors).
func writeMBR(t testing.TB, file string, start, sectors uint32) {
	entry := []byte{0, 0, 2, 0, 0x83, 0, 0, 0}
	entry = binary.LittleEndian.AppendUint32(entry, start)
	entry = binary.LittleEndian.AppendUint32(entry, sectors)
	put(t, file, 446, entry)
	put(t, file, 510, []byte{0x55, 0xaa})
}

// signatures lists what must never be overwritten: how each is written to an image of 32 MiB, and
// what the refusal says. Formats for which there is no tool here are written by hand, from the magic
// numbers in their documentation.
var signatures = map[string]struct {
	make func(t testing.TB, file string)
	want string
}{
	"ext4": {func(t testing.TB, f string) { run(t, "mkfs.ext4", "-q", "-F", f) }, "carries an ext4 filesystem"},
	"ext2": {func(t testing.TB, f string) { run(t, "mkfs.ext2", "-q", "-F", f) }, "ext2"},
	"xfs": {func(t testing.TB, f string) {
		if err := os.Truncate(f, 320<<20); err != nil {
			t.Fatal(err)
		}
		run(t, "mkfs.xfs", "-q", "-f", f)
	}, "carries an xfs filesystem"},
	"swap": {func(t testing.TB, f string) { run(t, "mkswap", f) }, "swap space"},
	"dos":  {func(t testing.TB, f string) { writeMBR(t, f, 2048, 20480) }, "partition table (dos)"},
	"gpt":  {func(t testing.TB, f string) { sfdisk(t, f, "label: gpt\n") }, "partition table (gpt)"},
	"gpt, only the second copy": {func(t testing.TB, f string) {
		sfdisk(t, f, "label: gpt\n")
		put(t, f, 512, make([]byte, 33*512))
	}, "partition table (gpt)"},
	"gpt, only the second copy and no MBR": {func(t testing.TB, f string) {
		sfdisk(t, f, "label: gpt\n")
		put(t, f, 0, make([]byte, 1<<20))
	}, "partition table (gpt)"},
	"LUKS1": {func(t testing.TB, f string) {
		put(t, f, 0, append([]byte("LUKS\xba\xbe\x00\x01"), make([]byte, 584)...))
	}, "encrypted (crypto_LUKS)"},
	"LUKS2, only the second header": {func(t testing.TB, f string) {
		h := make([]byte, 4096)
		copy(h, "SKUL\xba\xbe\x00\x02")
		binary.BigEndian.PutUint64(h[256:], 4<<20) // hdr_offset
		put(t, f, 4<<20, h)
	}, "encrypted (crypto_LUKS)"},
	"LVM": {func(t testing.TB, f string) { put(t, f, 512, lvmLabel()) }, "pool (LVM2_member)"},
	"MD 1.0 at the end": {func(t testing.TB, f string) {
		const sectors = 32 << 20 / 512
		at := int64(sectors-16) &^ 7
		h := make([]byte, 256)
		binary.LittleEndian.PutUint32(h, 0xa92b4efc)
		binary.LittleEndian.PutUint32(h[4:], 1)
		binary.LittleEndian.PutUint64(h[144:], uint64(at)) // super_offset
		put(t, f, at*512, h)
	}, "pool (linux_raid_member)"},
	"ZFS": {func(t testing.TB, f string) {
		if err := os.Truncate(f, 96<<20); err != nil { // blkid does not look for it below 64 MiB
			t.Fatal(err)
		}
		for i := range int64(16) { // the uberblocks of the last of four labels
			put(t, f, 96<<20-128<<10+i<<10, binary.LittleEndian.AppendUint64(nil, 0x00bab10c))
		}
	}, "pool (zfs_member)"},
	"bcache": {func(t testing.TB, f string) { put(t, f, 4096, bcacheSuper()) }, "bcache"},
	"btrfs":  {func(t testing.TB, f string) { put(t, f, 64<<10+0x40, []byte("_BHRfS_M")) }, "btrfs"},
}

func sfdisk(t testing.TB, file, script string) {
	t.Helper()
	lab.Need(t, "sfdisk")
	cmd := exec.Command("sfdisk", "-q", file)
	cmd.Stdin = strings.NewReader(script)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("sfdisk: %s", out)
	}
}

// lvmLabel returns a physical volume's label sector, including LVM's own checksum.
func lvmLabel() []byte {
	h := make([]byte, 512)
	copy(h, "LABELONE")
	binary.LittleEndian.PutUint64(h[8:], 1)
	binary.LittleEndian.PutUint32(h[20:], 32)
	copy(h[24:], "LVM2 001")
	copy(h[32:], "0123456789abcdefghijklmnopqrstuv")
	binary.LittleEndian.PutUint32(h[16:], lvmCRC(h[20:]))
	return h
}

// lvmCRC is the reflected CRC-32 with LVM's start value and no final inversion.
func lvmCRC(p []byte) uint32 {
	crc := uint32(0xf597a6cf)
	for _, b := range p {
		crc ^= uint32(b)
		for range 8 {
			crc = crc>>1 ^ 0xedb88320&-(crc&1)
		}
	}
	return crc
}

// bcacheSuper returns the parts of a backing device's superblock that are checked.
func bcacheSuper() []byte {
	h := make([]byte, 4096)
	binary.LittleEndian.PutUint64(h[8:], 8) // its own sector
	copy(h[24:], []byte{0xc6, 0x85, 0x73, 0xf6, 0x4e, 0x1a, 0x45, 0xca, 0x82, 0x65, 0xf5, 0x7f, 0x48, 0xba, 0x6d, 0x81})
	return h
}

func TestGuardRefusesEverySignature(t *testing.T) {
	for name, sig := range signatures {
		t.Run(name, func(t *testing.T) {
			file := image(t, t.TempDir(), 32<<20)
			sig.make(t, file)
			before := checksum(t, file)
			modeltest.Refused(t, Guard(t.Context(), env.OS(), parse(t, file), file), file, sig.want, "refused even with --destroy-data-on", "wipefs -a "+file)
			dev := loopDevice(t, file)
			modeltest.Refused(t, Guard(t.Context(), env.OS(), parse(t, dev), dev), dev, sig.want, "wipefs -a "+dev)
			if !bytes.Equal(before, checksum(t, file)) {
				t.Error("the guard wrote to it")
			}
		})
	}
}

func checksum(t testing.TB, file string) []byte {
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	sum := crc32.New(crc32.MakeTable(crc32.Castagnoli))
	if _, err := io.Copy(sum, f); err != nil {
		t.Fatal(err)
	}
	return sum.Sum(nil)
}

func TestGuardNeedsTheName(t *testing.T) {
	file := image(t, t.TempDir(), 1<<20)
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(file, link); err != nil {
		t.Fatal(err)
	}
	dev := loopDevice(t, image(t, t.TempDir(), 1<<20))
	for _, name := range []string{file, link, dev} {
		tg := parse(t, name)
		for _, destroy := range []string{"", "/dev/other", name + " "} {
			modeltest.Refused(t, Guard(t.Context(), env.OS(), tg, destroy), "--destroy-data-on "+safetext.ShellWord(name))
		}
		for _, destroy := range []string{name, tg.Path} {
			if err := Guard(t.Context(), env.OS(), tg, destroy); err != nil {
				t.Errorf("%s with --destroy-data-on %s: %v", name, destroy, err)
			}
		}
	}
}

func TestGuardLetsOurOwnFilesBe(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{dir, filepath.Join(dir, "new")} {
		if err := Guard(t.Context(), env.OS(), parse(t, name), ""); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestGuardRefusesWhatIsInUse(t *testing.T) {
	guard := func(t *testing.T, dev string) error {
		t.Helper()
		return Guard(t.Context(), env.OS(), parse(t, dev), dev)
	}
	t.Run("mounted", func(t *testing.T) {
		dev := loopDevice(t, image(t, t.TempDir(), 32<<20))
		run(t, "mkfs.ext4", "-q", "-F", dev)
		dir := mountAt(t, dev)
		modeltest.Refused(t, guard(t, dev), "is mounted at "+dir, "umount "+dir)
		if s := probe(t, dev); s.Direct == nil {
			t.Error("a mounted device cannot be read")
		}
		// The same device under another name is refused too.
		node := filepath.Join(t.TempDir(), "node")
		major, minor, err := deviceNumber(dev)
		if err != nil {
			t.Fatal(err)
		}
		if err := syscall.Mknod(node, syscall.S_IFBLK|0o600, int(major<<8|minor)); err != nil {
			t.Fatal(err)
		}
		modeltest.Refused(t, guard(t, node), "is mounted at "+dir)
	})
	t.Run("swap", func(t *testing.T) {
		dev := loopDevice(t, image(t, t.TempDir(), 8<<20))
		run(t, "mkswap", dev)
		if out, err := exec.Command("swapon", dev).CombinedOutput(); err != nil {
			lab.Unavailable(t, "swapon: %s", out)
		}
		t.Cleanup(func() { run(t, "swapoff", dev) })
		modeltest.Refused(t, guard(t, dev), "swap space in use", "swapoff")
	})
	t.Run("partitions", func(t *testing.T) {
		dev := loopDevice(t, image(t, t.TempDir(), 32<<20))
		addPartition(t, dev, 1, 2048, 20480)
		modeltest.Refused(t, guard(t, dev), "has partitions ("+sysBase(dev)+"p1)")
		// The partition itself carries no signature and may be overwritten.
		if err := guard(t, dev+"p1"); err != nil {
			t.Errorf("an empty partition is refused: %v", err)
		}
		run(t, "mkfs.ext4", "-q", "-F", dev+"p1")
		modeltest.Refused(t, guard(t, dev+"p1"), "ext4")
	})
	t.Run("opened exclusively", func(t *testing.T) {
		dev := loopDevice(t, image(t, t.TempDir(), 1<<20))
		f, err := os.OpenFile(dev, os.O_RDWR|syscall.O_EXCL, 0)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		modeltest.Refused(t, guard(t, dev), "in use by the kernel", "busy")
	})
	t.Run("content of a loop device", func(t *testing.T) {
		file := image(t, t.TempDir(), 1<<20)
		lower := loopDevice(t, file)
		modeltest.Refused(t, guard(t, file), "is the content of "+lower, "losetup -d")
		upper := loopDevice(t, lower)
		modeltest.Refused(t, guard(t, lower), "is the content of "+upper)
	})
	t.Run("a loop device on a mounted device", func(t *testing.T) {
		lower := loopDevice(t, image(t, t.TempDir(), 32<<20), "--sizelimit", "16M")
		run(t, "mkfs.ext4", "-q", "-F", lower)
		upper := loopDevice(t, lower, "--offset", "5M")
		if err := guard(t, upper); err != nil {
			t.Errorf("nothing uses %s: %v", lower, err)
		}
		dir := mountAt(t, lower)
		modeltest.Refused(t, guard(t, upper), "shares its content with "+lower+", which is mounted at "+dir, "umount "+dir)
		modeltest.Refused(t, guard(t, loopDevice(t, upper)), "shares its content with "+lower+", which is mounted at "+dir)
	})
	t.Run("a loop device on swap", func(t *testing.T) {
		lower := loopDevice(t, image(t, t.TempDir(), 8<<20))
		run(t, "mkswap", lower)
		upper := loopDevice(t, lower, "--offset", "4M")
		if out, err := exec.Command("swapon", lower).CombinedOutput(); err != nil {
			lab.Unavailable(t, "swapon: %s", out)
		}
		t.Cleanup(func() { run(t, "swapoff", lower) })
		modeltest.Refused(t, guard(t, upper), "shares its content with "+lower+", which is swap space in use", "swapoff "+lower)
	})
	t.Run("a loop device on a disk with a mounted partition", func(t *testing.T) {
		disk := loopDevice(t, image(t, t.TempDir(), 64<<20))
		addPartition(t, disk, 1, 2048, 40960)
		addPartition(t, disk, 2, 49152, 20480)
		whole := loopDevice(t, disk, "--offset", "8M")
		if err := guard(t, whole); err != nil {
			t.Errorf("nothing uses the partitions of %s: %v", disk, err)
		}
		run(t, "mkfs.ext4", "-q", "-F", disk+"p1")
		dir := mountAt(t, disk+"p1")
		modeltest.Refused(t, guard(t, whole), "shares its content with "+disk+"p1, which is mounted at "+dir, "umount "+dir)
	})
	t.Run("a disk of which another partition is mounted", func(t *testing.T) {
		disk := loopDevice(t, image(t, t.TempDir(), 64<<20))
		addPartition(t, disk, 1, 2048, 40960)
		addPartition(t, disk, 2, 49152, 20480)
		run(t, "mkfs.ext4", "-q", "-F", disk+"p1")
		mountAt(t, disk+"p1")
		if err := guard(t, disk+"p2"); err != nil {
			t.Errorf("the other partition is refused: %v", err)
		}
		if upper := loopDevice(t, disk+"p2"); guard(t, upper) != nil {
			t.Errorf("a loop device on the other partition is refused: %v", guard(t, upper))
		}
	})
	t.Run("open elsewhere", func(t *testing.T) {
		file := image(t, t.TempDir(), 1<<20)
		openElsewhere(t, file)
		modeltest.Refused(t, guard(t, file), "is open in another process", "fuser")
	})
	t.Run("read-only", func(t *testing.T) {
		dev := loopDevice(t, image(t, t.TempDir(), 1<<20), "--read-only")
		modeltest.Refused(t, guard(t, dev), "read-only")
	})
}

func TestGuardRefusesWhatItCannotCheck(t *testing.T) {
	file := image(t, t.TempDir(), 1<<20)
	e := env.OS()
	e.LookPath = func(string) (string, error) { return "", exec.ErrNotFound }
	modeltest.Refused(t, Guard(t.Context(), e, parse(t, file), file), "blkid is not installed", "apt-get install util-linux")

	for name, script := range map[string]string{
		"could not be checked": "#!/bin/sh\necho boom >&2; exit 4",
		"boom":                 "#!/bin/sh\necho boom >&2; exit 2",
		"several signatures":   "#!/bin/sh\nexit 8",
		"SOMETHING=new":        "#!/bin/sh\necho SOMETHING=new",
	} {
		blkid := filepath.Join(t.TempDir(), "blkid")
		envtest.Program(t, blkid, script)
		e.LookPath = func(string) (string, error) { return blkid, nil }
		modeltest.Refused(t, Guard(t.Context(), e, parse(t, file), file), name)
	}
}

// openElsewhere starts a process that has a file or device open for reading until end is called, or the test ends.
func openElsewhere(t *testing.T, path string) (end func()) {
	t.Helper()
	sleep := exec.Command("sleep", "60")
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	sleep.Stdin = f
	if err := sleep.Start(); err != nil {
		t.Fatal(err)
	}
	end = sync.OnceFunc(func() {
		_ = sleep.Process.Kill()
		_ = sleep.Wait()
	})
	t.Cleanup(end)
	return end
}

// A scan that had to wait, for a processor or a lock, was not an expensive one, so the next need not be put off.
func TestWaitingIsNoCostOfAScan(t *testing.T) {
	const wait = 200 * time.Millisecond
	if cost := threadTime(func() { time.Sleep(wait) }); cost > wait/2 {
		t.Errorf("waiting for %v took %v of CPU time", wait, cost)
	}
	sum := 0
	if cost := threadTime(func() {
		for end := time.Now().Add(wait); time.Now().Before(end); {
			sum++
		}
	}); cost == 0 {
		t.Errorf("counting to %d took no CPU time", sum)
	}
}

// The first scan also goes through all mappings; however long that took, the next is due within a second or so.
func TestTheFirstScanDoesNotPutOffTheNext(t *testing.T) {
	const expensive = time.Second
	if got := scanInterval(all, expensive); got != minScanInterval {
		t.Errorf("%v after the first scan", got)
	}
	if got := scanInterval(writers, expensive); got != scanIntervalFactor*expensive {
		t.Errorf("%v after a scan for writers", got)
	}
	if got := scanInterval(writers, time.Millisecond); got != minScanInterval {
		t.Errorf("%v after a cheap scan", got)
	}
}
