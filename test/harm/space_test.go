package harm

import (
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/loadline/loadline/test/lab"
)

// fullest watches how full a filesystem becomes; stop returns the largest share in use, as df shows it.
func fullest(t *testing.T, dir string) (stop func() float64) {
	t.Helper()
	end, most := make(chan struct{}), make(chan float64)
	go func() {
		largest := 0.0
		for {
			var s unix.Statfs_t
			if err := unix.Statfs(dir, &s); err == nil {
				used := float64(s.Blocks - s.Bfree)
				largest = max(largest, used/(used+float64(s.Bavail)))
			}
			select {
			case <-end:
				most <- largest
				return
			case <-time.After(20 * time.Millisecond):
			}
		}
	}()
	return func() float64 { close(end); return <-most }
}

// A comparison of two directories keeps two files at once; neither of their sizes may fill the filesystem.
func TestAComparisonLeavesSpace(t *testing.T) {
	t.Parallel()
	lab.Lock(t)
	disk := lab.Filesystem(t, lab.LoopOnMemory(t, 512<<20), "ext4")
	var sides []string
	for _, name := range []string{"a", "b"} {
		dir := filepath.Join(disk, name)
		if err := os.Mkdir(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		sides = append(sides, dir)
	}
	args := append([]string{"compare"}, append(sides, "--only", "rand-read-iops", "--yes", "--fail-on", "none")...)
	if o := loadline(t, append(args, "--size", "300MiB")...); o.code != 2 || !strings.Contains(o.said(), "both sides are on one filesystem, so each may have half") {
		t.Errorf("exit code %d", o.code)
	}
	stop := fullest(t, disk)
	r := begin(t, args...)
	// Both files are filled when a repeat begins, which takes longer than other things do.
	began := func() bool {
		raw, _ := filepath.Glob(filepath.Join(r.cmd.Dir, "loadline-results", "*", "*", "raw", "*.fio"))
		return len(raw) > 0
	}
	for end := time.Now().Add(limit / 2); !began() && time.Now().Before(end); {
		time.Sleep(20 * time.Millisecond)
	}
	if err := r.cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	o := r.wait(t)
	if most := stop(); o.code != 130 || most > 0.955 || most < 0.2 {
		t.Errorf("exit code %d, and the filesystem was %.1f %% full", o.code, 100*most)
	}
}

// nohup(1) has a program ignore the end of its terminal.
func TestNohupIsHeeded(t *testing.T) {
	t.Parallel()
	nohup, err := exec.LookPath("nohup")
	if err != nil {
		t.Skip("no nohup here")
	}
	for _, c := range []struct {
		through []string
		code    int
	}{{[]string{nohup}, 0}, {nil, 130}} {
		if c.through == nil && signal.Ignored(syscall.SIGHUP) {
			continue // these tests themselves run under nohup
		}
		words := append(c.through, program, "run", "fake:?iops=1000&pace=1", "--only", "rand-read-iops", "--time", "3s", "--results", t.TempDir())
		cmd := exec.Command(words[0], words[1:]...)
		cmd.Dir = t.TempDir()
		progress, err := cmd.StderrPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		first := make([]byte, 1)
		_, _ = progress.Read(first) // it is running, and its signals are set
		_ = cmd.Process.Signal(syscall.SIGHUP)
		_ = cmd.Wait()
		if code := cmd.ProcessState.ExitCode(); code != c.code {
			t.Errorf("%v: exit code %d", c.through, code)
		}
	}
}
