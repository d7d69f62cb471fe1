package kbench

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/loadline/loadline/internal/model"
)

// isRefusal checks that an error is a refusal that says what exists and what to do.
func isRefusal(t *testing.T, err error, words string) {
	t.Helper()
	var refusal *model.WorkerError
	if !errors.As(err, &refusal) || !strings.Contains(refusal.Message, words) || refusal.Hint == "" || refusal.Class != model.Refused {
		t.Errorf("%v, want a refusal with %q and a hint", err, words)
	}
}

// deviceNode creates a device node that is never opened.
func deviceNode(t *testing.T, name string, kind uint32, major, minor uint32) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := unix.Mknod(path, kind|0o600, int(unix.Mkdev(major, minor))); err != nil {
		t.Skipf("device nodes need root: %v", err)
	}
	return path
}

func TestKbenchReplacesOnlyResults(t *testing.T) {
	dir := t.TempDir()
	prefix := filepath.Join(dir, "dev")
	for text, refused := range map[string]bool{
		"": false, "{\n  \"fio version\" : \"fio-3.33\",": false, "\n=====\nFIO Benchmark Summary\n": false, "{\n  \"schema\": \"loadline.report\"": false,
		"my iops": true, "=====\nmy notes": true, "{}": true,
	} {
		for _, suffix := range []string{"-iops.json", "-bandwidth.json", "-latency.json", "-report.json", ".summary"} {
			name := prefix + suffix
			if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			err := mayReplace([]string{name}, false, filepath.Join(dir, "test"))
			if refused {
				isRefusal(t, err, "it would be lost")
			} else if err != nil {
				t.Errorf("%s with %q: %v", name, text, err)
			}
			if err := mayReplace([]string{name}, true, filepath.Join(dir, "test")); err != nil {
				t.Errorf("%s with %q and --overwrite: %v", name, text, err)
			}
			isRefusal(t, mayReplace([]string{name}, true, name), "is measured")
			if err := os.Remove(name); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, file := range []string{"raw-block-iops.json", "raw-block-bandwidth.json", "raw-block-latency.json", "summary"} {
		if err := mayReplace([]string{filepath.Join("../imported/testdata", file)}, false, "x"); err != nil {
			t.Errorf("Kbench's own %s: %v", file, err)
		}
	}
	link := filepath.Join(dir, "link.summary")
	if err := os.Symlink("away", link); err != nil {
		t.Fatal(err)
	}
	isRefusal(t, mayReplace([]string{link}, true, "x"), "a link to")
	isRefusal(t, mayReplace([]string{deviceNode(t, "disk", unix.S_IFBLK, 240, 77)}, true, "x"), "a block device")
}
