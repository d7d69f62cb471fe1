package serve

import (
	"context"
	_ "embed" // the built list
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"runtime"
	"strings"
	"syscall"
	"time"

	"github.com/loadline/loadline/internal/env"
	"github.com/loadline/loadline/internal/judge/analyze"
	"github.com/loadline/loadline/internal/model"
	page "github.com/loadline/loadline/internal/show/report/html"
	"github.com/loadline/loadline/internal/show/results"
)

// Options say what a server shows, and to whom.
type Options struct {
	// Folder contains the run directories, or is one.
	Folder string
	// Token is what clients must present; if empty, everyone who can reach the server has access.
	Token string
	// Loopback is set if only this machine can reach the server; Hosts are the names that it
	// answers to besides localhost and IP addresses.
	Loopback bool
	Hosts    []string
	Now      func() time.Time
	// Log receives the server's internal errors, but never a requested address.
	Log *log.Logger
	// Pace is how often a running run is checked; 0 means once a second.
	Pace time.Duration

	// assemble and compare are those of package results; tests replace them.
	assemble func(*model.Recorded) *model.Report
	compare  func(a, b analyze.Measured) (*model.Comparison, error)
}

// Server shows one folder.
type Server struct {
	options Options
	library *library
	hub     *hub
	// heavy limits how many views may be computed at a time.
	heavy chan struct{}
	stop  context.CancelFunc
}

// New opens the folder. The error is a Refused one if there is nothing to serve.
func New(o Options) (*Server, error) {
	l, err := openLibrary(o.Folder, o.Now)
	if err != nil {
		return nil, err
	}
	ctx, stop := context.WithCancel(context.Background())
	if o.Pace == 0 {
		o.Pace = pace
	}
	if o.assemble == nil {
		o.assemble = results.Assemble
	}
	if o.compare == nil {
		o.compare = results.Compare
	}
	h := &hub{assemble: o.assemble, pace: o.Pace, ctx: ctx, following: map[string]*follower{}}
	return &Server{options: o, library: l, hub: h, heavy: make(chan struct{}, max(1, runtime.GOMAXPROCS(0)/2)), stop: stop}, nil
}

// Close ends the server's background work and waits for it.
func (s *Server) Close() error {
	s.stop()
	s.hub.ended.Wait()
	return s.library.close()
}

// assetsPath is the path of the script and the style sheet, which contain no user data.
const assetsPath = "/assets/"

//go:embed assets/library.js
var script string

//go:embed assets/library.css
var style string

// assets are the files embedded in the program: those of the report page, and what the list adds to
// them.
var assets = map[string]string{"report.js": page.Script(), "report.css": page.Style(), "library.js": script, "library.css": style}

// Handler returns the handler for all requests.
func (s *Server) Handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", shell)
	mux.HandleFunc("GET /view", shell)
	mux.HandleFunc("GET "+assetsPath+"{name}", asset)
	mux.HandleFunc("GET /api/list", s.list)
	mux.HandleFunc("GET /api/trend", s.trend)
	mux.HandleFunc("GET /api/view", s.view)
	mux.HandleFunc("GET /api/events", s.events)
	mux.HandleFunc("GET /api/bundle", s.bundle)
	mux.HandleFunc("GET /api/samples", s.samples)
	mux.HandleFunc("/", func(w http.ResponseWriter, _ *http.Request) {
		fail(w, http.StatusNotFound, "there is nothing at this address; the list is at /")
	})
	return newGuard(s.options.Token, s.options.Loopback, s.options.Hosts).wrap(mux)
}

// system is the real clock, used for clients and connections; no test replaces it, because the
// kernel enforces the deadlines of a connection. The age of a list is measured by Options.Now.
var system env.Clock

// shutdownGrace is how long responses in progress may take after shutdown was requested.
const shutdownGrace = 3 * time.Second

