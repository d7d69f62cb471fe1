// Package e2e tests on a real cluster what Loadline does in Kubernetes: real pods,
// real fio, disks whose speed is known. "make e2e" runs it.
package e2e

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/loadline/loadline/test/cluster"
)

// image is what the pods run; kbenchImage replaces Kbench's, and postgresImage
// PostgreSQL's official one.
const (
	image         = "loadline:e2e"
	kbenchImage   = "loadline-kbench:e2e"
	postgresImage = "loadline-postgres:e2e"
)

// lab is the cluster that the tests share, loadline the program under test.
var (
	lab      *cluster.Cluster
	loadline string
)

// sideBySide is how many parallel tests run at once, however few processors there are:
// they wait for pods, and measure slow disks.
const sideBySide = 16

var keep = flag.Bool("keep", false, "leave the cluster running at the end")

func TestMain(m *testing.M) {
	if err := flag.Set("test.parallel", fmt.Sprint(sideBySide)); err != nil {
		panic(err)
	}
	flag.Parse()
	if why := cluster.Missing(); why != "" {
		fmt.Println("skipped: this machine cannot carry the test cluster:", why)
		return
	}
	os.Exit(withCluster(m.Run))
}

// withCluster builds and starts everything, runs the tests and takes it down.
func withCluster(tests func() int) (code int) {
	unlock, err := cluster.Lock()
	if err != nil {
		return failed(err)
	}
	defer func() { _ = unlock() }()
	work, err := os.MkdirTemp("", "loadline-e2e-")
	if err != nil {
		return failed(err)
	}
	defer os.RemoveAll(work)
	bin := filepath.Join(work, "bin")
	loadline = filepath.Join(bin, "loadline")
	archive := filepath.Join(work, "image.tar")
	root, err := filepath.Abs("../../..")
	if err != nil {
		return failed(err)
	}
	o := cluster.Defaults()
	standIn := filepath.Join(work, "kbench.tar")
	o.Images, o.Helper, o.Longhorn = []string{archive, standIn}, image, cluster.MissingLonghorn() == ""
	if cluster.MissingPostgres() == "" {
		database := filepath.Join(work, "postgres.tar")
		installed, err := cluster.DebianPostgres()
		if err == nil {
			err = cluster.WritePostgres(database, postgresImage, installed)
		}
		if err != nil {
			return failed(err)
		}
		o.Images = append(o.Images, database)
	}
	lab = cluster.At(o)
	for _, args := range [][]string{{"build", "-o", bin + "/", "./cmd/loadline", "./cmd/loadline-agent"}, {"run", "./deploy/image", "-bin", bin, "-name", image, "-o", archive},
		{"run", "./deploy/image", "-bin", bin, "-kbench", "-name", kbenchImage, "-o", standIn}} {
		cmd := exec.Command("go", args...)
		cmd.Dir, cmd.Env = root, append(os.Environ(), "CGO_ENABLED=0")
		if out, err := cmd.CombinedOutput(); err != nil {
			return failed(fmt.Errorf("go %s: %w\n%s", strings.Join(args, " "), err, out))
		}
	}
	if err := lab.Build(".."); err != nil {
		return failed(err)
	}
	before := traces()
	if err := lab.Up(); err != nil {
		return failed(err)
	}
	if *keep {
		fmt.Printf("the cluster stays: export KUBECONFIG=%s; end it with go run ./cmd/cluster down\n", lab.Kubeconfig())
		return tests()
	}
	defer func() {
		if err := lab.Down(); err != nil {
			code = failed(err)
		} else if after := traces(); after != before {
			code = failed(fmt.Errorf("the cluster has left something behind; before:\n%safter:\n%s", before, after))
		}
	}()
	return tests()
}

func failed(err error) int {
	fmt.Fprintln(os.Stderr, err)
	return 1
}

// traces lists what a cluster might leave on the machine.
func traces() string {
	var b bytes.Buffer
	for _, args := range [][]string{{"ip", "netns", "list"}, {"ip", "-o", "link", "show", "type", "bridge"}, {"losetup", "-l", "-n", "-O", "BACK-FILE"}} {
		out, err := exec.Command(args[0], args[1:]...).Output()
		if err != nil {
			fmt.Fprintf(&b, "%s: %v\n", args[0], err)
		}
		for line := range strings.Lines(string(out)) {
			// The lab's devices belong to other tests, which may run concurrently.
			if strings.Contains(line, "loadline") && !strings.Contains(line, "/loadline-lab-") || strings.Contains(line, "/mnt/csi") || strings.Contains(line, "driver.longhorn.io") {
				b.WriteString(line)
			}
		}
	}
	mounts, err := os.ReadFile("/proc/self/mounts")
	if err != nil {
		fmt.Fprintln(&b, err)
	}
	for line := range strings.Lines(string(mounts)) {
		if strings.Contains(line, cluster.Home()) {
			b.WriteString(line)
		}
	}
	return b.String()
}
