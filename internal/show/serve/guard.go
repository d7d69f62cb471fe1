package serve

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"

	"github.com/loadline/loadline/internal/env"
	"github.com/loadline/loadline/internal/model/safetext"
)

// guard checks every request: who may ask, under which host name, and what a browser may do with
// the response.
type guard struct {
	// token is what a client must present; if empty, everyone has access.
	token string
	// secret is the key for the cookie's value, which becomes worthless when the server ends.
	secret []byte
	// loopback is set if the server listens on this machine only; names are the host names that it
	// answers to besides IP addresses and localhost.
	loopback bool
	names    []string
}

// cookieName returns the name of the session cookie. Browsers share cookies among the ports of a
// host, so the port is part of the name.
func cookieName(r *http.Request) string {
	_, port, _ := net.SplitHostPort(r.Host)
	return "loadline" + port
}

func newGuard(token string, loopback bool, names []string) *guard {
	g := &guard{token: token, secret: make([]byte, 32), loopback: loopback}
	_, _ = rand.Read(g.secret)
	for _, n := range names {
		g.names = append(g.names, strings.ToLower(strings.TrimSuffix(n, ".")))
	}
	if own := env.Hostname(); own != "" && !loopback {
		g.names = append(g.names, strings.ToLower(own))
	}
	return g
}

// policy limits our pages to running our scripts and talking to this server.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; font-src 'self'; " +
	"connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

// wrap guards a handler.
func (g *guard) wrap(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", policy)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("X-Frame-Options", "DENY")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		h.Set("Cache-Control", "no-store")
		switch {
		case !g.knows(r.Host):
			// Somebody else's DNS name resolves to this server: their page could read our
			// responses.
			fail(w, http.StatusMisdirectedRequest, "this server does not answer to the name "+r.Host+"; start it with --host "+safetext.ShellWord(hostOnly(r.Host))+" if it should")
		case r.Method != http.MethodGet && r.Method != http.MethodHead && r.URL.Path != loginPath:
			h.Set("Allow", "GET, HEAD")
			fail(w, http.StatusMethodNotAllowed, "this server only reads")
		case strings.HasPrefix(r.URL.Path, "/api/") && foreign(r):
			fail(w, http.StatusForbidden, "another site's page asks for this")
		case r.URL.Path == loginPath:
			g.login(w, r)
		case strings.HasPrefix(r.URL.Path, assetsPath), g.allowed(r):
			next.ServeHTTP(w, r)
		case strings.HasPrefix(r.URL.Path, "/api/"):
			h.Set("WWW-Authenticate", "Bearer")
			fail(w, http.StatusUnauthorized, "a token is needed: send it as \"Authorization: Bearer TOKEN\"")
		default:
			http.Redirect(w, r, loginPath+"?next="+url.QueryEscape(r.URL.RequestURI()), http.StatusSeeOther)
		}
	})
}

// foreign reports whether the browser says that the request comes from another site's page.
func foreign(r *http.Request) bool {
	site := r.Header.Get("Sec-Fetch-Site")
	return site != "" && site != "same-origin" && site != "none"
}

// knows reports whether the server answers to the name in the Host header. A name can be made to
// resolve here (DNS rebinding), an address cannot.
func (g *guard) knows(host string) bool {
	name := strings.ToLower(strings.TrimSuffix(hostOnly(host), "."))
	if name == "localhost" || slices.Contains(g.names, name) {
		return true
	}
	addr, err := netip.ParseAddr(name)
	return err == nil && (!g.loopback || addr.Unmap().IsLoopback())
}

// hostOnly returns a Host header without its port and brackets.
func hostOnly(host string) string {
	if name, _, err := net.SplitHostPort(host); err == nil {
		return name
	}
	return strings.Trim(host, "[]")
}

// allowed reports whether the request carries the token or the session cookie.
func (g *guard) allowed(r *http.Request) bool {
	if g.token == "" {
		return true
	}
	if given, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer "); ok && g.isToken(given) {
		return true
	}
	c, err := r.Cookie(cookieName(r))
	return err == nil && subtle.ConstantTimeCompare([]byte(c.Value), []byte(g.session())) == 1
}

// isToken compares in constant time, which reveals nothing about the token, not even its length.
func (g *guard) isToken(given string) bool {
	a, b := sha256.Sum256([]byte(given)), sha256.Sum256([]byte(g.token))
	return subtle.ConstantTimeCompare(a[:], b[:]) == 1
}

// session returns the cookie's value, from which the token cannot be derived.
func (g *guard) session() string {
	mac := hmac.New(sha256.New, g.secret)
	mac.Write([]byte(g.token))
	return hex.EncodeToString(mac.Sum(nil))
}
