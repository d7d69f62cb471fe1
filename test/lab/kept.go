package lab

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// buildLimit bounds a first build, which downloads some 70 modules and compiles
// them: about a minute on two processors.
const buildLimit = 10 * time.Minute

// kept returns the path of a file or directory in the user's cache directory, whose name identifies
// everything that it is made of. It is made once, by one process at a time, completely or not at all: make
// gets an empty directory and returns the path of what it has made there.
func kept(t T, what, name string, make func(into string) string) string {
	t.Helper()
	cache, err := os.UserCacheDir()
	if err != nil {
		Unavailable(t, "there is no place to keep %s: %v", what, err)
	}
	cache = filepath.Join(cache, "loadline-lab")
	path := filepath.Join(cache, name)
	if _, err := os.Stat(path); err == nil {
		return path
	}
	if err := os.MkdirAll(cache, 0o700); err != nil {
		Unavailable(t, "there is no place to keep %s: %v", what, err)
	}
	lock, err := acquire(filepath.Join(cache, "build.lock"), syscall.LOCK_EX, t)
	if err != nil {
		t.Fatalf("cannot take the lock under which %s is made: %v", what, err)
	}
	defer lock.Close()
	if _, err := os.Stat(path); err == nil {
		return path // made by another process in the meantime
	}
	t.Logf("making %s, once, and keeping it in %s; this may take a minute or two", what, path)
	if err := os.Rename(make(directory(t, cache)), path); err != nil {
		t.Fatalf("cannot keep %s: %v", what, err)
	}
	return path
}

// goBuild builds packages of the module in a directory, with variables added to the environment.
func goBuild(t T, what, module, target string, variables []string, packages ...string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), buildLimit)
	defer cancel()
	cmd := exec.CommandContext(ctx, "go", append([]string{"build", "-trimpath", "-buildvcs=false", "-o", target}, packages...)...)
	cmd.Dir, cmd.Env = module, append(append(os.Environ(), "GOWORK=off"), variables...)
	out, err := cmd.CombinedOutput()
	if ctx.Err() != nil {
		missing(t, "%s was not built within %s", what, buildLimit)
	}
	if err != nil {
		missing(t, "%s cannot be built here: %s", what, strings.TrimSpace(string(out)))
	}
}
