package lab

import (
	"crypto/sha256"
	"encoding/hex"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
)

// longhornPrograms returns the Longhorn engine and our bridge to it, built from
// the module in test/lab/longhorn. They are built once for each version of that
// module and of Go, and kept in the user's cache directory.
func longhornPrograms(t T) (engine, bridge string) {
	t.Helper()
	Need(t, "go")
	source := longhornModule(t)
	programs := kept(t, "the Longhorn engine", "longhorn-"+version(t, source), func(into string) string {
		needCompiler(t)
		target := filepath.Join(into, "programs")
		goBuild(t, "the Longhorn engine", source, target+"/", []string{"CGO_ENABLED=1"}, "./bridge", "github.com/longhorn/longhorn-engine")
		return target
	})
	return filepath.Join(programs, "longhorn-engine"), filepath.Join(programs, "bridge")
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

// version identifies everything that the programs are made of.
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
