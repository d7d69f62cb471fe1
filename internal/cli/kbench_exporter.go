package cli

import (
	"context"
	"errors"
	"fmt"
	"log"
	"net"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/loadline/loadline/internal/env"
	"github.com/loadline/loadline/internal/foreign/kbench"
	"github.com/loadline/loadline/internal/measure/store"
	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/show/metrics"
	"github.com/loadline/loadline/internal/show/report/jsonout"
)

// exporterFlags are those of Kbench's exporter; a flag that is not given comes from the
// environment.
type exporterFlags struct {
	debug, everywhere                      bool
	folder, access, test, rate, port, host string
}

func newKbenchExporter(e *env.Env) *cobra.Command {
	var f exporterFlags
	cmd := &cobra.Command{
		Use:   "exporter",
		Short: "What metric-exporter does: serve results to Prometheus",
		Args:  unknownCommand,
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

Exit codes: 0 ended by a signal; 1 failed, or a setting is invalid; 2 usage.`,
		Example: `  loadline kbench exporter start --data-dir results
  loadline kbench exporter --listen-all start --port 9100`,
		Args: exactly(0, "no argument"),
		RunE: func(cmd *cobra.Command, _ []string) error { return f.serve(cmd.Context(), e) },
	}
	s := start.Flags()
	s.SortFlags = false
	s.StringVar(&f.folder, "data-dir", "", "`DIR` with the results (default /test-result)")
	s.StringVar(&f.access, "volume-access-mode", "", "label volume_access_mode: rwo (default) or rwx")
	s.StringVar(&f.test, "test-mode", "", "label test_mode: read-write (default), read-only or write-only")
	s.StringVar(&f.rate, "rate-limit-type", "", "label rate_limit_type: no-rate-limit (default) or rate-limit")
	s.StringVar(&f.port, "port", "", "port to listen on (default 8080)")
	s.StringVar(&f.host, "host", "127.0.0.1", "address to listen on")
	cmd.AddCommand(start)
	return cmd
}

// settle takes each setting from its flag, else from the environment, else from Kbench's
// defaults, and checks it.
func (f *exporterFlags) settle(getenv func(string) string) (metrics.Labels, error) {
	var l metrics.Labels
	for _, s := range []struct {
		name    string
		given   string
		to      *string
		allowed []string
	}{
		{"DATA_DIR", f.folder, &f.folder, []string{"/test-result"}},
		{"PORT", f.port, &f.port, []string{"8080"}},
		{"VOLUME_ACCESS_MODE", f.access, &l.AccessMode, []string{"rwo", "rwx"}},
		{"TEST_MODE", f.test, &l.TestMode, []string{"read-write", "read-only", "write-only"}},
		{"RATE_LIMIT_TYPE", f.rate, &l.RateLimit, []string{"no-rate-limit", "rate-limit"}},
	} {
		value := s.given
		if value == "" {
			value = getenv(s.name)
		}
		if value == "" {
			value = s.allowed[0]
		}
		if len(s.allowed) > 1 && !slices.Contains(s.allowed, value) {
			return l, model.BrokenError(fmt.Sprintf("%s %q is not known", s.name, value), "choose one of "+strings.Join(s.allowed, ", "))
		}
		*s.to = value
	}
	if n, err := strconv.Atoi(f.port); err != nil || n < 0 || n > 65535 {
		return l, model.BrokenError(fmt.Sprintf("PORT %q is not a port", f.port), "give a number up to 65535")
	}
	return l, nil
}

// serve answers scrapes until the context ends.
func (f *exporterFlags) serve(ctx context.Context, e *env.Env) error {
	labels, err := f.settle(e.Getenv)
	if err != nil {
		return err
	}
	host := f.host
	if f.everywhere {
		host = ""
	}
	listener, err := net.Listen("tcp", net.JoinHostPort(host, f.port))
	if err != nil {
		return model.BrokenError(fmt.Sprintf("the exporter cannot listen: %v", err), "choose another --port")
	}
	printLine(e.Stderr, "exporter http://%s/metrics   from %s", listener.Addr(), f.folder)
	handler := http.NewServeMux()
	handler.Handle("GET /metrics", metrics.Handler(metrics.Gatherer(labels, func() metrics.Snapshot { return f.look(e) })))
	server := &http.Server{Handler: handler, ReadHeaderTimeout: 10 * time.Second, ErrorLog: log.New(logLines{e.Stderr}, "", 0)}
	failed := make(chan error, 1)
	go func() { failed <- server.Serve(listener) }()
	select {
	case err := <-failed:
		return model.BrokenError(fmt.Sprintf("the exporter ended: %v", err), "")
	case <-ctx.Done():
	}
	last, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer cancel()
	if err := server.Shutdown(last); err != nil && !errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	return nil
}

// look reads the folder for one scrape.
func (f *exporterFlags) look(e *env.Env) metrics.Snapshot {
	var s metrics.Snapshot
	folder, err := store.Open(f.folder)
	if err != nil {
		// A folder that does not exist yet counts as empty.
		return s
	}
	defer folder.Close()
	found := kbench.Look(folder.Files())
	for name, value := range found.Values.Jobs {
		if id, ok := kbench.Identify(name); ok {
			s.Readings = append(s.Readings, metrics.Reading{Quantity: string(id.Aspect), Pattern: id.Pattern, Type: id.Type, Value: value})
		}
	}
	for _, data := range found.Reports {
		doc, err := jsonout.Read(data)
		if err != nil || doc.Report == nil {
			found.Unreadable = append(found.Unreadable, fmt.Sprintf("a report: %v", err))
			continue
		}
		s.Reports = append(s.Reports, doc.Report)
	}
	s.Unreadable = len(found.Unreadable)
	if f.debug {
		for _, words := range found.Unreadable {
			printLine(e.Stderr, "left out %s", words)
		}
	}
	return s
}
