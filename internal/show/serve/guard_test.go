package serve

import (
	"io/fs"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"pgregory.net/rapid"

	"github.com/loadline/loadline/internal/measure/store"
)

// secret is the content of a file outside the folder. No response may contain it.
const secret = "the-secret-outside"

// withSecrets makes a folder with a run and everything that might lead outside it.
func withSecrets(t *testing.T) *site {
	t.Helper()
	s := newSite(t, nil)
	s.run("one", 100, nil)
	outside := filepath.Dir(s.folder)
	s.check(os.WriteFile(filepath.Join(outside, "secret"), []byte(secret), 0o600))
	// A run outside, and links to it.
	elsewhere := s.begin(outside, "elsewhere", func(o *store.Start) { o.Plan.Experiment.Note = secret })
	s.check(elsewhere.Finish("complete", ""))
	s.report(elsewhere.Dir())
	s.check(os.Symlink(elsewhere.Dir(), filepath.Join(s.folder, "linked")))
	s.check(os.Symlink("../elsewhere", filepath.Join(s.folder, "relative")))
	s.check(os.Symlink("..", filepath.Join(s.folder, "up")))
	s.check(os.Symlink("one", filepath.Join(s.folder, "inside")))
	// A run whose files are links to the outside, and one that contains a pipe, on which a read
	// would block.
	trap := s.run("trap", 100, nil)
	for _, name := range []string{"report.json", "card.json", "environment.json", "summary.txt"} {
		_ = os.Remove(filepath.Join(trap, name))
		s.check(os.Symlink(filepath.Join(outside, "secret"), filepath.Join(trap, name)))
	}
	s.check(os.RemoveAll(filepath.Join(trap, "raw")))
	s.check(os.Symlink(outside, filepath.Join(trap, "raw")))
	pipe := s.run("pipe", 100, nil)
	for _, name := range []string{"report.json", "card.json"} {
		s.check(os.Remove(filepath.Join(pipe, name)))
		s.check(syscall.Mkfifo(filepath.Join(pipe, name), 0o600))
	}
	return s
}

// ways are paths that an attacker might use to escape from the folder.
var ways = []string{
	"..", "../secret", "../elsewhere", "./../elsewhere", "one/..", "one/../../elsewhere", "one/../../secret", "/", "/etc", "/etc/passwd", "",
	".", "./", "./one", "one/", "one//", "//one", "one/raw", "one/report.json", "one\x00", "one\x00/../../elsewhere", "..\\elsewhere", "one\\..\\..\\elsewhere",
	"%2e%2e/elsewhere", "..%2felsewhere", "..%c0%af..", "…", "linked", "relative", "up", "up/elsewhere", "inside", "trap/raw", "trap/raw/elsewhere", "trap/a",
	strings.Repeat("../", 40) + "etc", strings.Repeat("a", 70000), "\r\nSet-Cookie: x=y",
}

func TestNothingOutsideOfTheFolderIsReached(t *testing.T) {
	s := withSecrets(t)
	for _, way := range ways {
		for _, what := range []string{"view", "events", "bundle"} {
			code, body, header := s.get("/api/"+what+"?run="+url.QueryEscape(way), nil)
			if code < 400 || strings.Contains(body, secret) || header.Get("Set-Cookie") != "" {
				t.Errorf("%s of %.60q: %d %.200s", what, way, code, body)
			}
		}
	}
	for _, what := range []string{"list?", "view?run=trap", "bundle?run=trap", "view?run=pipe", "bundle?run=pipe", "view?run=one&run=trap"} {
		if code, body, _ := s.get("/api/"+what, nil); code != http.StatusOK || strings.Contains(body, secret) {
			t.Errorf("%s: %d, %.300s", what, code, body)
		}
	}
	l, _ := s.list("sort=target")
	for _, r := range l.Runs {
		if r.Path != "one" && r.Path != "trap" && r.Path != "pipe" {
			t.Errorf("%s is listed", r.Path)
		}
	}
	if len(l.Remarks) != 1 || !strings.Contains(l.Remarks[0], "4 symbolic links were not followed") {
		t.Errorf("remarks: %q", l.Remarks)
	}
}

