package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

// TestMain lets the test binary act as the program.
func TestMain(m *testing.M) {
	if os.Getenv("LOADLINE_TEST_PROGRAM") != "" {
		main()
	}
	os.Exit(m.Run())
}

// timeout(1) sends its signal to the process and to its group, so it arrives twice: that counts as one
// request, and what was written is still removed.
func TestASignalThatComesTwiceIsOne(t *testing.T) {
	dir := t.TempDir()
	cmd := exec.Command(os.Args[0], "run", dir, "--size", "64M", "--profile", "quick", "--quiet", "--results", t.TempDir())
	cmd.Env = append(os.Environ(), "LOADLINE_TEST_PROGRAM=1")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	files := func() []string {
		list, _ := filepath.Glob(filepath.Join(dir, ".loadline-*"))
		return list
	}
	for begin := time.Now(); len(files()) == 0 && time.Since(begin) < time.Minute; {
		time.Sleep(10 * time.Millisecond)
	}
	cmd.Process.Signal(syscall.SIGTERM)
	time.Sleep(2 * time.Millisecond)
	cmd.Process.Signal(syscall.SIGTERM)
	cmd.Wait()
	if code := cmd.ProcessState.ExitCode(); code != 130 {
		t.Errorf("exit code %d, want 130 (%v)", code, cmd.ProcessState)
	}
	if left := files(); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}