// Serve serves until ctx is done, and then shuts down gracefully: streams end at once, other
// responses within a few seconds.
func (s *Server) Serve(ctx context.Context, ln net.Listener) error {
	server := &http.Server{Handler: s.Handler(), ErrorLog: s.options.Log, ReadHeaderTimeout: 10 * time.Second,
		ReadTimeout: 30 * time.Second, WriteTimeout: 2 * time.Minute, IdleTimeout: 2 * time.Minute, MaxHeaderBytes: 64 << 10}
	over := make(chan error, 1)
	go func() {
		<-ctx.Done()
		s.stop()
		last, cancel := context.WithTimeout(context.Background(), shutdownGrace)
		defer cancel()
		err := server.Shutdown(last)
		if errors.Is(err, context.DeadlineExceeded) {
			err = server.Close()
		}
		over <- err
	}()
	if err := server.Serve(ln); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return <-over
}

// listenAt listens on the address. The error is a sentence.
func listenAt(address string) (net.Listener, error) {
	ln, err := net.Listen("tcp", address)
	switch {
	case errors.Is(err, syscall.EADDRINUSE):
		return nil, model.BrokenError(fmt.Sprintf("%s is in use by another program, or another loadline serve", address), "choose another port; --listen 127.0.0.1:0 takes a free one")
	case errors.Is(err, syscall.EACCES):
		return nil, model.BrokenError(fmt.Sprintf("%s may not be opened by this user", address), "choose a port above 1023")
	case err != nil:
		return nil, model.BrokenError(fmt.Sprintf("%s cannot be opened: %v", address, err), "give an address of this machine and a port: --listen 127.0.0.1:8470")
	}
	return ln, nil
}

// isLoopback reports whether a listening address is reachable from this machine only. The error is
// a sentence about an address that cannot be parsed.
func isLoopback(address string) (bool, error) {
	at, err := net.ResolveTCPAddr("tcp", address)
	if err != nil {
		return false, model.RefusedError(fmt.Sprintf("--listen %s is not a valid address: %v", address, err), "write it like 127.0.0.1:8470, or [::1]:8470")
	}
	return at.IP != nil && at.IP.IsLoopback(), nil
}

func (s *Server) list(w http.ResponseWriter, r *http.Request) {
	q, err := parseQuery(r.URL.Query())
	if err != nil {
		fail(w, http.StatusBadRequest, err.Error())
		return
	}
	reply(w, http.StatusOK, s.library.list(r.Context(), q))
}

// shell serves the page into which the script draws the list or a view.
func shell(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	_, _ = w.Write([]byte(`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="generator" content="loadline">
<title>Loadline</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="` + assetsPath + `report.css">
<link rel="stylesheet" href="` + assetsPath + `library.css">
<script src="` + assetsPath + `report.js" defer></script>
<script src="` + assetsPath + `library.js" defer></script>
</head>
<body>
<div id="loadline"><noscript>This page is drawn by its script, which this browser does not run. The text of a run is in summary.txt in its directory.</noscript></div>
</body>
</html>
`))
}

// asset serves a file embedded in the program.
func asset(w http.ResponseWriter, r *http.Request) {
	name := r.PathValue("name")
	data, known := assets[name]
	if !known {
		fail(w, http.StatusNotFound, "there is no such file")
		return
	}
	kind := "text/javascript; charset=utf-8"
	if strings.HasSuffix(name, ".css") {
		kind = "text/css; charset=utf-8"
	}
	w.Header().Set("Content-Type", kind)
	_, _ = io.WriteString(w, data)
}

// reply sends a document.
func reply(w http.ResponseWriter, status int, v any) {
	data, err := json.Marshal(v)
	if err != nil {
		fail(w, http.StatusInternalServerError, "the answer cannot be written: "+err.Error())
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(data)
}

// fail sends an error sentence.
func fail(w http.ResponseWriter, status int, sentence string) {
	data, _ := json.Marshal(map[string]string{"error": sentence})
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(data)
}
