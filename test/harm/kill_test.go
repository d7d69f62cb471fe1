package harm

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/loadline/loadline/test/lab"
)

// kills is how often a run is killed, and killedAtOnce how many runs execute in parallel:
// nothing here depends on time.
const (
	kills        = 50
	killedAtOnce = 5
)

// Whenever Loadline is killed, existing files are unchanged, none of its processes keeps
// running, and cleanup finds all that it has left.
func TestKilledAtAnyMoment(t *testing.T) {
	t.Parallel()
	lab.Lock(t)
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	draw := rand.New(rand.NewPCG(seed, 0))
	slots := make(chan struct{}, killedAtOnce)
	t.Run("runs", func(t *testing.T) {
		for i := range kills {
			delay := time.Duration(draw.Int64N(int64(6 * time.Second)))
			t.Run(fmt.Sprintf("%02d %s after %s", i, victims[i%len(victims)].name, delay.Round(time.Millisecond)), func(t *testing.T) {
				t.Parallel()
				slots <- struct{}{}
				defer func() { <-slots }()
				killed(t, victims[i%len(victims)].args, delay)
			})
		}
	})
}

// victims are commands on a directory in which the user has files.
var victims = []struct {
	name string
	args func(dir string) []string
}{
	{"run", func(dir string) []string {
		return []string{"run", dir, "--only", "rand-write-iops", "--size", "8M", "--max-time", "20s"}
	}},
	{"run of a file that is only read", func(dir string) []string {
		return []string{"run", filepath.Join(dir, "database"), "--only", "*-read-*", "--max-time", "20s"}
	}},
	{"probe", func(dir string) []string {
		return []string{"run", dir, "--only", "seq-write-bw", "--max-time", "20s", "--max-prefill", "3s"}
	}},
	{"durability", func(dir string) []string {
		return []string{"durability", dir, "--cuts", "20"}
	}},
	{"compare", func(dir string) []string {
		return []string{"compare", dir, filepath.Join(dir, "sub"), "--only", "rand-write-iops", "--size", "8M", "--max-time", "60s"}
	}},
}

// killed starts a command on a directory, kills it after the delay and checks what is left.
func killed(t *testing.T, args func(dir string) []string, delay time.Duration) {
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "sub"), 0o750); err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string][]byte{
		"database": bytes.Repeat([]byte("row "), 1<<20), "sub/key": []byte("secret"), ".loadline-notes.md": []byte("mine"),
	} {
		if err := os.WriteFile(filepath.Join(dir, name), content, 0o640); err != nil {
			t.Fatal(err)
		}
	}
	before := snapshot(t, dir)
	r := begin(t, args(dir)...)
	time.Sleep(delay)
	_ = r.cmd.Process.Kill() // it may have ended by itself
	r.wait(t)
	eventually(t, "everything that it started has ended", func() bool { return len(using(dir)) == 0 })
	for _, d := range []string{dir, filepath.Join(dir, "sub")} {
		// A file that a pending durability test needs stays until the test is done.
		if o := loadline(t, "cleanup", d); o.code != 0 {
			t.Errorf("cleanup: exit code %d", o.code)
		}
	}
	after := snapshot(t, dir)
	for path := range after {
		if _, known := before[path]; !known && strings.Contains(path, "-durability.") && args(dir)[0] == "durability" {
			delete(after, path)
		}
	}
	for path, was := range before {
		if after[path] != was {
			t.Errorf("%s was %q and is %q", path, was, after[path])
		}
		delete(after, path)
	}
	for path := range after {
		t.Errorf("%s was left behind", path)
	}
}

// using lists the processes that have something below the directory open.
func using(dir string) []string {
	var found []string
	links, _ := filepath.Glob("/proc/[0-9]*/fd/*")
	for _, link := range links {
		to, err := os.Readlink(link)
		if err == nil && strings.HasPrefix(to, dir+"/") && !strings.HasPrefix(link, fmt.Sprintf("/proc/%d/", os.Getpid())) {
			found = append(found, link+" "+to)
		}
	}
	return found
}
