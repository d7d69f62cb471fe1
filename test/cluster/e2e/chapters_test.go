package e2e

import (
	"fmt"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"
)

// TestChaptersOfTheReferenceReport runs all StatefulSets of Longhorn's reference report
// at once, with only the image changed and sizes that fit these disks: each produces
// results, and its exporter shows them under Kbench's name. They measure each other's
// load, so the only rate that is checked is that limits are kept.
func TestChaptersOfTheReferenceReport(t *testing.T) {
	cmd := exec.Command("go", "run", "./deploy/kbench/manifests", "-image", kbenchImage)
	cmd.Dir = "../../.."
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	names := regexp.MustCompile(`(?m)^---\n# (.*)$`).FindAllStringSubmatch(string(out), -1)
	if len(names) != 32 {
		t.Fatalf("%d manifests, want 32", len(names))
	}
	ns := namespace(t, "kbench-chapters", "privileged")
	// Each probe of a container is an additional process on these two processors, so the manifests'
	// interval of ten seconds between probes is kept.
	kubectlIn(t, strings.NewReplacer("value: 15G", "value: 24M", "storage: 20Gi", "storage: 64Mi", "storageClassName: longhorn", "storageClassName: csi",
		"initialDelaySeconds: 30", "initialDelaySeconds: 10").Replace(string(out)), "apply", "-n", ns, "-f", "-")
	// A set whose gauge has been seen is removed, to leave the processors to the others.
	seen := map[string]bool{}
	for end := time.Now().Add(12 * time.Minute); len(seen) < len(names); time.Sleep(time.Second) {
		pods := kubectl(t, "get", "pods", "-n", ns, "--no-headers")
		if time.Now().After(end) {
			t.Fatalf("%d of %d have been ready: %s", len(seen), len(names), pods)
		}
		for i, name := range names {
			set := fmt.Sprintf("test-sts-%d", i+1)
			if seen[set] || !regexp.MustCompile(`(?m)^`+set+`-0 +2/2 `).MatchString(pods) {
				continue
			}
			seen[set] = true
			shown := kubectl(t, "exec", "-n", ns, set+"-0", "-c", "metric-exporter", "--", "bash", "-c",
				`exec 3<>/dev/tcp/127.0.0.1/8080; printf 'GET /metrics HTTP/1.0\r\n\r\n' >&3; cat <&3`)
			gauged(t, name[1], shown)
			kubectl(t, "delete", "statefulset", set, "-n", ns, "--wait=false")
		}
	}
}

// gauged fails unless an exporter shows the result of the manifest of that name, and
// unless the limit in the name, if any, is kept.
func gauged(t *testing.T, name, shown string) {
	t.Helper()
	fields := strings.Fields(name)
	mode := strings.Split(fields[0], "-")
	gauge := regexp.MustCompile(fmt.Sprintf(`kbench_metric_exporter_%s\{io_pattern="%s",io_type="%s",[^}]*\} ([\d.e+]+)`, mode[2], mode[0], mode[1])).FindStringSubmatch(shown)
	if gauge == nil {
		t.Errorf("%s: no gauge of it in %s", name, shown)
		return
	}
	got, err := strconv.ParseFloat(gauge[1], 64)
	if err != nil || got <= 0 {
		t.Errorf("%s: %s", name, gauge[0])
	}
	if len(fields) > 2 && strings.HasPrefix(fields[2], "RATE_IOPS=") {
		// Without the limit the disk does several times as many. How accurately the limit is kept is
		// tested on calibrated devices (test/truth): here 32 pods share two processors, and fio
		// makes up within a repeat for I/Os that it could not start in the second before.
		if most, _ := strconv.ParseFloat(strings.TrimPrefix(fields[2], "RATE_IOPS="), 64); got > 1.5*most {
			t.Errorf("%s: %.0f IOPS beside a limit of %.0f", name, got, most)
		}
	}
}
