package harm

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

// A run directory from elsewhere, with hostile contents, goes through every verb that reads
// one and every format that is written.
func TestHostileRunDirectory(t *testing.T) {
	results := t.TempDir()
	if o := loadline(t, "run", "fake:?iops=3000&cv=0.02&pace=200", "--profile", "quick", "--results", results, "--quiet"); o.code != 0 && o.code != 5 {
		t.Fatalf("exit code %d", o.code)
	}
	runs, _ := filepath.Glob(filepath.Join(results, "*"))
	if len(runs) != 1 {
		t.Fatalf("runs: %v", runs)
	}
	for name, text := range hostiles {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "runs", fileName(text))
			if err := os.CopyFS(dir, os.DirFS(runs[0])); err != nil {
				t.Fatal(err)
			}
			for _, file := range []string{"plan.json", "environment.json", "run.json", "report.json"} {
				poison(t, filepath.Join(dir, file), text)
			}
			for _, args := range [][]string{{"report", dir}, {"report", dir, "--format", "markdown"}, {"report", dir, "--format", "csv"}, {"report", dir, "--format", "prometheus"}, {"report", dir, "--format", "json"},
				{"report", filepath.Join(dir, "report.json")}, {"report", "--reference", dir, "--format", "markdown"}, {"report", runs[0], dir}, {"analyze", dir}, {"analyze", dir, "-o", "json"},
				{"compare", runs[0], dir}, {"compare", dir, runs[0]}, {"size", dir, "--need", "pods=10,rand-read=400"}} {
				o := loadline(t, args...)
				// The zero-width character that breaks mentions in Markdown is ours.
				o.stdout = strings.ReplaceAll(o.stdout, "\u200b", "")
				if slices.Contains(args, "csv") {
					harmless(t, o) // a cell may have several lines
					continue
				}
				readable(t, o)
			}
			served(t, filepath.Dir(dir))
		})
	}
}

// poison inserts a text into all strings of a JSON document except those that its readers
// branch on.
func poison(t *testing.T, file, text string) {
	t.Helper()
	const mark = "MARKED"
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var doc any
	if err := json.Unmarshal(data, &doc); err != nil {
		t.Fatal(err)
	}
	keep := map[string]bool{"schema": true, "kind": true, "metric": true, "unit": true, "direction": true, "access": true, "mode": true, "status": true, "verdict": true,
		"severity": true, "rule": true, "started": true, "finished": true, "at": true, "scenario": true, "histogram": true, "outcome": true}
	var walk func(key string, v any) any
	walk = func(key string, v any) any {
		switch v := v.(type) {
		case string:
			if keep[key] || v == "" {
				return v
			}
			return v + mark
		case []any:
			for i := range v {
				v[i] = walk(key, v[i])
			}
		case map[string]any:
			for k := range v {
				v[k] = walk(k, v[k])
			}
		}
		return v
	}
	if data, err = json.Marshal(walk("", doc)); err != nil {
		t.Fatal(err)
	}
	raw := []byte(text) // not valid UTF-8, which no encoder would write
	if utf8.ValidString(text) {
		if raw, err = json.Marshal(text); err != nil {
			t.Fatal(err)
		}
		raw = raw[1 : len(raw)-1]
	}
	if err := os.WriteFile(file, bytes.ReplaceAll(data, []byte(mark), raw), 0o600); err != nil {
		t.Fatal(err)
	}
}

// served reads a folder through serve, and checks what the server prints.
func served(t *testing.T, folder string) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := l.Addr().String()
	l.Close()
	r := begin(t, "serve", folder, "--listen", address)
	get := func(path string) error {
		answer, err := http.Get("http://" + address + path)
		if err != nil {
			return err
		}
		_, err = io.Copy(io.Discard, answer.Body)
		return errors.Join(err, answer.Body.Close())
	}
	eventually(t, "the server answers", func() bool { return get("/") == nil })
	for _, path := range []string{"/api/runs", "/%1b%5d0;x%07", "/view?run=%1b%5b2J%0aloadline:%20FAKED", "/api/%e2%80%ae"} {
		if err := get(path); err != nil {
			t.Error(err)
		}
	}
	// What is not HTTP goes into the server's log.
	if c, err := net.Dial("tcp", address); err == nil {
		fmt.Fprint(c, "GET /\x1b]0;x\a HTTP/1.1\r\nHost: \x1b[2J\r\n\r\n")
		c.Close()
	}
	if err := r.cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	readable(t, r.wait(t))
}

// Results of other tools.
func TestHostileImport(t *testing.T) {
	for name, text := range hostiles {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			quoted, err := json.Marshal(text)
			if err != nil {
				t.Fatal(err)
			}
			job := `{"fio version":NAME,"jobs":[{"jobname":NAME,"job options":{"rw":"randread","bs":"4k","filename":NAME},` +
				`"read":{"iops":1000,"bw":4000,"io_bytes":40960000,"total_ios":10000,"runtime":10000}}]}`
			for file, words := range map[string]string{
				"fio.json":    strings.ReplaceAll(job, "NAME", string(quoted)),
				"fio.txt":     text + ": (g=0): rw=randread, bs=(R) 4096B-4096B, ioengine=libaio, iodepth=1\nfio-3.33\n" + text + ": (groupid=0, jobs=1): err= 0: pid=1\n  read: IOPS=1000, BW=4000KiB/s (4096kB/s)(39.1MiB/10001msec)\n",
				"pgbench.txt": "transaction type: " + text + "\nscaling factor: 1\nlatency average = 1.5 ms\ntps = 600.0 (without initial connection time)\n",
				"junk":        text,
			} {
				path := filepath.Join(dir, file)
				if err := os.WriteFile(path, []byte(words), 0o600); err != nil {
					t.Fatal(err)
				}
				readable(t, loadline(t, "import", path))
				readable(t, loadline(t, "import", "A"+text+"="+path, "B="+path))
			}
		})
	}
}
