package cli

import (
	"cmp"
	"context"
	"fmt"
	"log"

	"github.com/spf13/cobra"

	"github.com/loadline/loadline/internal/cli/usage"
	"github.com/loadline/loadline/internal/env"
	"github.com/loadline/loadline/internal/show/report/term"
	"github.com/loadline/loadline/internal/show/serve"
)

// serveFlags are read as text and checked together.
type serveFlags struct {
	listen, token string
	hosts         []string
}

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
		Args: usage.AtMost("one folder"),
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
	server, err := serve.Open(f.listen, cmp.Or(f.token, e.Getenv(serve.TokenVariable)), e.Terminal.Interactive, serve.Options{
		Folder: folder, Hosts: f.hosts, Now: e.Now, Log: log.New(term.LogLines{W: e.Stderr}, "", 0),
	})
	if err != nil {
		return err
	}
	defer server.Close()
	printLine(e.Stdout, "%s", server.Address)
	if server.Made != "" {
		printLine(e.Stderr, "token   %s   (shown only here; it ends with this server)", server.Made)
	}
	if !server.Loopback {
		fmt.Fprintln(e.Stderr, "note    no encryption: anyone who can read the network traffic can read the token")
	}
	printLine(e.Stderr, "serving %s read-only; ^C ends it", folder)
	return server.Run(ctx)
}
