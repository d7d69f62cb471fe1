package harm

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/loadline/loadline/test/lab"
)

// Naming a disk where a file is meant must not destroy the data on the disk.
func TestOutputIsNotWrittenIntoADevice(t *testing.T) {
	home := t.TempDir()
	dev := lab.Loop(t, zeros(t, filepath.Join(home, "disk"), 1<<20))
	run, link, prefix := recorded(t), filepath.Join(t.TempDir(), "link.html"), filepath.Join(t.TempDir(), "out")
	for _, name := range []string{link, prefix + ".summary"} {
		if err := os.Symlink(dev, name); err != nil {
			t.Fatal(err)
		}
	}
	before := snapshot(t, home)
	for _, args := range [][]string{
		{"report", run, "-o", dev, "--format", "html"},
		{"report", run, "-o", dev, "--format", "html", "--force"},
		{"report", run, "-o", link, "--force"},
		{"import", "../../internal/foreign/imported/testdata/kbench.summary", "--into", dev},
		{"run", numbers, "--quiet", "--results", dev},
		{"kbench", "run", "--overwrite", filepath.Join(t.TempDir(), "new"), prefix, "4M"},
	} {
		// The command runs in a folder of its own.
		if args[0] == "import" {
			file, err := filepath.Abs(args[1])
			if err != nil {
				t.Fatal(err)
			}
			args[1] = "x=" + file
		}
		if o := loadline(t, args...); o.code != 2 || !strings.Contains(o.stderr, "block device") || !strings.Contains(o.stderr, "next:") {
			t.Errorf("%v: exit code %d: %s", args, o.code, o.said())
		}
	}
	unharmed(t, home, before)
}
