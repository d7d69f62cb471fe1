package truth

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/test/lab"
)

// A device without counters, or one of several below a filesystem, says nothing about
// what was read: no rule flags it.
func TestDevicesThatDoNotCountAll(t *testing.T) {
	defer scheduleSubtests(t)()
	for name, c := range map[string]struct {
		target  func(t *testing.T) (target string, args []string)
		because string
	}{
		"accounting switched off": {func(t *testing.T) (string, []string) {
			dev := lab.LoopOnFile(t, 64<<20)
			file := filepath.Join("/sys/class/block", filepath.Base(dev), "queue/iostats")
			set := func(value string) {
				if err := os.WriteFile(file, []byte(value), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			set("0")
			t.Cleanup(func() { set("1") })
			return dev, nil
		}, "queue/iostats"},
		"two disks beneath a btrfs": {func(t *testing.T) (string, []string) {
			lab.Need(t, "mkfs.btrfs")
			a, b := lab.LoopOnFile(t, 256<<20), lab.LoopOnFile(t, 256<<20)
			if out, err := exec.Command("mkfs.btrfs", "-q", "-f", "-d", "raid0", "-m", "raid0", a, b).CombinedOutput(); err != nil {
				t.Fatalf("mkfs.btrfs: %s", out)
			}
			return lab.Mounted(t, "-t", "btrfs", a), []string{"--size", "64M"}
		}, "the filesystem is on several devices"},
	} {
		t.Run(name, func(t *testing.T) {
			takeSlots(t, demand{seconds: 25})
			target, args := c.target(t)
			// The rate is limited, since speed does not matter here and full load would disturb other
			// measurements.
			own := ownFile(t, "own.yaml", "name: own\nworkloads:\n  - {name: rated, access: rand, direction: read, block_size: 4k, depth: 4, rate_iops: 1000, metric: iops}\n")
			o := measure(t.Context(), t, target, append([]string{"--profile", own, "--max-time", "9s"}, args...)...)
			if o.code != 0 {
				t.Errorf("exit code %d", o.code)
			}
			for _, f := range o.report.Findings {
				if f.Severity == model.SeverityInvalid {
					t.Logf("%s: %s", f.Rule, f.Message)
				}
				switch {
				case (f.Rule == "sparse" || f.Rule == "bytes") && (f.Severity == model.SeverityInvalid || f.Severity == model.SeverityWarning):
					t.Errorf("%s: %s: %s", f.Rule, f.Severity, f.Message)
				case f.Rule == "bytes" && f.Severity == model.SeverityPassed:
					t.Errorf("bytes passed although nobody counted them")
				}
			}
			if !slices.ContainsFunc(o.report.Findings, func(f model.Finding) bool {
				return f.Rule == "bytes" && f.Severity == model.SeverityNotChecked && strings.Contains(f.Message, c.because)
			}) {
				t.Errorf("it does not say why the device's bytes were not checked")
			}
		})
	}
}
