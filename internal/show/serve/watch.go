package serve

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"sync"
	"time"

	"github.com/loadline/loadline/internal/measure/store"
	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/show/report/jsonout"
)

// pace is the time between two checks of a running directory. If computing its report took long, the wait is spared times that
// long instead, so that the reports of a large run do not take CPU time from the measurement itself.
const (
	pace   = time.Second
	spared = 5
)

// linger is how long a run is followed after its last client has disconnected, so that a client
// that reconnects can resume.
const linger = 5 * time.Second

// mostFollowed limits how many runs are followed at a time.
const mostFollowed = 16

// errFull means that mostFollowed runs are already being followed.
var errFull = fmt.Errorf("%d runs are being watched already", mostFollowed)

// hub follows running directories, each only once however many clients watch it.
type hub struct {
	assemble func(*model.Recorded) *model.Report
	pace     time.Duration
	ctx      context.Context
	ended    sync.WaitGroup

	mu        sync.Mutex
	following map[string]*follower
}

// follower follows one run and keeps its latest report in pieces: the head, which is everything but
// the courses, and each course. Every piece has the version in which it last changed, so that a
// client is sent only what has changed since its last update.
type follower struct {
	// epoch distinguishes the versions of this follower from those of another one.
	epoch string
	stop  context.CancelFunc

	mu       sync.Mutex
	watchers int
	idle     *time.Timer
	version  int
	head     piece
	courses  []piece
	ended    bool
	changed  chan struct{}
}

type piece struct {
	doc     json.RawMessage
	changed int
}

// watch returns the follower of a run, starting one if necessary, and a function to call when the
// client disconnects.
func (h *hub) watch(o *opened) (*follower, func(), error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	f := h.following[o.path]
	if f == nil {
		if len(h.following) >= mostFollowed {
			return nil, nil, errFull
		}
		if h.ctx.Err() != nil {
			return nil, nil, h.ctx.Err()
		}
		dir, err := o.root.OpenRoot(".")
		if err != nil {
			return nil, nil, err
		}
		ctx, cancel := context.WithCancel(h.ctx)
		f = &follower{epoch: rand.Text()[:8], stop: cancel, changed: make(chan struct{})}
		h.following[o.path] = f
		h.ended.Go(func() {
			defer dir.Close()
			defer h.forget(o.path, f)
			f.follow(ctx, h, store.Plain(dir), o.dir)
		})
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.watchers++
	if f.idle != nil {
		f.idle.Stop()
		f.idle = nil
	}
	return f, func() { f.leave() }, nil
}

// leave stops the follower some time after the last client has disconnected.
func (f *follower) leave() {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.watchers--; f.watchers == 0 {
		f.idle = system.AfterFunc(linger, f.stop)
	}
}

func (h *hub) forget(path string, f *follower) {
	f.stop()
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.following[path] == f {
		delete(h.following, path)
	}
}

// follow reads the run until it ends or no client is watching.
func (f *follower) follow(ctx context.Context, h *hub, files fs.FS, dir string) {
	var mu sync.Mutex
	var samples []model.Sample
	over, ready := make(chan error, 1), make(chan struct{})
	caughtUp := sync.OnceFunc(func() { close(ready) })
	var reading sync.WaitGroup
	reading.Go(func() {
		over <- store.Follow(ctx, system, files, h.pace/2, func(s model.Sample) {
			mu.Lock()
			samples = append(samples, s)
			mu.Unlock()
		}, caughtUp)
	})
	defer reading.Wait()
	defer f.stop()
	seen, steps := -1, -1
	// The first report is based on everything there is: with less, it would withdraw results that
	// the client has already seen.
	next := func(time.Duration) <-chan time.Time { return nil }
	for wait := time.Duration(0); ; {
		ended := false
		select {
		case err := <-over:
			if errors.Is(err, context.Canceled) {
				f.end()
				return
			}
			ended = true
		case <-ready:
			ready, next = nil, system.After
		case <-next(wait):
		}
		began := system.Now()
		rec, err := store.ReadHead(files, dir)
		if err == nil {
			mu.Lock()
			// Samples appended later lie beyond the end of this slice.
			rec.Samples = samples[:len(samples):len(samples)]
			mu.Unlock()
			if ended || len(rec.Samples) != seen || len(rec.Run.Steps) != steps {
				seen, steps = len(rec.Samples), len(rec.Run.Steps)
				err = f.publish(h.assemble(rec))
			}
		}
		if ended || err != nil {
			f.end()
			return
		}
		wait = max(h.pace, spared*system.Since(began))
	}
}

// publish splits a report into pieces and marks what has changed.
func (f *follower) publish(r *model.Report) error {
	var buf bytes.Buffer
	if err := jsonout.Write(&buf, r); err != nil {
		return err
	}
	var doc map[string]json.RawMessage
	if err := json.Unmarshal(buf.Bytes(), &doc); err != nil {
		return err
	}
	var courses []json.RawMessage
	if list := doc["courses"]; list != nil {
		if err := json.Unmarshal(list, &courses); err != nil {
			return err
		}
	}
	delete(doc, "courses")
	head, err := json.Marshal(doc)
	if err != nil {
		return err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	next := f.version + 1
	changed := f.head.set(head, next)
	for i, c := range courses {
		if i == len(f.courses) {
			f.courses = append(f.courses, piece{})
		}
		if f.courses[i].set(compact(c), next) {
			changed = true
		}
	}
	f.courses = f.courses[:len(courses)]
	if changed {
		f.version = next
		f.wake()
	}
	return nil
}

// set replaces the document and reports whether it differs from the old one.
func (p *piece) set(doc json.RawMessage, version int) bool {
	if bytes.Equal(p.doc, doc) {
		return false
	}
	p.doc, p.changed = doc, version
	return true
}

func compact(doc json.RawMessage) json.RawMessage {
	var b bytes.Buffer
	if json.Compact(&b, doc) != nil {
		return doc
	}
	return b.Bytes()
}

func (f *follower) end() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.ended = true
	f.wake()
}

// wake notifies all watchers. It is called with the lock held.
func (f *follower) wake() {
	close(f.changed)
	f.changed = make(chan struct{})
}

// update is what has changed since a version: everything for version 0.
type update struct {
	// Whole is set if the client must discard its previous state.
	Whole bool `json:"whole,omitempty"`
	// Report is the report without its courses.
	Report json.RawMessage `json:"report,omitempty"`
	// Courses are those that changed, each with its index in the report's list.
	Courses []courseUpdate `json:"courses,omitempty"`

	version int
}

type courseUpdate struct {
	At     int             `json:"at"`
	Course json.RawMessage `json:"course"`
}

// since returns what has changed since a version (nil if nothing has), whether the run has ended,
// and a channel that is closed at the next change.
func (f *follower) since(version int) (*update, bool, <-chan struct{}) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if version > f.version {
		version = 0
	}
	if f.version == version {
		return nil, f.ended, f.changed
	}
	u := &update{Whole: version == 0, version: f.version}
	if f.head.changed > version {
		u.Report = f.head.doc
	}
	for i, c := range f.courses {
		if c.changed > version {
			u.Courses = append(u.Courses, courseUpdate{At: i, Course: c.doc})
		}
	}
	return u, f.ended, f.changed
}
