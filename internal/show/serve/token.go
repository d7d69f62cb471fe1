package serve

import (
	"crypto/rand"
	"fmt"
	"net"
	"strings"

	"github.com/loadline/loadline/internal/env"
	"github.com/loadline/loadline/internal/model"
)

// TokenVariable is the environment variable that holds the token. A token on the
// command line could be read by every user of the machine.
const TokenVariable = "LOADLINE_TOKEN"

// shortestToken is the minimum length of a token, in characters.
const shortestToken = 16

// chooseToken returns the token that visitors must know, "" for none, and whether it was generated here. asked
// is what the user gave, with "auto" for one to generate, which needs a terminal to be shown on. It refuses
// to listen on another address than a loopback without a token, and tokens that are easily guessed.
func chooseToken(asked, listen string, loopback, terminal bool) (token string, made bool, err error) {
	token = asked
	switch {
	case token == "auto" && !terminal:
		// A generated token must not end up in a log.
		return "", false, model.RefusedError("--token auto prints the token on a terminal, but there is none", "choose one yourself: "+TokenVariable+"=…")
	case token == "auto":
		return rand.Text(), true, nil
	case token == "" && !loopback:
		return "", false, model.RefusedError(fmt.Sprintf("--listen %s opens the server to other machines without authentication", listen),
			"set "+TokenVariable+" to a secret of at least "+fmt.Sprint(shortestToken)+" characters, or add --token auto")
	case token != "" && (len(token) < shortestToken || strings.TrimSpace(token) != token):
		return "", false, model.RefusedError(fmt.Sprintf("the token is too weak: it needs at least %d characters, without blanks around it", shortestToken),
			"set "+TokenVariable+" to the output of: openssl rand -hex 16")
	}
	return token, false, nil
}

// address returns the address to open in a browser. hosts are other names of this machine, the first of which is
// preferred to its own.
func address(ln net.Listener, hosts []string) string {
	at, ok := ln.Addr().(*net.TCPAddr)
	if !ok {
		return "http://" + ln.Addr().String() + "/"
	}
	host := at.IP.String()
	if at.IP.IsUnspecified() {
		host = "localhost"
		if own := env.Hostname(); own != "" {
			host = own
		}
	}
	if len(hosts) > 0 && !at.IP.IsLoopback() {
		host = hosts[0]
	}
	return "http://" + net.JoinHostPort(host, fmt.Sprint(at.Port)) + "/"
}
