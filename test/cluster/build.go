package cluster

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// version is the version of the Kubernetes in go.mod.
const version = "v1.34.4"

// parts are the names under which the combined program is called.
var parts = []string{"etcd", "kube-apiserver", "kube-controller-manager", "kube-scheduler", "kubelet", "kubectl"}

// Build builds the programs from the module in source, the directory of this
// package. Nothing that is up to date is rebuilt; from scratch it takes minutes.
func (c *Cluster) Build(source string) error {
	if err := os.MkdirAll(c.bin, 0o755); err != nil {
		return err
	}
	const at = "k8s.io/component-base/version."
	var stamp strings.Builder
	for _, v := range [][2]string{{"gitVersion", version}, {"gitMajor", "1"}, {"gitMinor", "34"}, {"gitTreeState", "clean"},
		{"buildDate", "2026-01-01T00:00:00Z"}, {"gitCommit", version}} {
		fmt.Fprintf(&stamp, " -X %s%s=%s", at, v[0], v[1])
	}
	for _, packages := range [][]string{
		{"./cmd/...", "github.com/kubernetes-csi/external-provisioner/v5/cmd/csi-provisioner"},
		// It uses an old spelling of a module's name, which conflicts with the others'.
		{"github.com/rancher/local-path-provisioner"},
	} {
		args := append([]string{"build", "-trimpath", "-buildvcs=false", "-o", c.bin + "/", "-ldflags", "-s -w" + stamp.String()}, packages...)
		cmd := exec.Command("go", args...)
		cmd.Dir, cmd.Env = source, append(os.Environ(), "CGO_ENABLED=0", "GOWORK=off", "GOFLAGS=")
		if out, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("building %s: %w\n%s", strings.Join(packages, " "), err, out)
		}
	}
	if c.Longhorn {
		if err := c.buildEngine(filepath.Join(source, "..", "lab", "longhorn")); err != nil {
			return err
		}
	}
	for _, name := range parts {
		link := filepath.Join(c.bin, name)
		if err := os.Remove(link); ignoreMissing(err) != nil {
			return err
		}
		if err := os.Symlink("hyperkube", link); err != nil {
			return err
		}
	}
	return nil
}
