package cli

import (
	"context"
	"log"
	"net"

	"github.com/spf13/cobra"

	"github.com/loadline/loadline/internal/cli/usage"
	"github.com/loadline/loadline/internal/env"
	"github.com/loadline/loadline/internal/foreign/kbench/exporter"
	"github.com/loadline/loadline/internal/show/report/term"
)

// exporterFlags are those of Kbench's exporter; a flag that is not given comes from the
// environment.
type exporterFlags struct {
	debug, everywhere bool
	exporter.Options
}

func newKbenchExporter(e *env.Env) *cobra.Command {
	var f exporterFlags
	cmd := &cobra.Command{
		Use:   "exporter",
		Short: "What metric-exporter does: serve results to Prometheus",
		Args:  usage.UnknownCommand,
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.PersistentFlags().BoolVarP(&f.debug, "debug", "d", false, "report each file that cannot be read")
	cmd.PersistentFlags().BoolVar(&f.everywhere, "listen-all", false, "listen on all addresses, as a pod must")
	start := &cobra.Command{
		Use:   "start",
		Short: "Serve the results in a folder",
		Long: `Serves the newest results of a folder at /metrics: Kbench's gauges, and those of
Loadline's reports (docs/kbench.md lists them). A long run replaces the files while they
are served.

Environment, if no flag is given: DATA_DIR, VOLUME_ACCESS_MODE, TEST_MODE,
RATE_LIMIT_TYPE, PORT.

Exit codes: 0 ended by a signal; 1 failed; 2 usage, or a setting is invalid.`,
		Example: `  loadline kbench exporter start --data-dir results
  loadline kbench exporter --listen-all start --port 9100`,
		Args: usage.Exactly(0, "no arguments"),
		RunE: func(cmd *cobra.Command, _ []string) error { return f.serve(cmd.Context(), e) },
	}
	s := start.Flags()
	s.SortFlags = false
	s.StringVar(&f.Folder, "data-dir", "", "`DIR` with the results (default /test-result)")
	s.StringVar(&f.AccessMode, "volume-access-mode", "", "label volume_access_mode: rwo (default) or rwx")
	s.StringVar(&f.TestMode, "test-mode", "", "label test_mode: read-write (default), read-only or write-only")
	s.StringVar(&f.RateLimit, "rate-limit-type", "", "label rate_limit_type: no-rate-limit (default) or rate-limit")
	s.StringVar(&f.Port, "port", "", "port to listen on (default 8080)")
	s.StringVar(&f.Host, "host", "127.0.0.1", "address to listen on")
	cmd.AddCommand(start)
	return cmd
}

func (f *exporterFlags) serve(ctx context.Context, e *env.Env) error {
	o := f.Options
	if f.everywhere {
		o.Host = ""
	}
	o.Listens = func(at net.Addr, folder string) {
		printLine(e.Stderr, "exporter http://%s/metrics   from %s", at, folder)
	}
	if f.debug {
		o.Unreadable = func(words string) { printLine(e.Stderr, "left out %s", words) }
	}
	o.Log = log.New(term.LogLines{W: e.Stderr}, "", 0)
	return exporter.Serve(ctx, o, e.Getenv)
}
