package harm

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A path that does not exist (mistyped, or not mounted) is not created as a file on
// whatever disk has the directory, and is distinguished from a mount; no verb writes there.
func TestMissingPathIsNotMeasured(t *testing.T) {
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "disk"), 0o700); err != nil {
		t.Fatal(err)
	}
	missing := filepath.Join(dir, "dsik")
	before := snapshot(t, dir)
	for _, args := range [][]string{
		{"run", missing, "--profile", "quick", "--max-time", "5s"},
		{"run", filepath.Join(dir, "disk"), "--baseline", missing},
		{"plan", missing},
		{"plan", "sweep", missing},
		{"plan", "scale", missing},
		{"sweep", missing, "--max-time", "10s"},
		{"scale", missing, "--volumes", "1,2", "--max-time", "10s"},
		{"compare", missing, filepath.Join(dir, "disk")},
		{"compare", filepath.Join(dir, "disk"), missing},
		{"durability", missing, "--writes", "10"},
		{"doctor", missing},
		{"cleanup", missing},
	} {
		t.Run(strings.Join(args[:2], " "), func(t *testing.T) {
			o := loadline(t, args...)
			if o.code != 2 {
				t.Errorf("exit code %d, want 2", o.code)
			}
			for _, words := range []string{missing + " does not exist", "the nearest directory that does is " + dir + ", which is not a mount point: it is on /", "did you mean " + dir + "/disk?"} {
				if !strings.Contains(o.stderr, words) {
					t.Errorf("it does not say %q", words)
				}
			}
			makes := args[0] != "doctor" && args[0] != "cleanup"
			if strings.Contains(o.stderr, "--create") != makes {
				t.Errorf("it offers --create, or the reverse")
			}
			unharmed(t, dir, before)
		})
	}
	if o := loadline(t, "run", "/nosuchmount/data/x"); o.code != 2 || !strings.Contains(o.stderr, "the nearest that does is /, which is a mount point (") {
		t.Errorf("exit code %d: %s", o.code, o.stderr)
	}
}

// With --create the file is created, measured and removed.
func TestNewFileIsMadeWhenAskedFor(t *testing.T) {
	dir := t.TempDir()
	missing := filepath.Join(dir, "new.img")
	before := snapshot(t, dir)
	for _, args := range [][]string{
		{"plan", missing, "--create"},
		{"run", missing, "--create", "--profile", "quick", "--only", "rand-read-iops", "--size", "32M", "--max-time", "8s"},
		{"durability", missing, "--create", "--writes", "20", "--sync", "none"},
	} {
		if o := loadline(t, args...); o.code != 0 && o.code != 5 {
			t.Errorf("%s: exit code %d, want 0", args[0], o.code)
		}
		unharmed(t, dir, before)
	}
	// Kbench's users have always named a file that does not exist.
	t.Run("kbench", func(t *testing.T) {
		t.Setenv("MODE", "random-read-iops")
		o := loadline(t, "kbench", "run", missing, filepath.Join(t.TempDir(), "out"), "64M", "--time", "1s", "--ramp-time", "0.1s", "--quiet")
		if o.code != 0 {
			t.Errorf("exit code %d, want 0", o.code)
		}
		unharmed(t, dir, before)
	})
}
