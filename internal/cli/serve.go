package cli

import (
	"cmp"
	"context"
	"crypto/rand"
	"fmt"
	"log"
	"net"
	"strings"

	"github.com/spf13/cobra"

	"github.com/loadline/loadline/internal/env"
	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/show/serve"
)

// serveFlags are read as text and checked together.
type serveFlags struct {
	listen, token string
	hosts         []string
}

// tokenVariable is the environment variable that holds the token. A token on the
// command line could be read by every user of the machine.
const tokenVariable = "LOADLINE_TOKEN"

// shortestToken is the minimum length of a token, in characters.
const shortestToken = 16

func newServe(e *env.Env) *cobra.Command {
	var f serveFlags
	cmd := &cobra.Command{
		Use:   "serve [DIR]",
		Short: "Show the runs under a folder in a browser",
		Long: `Shows the runs in the folder DIR (default: loadline-results) in a browser: search
and sort them, open one, put several side by side, follow a run in progress, download
one as a bundle. It only reads, and only inside DIR. The first line of output is the
address; ^C ends it.

By default it can be reached only from this machine. To listen on another address, a
token is required: set LOADLINE_TOKEN to one of at least 16 characters, or use
--token auto to generate and print one. There is no encryption: on an untrusted
network, leave --listen alone and use ssh -L 8470:127.0.0.1:8470 HOST.

Exit codes: 0 ended by ^C or SIGTERM; 1 failed, such as an address that is in use;
2 refused: no such folder, or another address without a token.`,
		Example: `  loadline serve
  loadline serve /srv/results --listen 127.0.0.1:0`,
		Args: atMost("one folder"),
		RunE: func(cmd *cobra.Command, args []string) error {
			folder := defaultResults
			if len(args) == 1 {
				folder = args[0]
			}
			return f.serve(cmd.Context(), e, folder)
		},
	}
	fl := cmd.Flags()
	fl.SortFlags = false
	fl.StringVar(&f.listen, "listen", "127.0.0.1:8470", "`ADDRESS` to listen on; port 0 takes a free one")
	fl.StringVar(&f.token, "token", "", "token required for access; auto generates one (default: $LOADLINE_TOKEN)")
	fl.StringSliceVar(&f.hosts, "host", nil, "also respond to this host `NAME`, such as that of a proxy")
	return cmd
}

func (f *serveFlags) serve(ctx context.Context, e *env.Env, folder string) error {
	loopback, err := serve.IsLoopback(f.listen)
	if err != nil {
		return err
	}
	token, made, err := f.chosenToken(e, loopback)
	if err != nil {
		return err
	}
	server, err := serve.New(serve.Options{
		Folder: folder, Token: token, Loopback: loopback, Hosts: f.hosts,
		Now: e.Now, Log: log.New(logLines{e.Stderr}, "", 0),
	})
	if err != nil {
		return err
	}
	defer server.Close()
	ln, err := serve.Listen(f.listen)
	if err != nil {
		return err
	}
	printLine(e.Stdout, "%s", f.address(ln))
	if made {
		printLine(e.Stderr, "token   %s   (shown only here; it ends with this server)", token)
	}
	if !loopback {
		fmt.Fprintln(e.Stderr, "note    no encryption: anyone who can read the network traffic can read the token")
	}
	printLine(e.Stderr, "serving %s read-only; ^C ends it", folder)
	return server.Serve(ctx, ln)
}

// chosenToken returns the token that visitors must know, "" for none, and whether it was
// generated here.
func (f *serveFlags) chosenToken(e *env.Env, loopback bool) (token string, made bool, err error) {
	token = cmp.Or(f.token, e.Getenv(tokenVariable))
	switch {
	case token == "auto" && !e.Terminal.Interactive:
		// A generated token must not end up in a log.
		return "", false, model.RefusedError("--token auto prints the token on a terminal, but there is none", "choose one yourself: "+tokenVariable+"=…")
	case token == "auto":
		return rand.Text(), true, nil
	case token == "" && !loopback:
		return "", false, model.RefusedError(fmt.Sprintf("--listen %s opens the server to other machines without authentication", f.listen),
			"set "+tokenVariable+" to a secret of at least "+fmt.Sprint(shortestToken)+" characters, or add --token auto")
	case token != "" && (len(token) < shortestToken || strings.TrimSpace(token) != token):
		return "", false, model.RefusedError(fmt.Sprintf("the token is too weak: it needs at least %d characters, without blanks around it", shortestToken),
			"set "+tokenVariable+" to the output of: openssl rand -hex 16")
	}
	return token, false, nil
}

// address returns the address to open in a browser.
func (f *serveFlags) address(ln net.Listener) string {
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
	if len(f.hosts) > 0 && !at.IP.IsLoopback() {
		host = f.hosts[0]
	}
	return "http://" + net.JoinHostPort(host, fmt.Sprint(at.Port)) + "/"
}
