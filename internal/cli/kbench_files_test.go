package cli

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/loadline/loadline/internal/env"
	"github.com/loadline/loadline/internal/kbench"
	"github.com/loadline/loadline/internal/model"
)

// isRefusal checks that an error is a refusal with words of what is there and of what to do.
func isRefusal(t *testing.T, err error, words string) {
	t.Helper()
	var refusal *model.WorkerError
	if !errors.As(err, &refusal) || !strings.Contains(refusal.Message, words) || refusal.Hint == "" || refusal.Class != model.Refused {
		t.Errorf("%v, want a refusal with %q and a hint", err, words)
	}
}

// deviceNode makes a device node that nobody opens.
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
			var careful kbenchFlags
			err := careful.mayReplace([]string{name}, filepath.Join(dir, "test"))
			if refused {
				isRefusal(t, err, "it would be lost")
			} else if err != nil {
				t.Errorf("%s with %q: %v", name, text, err)
			}
			careful.overwrite = true
			if err := careful.mayReplace([]string{name}, filepath.Join(dir, "test")); err != nil {
				t.Errorf("%s with %q and --overwrite: %v", name, text, err)
			}
			isRefusal(t, careful.mayReplace([]string{name}, name), "is measured")
			if err := os.Remove(name); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, file := range []string{"raw-block-iops.json", "raw-block-bandwidth.json", "raw-block-latency.json", "kbench.summary"} {
		var careful kbenchFlags
		if err := careful.mayReplace([]string{filepath.Join("../imported/testdata", file)}, "x"); err != nil {
			t.Errorf("Kbench's own %s: %v", file, err)
		}
	}
	link := filepath.Join(dir, "link.summary")
	if err := os.Symlink("away", link); err != nil {
		t.Fatal(err)
	}
	allowed := kbenchFlags{overwrite: true}
	isRefusal(t, allowed.mayReplace([]string{link}, "x"), "a link to")
	isRefusal(t, allowed.mayReplace([]string{deviceNode(t, "disk", unix.S_IFBLK, 240, 77)}, "x"), "a block device")
}

// Whole commands refuse before they make or measure anything.
func TestKbenchRefusesBeforeItMeasures(t *testing.T) {
	dir := t.TempDir()
	foreign, file := filepath.Join(dir, "out.summary"), filepath.Join(dir, "test")
	if err := os.WriteFile(foreign, []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	e := &env.Env{Stdout: io.Discard, Stderr: io.Discard}
	r, err := kbench.Parse([]string{file, filepath.Join(dir, "out"), "4M"}, func(string) string { return "" })
	if err != nil {
		t.Fatal(err)
	}
	var f kbenchFlags
	isRefusal(t, f.run(context.Background(), e, r), "out.summary exists")
	r.File, r.Prefix = filepath.Join(dir, "x-iops.json"), filepath.Join(dir, "x")
	isRefusal(t, f.run(context.Background(), e, r), "is measured")
	a, b := r, r
	a.File, b.File, a.Prefix, b.Prefix = file, file+"2", filepath.Join(dir, "a"), "b"
	pair := kbench.PairFile([2]kbench.Request{a, b})
	if err := os.WriteFile(pair, []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	isRefusal(t, f.compare(context.Background(), e, [2]kbench.Request{a, b}), "exists and is no result")
	_, made := os.Stat(file)
	_, made2 := os.Stat(filepath.Join(dir, "x-iops.json"))
	if !errors.Is(made, os.ErrNotExist) || !errors.Is(made2, os.ErrNotExist) {
		t.Errorf("something was made: %v, %v", made, made2)
	}
}
