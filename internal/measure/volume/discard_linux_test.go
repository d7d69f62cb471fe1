package volume

import (
	"bufio"
	"bytes"
	"os"
	"os/exec"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/loadline/loadline/internal/env"
)

// Discard gives back exactly what was filled: the rest of the device is not ours.
func TestDiscardGivesBackWhatWasFilled(t *testing.T) {
	const whole, filled = 32 << 20, 16 << 20
	file := image(t, t.TempDir(), whole)
	noise := bytes.Repeat([]byte("loadline"), whole/8)
	if err := os.WriteFile(file, noise, 0o600); err != nil {
		t.Fatal(err)
	}
	dev := loopDevice(t, file)
	target := parse(t, dev)
	taken := func() int64 {
		var st syscall.Stat_t
		if err := syscall.Stat(file, &st); err != nil {
			t.Fatal(err)
		}
		return st.Blocks * 512
	}
	run(t, "sync", file)
	before := taken()
	reader, err := Open(t.Context(), env.OS(), target, false, "", "")
	if err != nil {
		t.Fatal(err)
	}
	given, err := reader.Discard(t.Context(), filled, time.Minute)
	if err != nil || given != 0 || taken() != before {
		t.Errorf("what is only read gave back %d bytes, %v", given, err)
	}
	if err := reader.Close(); err != nil {
		t.Fatal(err)
	}
	o, err := Open(t.Context(), env.OS(), target, true, dev, "")
	if err != nil {
		t.Fatal(err)
	}
	defer o.Close()
	given, err = o.Discard(t.Context(), filled+100, time.Minute)
	if err != nil || given != filled {
		t.Fatalf("%d bytes were given back, %v", given, err)
	}
	if after := taken(); before-after < filled-1<<20 || before-after > filled+1<<20 {
		t.Errorf("the file took %d bytes and takes %d", before, after)
	}
	rest := make([]byte, whole)
	if _, err := o.File().ReadAt(rest, 0); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(rest[filled:], noise[filled:]) {
		t.Error("what lies behind it was lost")
	}
	if !bytes.Equal(rest[:filled], make([]byte, filled)) {
		t.Error("what was given back still reads as before")
	}
}

// Whoever reads the device by now keeps what it reads.
func TestDiscardSparesWhatIsBeingRead(t *testing.T) {
	dev := loopDevice(t, image(t, t.TempDir(), 8<<20))
	o, err := Open(t.Context(), env.OS(), parse(t, dev), true, dev, "")
	if err != nil {
		t.Fatal(err)
	}
	defer o.Close()
	end := openElsewhere(t, dev)
	if given, err := o.Discard(t.Context(), 4<<20, time.Minute); given != 0 || err == nil {
		t.Errorf("%d bytes were given back, %v", given, err)
	}
	end()
	pages := mapElsewhere(t, dev)
	if given, err := o.Discard(t.Context(), 4<<20, time.Minute); given != 0 || err == nil {
		t.Errorf("%d bytes were given back while they were mapped, %v", given, err)
	}
	pages()
	if given, err := o.Discard(t.Context(), 4<<20, time.Minute); given != 4<<20 || err != nil {
		t.Errorf("%d bytes were given back, %v", given, err)
	}
}

// A file that Loadline created is removed as a whole, so nothing in it is discarded before.
func TestDiscardLeavesFilesAlone(t *testing.T) {
	o, err := Create(parse(t, t.TempDir()), "run", 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	defer o.Close()
	if given, err := o.Discard(t.Context(), 1<<20, time.Minute); given != 0 || err != nil {
		t.Errorf("%d, %v", given, err)
	}
}

// mapElsewhere starts a process that has a device mapped, but not open, until end is called or the test ends.
func mapElsewhere(t *testing.T, path string) (end func()) {
	t.Helper()
	// Python keeps a descriptor of its own for a mapping.
	mapping := exec.Command("python3", "-c", `import mmap, os, sys
pages = mmap.mmap(os.open(sys.argv[1], os.O_RDONLY), 4096, mmap.MAP_SHARED, mmap.PROT_READ)
os.closerange(3, 100)
print("mapped", flush=True)
sys.stdin.read()`, path)
	in, err := mapping.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := mapping.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := mapping.Start(); err != nil {
		t.Fatal(err)
	}
	end = sync.OnceFunc(func() {
		_ = in.Close()
		_ = mapping.Wait()
	})
	t.Cleanup(end)
	if said, err := bufio.NewReader(out).ReadString('\n'); said != "mapped\n" {
		t.Fatalf("%q, %v", said, err)
	}
	return end
}
