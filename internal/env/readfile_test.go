package env

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// A pipe without a writer is refused immediately; what a program writes into one is read.
func TestReadFileOfAPipe(t *testing.T) {
	name := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(name, 0o600); err != nil {
		t.Skipf("no pipes here: %v", err)
	}
	type answer struct {
		data string
		err  error
	}
	read := func() chan answer {
		got := make(chan answer, 1)
		go func() {
			data, err := ReadFile(name)
			got <- answer{string(data), err}
		}()
		return got
	}
	select {
	case a := <-read():
		if a.err == nil || !strings.Contains(a.err.Error(), "nobody writes") {
			t.Errorf("%q, %v", a.data, a.err)
		}
	case <-time.After(10 * time.Second):
		t.Fatal("it waits for a writer that never comes")
	}

	// As with a shell's <(…).
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if name = fmt.Sprintf("/dev/fd/%d", r.Fd()); !Exists(name) {
		t.Skip("no /dev/fd here")
	}
	got := read()
	for _, piece := range []string{"one, ", "two"} {
		if _, err := w.WriteString(piece); err != nil {
			t.Fatal(err)
		}
	}
	_ = w.Close()
	select {
	case a := <-got:
		if a.err != nil || a.data != "one, two" {
			t.Errorf("%q, %v", a.data, a.err)
		}
	case <-time.After(10 * time.Second):
		t.Fatal("it does not see the end")
	}
}