// Addresses that none of our clients would send are passed on unchanged.
func TestAddressesAreNotFiles(t *testing.T) {
	s := withSecrets(t)
	for _, address := range []string{
		"/../secret", "/assets/../../secret", "/assets/%2e%2e/%2e%2e/secret", "/assets/..%2f..%2fsecret", "/assets/%00", "/assets/", "/assets/..",
		"/assets/library.js/../../secret", "//secret", "/api/../../secret", "/one/report.json", "/results/one", "/%2e%2e%2fsecret", "/api/bundle/../../../secret",
	} {
		conn, err := net.Dial("tcp", s.http.Listener.Addr().String())
		s.check(err)
		_, err = conn.Write([]byte("GET " + address + " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"))
		s.check(err)
		answer, err := readAll(conn)
		s.check(err)
		status, _, _ := strings.Cut(answer, "\r\n")
		if strings.Contains(answer, secret) || strings.Contains(status, " 200 ") {
			t.Errorf("%s: %s", address, status)
		}
	}
}

func readAll(conn net.Conn) (string, error) {
	defer conn.Close()
	var b strings.Builder
	buf := make([]byte, 4096)
	for {
		n, err := conn.Read(buf)
		b.Write(buf[:n])
		if err != nil {
			return b.String(), nil
		}
	}
}

// Whatever a path is made of, it can only open one of the listed directories.
func TestOnlyListedDirectoriesAreOpened(t *testing.T) {
	s := withSecrets(t)
	s.list("")
	piece := rapid.SampledFrom([]string{"one", "trap", "linked", "up", "inside", "..", ".", "", "/", "raw", "a", "b", "elsewhere", "\x00", "etc", "passwd"})
	rapid.Check(t, func(rt *rapid.T) {
		p := strings.Join(rapid.SliceOfN(piece, 1, 5).Draw(rt, "pieces"), "/")
		s.server.library.mu.Lock()
		s.server.library.walked = s.server.options.Now()
		s.server.library.mu.Unlock()
		e := s.server.library.lookup(p)
		if e != nil && p != "one" && p != "trap" && p != "pipe" {
			rt.Errorf("%q is found", p)
		}
		if fs.ValidPath(p) {
			if _, err := store.Plain(s.server.library.root).Open(p); err == nil && strings.Contains(p, "..") {
				rt.Errorf("%q is opened", p)
			}
		}
	})
}

func TestWhoKnowsTheTokenIsLetIn(t *testing.T) {
	const token = "correct horse battery"
	s := newSite(t, func(o *Options) { o.Token = token })
	s.run("one", 100, nil)
	with := func(name, value string) func(*http.Request) {
		return func(r *http.Request) { r.Header.Set(name, value) }
	}
	for _, x := range []struct {
		change func(*http.Request)
		want   int
	}{
		{nil, 401}, {with("Authorization", "Bearer "+token), 200}, {with("Authorization", "Bearer "+token+"x"), 401}, {with("Authorization", "Bearer "), 401},
		{with("Authorization", "Basic "+token), 401}, {with("Authorization", token), 401}, {with("Cookie", "loadline="+token), 401},
	} {
		for _, what := range []string{"list", "view?run=one", "events?run=one", "bundle?run=one"} {
			if code, _, _ := s.get("/api/"+what, x.change); code != x.want {
				t.Errorf("%s: %d, want %d", what, code, x.want)
			}
		}
	}
	code, _, header := s.get("/view?run=one", nil)
	if code != http.StatusSeeOther || header.Get("Location") != "/login?next=%2Fview%3Frun%3Done" {
		t.Errorf("a page: %d %s", code, header.Get("Location"))
	}
	if code, _, _ := s.get("/?token="+url.QueryEscape(token), nil); code != http.StatusSeeOther {
		t.Errorf("a token in an address lets in: %d", code)
	}

	form := func(given, next string) (int, http.Header) {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.http.URL+"/login", strings.NewReader(url.Values{"token": {given}, "next": {next}}.Encode()))
		s.check(err)
		req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		code, _, header := s.do(req)
		return code, header
	}
	if code, header := form("wrong", "/"); code != http.StatusUnauthorized || header.Get("Set-Cookie") != "" {
		t.Errorf("a wrong token: %d", code)
	}
	code, header = form(token, "/view?run=one")
	cookie, err := http.ParseSetCookie(header.Get("Set-Cookie"))
	if err != nil || code != http.StatusSeeOther || header.Get("Location") != "/view?run=one" {
		t.Fatalf("the token: %d %v %v", code, header, err)
	}
	if !cookie.HttpOnly || cookie.SameSite != http.SameSiteStrictMode || strings.Contains(cookie.Value, token) {
		t.Errorf("the cookie: %v", cookie)
	}
	if code, _, _ := s.get("/api/list", func(r *http.Request) { r.AddCookie(cookie) }); code != http.StatusOK {
		t.Errorf("with the cookie: %d", code)
	}
	for _, next := range []string{"https://evil.example/", "//evil.example", "/\\evil.example", "/login", "javascript:alert(1)", ""} {
		if _, header := form(token, next); header.Get("Location") != "/" {
			t.Errorf("next=%s leads to %s", next, header.Get("Location"))
		}
	}
	if strings.Contains(s.logged.String(), token) {
		t.Error("the log holds the token")
	}
}

