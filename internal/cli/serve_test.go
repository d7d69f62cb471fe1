package cli

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/loadline/loadline/internal/env"
	"github.com/loadline/loadline/internal/show/serve"
)

// world is an environment whose streams are buffers.
func world(args ...string) (*env.Env, *bytes.Buffer, *bytes.Buffer) {
	var stdout, stderr bytes.Buffer
	e := env.OS()
	e.Args, e.Stdin, e.Stdout, e.Stderr = args, strings.NewReader(""), &stdout, &stderr
	e.Getenv = func(string) string { return "" }
	return e, &stdout, &stderr
}

// serving runs serve until the function has returned, and returns its exit code and what
// it printed to standard error.
func serving(t *testing.T, e *env.Env, visit func(url string)) (int, string) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	read, write := io.Pipe()
	var stderr bytes.Buffer
	e.Stdout, e.Stderr = write, &stderr
	code := make(chan int, 1)
	go func() { code <- Run(ctx, e); write.Close() }()
	line, err := bufio.NewReader(read).ReadString('\n')
	if err != nil {
		t.Fatalf("exit code %d: %s", <-code, stderr.String())
	}
	visit(strings.TrimSpace(line))
	cancel()
	select {
	case c := <-code:
		return c, stderr.String()
	case <-time.After(20 * time.Second):
		t.Fatal("the server does not end")
	}
	return 0, ""
}

func get(t *testing.T, url, token string, v any) int {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	if token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	if v != nil {
		if err := json.NewDecoder(res.Body).Decode(v); err != nil {
			t.Fatal(err)
		}
	}
	return res.StatusCode
}

// seen is the part of a response that the tests check.
type seen struct {
	Total       int
	Runs        []struct{ Path, Kind string }
	Reports     []struct{ Courses []any }
	Comparisons []struct{ Rows []any }
	Remarks     []string
}

func TestServeShowsWhatRunLeavesBehind(t *testing.T) {
	results := filepath.Join(t.TempDir(), "results")
	for _, args := range [][]string{
		{"run", "fake:?iops=3000&cv=0.02"}, {"run", "fake:?iops=4000&cv=0.02"}, {"compare", "fake:?iops=3000&cv=0.02", "fake:?iops=4000&cv=0.02"},
	} {
		e, _, stderr := world(append(args, "--profile", "quick", "--quiet", "--results", results)...)
		if code := Run(t.Context(), e); code != 0 {
			t.Fatalf("%v: exit code %d: %s", args, code, stderr)
		}
	}
	e, _, _ := world("serve", results, "--listen", "127.0.0.1:0")
	code, _ := serving(t, e, func(url string) {
		var list, one, two, pair seen
		get(t, url+"api/list", "", &list)
		if list.Total != 3 {
			t.Fatalf("%+v", list)
		}
		var names []string
		for _, r := range list.Runs {
			if r.Kind == "run" {
				names = append(names, r.Path)
			} else {
				get(t, url+"api/view?run="+r.Path, "", &pair)
			}
		}
		if len(pair.Reports) != 2 || len(pair.Comparisons) != 1 || len(pair.Remarks) > 0 {
			t.Errorf("the comparison: %d reports, %d comparisons, %v", len(pair.Reports), len(pair.Comparisons), pair.Remarks)
		}
		get(t, url+"api/view?run="+names[0], "", &one)
		if len(one.Reports) != 1 || len(one.Reports[0].Courses) == 0 {
			t.Errorf("a run without the data of its charts: %+v", one)
		}
		get(t, url+"api/view?run="+names[0]+"&run="+names[1], "", &two)
		if len(two.Reports) != 2 || len(two.Comparisons) != 1 || len(two.Comparisons[0].Rows) < 6 {
			t.Errorf("two runs side by side: %v", two.Remarks)
		}
		get(t, url+"api/view?run="+names[0]+"&run="+names[0], "", &one)
		if len(one.Comparisons) != 0 {
			t.Error("a run is compared with itself")
		}
	})
	if code != exitOK {
		t.Errorf("ended by ^C with exit code %d", code)
	}
}

func TestServeAsksForTheTokenAndShowsAMadeOneOnATerminalOnly(t *testing.T) {
	folder := t.TempDir()
	e, _, _ := world("serve", folder, "--listen", "127.0.0.1:0", "--token", "auto")
	e.Terminal.Interactive = true
	var url string
	_, stderr := serving(t, e, func(u string) {
		url = u
		if code := get(t, u+"api/list", "", nil); code != http.StatusUnauthorized {
			t.Errorf("without the token: %d", code)
		}
	})
	if !strings.Contains(stderr, "token   ") || strings.Contains(url, "token") {
		t.Errorf("%s\n%s", url, stderr)
	}
	const own = "a-token-of-my-own"
	e, _, _ = world("serve", folder, "--listen", "127.0.0.1:0")
	e.Getenv = func(name string) string { return map[string]string{serve.TokenVariable: own}[name] }
	_, stderr = serving(t, e, func(u string) {
		if code := get(t, u+"api/list", own, nil); code != http.StatusOK {
			t.Errorf("with the token: %d", code)
		}
	})
	if strings.Contains(stderr, own) {
		t.Errorf("the token is printed: %s", stderr)
	}
}

func TestServeSaysWhyAnAddressCannotBeOpened(t *testing.T) {
	folder := t.TempDir()
	e, _, _ := world("serve", folder, "--listen", "127.0.0.1:0")
	serving(t, e, func(url string) {
		taken := strings.TrimSuffix(strings.TrimPrefix(url, "http://"), "/")
		e, _, stderr := world("serve", folder, "--listen", taken)
		if code := Run(t.Context(), e); code != exitFailed || !strings.Contains(stderr.String(), "in use") || !strings.Contains(stderr.String(), "next: ") {
			t.Errorf("exit code %d: %s", code, stderr)
		}
	})
}
