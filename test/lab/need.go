package lab

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// packages maps a program to its Debian package, if the names differ.
var packages = map[string]string{
	"qemu-storage-daemon": "qemu-system-common",
	"qemu-system-x86_64":  "qemu-system-x86",
	"nbdfuse":             "libnbd-bin",
	"nbdinfo":             "libnbd-bin",
	"losetup":             "mount",
	"mount":               "mount",
	"mkfs.ext4":           "e2fsprogs",
	"tune2fs":             "e2fsprogs",
	"mkfs.xfs":            "xfsprogs",
	"addpart":             "util-linux",
	"flock":               "util-linux",
	"sfdisk":              "fdisk",
	"ceph":                "ceph-common",
	"rbd":                 "ceph-common",
	"node":                "nodejs",
	"qemu-aarch64-static": "qemu-user-static",
	"qemu-x86_64-static":  "qemu-user-static",
	"sshd":                "openssh-server",
	"ssh":                 "openssh-client",
	"ssh-keygen":          "openssh-client",
}

// strictness returns LOADLINE_LAB: "" skips what cannot run here; "programs" fails if
// a program is missing, which can be installed; "required" also fails if the machine
// has no loop devices, FUSE or mounts, which a container may never have.
func strictness() string { return os.Getenv("LOADLINE_LAB") }

// Need skips the test, with the command that installs what is missing, unless
// all the named programs are installed. With LOADLINE_LAB=required or =programs
// it fails instead.
func Need(t T, programs ...string) {
	t.Helper()
	for _, program := range programs {
		if _, err := exec.LookPath(program); err == nil {
			continue
		}
		pkg := packages[program]
		if pkg == "" {
			pkg = program
		}
		missing(t, "%s is not installed (apt-get install %s)", program, pkg)
	}
}

// NeedPackages skips the test, or fails, as Need does, unless the npm packages that
// the directory's package.json asks for are installed, in those versions.
func NeedPackages(t T, dir string) {
	t.Helper()
	var want struct {
		DevDependencies map[string]string `json:"devDependencies"`
	}
	if err := readJSON(filepath.Join(dir, "package.json"), &want); err != nil {
		t.Fatalf("%v", err)
	}
	for name, version := range want.DevDependencies {
		var have struct {
			Version string `json:"version"`
		}
		if err := readJSON(filepath.Join(dir, "node_modules", name, "package.json"), &have); err != nil || have.Version != version {
			missing(t, "the npm package %s %s is not installed in %s (make deps, or npm ci there)", name, version, dir)
		}
	}
}

func readJSON(path string, v any) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	return json.Unmarshal(text, v)
}

// missing skips or fails a test because something that can be installed is missing.
func missing(t T, why string, args ...any) {
	t.Helper()
	if strictness() == "programs" {
		t.Fatalf("LOADLINE_LAB=programs, but "+why, args...)
	}
	Unavailable(t, why, args...)
}

// Unavailable ends a test that cannot run on this machine: it is skipped with
// the reason, or fails if LOADLINE_LAB=required, so that no skip goes unnoticed
// where everything is expected to run.
func Unavailable(t T, why string, args ...any) {
	t.Helper()
	reason := fmt.Sprintf(why, args...)
	if strictness() == "required" {
		t.Fatalf("LOADLINE_LAB=required, but %s", reason)
	}
	t.Skipf("skipped: %s", reason)
}

// needMounts skips if the process may not mount or attach loop devices.
func needMounts(t T) {
	t.Helper()
	if os.Geteuid() != 0 {
		Unavailable(t, "mounting needs root")
	}
}

func needLoop(t T) {
	t.Helper()
	needMounts(t)
	Need(t, "losetup")
	if _, err := os.Stat("/dev/loop-control"); err != nil {
		Unavailable(t, "loop devices are not available here: %v", err)
	}
	if out, err := exec.Command("losetup", "-f").CombinedOutput(); err != nil {
		Unavailable(t, "no loop device is free: %s", strings.TrimSpace(string(out)))
	}
}

func needFUSE(t T) {
	t.Helper()
	needMounts(t)
	Need(t, "nbdfuse")
	f, err := os.OpenFile("/dev/fuse", os.O_RDWR, 0)
	if err != nil {
		Unavailable(t, "FUSE is not available here: %v", err)
	}
	f.Close()
}
