// Package browser checks the report page and the served library in a real
// browser. Its assumptions: that an element exists says little about what a reader sees,
// so charts are judged by their pixels, widths by what overflows, and text from
// outside by what it could not do. drive.mjs and library.mjs report each check;
// their screenshots, and a print, are left in artifacts/browser for manual inspection.
package browser

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/loadline/loadline/internal/cli"
	"github.com/loadline/loadline/internal/env"
	"github.com/loadline/loadline/test/lab"
)

// timeout is how long all checks may take on a very busy machine.
const timeout = 20 * time.Minute

// task is the input of drive.mjs; visit is that of library.mjs.
type task struct {
	Chromium string            `json:"chromium"`
	Pages    map[string]string `json:"pages"`
	Library  string            `json:"library"`
	// Trap is an address that no page may request.
	Trap string `json:"trap"`
	Out  string `json:"out"`
}

// check is one line of their output.
type check struct {
	Name   string   `json:"name"`
	Errors []string `json:"errors"`
	Log    []string `json:"log"`
}

// eyes finds the browser, and makes an empty folder for its screenshots.
func eyes(t *testing.T, folder string) (chromium, out string) {
	t.Helper()
	lab.Need(t, "node", "chromium")
	lab.NeedPackages(t, "../../web")
	chromium, err := exec.LookPath("chromium")
	if err != nil {
		t.Fatal(err)
	}
	if out, err = filepath.Abs(filepath.Join("../../artifacts/browser", folder)); err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(out); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(out, 0o755); err != nil {
		t.Fatal(err)
	}
	return chromium, out
}

func TestPagesInABrowser(t *testing.T) {
	t.Parallel()
	chromium, out := eyes(t, "pages")
	p := makePages(t)
	t.Run("weight", p.weights)
	var asked atomic.Int64
	trap := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked.Add(1) }))
	defer trap.Close()
	drive(t, "drive.mjs", task{Chromium: chromium, Pages: p.files, Library: library(t, p.runs), Trap: trap.URL, Out: out})
	if n := asked.Load(); n > 0 {
		t.Errorf("a page has asked the network %d times", n)
	}
}

// drive runs a script, and makes a subtest of each of its checks.
func drive(t *testing.T, script string, what any) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), timeout)
	defer cancel()
	told, err := json.Marshal(what)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(ctx, "node", script)
	// The script closes the browser when it ends, so it is interrupted before it is killed.
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = 20 * time.Second
	var stderr bytes.Buffer
	cmd.Stdin, cmd.Stderr = bytes.NewReader(told), &stderr
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	checks := 0
	for lines := bufio.NewScanner(stdout); lines.Scan(); {
		var c check
		if err := json.Unmarshal(lines.Bytes(), &c); err != nil {
			t.Errorf("%s says %q", script, lines.Text())
			continue
		}
		checks++
		t.Run(c.Name, func(t *testing.T) {
			for _, l := range c.Log {
				t.Log(l)
			}
			for _, e := range c.Errors {
				t.Error(e)
			}
		})
	}
	if err := cmd.Wait(); err != nil || checks == 0 {
		t.Fatalf("%s ended after %d checks: %v\n%s", script, checks, err, stderr.String())
	}
}

// library serves the folder during the test and returns the address.
func library(t *testing.T, folder string, args ...string) string {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	var stdout, stderr locked
	world := env.OS()
	world.Args, world.Stdin, world.Stdout, world.Stderr = append([]string{"serve", folder, "--listen", "127.0.0.1:0"}, args...), strings.NewReader(""), &stdout, &stderr
	over := make(chan struct{})
	go func() {
		defer close(over)
		cli.Run(ctx, world)
	}()
	t.Cleanup(func() {
		cancel()
		<-over
	})
	for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		if address, _, ok := strings.Cut(stdout.String(), "\n"); ok {
			return strings.TrimSpace(address)
		}
	}
	t.Fatalf("loadline serve has not said its address:\n%s", stderr.String())
	return ""
}

// locked is a buffer that one goroutine writes and another one reads.
type locked struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (l *locked) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.buf.Write(p)
}

func (l *locked) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.buf.String()
}
