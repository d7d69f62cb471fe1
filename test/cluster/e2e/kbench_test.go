package e2e

import (
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// manifest is one of Kbench's, with the image changed, made small enough for the disks
// here, and on a node of its own, because the nodes' disks are what is measured.
func manifest(t *testing.T, name, node string, changes ...string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("../../../deploy/kbench", name))
	if err != nil {
		t.Fatal(err)
	}
	changes = append(changes, "loadline-kbench:latest", kbenchImage, "value: 30G", "value: 32M",
		"storage: 33Gi", "storage: 96Mi", "storage: 31Gi", "storage: 96Mi",
		"storageClassName: longhorn", "storageClassName: csi", "  # storageClassName: the class to measure; the default class without it.", "  storageClassName: local-path",
		"    spec:\n      restartPolicy: Never\n", "    spec:\n      restartPolicy: Never\n      nodeSelector: {kubernetes.io/hostname: "+node+"}\n")
	return strings.NewReplacer(changes...).Replace(string(data))
}

// TestKbenchManifests: with only the image changed (and sizes that fit these disks)
// Kbench's manifests for one volume and for two do what they do with Kbench, on disks
// of 1,000 IOPS.
func TestKbenchManifests(t *testing.T) {
	number := func(t *testing.T, text, pattern string) float64 {
		t.Helper()
		m := regexp.MustCompile(pattern).FindStringSubmatch(text)
		if m == nil {
			t.Fatalf("no %q in %s", pattern, text)
		}
		v, err := strconv.ParseFloat(strings.ReplaceAll(m[1], ",", ""), 64)
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	t.Run("fio", func(t *testing.T) {
		t.Parallel()
		ns := namespace(t, "kbench-fio", "privileged")
		kubectlIn(t, manifest(t, "fio.yaml", "node1", "value: full", "value: random-read-iops"), "apply", "-n", ns, "-f", "-")
		kubectl(t, "wait", "-n", ns, "job/kbench", "--for=condition=complete", "--timeout=180s")
		log := kubectl(t, "logs", "-n", ns, "-l", "kbench=fio", "--tail=-1")
		if got := number(t, log, `(?s)IOPS \(Read/Write\)\n\s+Random:\s+([\d,]+) / -\n`); got < 800 || got > 1050 {
			t.Errorf("%.0f IOPS on a disk of 1,000: %s", got, log)
		}
		if !strings.Contains(log, "trust") {
			t.Errorf("no verdict: %s", log)
		}
	})
	t.Run("fio-cmp", func(t *testing.T) {
		t.Parallel()
		ns := namespace(t, "kbench-cmp", "privileged")
		kubectlIn(t, manifest(t, "fio-cmp.yaml", "node2", "value: full", "value: sequential-write-latency"), "apply", "-n", ns, "-f", "-")
		kubectl(t, "wait", "-n", ns, "job/kbench", "--for=condition=complete", "--timeout=200s")
		log := kubectl(t, "logs", "-n", ns, "-l", "kbench=fio", "--tail=-1")
		if got := number(t, log, `Sequential:\s+- / ([\d,]+)\s+vs\s+- / [\d,]+\s+:\s+- / -?[\d.]+%`); got <= 0 {
			t.Errorf("no comparison: %s", log)
		}
	})
}
