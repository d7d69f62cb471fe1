package lab

import (
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
	sum := sha256.Sum256(append(sums, runtime.Version()+runtime.GOARCH...))
	return readable(t, kept(t, "etcd", "etcd-"+hex.EncodeToString(sum[:])[:16], func(into string) string {
		target := filepath.Join(into, "etcd")
		goBuild(t, "etcd", source, target, []string{"GOFLAGS=", "CGO_ENABLED=0"}, "go.etcd.io/etcd/server/v3")
		return target
	}))
}

// readable links a program into a directory that every user can enter: the cache belongs to one
// user, and servers do not run as root.
func readable(t T, program string) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "loadline-etcd-")
	if err != nil {
		t.Fatalf("%v", err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	path := filepath.Join(dir, "etcd")
	if os.Link(program, path) != nil {
		// The cache is on another filesystem.
		text, err := os.ReadFile(program)
		if err == nil {
			err = os.WriteFile(path, text, 0o755)
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
