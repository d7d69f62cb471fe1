package main

import (
	"crypto/sha256"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/loadline/loadline/test/lab"
)

// emulators run a program of another architecture, without the kernel's help.
var emulators = map[string]string{"amd64": "qemu-x86_64-static", "arm64": "qemu-aarch64-static"}

// engineRoot is the environment variable that names the files of the other architecture's image as a
// container engine has built it from the Dockerfile, to be tested instead of our own; buildah mount
// provides them.
const engineRoot = "LOADLINE_ENGINE_ROOT"

// listed returns the files below a directory with their modes and contents, except for our
// own programs, which contain their version.
func listed(t *testing.T, root string) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || path == root {
			return err
		}
		name := strings.TrimPrefix(path, root+"/")
		info, err := entry.Info()
		if err != nil {
			return err
		}
		files[name] = info.Mode().String()
		switch {
		case info.Mode()&fs.ModeSymlink != 0:
			to, err := os.Readlink(path)
			files[name] += " " + to
			return err
		case info.Mode().IsRegular() && !strings.HasPrefix(entry.Name(), "loadline"):
			data, err := os.ReadFile(path)
			files[name] += fmt.Sprintf(" %x", sha256.Sum256(data))
			return err
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// The image of the other architecture is built as it is published, and its programs run
// in an emulator: they find their libraries in the image's own files, and fio measures.
func TestOtherArchitectureRuns(t *testing.T) {
	other := map[string]string{"amd64": "arm64", "arm64": "amd64"}[runtime.GOARCH]
	if os.Getenv("LOADLINE_LONG") == "" {
		t.Skip("skipped: it unpacks a Debian of " + other + ", which takes a minute; LOADLINE_LONG=1 does it, as does make perf")
	}
	lab.Need(t, emulators[other], "apt-get", "dpkg-deb")
	emulator, err := exec.LookPath(emulators[other])
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	debian, root := filepath.Join(dir, "debian"), filepath.Join(dir, "root")
	if out, err := exec.Command("./debian", other, debian).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if err := compile(dir, other, "tested"); err != nil {
		t.Fatal(err)
	}
	all, err := gather(debian, other, dir, "tested")
	if err != nil {
		t.Fatal(err)
	}
	if err := all.lay(root); err != nil {
		t.Fatal(err)
	}
	version := "tested"
	if engines := os.Getenv(engineRoot); engines != "" {
		if diff := cmp.Diff(listed(t, root), listed(t, engines)); diff != "" {
			t.Errorf("the image of %s has other files: %s", engines, diff)
		}
		root, version = engines, ""
	}
	lab.Lock(t)
	for command, want := range map[string]string{
		"usr/bin/loadline --version":       "loadline " + version,
		"usr/bin/loadline-agent --version": "loadline-agent " + version,
		"usr/bin/loadline run fake:?iops=3000 --profile quick --quiet --format json --results " + dir + "/results":                                  `"status": "complete"`,
		"usr/bin/fio --name=job --filename=" + dir + "/data --size=1M --rw=randread --ioengine=psync --time_based --runtime=1 --output-format=json": `"jobname" : "job"`,
		"usr/sbin/blkid -V":    "libblkid",
		"bin/bash -c set":      "MACHTYPE=" + map[string]string{"amd64": "x86_64", "arm64": "aarch64"}[other],
		"bin/busybox uname -m": map[string]string{"amd64": "x86_64", "arm64": "aarch64"}[other],
	} {
		args := strings.Fields(command)
		cmd := exec.Command(emulator, append([]string{"-L", root, filepath.Join(root, args[0])}, args[1:]...)...)
		// This machine's programs must not replace the image's.
		cmd.Env, cmd.Dir = []string{"PATH=/nowhere", "HOME=" + dir}, dir
		if out, err := cmd.CombinedOutput(); err != nil || !strings.Contains(string(out), want) {
			t.Errorf("%s: %v, %q is not in %s", command, err, want, out)
		}
	}
}
