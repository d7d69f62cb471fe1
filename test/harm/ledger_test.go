package harm

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/loadline/loadline/test/lab"
)

// A ledger from elsewhere may claim that any file belongs to the test: that file is neither
// written nor removed, and the ledger's true file can still be checked.
func TestLedgerNamesAnotherFile(t *testing.T) {
	t.Parallel()
	lab.Lock(t)
	for _, kind := range []string{"a directory", "a file"} {
		t.Run(kind, func(t *testing.T) {
			outside := t.TempDir()
			dir := filepath.Join(outside, "data")
			if err := os.Mkdir(dir, 0o700); err != nil {
				t.Fatal(err)
			}
			victim := filepath.Join(outside, "victim")
			if err := os.WriteFile(victim, bytes.Repeat([]byte("mine "), 64<<20/5+1), 0o600); err != nil {
				t.Fatal(err)
			}
			target := dir
			if kind == "a file" {
				target = filepath.Join(dir, "new")
			}
			ledger := pending(t, target)
			before := snapshot(t, outside)

			forged := filepath.Join(t.TempDir(), "forged")
			if err := os.Mkdir(forged, 0o700); err != nil {
				t.Fatal(err)
			}
			named := target
			if kind == "a file" {
				named = victim // the ledger is then complete, but the file is not its own
			}
			forge(t, ledger, filepath.Join(forged, "ledger.jsonl"), named, victim)
			if o := loadline(t, "durability", named, "--resume", forged); o.code == 0 {
				t.Errorf("a forged ledger: exit code 0")
			}
			unharmed(t, outside, before)

			if o := loadline(t, "durability", target, "--resume", filepath.Dir(ledger)); o.code != 0 {
				t.Errorf("the true ledger: exit code %d", o.code)
			}
			delete(before, target)
			for path := range before {
				if strings.HasPrefix(path, filepath.Join(dir, ".loadline-")) {
					delete(before, path)
				}
			}
			if kind == "a directory" {
				before[dir] = snapshot(t, outside)[dir]
			}
			unharmed(t, outside, before)
		})
	}
}

// A ledger's id is part of its file's name, and must not lead to another directory.
func TestLedgerIDIsAPath(t *testing.T) {
	t.Parallel()
	lab.Lock(t)
	outside := t.TempDir()
	dir := filepath.Join(outside, "data")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	ledger := pending(t, dir)
	for id, name := range map[string]string{"x/../mydb": "data/mydb.data", "x/../../vm": "vm.data"} {
		victim := filepath.Join(outside, name)
		if err := os.WriteFile(victim, bytes.Repeat([]byte("mine "), 64<<20/5+1), 0o600); err != nil {
			t.Fatal(err)
		}
		before := digest(t, victim)
		forged := filepath.Join(t.TempDir(), "forged")
		if err := os.Mkdir(forged, 0o700); err != nil {
			t.Fatal(err)
		}
		forge(t, ledger, filepath.Join(forged, "ledger.jsonl"), dir, victim, func(header map[string]any) { header["id"] = id })
		if o := loadline(t, "durability", dir, "--resume", forged, "--wait", "3s"); o.code != 2 {
			t.Errorf("%s: exit code %d", id, o.code)
		}
		if digest(t, victim) != before {
			t.Errorf("%s was changed", victim)
		}
	}
}

// pending returns the ledger of a test that was killed while it wrote to the target.
func pending(t *testing.T, target string) string {
	t.Helper()
	args := []string{"durability", target, "--create", "--cuts", "1", "--writes", "1000000"}
	r := begin(t, args...)
	var ledger string
	eventually(t, "writes are acknowledged", func() bool {
		found, _ := filepath.Glob(filepath.Join(r.cmd.Dir, "loadline-results", "*", "ledger.jsonl"))
		if len(found) != 1 {
			return false
		}
		ledger = found[0]
		text, _ := os.ReadFile(ledger)
		return bytes.Count(text, []byte(`"ack"`)) > 100
	})
	_ = r.cmd.Process.Kill()
	r.wait(t)
	eventually(t, "the writer has ended", func() bool { return len(using(filepath.Dir(target))) == 0 })
	return ledger
}

// forge copies a ledger and changes its header to name another target and another file as its own.
func forge(t *testing.T, from, to, target, path string, more ...func(header map[string]any)) {
	t.Helper()
	text, err := os.ReadFile(from)
	if err != nil {
		t.Fatal(err)
	}
	head, rest, _ := bytes.Cut(text, []byte("\n"))
	var line map[string]map[string]any
	if err := json.Unmarshal(head, &line); err != nil {
		t.Fatal(err)
	}
	header := line["header"]
	header["path"] = path
	named := header["target"].(map[string]any)
	named["name"], named["path"] = target, target
	for _, change := range more {
		change(header)
	}
	if head, err = json.Marshal(line); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(to, append(append(head, '\n'), rest...), 0o600); err != nil {
		t.Fatal(err)
	}
}
