package serve

import (
	"html"
	"net/http"
	"strings"

	page "github.com/loadline/loadline/internal/show/report/html"
)

// loginPath is the only address that accepts more than GET and HEAD.
const loginPath = "/login"

// largestForm limits the size of a submitted form, in bytes.
const largestForm = 4 << 10

// login shows the form for the token and accepts the token.
func (g *guard) login(w http.ResponseWriter, r *http.Request) {
	switch r.Method {
	case http.MethodGet, http.MethodHead:
		loginPage(w, http.StatusOK, r.URL.Query().Get("next"), "")
	case http.MethodPost:
		if foreign(r) {
			fail(w, http.StatusForbidden, "another site's page sends this form")
			return
		}
		r.Body = http.MaxBytesReader(w, r.Body, largestForm)
		if err := r.ParseForm(); err != nil {
			fail(w, http.StatusBadRequest, "the form cannot be read")
			return
		}
		next := r.PostForm.Get("next")
		if !g.isToken(strings.TrimSpace(r.PostForm.Get("token"))) {
			loginPage(w, http.StatusUnauthorized, next, "That is not the token.")
			return
		}
		http.SetCookie(w, &http.Cookie{Name: cookieName(r), Value: g.session(), Path: "/", HttpOnly: true, SameSite: http.SameSiteStrictMode,
			Secure: r.Header.Get("X-Forwarded-Proto") == "https"})
		http.Redirect(w, r, localPath(next), http.StatusSeeOther)
	default:
		w.Header().Set("Allow", "GET, HEAD, POST")
		fail(w, http.StatusMethodNotAllowed, "the form is sent by POST")
	}
}

// localPath returns where to go after the login: an address on this server, or the list.
func localPath(next string) string {
	if !strings.HasPrefix(next, "/") || strings.HasPrefix(next, "//") || strings.ContainsAny(next, "\\\r\n\t") || strings.HasPrefix(next, loginPath) {
		return "/"
	}
	return next
}

// loginStyle is the style sheet of the login page; loginPolicy allows only that style and the form.
const loginStyle = `
:root{color-scheme:light dark;font:16px/1.5 system-ui,sans-serif}
body{background:Canvas;color:CanvasText;margin:0;display:grid;place-items:center;min-height:100vh}
main{width:min(24rem,100vw - 2rem)}
h1{font-size:1.3rem}
input,button{font:inherit;padding:.5rem .7rem;width:100%;box-sizing:border-box}
button{margin-top:.7rem}
p{color:color-mix(in srgb,CanvasText 70%,Canvas)}
p strong{color:CanvasText}
`

var loginPolicy = "default-src 'none'; style-src '" + page.Hash(loginStyle) + "'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

// loginPage writes a page without scripts, so that it works in any browser that supports forms.
func loginPage(w http.ResponseWriter, status int, next, wrong string) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Content-Security-Policy", loginPolicy)
	w.WriteHeader(status)
	alert := ""
	if wrong != "" {
		alert = `<p role="alert"><strong>` + html.EscapeString(wrong) + `</strong></p>`
	}
	_, _ = w.Write([]byte(`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>Loadline: token</title>
<style>` + loginStyle + `</style></head><body><main><h1>Loadline</h1>` + alert + `
<form method="post" action="` + loginPath + `">
<label for="token">Token</label>
<input id="token" name="token" type="password" autocomplete="current-password" required autofocus>
<input type="hidden" name="next" value="` + html.EscapeString(next) + `">
<button>Open</button>
</form>
<p>Whoever started this server knows it.</p>
</main></body></html>
`))
}
