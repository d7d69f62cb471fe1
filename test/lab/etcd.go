package lab

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
)

// Etcd returns the etcd on PATH, else one that is built from the module of test/cluster, whose
// Kubernetes needs it too. It is built once for each version of that module and of Go, and kept
// in the user's cache directory; every user can read and run it.
func Etcd(t T) string {
	t.Helper()
	if path, err := exec.LookPath("etcd"); err == nil {
		return path
	}
	Need(t, "go")
	out, err := exec.Command("go", "env", "GOMOD").Output()
	if err != nil {
		t.Fatalf("cannot find Loadline's source: go env GOMOD: %v", err)
	}
	source := filepath.Join(filepath.Dir(strings.TrimSpace(string(out))), "test", "cluster")
	sums, err := os.ReadFile(filepath.Join(source, "go.sum"))
	if err != nil {
		Unavailable(t, "etcd is not on PATH (apt-get install etcd-server), and the module that it could be built from is not here: %v", err)
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		Unavailable(t, "there is no place to keep an etcd: %v", err)
	}
	cache = filepath.Join(cache, "loadline-lab")
	sum := sha256.Sum256(append(sums, runtime.Version()+runtime.GOARCH...))
	kept := filepath.Join(cache, "etcd-"+hex.EncodeToString(sum[:])[:16])
	if _, err := os.Stat(kept); err != nil {
		buildEtcd(t, source, cache, kept)
	}
	return readable(t, kept)
}

// buildEtcd makes the program, completely or not at all.
func buildEtcd(t T, source, cache, kept string) {
	t.Helper()
	if err := os.MkdirAll(cache, 0o700); err != nil {
		Unavailable(t, "there is no place to keep an etcd: %v", err)
	}
	lock, err := acquire(filepath.Join(cache, "build.lock"), t)
	if err != nil {
		t.Fatalf("cannot take the lock of the build of etcd: %v", err)
	}
	defer lock.Close()
	if _, err := os.Stat(kept); err == nil {
		return // by another process, meanwhile
	}
	t.Logf("building etcd into %s, once; this takes a minute or two", kept)
	target := filepath.Join(directory(t, cache), "etcd")
	ctx, cancel := context.WithTimeout(context.Background(), buildLimit)
	defer cancel()
	cmd := exec.CommandContext(ctx, "go", "build", "-trimpath", "-buildvcs=false", "-o", target, "go.etcd.io/etcd/server/v3")
	cmd.Dir, cmd.Env = source, append(os.Environ(), "GOWORK=off", "GOFLAGS=", "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		missing(t, "etcd cannot be built here: %s", strings.TrimSpace(string(out)))
	}
	if err := os.Rename(target, kept); err != nil {
		t.Fatalf("cannot keep the etcd: %v", err)
	}
}

// readable links a program into a directory that every user can get into: the cache is one
// user's, and servers do not run as root.
func readable(t T, kept string) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "loadline-etcd-")
	if err != nil {
		t.Fatalf("%v", err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	path := filepath.Join(dir, "etcd")
	if os.Link(kept, path) != nil {
		// Another filesystem.
		program, err := os.ReadFile(kept)
		if err == nil {
			err = os.WriteFile(path, program, 0o755)
		}
		if err != nil {
			t.Fatalf("%v", err)
		}
	}
	for _, each := range []string{dir, path} {
		if err := os.Chmod(each, 0o755); err != nil {
			t.Fatalf("%v", err)
		}
	}
	return path
}
