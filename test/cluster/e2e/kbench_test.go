package e2e

import (
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"
)

// manifest returns one of Kbench's manifests, with the image changed, made small enough for the disks
// here, and on its own node, because the nodes' disks are what is measured.
func manifest(t *testing.T, name, node string, changes ...string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("../../../deploy/kbench", name))
	if err != nil {
		t.Fatal(err)
	}
	// The Prometheus operator is not installed here.
	text, _, _ := strings.Cut(string(data), "---\napiVersion: monitoring.coreos.com")
	changes = append(changes, "loadline-kbench:VERSION", kbenchImage, "value: 30G", "value: 32M", "value: 15G", "value: 32M",
		"storage: 33Gi", "storage: 96Mi", "storage: 31Gi", "storage: 96Mi", "storage: 20Gi", "storage: 96Mi",
		"storageClassName: longhorn", "storageClassName: csi", "  # storageClassName: the class to measure; the default class without it.", "  storageClassName: local-path",
		"    spec:\n      restartPolicy: Never\n", "    spec:\n      restartPolicy: Never\n      nodeSelector: {kubernetes.io/hostname: "+node+"}\n",
		"    spec:\n      containers:\n", "    spec:\n      nodeSelector: {kubernetes.io/hostname: "+node+"}\n      containers:\n",
		"initialDelaySeconds: 30", "initialDelaySeconds: 1", "periodSeconds: 10", "periodSeconds: 1")
	return strings.NewReplacer(changes...).Replace(text)
}

// TestKbenchManifests checks that, with only the image changed (and sizes that fit these disks),
// Kbench's three manifests do what they do with Kbench, on disks of 1,000 IOPS.
func TestKbenchManifests(t *testing.T) {
	t.Parallel()
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
		diskOf(t, "node1")
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
		diskOf(t, "node2")
		ns := namespace(t, "kbench-cmp", "privileged")
		kubectlIn(t, manifest(t, "fio-cmp.yaml", "node2", "value: full", "value: sequential-write-latency"), "apply", "-n", ns, "-f", "-")
		kubectl(t, "wait", "-n", ns, "job/kbench", "--for=condition=complete", "--timeout=200s")
		log := kubectl(t, "logs", "-n", ns, "-l", "kbench=fio", "--tail=-1")
		if got := number(t, log, `Sequential:\s+- / ([\d,]+)\s+vs\s+- / [\d,]+\s+:\s+- / -?[\d.]+%`); got <= 0 {
			t.Errorf("no comparison: %s", log)
		}
	})
	t.Run("fio-long-run", func(t *testing.T) {
		t.Parallel()
		diskOf(t, "node3")
		ns := namespace(t, "kbench-long", "privileged")
		const after = "            - name: LONG_RUN\n              value: \"true\"\n"
		kubectlIn(t, manifest(t, "fio-long-run.yaml", "node3", after, after+"            - name: RATE_IOPS\n              value: \"102\"\n", "value: no-rate-limit", "value: rate-limit"),
			"apply", "-n", ns, "-f", "-")
		// The exporter's probe checks for results.
		until := func(what string, met func() bool) {
			for end := time.Now().Add(3 * time.Minute); !met(); time.Sleep(time.Second) {
				if time.Now().After(end) {
					t.Fatalf("no %s: %s", what, kubectl(t, "describe", "pods", "-n", ns))
				}
			}
		}
		until("ready pod", func() bool { return strings.Contains(kubectl(t, "get", "pods", "-n", ns), "2/2") })
		shown := ""
		until("gauge", func() bool {
			shown = kubectl(t, "exec", "-n", ns, "test-sts-0", "-c", "metric-exporter", "--", "bash", "-c",
				`exec 3<>/dev/tcp/127.0.0.1/8080; printf 'GET /metrics HTTP/1.0\r\n\r\n' >&3; cat <&3`)
			return strings.Contains(shown, "kbench_metric_exporter_iops")
		})
		if got := number(t, shown, `kbench_metric_exporter_iops\{io_pattern="random",io_type="read",rate_limit_type="rate-limit",test_mode="read-only",volume_access_mode="rwo"\} ([\d.e+]+)`); got < 90 || got > 110 {
			t.Errorf("%.1f IOPS where 102 are asked for", got)
		}
		if !strings.Contains(shown, "loadline_latency_seconds{") {
			t.Errorf("nothing of Loadline's own: %s", shown)
		}
	})
}
