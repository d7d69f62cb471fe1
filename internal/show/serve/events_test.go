package serve

import (
	"bufio"
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/loadline/loadline/internal/model"
)

// event is one server-sent event.
type event struct {
	name, id, data string
	update         update
}

// watcher reads a stream of events.
type watcher struct {
	events chan event
	stop   context.CancelFunc
}

func (s *site) watch(path, last string) *watcher {
	s.t.Helper()
	ctx, stop := context.WithCancel(s.t.Context())
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, s.http.URL+"/api/events?run="+url.QueryEscape(path), nil)
	s.check(err)
	if last != "" {
		req.Header.Set("Last-Event-ID", last)
	}
	res, err := s.http.Client().Do(req)
	s.check(err)
	if got := res.Header.Get("Content-Type"); got != "text/event-stream" {
		s.t.Fatalf("%d %s", res.StatusCode, got)
	}
	w := &watcher{events: make(chan event, 1000), stop: stop}
	go func() {
		defer res.Body.Close()
		defer close(w.events)
		lines := bufio.NewScanner(res.Body)
		lines.Buffer(nil, 10<<20)
		var e event
		for lines.Scan() {
			name, value, _ := strings.Cut(lines.Text(), ": ")
			switch name {
			case "event":
				e.name = value
			case "id":
				e.id = value
			case "data":
				_ = json.Unmarshal([]byte(value), &e.update)
				e.data = value
			case "":
				if e.name != "" {
					w.events <- e
				}
				e = event{}
			}
		}
	}()
	s.t.Cleanup(stop)
	return w
}

// next waits for an event.
func (w *watcher) next(t *testing.T) event {
	t.Helper()
	select {
	case e, ok := <-w.events:
		if !ok {
			t.Fatal("the stream ended")
		}
		if e.name == "update" {
			fits(t, "update", []byte(e.data))
		}
		return e
	case <-time.After(20 * time.Second):
		t.Fatal("no event came")
	}
	return event{}
}

// reaches reads events until a course has the given number of points, and returns the last event.
func (w *watcher) reaches(t *testing.T, course, points int) event {
	t.Helper()
	for {
		e := w.next(t)
		for _, c := range e.update.Courses {
			var got model.Course
			if err := json.Unmarshal(c.Course, &got); err != nil {
				t.Fatal(err)
			}
			if c.At == course && len(got.Points.At) == points {
				return e
			}
		}
	}
}

func TestARunningRunIsWatchedToItsEnd(t *testing.T) {
	s := newSite(t, nil)
	w := s.begin(s.folder, "live", nil)
	s.measure(w, 1, 3, 100)
	seen := s.watch("live", "")
	first := seen.next(t)
	if first.name != "update" || !first.update.Whole || first.update.Report == nil || len(first.update.Courses) != 2 {
		t.Errorf("the first event: %s, whole: %v, %d courses", first.name, first.update.Whole, len(first.update.Courses))
	}
	s.measure(w, 1, 1, 100)
	seen.reaches(t, 0, 4)
	s.measure(w, 2, 4, 100)
	// Only the course that has grown is sent again.
	if e := seen.reaches(t, 1, 4); e.update.Whole || len(e.update.Courses) != 1 {
		t.Errorf("an update of %d courses, whole: %v", len(e.update.Courses), e.update.Whole)
	}
	s.check(w.Finish(model.Complete, ""))
	last := event{}
	for {
		e := seen.next(t)
		if e.name == "end" {
			break
		}
		last = e
	}
	var r model.Report
	s.check(json.Unmarshal(last.update.Report, &r))
	if r.Run.Status != model.Complete {
		t.Errorf("the last report says %q", r.Run.Status)
	}
	if e := s.watch("live", "").next(t); e.name != "end" {
		t.Errorf("a run that is over sends %q", e.name)
	}
}

func TestAWatcherWhoComesBackGoesOn(t *testing.T) {
	s := newSite(t, nil)
	w := s.begin(s.folder, "live", nil)
	defer w.Finish(model.Complete, "")
	s.measure(w, 1, 3, 100)
	one := s.watch("live", "")
	at := one.reaches(t, 0, 3)
	one.stop()
	s.measure(w, 2, 2, 100)
	two := s.watch("live", at.id)
	if e := two.reaches(t, 1, 2); e.update.Whole || len(e.update.Courses) != 1 {
		t.Errorf("who comes back gets %d courses, whole: %v", len(e.update.Courses), e.update.Whole)
	}
	// A client that saw another server's stream gets the whole report.
	if e := s.watch("live", "ABCDEFGH-3").next(t); !e.update.Whole || e.update.Report == nil {
		t.Errorf("a foreign id: %+v", e.update)
	}
	if e := s.watch("live", "nonsense").next(t); !e.update.Whole {
		t.Errorf("nonsense: %+v", e.update)
	}
}

func TestAKilledRunEndsTheStream(t *testing.T) {
	s := newSite(t, nil)
	w := s.begin(s.folder, "live", nil)
	s.measure(w, 1, 3, 100)
	seen := s.watch("live", "")
	seen.reaches(t, 0, 3)
	letGo(t, w)
	for {
		e := seen.next(t)
		if e.name == "end" {
			return
		}
		var r model.Report
		if e.update.Report != nil {
			s.check(json.Unmarshal(e.update.Report, &r))
			if r.Run.Status != model.Interrupted && r.Run.Status != model.Running && r.Run.Status != model.Complete {
				t.Errorf("status %q", r.Run.Status)
			}
		}
	}
}

func TestWatchersShareOneReader(t *testing.T) {
	var computed atomic.Int64
	s := newSite(t, func(o *Options) {
		o.assemble = func(rec *model.Recorded) *model.Report { computed.Add(1); return assembled(rec) }
	})
	w := s.begin(s.folder, "live", nil)
	defer w.Finish(model.Complete, "")
	s.measure(w, 1, 3, 100)
	var all []*watcher
	for range 5 {
		all = append(all, s.watch("live", ""))
	}
	for _, one := range all {
		one.reaches(t, 0, 3)
	}
	before := computed.Load()
	s.measure(w, 2, 2, 100)
	for _, one := range all {
		one.reaches(t, 1, 2)
	}
	// Samples and their step may be seen one after the other.
	if n := computed.Load() - before; n > 3 {
		t.Errorf("one change was computed %d times", n)
	}
	s.server.hub.mu.Lock()
	defer s.server.hub.mu.Unlock()
	if n := len(s.server.hub.following); n != 1 {
		t.Errorf("%d followers", n)
	}
}

func TestNothingIsLeftRunning(t *testing.T) {
	before := runtime.NumGoroutine()
	t.Run("watched", func(t *testing.T) {
		s := newSite(t, nil)
		w := s.begin(s.folder, "live", nil)
		defer w.Finish(model.Complete, "")
		s.measure(w, 1, 3, 100)
		for range 3 {
			s.watch("live", "").reaches(t, 0, 3)
		}
		s.list("")
		// The site closes while clients are still connected.
	})
	until(t, "the goroutines have ended", func() bool { return runtime.NumGoroutine() <= before })
}
