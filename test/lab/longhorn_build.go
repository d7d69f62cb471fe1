package lab

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"
)

// buildLimit bounds a first build, which downloads some 70 modules and compiles
// them: about a minute of two processors.
const buildLimit = 10 * time.Minute

// longhornPrograms returns the Longhorn engine and our bridge to it, built from
// the module in test/lab/longhorn. They are built once for each version of that
// module and of Go, and kept in the user's cache directory.
func longhornPrograms(t T) (engine, bridge string) {
	t.Helper()
	Need(t, "go")
	source := longhornModule(t)
	cache, err := os.UserCacheDir()
	if err != nil {
		Unavailable(t, "there is no place to keep the Longhorn engine: %v", err)
	}
	cache = filepath.Join(cache, "loadline-lab")
	programs := filepath.Join(cache, "longhorn-"+version(t, source))
	if _, err := os.Stat(programs); err != nil {
		buildLonghorn(t, source, cache, programs)
	}
	return filepath.Join(programs, "longhorn-engine"), filepath.Join(programs, "bridge")
}

// buildLonghorn makes the directory programs, completely or not at all.
func buildLonghorn(t T, source, cache, programs string) {
	t.Helper()
	needCompiler(t)
	if err := os.MkdirAll(cache, 0o700); err != nil {
		Unavailable(t, "there is no place to keep the Longhorn engine: %v", err)
	}
	lock, err := acquire(filepath.Join(cache, "build.lock"), t)
	if err != nil {
		t.Fatalf("cannot take the lock of the Longhorn build: %v", err)
	}
	defer lock.Close()
	if _, err := os.Stat(programs); err == nil {
		return // by another process, meanwhile
	}
	t.Logf("building the Longhorn engine into %s, once; this takes a minute or two", programs)
	target := filepath.Join(directory(t, cache), "programs")
	ctx, cancel := context.WithTimeout(context.Background(), buildLimit)
	defer cancel()
	cmd := exec.CommandContext(ctx, "go", "build", "-trimpath", "-buildvcs=false", "-o", target+"/",
		"./bridge", "github.com/longhorn/longhorn-engine")
	cmd.Dir = source
	cmd.Env = append(os.Environ(), "GOWORK=off", "CGO_ENABLED=1")
	out, err := cmd.CombinedOutput()
	if ctx.Err() != nil {
		missing(t, "the Longhorn engine was not built within %s", buildLimit)
	}
	if err != nil {
		missing(t, "the Longhorn engine cannot be built here: %s", strings.TrimSpace(string(out)))
	}
	if err := os.Rename(target, programs); err != nil {
		t.Fatalf("cannot keep the Longhorn engine: %v", err)
	}
}

// needCompiler skips unless a C program that uses libqcow can be compiled: the
// engine reads QCOW images with it.
func needCompiler(t T) {
	t.Helper()
	Need(t, "gcc")
	for _, need := range []struct{ header, pkg string }{{"stdlib.h", "libc6-dev"}, {"libqcow.h", "libqcow-dev"}} {
		cmd := exec.Command("gcc", "-E", "-")
		cmd.Stdin = strings.NewReader("#include <" + need.header + ">\n")
		if cmd.Run() != nil {
			missing(t, "%s is not installed (apt-get install %s)", need.pkg, need.pkg)
		}
	}
}

// longhornModule finds the engine's module: go test runs in a directory of the
// product's module.
func longhornModule(t T) string {
	t.Helper()
	out, err := exec.Command("go", "env", "GOMOD").Output()
	if err != nil {
		t.Fatalf("cannot find Loadline's source: go env GOMOD: %v", err)
	}
	source := filepath.Join(filepath.Dir(strings.TrimSpace(string(out))), "test", "lab", "longhorn")
	if _, err := os.Stat(filepath.Join(source, "go.mod")); err != nil {
		Unavailable(t, "Loadline's source is not here, and with it the Longhorn engine's module: %v", err)
	}
	return source
}

// version names everything that the programs are made of.
func version(t T, source string) string {
	t.Helper()
	sum := sha256.New()
	sum.Write([]byte(runtime.Version() + runtime.GOARCH))
	err := filepath.WalkDir(source, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		sum.Write([]byte(entry.Name()))
		sum.Write(text)
		return err
	})
	if err != nil {
		t.Fatalf("cannot read the source of the Longhorn bridge: %v", err)
	}
	return hex.EncodeToString(sum.Sum(nil))[:16]
}
