package harm

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
	"time"

	"golang.org/x/sys/unix"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/test/lab"
)

// sh runs a program to its end and returns what it printed.
func sh(t testing.TB, name string, args ...string) (string, error) {
	t.Helper()
	out, err := exec.Command(name, args...).CombinedOutput()
	return string(out), err
}

// must is sh for commands that must succeed.
func must(t testing.TB, name string, args ...string) string {
	t.Helper()
	out, err := sh(t, name, args...)
	if err != nil {
		t.Fatalf("%s %v: %v\n%s", name, args, err, out)
	}
	return strings.TrimSpace(out)
}

// zeros makes a file of that many zero bytes.
func zeros(t testing.TB, file string, size int64) string {
	t.Helper()
	if err := os.WriteFile(file, make([]byte, size), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// dataFile waits for the file that Loadline fills in a directory, and returns its path.
func dataFile(t testing.TB, dir string, size int64) string {
	t.Helper()
	var found string
	eventually(t, "a data file of "+fmt.Sprint(size)+" bytes stands in "+dir, func() bool {
		files, _ := filepath.Glob(filepath.Join(dir, ".loadline-*.data"))
		for _, f := range files {
			var st unix.Stat_t
			if unix.Stat(f, &st) == nil && st.Size == size && st.Blocks*512 >= size {
				found = f
				return true
			}
		}
		return false
	})
	return found
}

// begun waits until the first repeat has been saved.
func begun(t testing.TB, r *running) {
	t.Helper()
	eventually(t, "a repeat begins", func() bool {
		raw, _ := filepath.Glob(filepath.Join(r.cmd.Dir, "loadline-results", "*", "raw", "*.fio"))
		return len(raw) > 0
	})
}

// results returns the results in the report that a run has saved.
func results(t testing.TB, r *running) []model.Result {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(r.cmd.Dir, "loadline-results", "*", "report.json"))
	if err != nil || len(files) != 1 {
		t.Fatalf("reports: %v, %v", files, err)
	}
	text, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	var report model.Report
	if err := json.Unmarshal(text, &report); err != nil {
		t.Fatal(err)
	}
	if len(report.Results) == 0 {
		t.Fatal("the report has no results")
	}
	return report.Results
}

// The owner of the measured directory may replace the data file with a link or another
// file: its target is not written, and the numbers are not valid.
func TestDataFileIsReplaced(t *testing.T) {
	t.Parallel()
	lab.Lock(t)
	for name, replace := range map[string]func(t *testing.T, file, victim string){
		"by a link": func(t *testing.T, file, victim string) {
			if err := os.Symlink(victim, file); err != nil {
				t.Fatal(err)
			}
		},
		"by a file": func(t *testing.T, file, victim string) {
			if err := os.Link(victim, file); err != nil {
				t.Fatal(err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			outside := t.TempDir()
			dir := filepath.Join(outside, "data")
			if err := os.Mkdir(dir, 0o700); err != nil {
				t.Fatal(err)
			}
			victim := zeros(t, filepath.Join(outside, "victim"), 64<<20)
			before := digest(t, victim)
			r := begin(t, "run", dir, "--only", "rand-write-iops", "--size", "32M", "--max-time", "40s", "--repeat", "9")
			file := dataFile(t, dir, 32<<20)
			begun(t, r)
			if err := os.Rename(file, filepath.Join(dir, "kept")); err != nil {
				t.Fatal(err)
			}
			replace(t, file, victim)
			o := r.wait(t)
			if o.code == 0 {
				t.Errorf("exit code 0 although the file was replaced")
			}
			if !strings.Contains(o.said(), "was replaced by") {
				t.Errorf("it does not say that the file was replaced")
			}
			if digest(t, victim) != before {
				t.Errorf("the victim was written")
			}
			if info, err := os.Stat(filepath.Join(dir, "kept")); err != nil || info.Size() != 0 {
				t.Errorf("the own file was not emptied: %v, %v", info, err)
			}
			for _, r := range results(t, r) {
				if r.Verdict != model.Invalid {
					t.Errorf("%s of a replaced file is %s", r.Workload, r.Verdict)
				}
			}
		})
	}
}

// A device is reserved while it is measured.
func TestDeviceIsHeldWhileItIsMeasured(t *testing.T) {
	t.Parallel()
	lab.Lock(t)
	lab.Need(t, "mkfs.ext4", "mkswap", "swapon", "losetup")
	dir := t.TempDir()
	dev := lab.Loop(t, zeros(t, filepath.Join(dir, "image"), 128<<20))
	r := begin(t, "run", dev, "--destroy-data-on", dev, "--only", "rand-write-iops", "--size", "64M", "--time", "60s")
	begun(t, r)
	for _, command := range [][]string{
		{"mkfs.ext4", "-q", dev}, {"mkswap", dev}, {"mount", dev, dir}, {"wipefs", "-a", "--lock=nonblock", dev}, {"swapon", dev},
	} {
		if out, err := sh(t, command[0], command[1:]...); err == nil {
			t.Errorf("%v succeeded while the device was measured: %s", command, out)
		}
	}
	second := loadline(t, "run", dev, "--destroy-data-on", dev, "--only", "seq-write-bw", "--size", "32M", "--max-time", "6s")
	if second.code != 2 || !strings.Contains(second.said(), "in use") {
		t.Errorf("a second run on the same device: exit code %d", second.code)
	}
	if err := r.cmd.Process.Signal(syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	if o := r.wait(t); o.code != 130 {
		t.Errorf("the interrupted run: exit code %d", o.code)
	}
	// Afterwards it is free.
	must(t, "mkfs.ext4", "-q", dev)
}

// If a device is detached during a run, its name must not come to mean another device. The test is
// not parallel: the name that it frees could be given to another test's device.
func TestDeviceNameComesToMeanAnotherDevice(t *testing.T) {
	lab.Lock(t)
	dir := t.TempDir()
	other := filepath.Join(dir, "other")
	if err := os.WriteFile(other, bytes.Repeat([]byte{'P'}, 64<<20), 0o600); err != nil {
		t.Fatal(err)
	}
	before := digest(t, other)
	dev := lab.Loop(t, zeros(t, filepath.Join(dir, "image"), 64<<20))
	r := begin(t, "run", dev, "--destroy-data-on", dev, "--only", "rand-write-iops", "--size", "64M", "--max-time", "20s")
	begun(t, r)
	// Detaching is deferred until the last user is gone, and attaching fails until then.
	_, _ = sh(t, "losetup", "-d", dev)
	for end := time.Now().Add(5 * time.Second); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		if out, err := sh(t, "losetup", dev, other); err == nil {
			t.Errorf("the name of the measured device became that of another: %s", out)
			break
		}
	}
	r.wait(t)
	_, _ = sh(t, "losetup", "-d", dev)
	if digest(t, other) != before {
		t.Error("another device was written")
	}
}

// A device that a server or a virtual machine has open is in use, although the kernel does
// not know it, before a run and during one.
func TestDeviceIsOpenElsewhere(t *testing.T) {
	t.Parallel()
	lab.Lock(t)
	dir := t.TempDir()
	dev := lab.Loop(t, zeros(t, filepath.Join(dir, "image"), 64<<20))
	hold := func() *os.File {
		f, err := os.OpenFile(dev, os.O_RDWR, 0)
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	args := []string{"run", dev, "--destroy-data-on", dev, "--only", "rand-write-iops", "--size", "32M", "--max-time", "12s"}
	before := digest(t, dev)
	f := hold()
	o := loadline(t, args...)
	if o.code != 2 || !strings.Contains(o.said(), fmt.Sprintf("(process %d)", os.Getpid())) {
		t.Errorf("a device that this process has open: exit code %d", o.code)
	}
	if digest(t, dev) != before {
		t.Error("it was written")
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	r := begin(t, args...)
	begun(t, r)
	f = hold()
	defer f.Close()
	if o := r.wait(t); o.code == 0 || !strings.Contains(o.said(), "is open in another process") {
		t.Errorf("a device that was opened during the run: exit code %d", o.code)
	}
}

// otherNode makes another node of a device, in a directory.
func otherNode(t testing.TB, dev, dir string) string {
	t.Helper()
	var st unix.Stat_t
	if err := unix.Stat(dev, &st); err != nil {
		t.Fatal(err)
	}
	node := filepath.Join(dir, "node")
	if err := unix.Mknod(node, unix.S_IFBLK|0o600, int(st.Rdev)); err != nil {
		t.Fatal(err)
	}
	return node
}

// A loop device may be backed by a device node at any path.
func TestLoopOverANodeOutsideDev(t *testing.T) {
	t.Parallel()
	lab.Lock(t)
	dir := t.TempDir()
	dev := lab.Loop(t, zeros(t, filepath.Join(dir, "image"), 64<<20))
	node := otherNode(t, dev, dir)
	above := lab.Loop(t, node)
	if err := os.Remove(node); err != nil {
		t.Fatal(err)
	}
	o := loadline(t, "run", dev, "--destroy-data-on", dev, "--only", "rand-write-iops", "--size", "32M", "--max-time", "6s")
	if o.code != 2 || !strings.Contains(o.said(), "is the content of "+above) {
		t.Errorf("exit code %d", o.code)
	}
}

// Two loop devices may be backed by one file: what is written to one appears in the
// other. The file itself may be open in a server.
func TestContentIsSharedPastTheDevice(t *testing.T) {
	t.Parallel()
	lab.Lock(t)
	dir := t.TempDir()
	image := zeros(t, filepath.Join(dir, "image"), 64<<20)
	dev := lab.Loop(t, image)
	args := []string{"run", dev, "--destroy-data-on", dev, "--only", "rand-write-iops", "--size", "32M", "--max-time", "6s"}
	before := digest(t, image)
	server, err := os.OpenFile(image, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	if o := loadline(t, args...); o.code != 2 || !strings.Contains(o.said(), fmt.Sprintf("(process %d)", os.Getpid())) {
		t.Errorf("its file is open in a server: exit code %d", o.code)
	}
	if err := server.Close(); err != nil {
		t.Fatal(err)
	}
	other := lab.Loop(t, image)
	if o := loadline(t, args...); o.code != 2 || !strings.Contains(o.said(), "shares its content with "+other) {
		t.Errorf("another loop device is made of its file: exit code %d", o.code)
	}
	if digest(t, image) != before {
		t.Error("it was written")
	}
}

// A lock on another node of the device is not ours.
func TestForeignLockOnAnotherNode(t *testing.T) {
	t.Parallel()
	lab.Lock(t)
	dir := t.TempDir()
	dev := lab.Loop(t, zeros(t, filepath.Join(dir, "image"), 64<<20))
	node := otherNode(t, dev, dir)
	f, err := os.OpenFile(node, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := unix.Flock(int(f.Fd()), unix.LOCK_EX); err != nil {
		t.Fatal(err)
	}
	o := loadline(t, "run", dev, "--destroy-data-on", dev, "--only", "rand-write-iops", "--size", "32M", "--max-time", "6s")
	if o.code != 2 || !strings.Contains(o.said(), "is open in another process") {
		t.Errorf("exit code %d", o.code)
	}
}

// Workers that share a device in one run share its lock, even as separate
// processes, and one device is measured.
func TestWorkersShareADevice(t *testing.T) {
	t.Parallel()
	for name, more := range map[string][]string{"in one process": nil, "in processes of their own": {"--child-worker"}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			lab.Lock(t)
			dev := lab.Loop(t, zeros(t, filepath.Join(t.TempDir(), "image"), 64<<20))
			args := append([]string{"scale", dev, "--destroy-data-on", dev, "--workload", "rand-write-iops", "--volumes", "1,3", "--size", "32M", "--max-time", "20s"}, more...)
			if o := loadline(t, args...); o.code != 0 && o.code != 5 {
				t.Errorf("scale %v: exit code %d", more, o.code)
			}
		})
	}
}

// Kbench's --overwrite does not override other refusals.
func TestKbenchGuardsBeforeItChangesAFile(t *testing.T) {
	t.Parallel()
	lab.Lock(t)
	lab.Need(t, "mkfs.ext4")
	dir := t.TempDir()
	image := zeros(t, filepath.Join(dir, "vm.img"), 20<<20)
	must(t, "mkfs.ext4", "-q", "-F", image)
	before := snapshot(t, dir)
	if o := loadline(t, "kbench", "run", "--overwrite", image, filepath.Join(t.TempDir(), "out"), "100M"); o.code != 2 {
		t.Errorf("exit code %d", o.code)
	}
	unharmed(t, dir, before)
}
