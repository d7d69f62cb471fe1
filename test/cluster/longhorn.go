package cluster

import (
	_ "embed"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

const (
	// longhornDriver is the CSI driver of cmd/longhorn.
	longhornDriver = "driver.longhorn.io"
	// LonghornFlag makes the command "cluster inside" start that driver on the node.
	LonghornFlag = "-longhorn"
)

//go:embed longhorn.yaml
var longhornObjects string

// MissingLonghorn returns why the StorageClass longhorn is unavailable here, although the
// cluster itself is available; "" if it is available.
func MissingLonghorn() string {
	if _, err := exec.LookPath("gcc"); err != nil {
		return "gcc is missing: apt-get install gcc"
	}
	for header, pkg := range map[string]string{"stdlib.h": "libc6-dev", "libqcow.h": "libqcow-dev"} {
		cmd := exec.Command("gcc", "-E", "-")
		cmd.Stdin = strings.NewReader("#include <" + header + ">\n")
		if cmd.Run() != nil {
			return header + " is missing: apt-get install " + pkg
		}
	}
	return ""
}

// buildEngine builds the Longhorn engine and the bridge that exports its volumes, from
// the lab's module.
func (c *Cluster) buildEngine(source string) error {
	cmd := exec.Command("go", "build", "-trimpath", "-buildvcs=false", "-o", c.bin+"/", "./bridge", "github.com/longhorn/longhorn-engine")
	// The engine reads QCOW images through a C library.
	cmd.Dir, cmd.Env = source, append(os.Environ(), "CGO_ENABLED=1", "GOWORK=off", "GOFLAGS=")
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("building the Longhorn engine: %w\n%s", err, out)
	}
	return nil
}

// KillReplica kills every replica of a Longhorn volume on a node, at once.
func (c *Cluster) KillReplica(n int) error {
	lines, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil {
		return err
	}
	killed := 0
	for _, file := range lines {
		line, err := os.ReadFile(file)
		if err != nil {
			continue
		}
		args := strings.Split(string(line), "\x00")
		if len(args) < 5 || args[0] != c.Program("longhorn-engine") || args[1] != "replica" || !strings.HasPrefix(args[4], address(n)+":") {
			continue
		}
		pid, err := strconv.Atoi(filepath.Base(filepath.Dir(file)))
		if err != nil {
			return err
		}
		if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
			return err
		}
		killed++
	}
	if killed == 0 {
		return fmt.Errorf("node %d holds no replica", n)
	}
	return nil
}
