package harm

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"
)

// mostMemory is the maximum memory that a hostile file may cost, in bytes.
const mostMemory = 512 << 20

// generate writes a file of n bytes that repeats a piece, compressed if its name says so.
func generate(t testing.TB, file, head, piece string, n int64) {
	t.Helper()
	f, err := os.Create(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var out io.Writer = f
	closed := func() error { return nil }
	if strings.HasSuffix(file, ".zst") {
		zip, err := zstd.NewWriter(f, zstd.WithEncoderConcurrency(1), zstd.WithLowerEncoderMem(true))
		if err != nil {
			t.Fatal(err)
		}
		out, closed = zip, zip.Close
	}
	b := bufio.NewWriterSize(out, 1<<20)
	_, err = b.WriteString(head)
	many := strings.Repeat(piece, max(1, (1<<16)/len(piece)))
	for left := n; left > 0 && err == nil; left -= int64(len(many)) {
		_, err = b.WriteString(many)
	}
	if err := errors.Join(err, b.Flush(), closed()); err != nil {
		t.Fatal(err)
	}
}

// peak returns the peak memory of a command, in bytes.
func (r *running) peak() int64 {
	return r.cmd.ProcessState.SysUsage().(*syscall.Rusage).Maxrss << 10
}

// frugal runs a command, which must end by itself with one of the codes, using little memory.
func frugal(t *testing.T, codes string, args ...string) outcome {
	t.Helper()
	r := begin(t, args...)
	o := r.wait(t)
	if !strings.Contains(codes, fmt.Sprint(o.code)) || o.code < 0 {
		t.Errorf("exit code %d, want one of %s", o.code, codes)
	}
	if peak := r.peak(); peak > mostMemory {
		t.Errorf("it took %d MiB", peak>>20)
	}
	return o
}

// second is a line of samples.
const second = `{"step":1,"worker":0,"t":1,"s":1,"r":{"ios":1,"bytes":4096}}` + "\n"

// Files crafted to exhaust memory are reported as damaged, with the file and the limit.
func TestHostileRunsAreDamaged(t *testing.T) {
	t.Parallel()
	dir := recorded(t)
	for name, c := range map[string]struct {
		file, head, piece string
		size              int64
	}{
		"endless line":        {"samples.jsonl.zst", "", " ", 1 << 30},
		"many lines":          {"samples.jsonl.zst", "", second, 512 << 20},
		"least lines":         {"samples.jsonl.zst", "", "{}\n", 300 << 20},
		"blanks in lines":     {"samples.jsonl.zst", "", strings.Repeat(" ", 200<<10) + second, 512 << 20},
		"short and many":      {"samples.jsonl.zst", "", `{"step":1,"t":1,"s":1}` + "\n", 256 << 20},
		"objects in the plan": {"plan.json", `{"schema":"loadline.plan/v1","steps":[`, "{},", 60 << 20},
		"steps":               {"run.json", `{"schema":"loadline.run/v1","steps":[`, "{},", 60 << 20},
		"numbers":             {"run.json", `{"schema":"loadline.run/v1","steps":[`, "0,", 60 << 20},
		"depth":               {"plan.json", ``, "[", 60 << 20},
		"large environment":   {"environment.json", `{"hostname":"`, "x", 200 << 20},
		"large record":        {"run.json", `{"reason":"`, "x", 1 << 30},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			copied := filepath.Join(t.TempDir(), "sent")
			if err := os.CopyFS(copied, os.DirFS(dir)); err != nil {
				t.Fatal(err)
			}
			generate(t, filepath.Join(copied, c.file), c.head, c.piece, c.size)
			o := frugal(t, "1 2", "analyze", copied)
			if !strings.Contains(o.stderr, c.file+" is damaged: ") {
				t.Error("it does not say that the file is damaged")
			}
		})
	}
}

