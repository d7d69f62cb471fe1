package lab

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"

	"github.com/loadline/loadline/test/lab/journal"
)

// The janitor is a shell that outlives the test process. For everything that must be
// undone, a small shell script is written into the journal directory first. A
// test that ends undoes its steps itself, newest first, and removes them from
// the journal. When the test process dies for whatever reason (including SIGKILL and
// go test's timeout), the janitor's standard input ends, and it runs what
// is still in the journal, newest first.
//
// A parent-death signal for each daemon would not be enough: the daemons would end first,
// below mounts and loop devices that then hang or stay behind.
//
// Both hold a lock on the journal. One that nobody holds belongs to a test whose janitor was killed as well, and is run by
// journal.Leftovers.
const janitorScript = `cat >/dev/null
` + journal.Undo

var janitor struct {
	sync.Mutex
	dir   string   // the journal
	held  *os.File // its lock
	pipe  *os.File // open as long as this process lives
	count int
}

// startJanitor starts the one janitor of this process.
func startJanitor() error {
	dir, held, err := journal.New()
	if err != nil {
		return err
	}
	read, write, err := os.Pipe()
	if err != nil {
		return err
	}
	defer read.Close()
	cmd := exec.Command("sh", "-c", janitorScript, "janitor", dir)
	cmd.Stdin = read
	cmd.ExtraFiles = []*os.File{held} // the lock lasts until both have ended
	cmd.Dir = "/"                     // so that it keeps no directory busy
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := cmd.Start(); err != nil {
		return err
	}
	go cmd.Wait()
	janitor.dir, janitor.held, janitor.pipe = dir, held, write
	return nil
}

// undo arranges that script, a line of shell, is run when the test ends, or by
// the janitor if the test process dies. If now is not nil, it is called instead when the
// test ends normally. Call undo before doing what it undoes: the script must
// be harmless if that never happened.
func undo(t T, script string, now func() error) {
	t.Helper()
	step, err := writeStep(script)
	if err != nil {
		t.Fatalf("the lab cannot prepare its clean-up: %v", err)
	}
	if now == nil {
		now = func() error { return shell(script) }
	}
	t.Cleanup(func() {
		if err := now(); err != nil {
			t.Errorf("the lab could not clean up, and will try again when the tests end: %v", err)
			return
		}
		os.Remove(step)
	})
}

// writeStep writes one step, completely or not at all.
func writeStep(script string) (string, error) {
	janitor.Lock()
	defer janitor.Unlock()
	if janitor.dir == "" {
		if err := startJanitor(); err != nil {
			return "", err
		}
	}
	janitor.count++
	return journal.Add(janitor.dir, fmt.Sprintf("%06d", janitor.count), script)
}

// shell runs a line of shell; its error carries what the line printed.
func shell(script string) error {
	out, err := exec.Command("sh", "-c", script).CombinedOutput()
	if err != nil {
		return fmt.Errorf("%s: %w: %s", script, err, strings.TrimSpace(string(out)))
	}
	return nil
}

// quote makes one shell word of s.
func quote(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }
