package lab

import (
	_ "embed"
	"os"
	"os/exec"
	"path/filepath"
)

//go:embed testdata/slowflush.c
var slowFlush []byte

// SlowFlush builds a library that makes each fdatasync and fsync of the programs that load it
// (LD_PRELOAD) take at least $SLOWFLUSH_US microseconds or, in a directory called
// flush-NUMBERus, that number: storage with a known flush time, if that is longer
// than the real one. Every user can read it.
func SlowFlush(t T) string {
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
