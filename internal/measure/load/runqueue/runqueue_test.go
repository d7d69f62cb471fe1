package runqueue

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// played replaces the threads of a simulated process: nanoseconds run and waited, by thread.
func played(t *testing.T, proc string, process int, threads map[int][2]uint64) {
	t.Helper()
	task := filepath.Join(proc, fmt.Sprint(process), "task")
	if err := os.RemoveAll(task); err != nil {
		t.Fatal(err)
	}
	for id, v := range threads {
		dir := filepath.Join(task, fmt.Sprint(id))
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, "schedstat"), fmt.Appendf(nil, "%d %d 17\n", v[0], v[1]), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

const ms = 1_000_000

// The threads of all processes count from the first reading on, without the excepted one; threads may
// come and go, and a reading after a process has ended adds nothing.
func TestMeter(t *testing.T) {
	proc, at := t.TempDir(), time.Unix(100, 0)
	m := &Meter{proc: proc, Processes: []int{7, 8}, Except: 8}
	read := func(seven, eight map[int][2]uint64, want bool) {
		t.Helper()
		played(t, proc, 7, seven)
		played(t, proc, 8, eight)
		if got := m.Read(at); got != want {
			t.Errorf("a reading at %s is %v", at, got)
		}
		at = at.Add(time.Second)
	}
	read(map[int][2]uint64{7: {ms, 0}}, nil, false) // the second process has not begun
	read(map[int][2]uint64{7: {2 * ms, 500 * ms}}, map[int][2]uint64{8: {ms, 0}, 9: {ms, 100 * ms}}, true)
	read(map[int][2]uint64{7: {3 * ms, 530 * ms}, 10: {ms, 5 * ms}}, map[int][2]uint64{8: {ms, 900 * ms}, 9: {2 * ms, 110 * ms}}, true)
	read(map[int][2]uint64{7: {4 * ms, 540 * ms}}, map[int][2]uint64{8: {ms, 990 * ms}, 9: {3 * ms, 115 * ms}}, true)
	read(map[int][2]uint64{7: {9 * ms, 999 * ms}}, nil, false)
	if w := m.Waiting(); w == nil || math.Abs(*w-0.060/2) > 1e-9 {
		t.Errorf("%v, want 60 ms in 2 s", w)
	}
}

// One reading, no process, and a kernel that counts nothing leave the waiting unknown.
func TestMeterWithoutEvidence(t *testing.T) {
	proc := t.TempDir()
	played(t, proc, 7, map[int][2]uint64{7: {ms, ms}})
	played(t, proc, 8, map[int][2]uint64{8: {0, 0}})
	for name, m := range map[string]*Meter{
		"nobody": {proc: proc}, "a process that is gone": {proc: proc, Processes: []int{9}}, "zeros": {proc: proc, Processes: []int{8}},
	} {
		for second := range 3 {
			if m.Read(time.Unix(int64(second), 0)) {
				t.Errorf("%s: a reading counts", name)
			}
		}
		if w := m.Waiting(); w != nil {
			t.Errorf("%s: waited %v", name, *w)
		}
	}
	once := &Meter{proc: proc, Processes: []int{7}}
	if !once.Read(time.Unix(1, 0)) || once.Waiting() != nil {
		t.Error("one reading is a difference")
	}
}

func TestReadRefusesOtherText(t *testing.T) {
	name := filepath.Join(t.TempDir(), "schedstat")
	for _, text := range []string{"", "1", "1 x 3", "-1 2 3"} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if got, ok := Read(name); ok {
			t.Errorf("%q is %+v", text, got)
		}
	}
	if _, ok := Read(name + "x"); ok {
		t.Error("a missing file was read")
	}
}