func TestAStrangersNameIsNotAnswered(t *testing.T) {
	for _, x := range []struct {
		loopback bool
		host     string
		want     bool
	}{
		{true, "localhost:8470", true}, {true, "LOCALHOST", true}, {true, "127.0.0.1:9", true}, {true, "[::1]:8470", true}, {true, "localhost.", true},
		{true, "evil.example:8470", false}, {true, "127.0.0.1.evil.example", false}, {true, "192.168.1.7:8470", false}, {true, "", false}, {true, "proxy.example", true},
		{false, "192.168.1.7:8470", true}, {false, "evil.example", false}, {false, "proxy.example:80", true},
	} {
		g := newGuard("", x.loopback, []string{"Proxy.example"})
		if got := g.knows(x.host); got != x.want {
			t.Errorf("loopback %v, Host %q: %v", x.loopback, x.host, got)
		}
	}
	s := newSite(t, nil)
	if code, body, _ := s.get("/api/list", func(r *http.Request) { r.Host = "evil.example" }); code != http.StatusMisdirectedRequest || !strings.Contains(body, "--host evil.example") {
		t.Errorf("%d %s", code, body)
	}
}

func TestItOnlyReadsAndOnlyForItsOwnPage(t *testing.T) {
	s := newSite(t, nil)
	s.run("one", 100, nil)
	for _, method := range []string{http.MethodPost, http.MethodPut, http.MethodDelete, http.MethodPatch, http.MethodOptions, "TRACE"} {
		for _, address := range []string{"/", "/api/list", "/api/bundle?run=one"} {
			if code, _, _ := s.get(address, func(r *http.Request) { r.Method = method }); code != http.StatusMethodNotAllowed {
				t.Errorf("%s %s: %d", method, address, code)
			}
		}
	}
	for site, want := range map[string]int{"cross-site": 403, "same-site": 403, "same-origin": 200, "none": 200} {
		if code, _, _ := s.get("/api/list", func(r *http.Request) { r.Header.Set("Sec-Fetch-Site", site) }); code != want {
			t.Errorf("Sec-Fetch-Site %s: %d", site, code)
		}
	}
}

func TestEveryAnswerTellsTheBrowserWhatItMayDo(t *testing.T) {
	s := newSite(t, func(o *Options) { o.Token = "0123456789abcdef" })
	for _, address := range []string{"/", "/login", "/api/list", "/assets/library.js", "/nothing"} {
		_, _, header := s.get(address, nil)
		p := header.Get("Content-Security-Policy")
		for _, part := range []string{"default-src 'none'", "frame-ancestors 'none'", "base-uri 'none'"} {
			if !strings.Contains(p, part) {
				t.Errorf("%s: the policy %q lacks %s", address, p, part)
			}
		}
		if strings.Contains(p, "unsafe") || header.Get("X-Content-Type-Options") != "nosniff" || header.Get("Referrer-Policy") != "no-referrer" {
			t.Errorf("%s: %v", address, header)
		}
	}
}
