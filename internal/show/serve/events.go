package serve

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/loadline/loadline/internal/model"
)

// heartbeat is how often an idle stream sends a keep-alive.
const heartbeat = 10 * time.Second

// events streams a running run as server-sent events: "update" with the changes, at most once a
// second, and "end" when the run is over. Last-Event-ID resumes after a broken connection.
func (s *Server) events(w http.ResponseWriter, r *http.Request) {
	o, err := s.library.open(r.Context(), r.URL.Query().Get("run"))
	if err != nil {
		fail(w, http.StatusNotFound, err.Error())
		return
	}
	defer o.close()
	out := &stream{w: w, control: http.NewResponseController(w)}
	if !o.isRunning() {
		out.open()
		_ = out.send("end", "", struct{}{})
		return
	}
	f, leave, err := s.hub.watch(o)
	switch {
	case errors.Is(err, errFull):
		fail(w, http.StatusServiceUnavailable, err.Error())
		return
	case err != nil:
		fail(w, http.StatusInternalServerError, "the run cannot be watched: "+err.Error())
		return
	}
	defer leave()
	out.open()
	version := f.resume(r.Header.Get("Last-Event-ID"))
	for {
		u, ended, changed := f.since(version)
		if u != nil {
			if out.send("update", f.epoch+"-"+strconv.Itoa(u.version), u) != nil {
				return
			}
			version = u.version
			continue
		}
		if ended {
			// The server is shutting down, not the run: the client will reconnect.
			if s.hub.ctx.Err() == nil {
				_ = out.send("end", "", struct{}{})
			}
			return
		}
		select {
		case <-changed:
		case <-r.Context().Done():
			return
		case <-s.hub.ctx.Done():
			return
		case <-system.After(heartbeat):
			if out.comment("still running") != nil {
				return
			}
		}
	}
}

// resume returns the version that a client saw last, or 0 if it came from another follower.
func (f *follower) resume(id string) int {
	epoch, version, ok := strings.Cut(id, "-")
	n, err := strconv.Atoi(version)
	if !ok || err != nil || epoch != f.epoch || n < 0 {
		return 0
	}
	return n
}

// isRunning reports whether a measurement is writing to the directory.
func (o *opened) isRunning() bool { return o.card.Status == model.Running }

// stream writes server-sent events.
type stream struct {
	w       http.ResponseWriter
	control *http.ResponseController
}

func (s *stream) open() {
	s.w.Header().Set("Content-Type", "text/event-stream")
	s.w.Header().Set("X-Accel-Buffering", "no")
	s.w.WriteHeader(http.StatusOK)
	_ = s.write("retry: 1000\n\n")
}

// send sends one event; an empty id leaves the client's last event ID unchanged.
func (s *stream) send(name, id string, v any) error {
	data, err := json.Marshal(v)
	if err != nil {
		return err
	}
	if id != "" {
		id = "id: " + id + "\n"
	}
	return s.write(fmt.Sprintf("event: %s\n%sdata: %s\n\n", name, id, data))
}

func (s *stream) comment(text string) error { return s.write(": " + text + "\n\n") }

func (s *stream) write(text string) error {
	if err := s.control.SetWriteDeadline(system.Now().Add(stalled)); err != nil {
		return err
	}
	if _, err := s.w.Write([]byte(text)); err != nil {
		return err
	}
	return s.control.Flush()
}