// A string of megabytes in an otherwise valid document is rejected.
func TestHostileTextIsDamaged(t *testing.T) {
	copied := filepath.Join(t.TempDir(), "sent")
	if err := os.CopyFS(copied, os.DirFS(recorded(t))); err != nil {
		t.Fatal(err)
	}
	text := `{"hostname":"` + strings.Repeat("x", 50<<20) + `"}`
	if err := os.WriteFile(filepath.Join(copied, "environment.json"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if o := frugal(t, "1 2", "analyze", copied); !strings.Contains(o.stderr, "environment.json is damaged: it has a text of ") {
		t.Error("it does not say that the file is damaged")
	}
}

// A compression window that takes gigabytes to decode is rejected.
func TestHostileWindowIsDamaged(t *testing.T) {
	copied := filepath.Join(t.TempDir(), "sent")
	if err := os.CopyFS(copied, os.DirFS(recorded(t))); err != nil {
		t.Fatal(err)
	}
	// A frame header (RFC 8878): a window of 1.75 GiB, a block of raw bytes.
	block := len(second)<<3 | 1
	frame := append([]byte{0x28, 0xb5, 0x2f, 0xfd, 0x00, (30-10)<<3 | 6, byte(block), byte(block >> 8), byte(block >> 16)}, second...)
	if err := os.WriteFile(filepath.Join(copied, "samples.jsonl.zst"), frame, 0o600); err != nil {
		t.Fatal(err)
	}
	if o := frugal(t, "1", "analyze", copied); !strings.Contains(o.stderr, "samples.jsonl.zst is damaged: ") {
		t.Error("it does not say that the file is damaged")
	}
}

// Documents that are named on the command line, and hand-written files, are limited as well.
func TestHostileDocumentsAreRefused(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for name, c := range map[string]struct {
		file, head, piece string
		size              int64
		args              []string
	}{
		"report objects":  {"report.json", `{"schema":"loadline.report/v1","results":[`, "{},", 60 << 20, []string{"report"}},
		"report numbers":  {"report.json", `{"schema":"loadline.report/v1","courses":[`, "0,", 60 << 20, []string{"report"}},
		"report size":     {"report.json", `{"schema":"loadline.report/v1","run":{"note":"`, "x", 1 << 30, []string{"report"}},
		"points":          {"points.yaml", "", "a: &a [*a, *a]\n", 1 << 30, []string{"size", "--from"}},
		"aliases":         {"points.yaml", "a: &a [x,x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b,*b,*b]\nd: &d [*c,*c,*c,*c,*c]\nname: *d\n", "#", 1 << 19, []string{"size", "--from"}},
		"own profile":     {"own.yaml", "", "workloads: [", 1 << 30, []string{"plan", numbers, "--profile"}},
		"own job":         {"own.fio", "[a]\n", "x", 1 << 30, []string{"plan", numbers, "--job"}},
		"import size":     {"fio.json", "{", " ", 2 << 30, []string{"import"}},
		"import lines":    {"fio.log", "", "\n", 120 << 20, []string{"import"}},
		"import line":     {"fio.log", "", " ", 120 << 20, []string{"import"}},
		"import headings": {"paper.md", "", "# a\n", 20 << 20, []string{"import"}},
		"import jobs":     {"fio.json", `{"fio version":"fio-3.33","jobs":[`, "{},", 120 << 20, []string{"import"}},
		"import bins":     {"fio.json", `{"fio version":"fio-3.33","jobs":[{"jobname":"a","read":{"total_ios":1,"clat_ns":{"bins":{`, `"1":1,`, 120 << 20, []string{"import"}},
		"import runs":     {"fio.json", "", `{"fio version":"x","jobs":[{}]}` + "\n", 20 << 20, []string{"import"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			file := filepath.Join(dir, strings.ReplaceAll(name, " ", "-")+"-"+c.file)
			generate(t, file, c.head, c.piece, c.size)
			defer os.Remove(file)
			frugal(t, "1 2", append(c.args, file)...)
		})
	}
}

// An interrupt ends reading from an endless source.
func TestReadingIsInterrupted(t *testing.T) {
	dir := t.TempDir()
	pipe := filepath.Join(dir, "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	// Both ends are open, so that a reader never sees end of file.
	hold, err := os.OpenFile(pipe, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer hold.Close()
	slow := filepath.Join(dir, "slow.log")
	generate(t, slow, "", "a                         \n", 60<<20)
	for _, args := range [][]string{{"import", "a=" + pipe}, {"report", pipe}, {"size", "--from", pipe}, {"import", "a=" + slow}} {
		for _, signal := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM} {
			r := reading(t, args...)
			if err := r.cmd.Process.Signal(signal); err != nil {
				t.Fatal(err)
			}
			late := time.AfterFunc(time.Minute, func() { _ = r.cmd.Process.Kill() })
			if o := r.wait(t); o.code != 130 {
				t.Errorf("%v after %v: exit code %d, want 130", args, signal, o.code)
			}
			late.Stop()
		}
	}
}

// reading starts a command that has its last argument open. A file may have been read before anybody looked, so
// such a command is started again.
func reading(t testing.TB, args ...string) (r *running) {
	t.Helper()
	for range 20 {
		r = begin(t, args...)
		seen := false
		eventually(t, "it reads", func() bool {
			seen = opened(r.cmd.Process.Pid, args[len(args)-1])
			return seen || ended(r.cmd.Process.Pid)
		})
		if seen {
			return r
		}
		r.wait(t)
	}
	t.Fatalf("%v was never seen to read", args)
	return nil
}

// ended reports whether a child that nobody has waited for has ended.
func ended(pid int) bool {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	return err != nil || strings.Contains(string(stat), ") Z ")
}

// opened reports whether a process has a file open.
func opened(pid int, file string) bool {
	file = file[strings.IndexByte(file, '=')+1:]
	list, err := filepath.Glob(fmt.Sprintf("/proc/%d/fd/*", pid))
	if err != nil {
		return false
	}
	for _, fd := range list {
		if to, err := os.Readlink(fd); err == nil && to == file {
			return true
		}
	}
	return false
}
