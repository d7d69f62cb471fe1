// Package exporter is Kbench's metric-exporter: it serves the newest results of a folder to Prometheus. Its
// assumptions: the settings are those of Kbench, with its names and defaults; files are replaced while
// they are served, so a file that cannot be read is left out and counted.
package exporter

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

	"github.com/loadline/loadline/internal/foreign/kbench"
	"github.com/loadline/loadline/internal/measure/store"
	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/show/metrics"
	"github.com/loadline/loadline/internal/show/report/jsonout"
)

// Options are the exporter's settings. Folder, Port and the labels come from the environment if they are empty,
// else from Kbench's defaults.
type Options struct {
	// Folder has the results.
	Folder string
	// Host and Port are listened on; an empty host means all addresses.
	Host, Port string
	// AccessMode, TestMode and RateLimit are labels of all metrics.
	AccessMode, TestMode, RateLimit string
	// Listens is told the address once scrapes are answered there, and the folder.
	Listens func(at net.Addr, folder string)
	// Unreadable, if set, is told of each file that cannot be read.
	Unreadable func(words string)
	// Log receives what the HTTP server reports.
	Log *log.Logger
}

// settle takes each setting from its flag, else from the environment, else from Kbench's
// defaults, and checks it.
func (o *Options) settle(getenv func(string) string) (metrics.Labels, error) {
	var l metrics.Labels
	for _, s := range []struct {
		name    string
		flag    string
		given   string
		to      *string
		allowed []string
	}{
		{"DATA_DIR", "data-dir", o.Folder, &o.Folder, []string{"/test-result"}},
		{"PORT", "port", o.Port, &o.Port, []string{"8080"}},
		{"VOLUME_ACCESS_MODE", "volume-access-mode", o.AccessMode, &l.AccessMode, []string{"rwo", "rwx"}},
		{"TEST_MODE", "test-mode", o.TestMode, &l.TestMode, []string{"read-write", "read-only", "write-only"}},
		{"RATE_LIMIT_TYPE", "rate-limit-type", o.RateLimit, &l.RateLimit, []string{"no-rate-limit", "rate-limit"}},
	} {
		value, name := s.given, "--"+s.flag
		if value == "" {
			value, name = getenv(s.name), s.name
		}
		if value == "" {
			value = s.allowed[0]
		}
		if len(s.allowed) > 1 && !slices.Contains(s.allowed, value) {
			return l, model.RefusedError(fmt.Sprintf("%s %q is not known", name, value), "choose one of "+strings.Join(s.allowed, ", "))
		}
		if s.name == "PORT" {
			if n, err := strconv.Atoi(value); err != nil || n < 0 || n > 65535 {
				return l, model.RefusedError(fmt.Sprintf("%s %q is not a port", name, value), "give a number up to 65535")
			}
		}
		*s.to = value
	}
	return l, nil
}

// Serve answers scrapes until the context ends. getenv reads the environment. A setting that is invalid is
// refused; an address that cannot be listened on is a failure.
func Serve(ctx context.Context, o Options, getenv func(string) string) error {
	labels, err := o.settle(getenv)
	if err != nil {
		return err
	}
	listener, err := net.Listen("tcp", net.JoinHostPort(o.Host, o.Port))
	if err != nil {
		return model.BrokenError(fmt.Sprintf("the exporter cannot listen: %v", err), "choose another --port")
	}
	o.Listens(listener.Addr(), o.Folder)
	handler := http.NewServeMux()
	handler.Handle("GET /metrics", metrics.Handler(metrics.Gatherer(labels, o.look)))
	server := &http.Server{Handler: handler, ReadHeaderTimeout: 10 * time.Second, ErrorLog: o.Log}
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
func (o *Options) look() metrics.Snapshot {
	var s metrics.Snapshot
	folder, err := store.Open(o.Folder)
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
	if o.Unreadable != nil {
		for _, words := range found.Unreadable {
			o.Unreadable(words)
		}
	}
	return s
}
