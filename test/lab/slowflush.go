package lab

import (
	"context"
	_ "embed"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"
)

//go:embed testdata/slowflush.c
var slowFlush []byte

// SlowFlush returns what command returns, for programs of which each fdatasync and fsync takes at least that long
// or, in a directory called flush-NUMBERus, that many microseconds: storage with a known flush time, if that is
// longer than the real one. In a directory called read-NUMBERus each read of a page takes at least that many, wherever
// the page is. It is for these programs and what they start, and not for the rest of the test, so that tests
// of different times can run at once.
func SlowFlush(t T, command func(ctx context.Context, name string, args ...string) *exec.Cmd, least time.Duration) func(context.Context, string, ...string) *exec.Cmd {
	t.Helper()
	library := slowFlushLibrary(t)
	return func(ctx context.Context, name string, args ...string) *exec.Cmd {
		cmd := command(ctx, name, args...)
		cmd.Env = append(cmd.Environ(), "LD_PRELOAD="+library, fmt.Sprintf("SLOWFLUSH_US=%d", least.Microseconds()))
		return cmd
	}
}

// slowFlushLibrary builds the library for LD_PRELOAD. Every user can read it.
func slowFlushLibrary(t T) string {
	t.Helper()
	Need(t, "gcc")
	dir, err := os.MkdirTemp("", "loadline-slowflush-")
	if err != nil {
		t.Fatalf("%v", err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	source, library := filepath.Join(dir, "slowflush.c"), filepath.Join(dir, "slowflush.so")
	if err := os.WriteFile(source, slowFlush, 0o644); err != nil {
		t.Fatalf("%v", err)
	}
	if said, err := exec.Command("gcc", "-shared", "-fPIC", "-O2", "-o", library, source, "-ldl").CombinedOutput(); err != nil {
		t.Fatalf("gcc: %v: %s", err, said)
	}
	for _, path := range []string{dir, library} {
		if err := os.Chmod(path, 0o755); err != nil {
			t.Fatalf("%v", err)
		}
	}
	return library
}
