// Package placetest tests whether a place keeps the contract of package place. Its assumptions: the suite
// uses the engine's protocol with a real worker, on storage that is simulated, so a place is tested with
// its own processes, connections and objects, and nothing is measured; a new place provides a Subject and
// gets the tests.
package placetest

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/loadline/loadline/internal/measure/place"
	"github.com/loadline/loadline/internal/model"
)

// Subject is a place under test, and the parameters of the tests.
type Subject struct {
	// New creates the place.
	New func(t *testing.T) place.Place
	// Target is the target that workers are started for; what they measure is nevertheless simulated.
	Target model.Target
	// Size is that of a volume that is to be created for the target, in bytes.
	Size int64
	// Version is the version that the workers there report.
	Version string
	// Left lists what is left of workers that were closed: processes, objects, files.
	Left func(t *testing.T) []string
	// Wrong are places where no worker can be started, by a part of the error message.
	Wrong map[string]func(t *testing.T) place.Place
}

// wait is generous: starting a worker in a cluster takes minutes, and every condition that is waited for
// must occur.
const wait = 3 * time.Minute

// frame is the size of the large requests and answers, in bytes.
const frame = 8 << 20

// Test runs all tests of the contract.
func Test(t *testing.T, s Subject) {
	t.Run("a worker says hello and answers", s.answers)
	t.Run("large frames pass both ways", s.large)
	t.Run("a worker that is told to go is done", s.goes)
	t.Run("closing ends a worker at work", s.closes)
	t.Run("a worker outlives the context it was put with", s.outlives)
	t.Run("a context that is done puts nobody", s.done)
	t.Run("workers of one run are apart", s.apart)
	t.Run("what is wrong is a sentence", s.wrong)
}

// put starts a worker, which is closed at the end of the test whatever happens.
func (s *Subject) put(ctx context.Context, t *testing.T, at place.Place, suffix string) *visitor {
	t.Helper()
	w, err := at.Put(ctx, s.assignment(t, suffix))
	if err != nil {
		t.Fatal(err)
	}
	v := &visitor{t: t, link: w.Link, worker: w, events: make(chan model.Event, 1000), ended: make(chan error, 1)}
	t.Cleanup(func() { _ = w.Link.Close() })
	go v.read()
	hello := v.next()
	if hello.Hello == nil || hello.Seq != 1 || hello.Hello.Protocol != model.ProtocolVersion || hello.Hello.Version != s.Version || hello.Hello.Clock == 0 {
		t.Fatalf("it begins with %+v, not with hello of version %s, protocol %d", hello, s.Version, model.ProtocolVersion)
	}
	return v
}

func (s *Subject) assignment(t *testing.T, suffix string) place.Assignment {
	return place.Assignment{RunID: "contract", Suffix: suffix, Target: s.Target, Size: s.Size, Say: func(words string) { t.Log(words) }}
}

// visitor is an engine that is connected to a worker.
type visitor struct {
	t      *testing.T
	link   io.ReadWriteCloser
	worker *place.Worker
	events chan model.Event
	ended  chan error
	id     int
}

// read passes on every event, and then how the stream ended.
func (v *visitor) read() {
	lines := bufio.NewReaderSize(v.link, 64<<10)
	for {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			close(v.events)
			v.ended <- err
			return
		}
		var ev model.Event
		if err := json.Unmarshal(line, &ev); err != nil {
			ev.Error = model.BrokenError(fmt.Sprintf("a line that is not an event: %.80q", line), "")
		}
		v.events <- ev
	}
}

func (v *visitor) next() model.Event {
	v.t.Helper()
	select {
	case ev, more := <-v.events:
		if !more {
			v.t.Fatalf("the stream has ended: %v", <-v.ended)
		}
		return ev
	case <-time.After(wait):
		v.t.Fatalf("no event within %s", wait)
	}
	return model.Event{}
}

func (v *visitor) send(req model.Request) int {
	v.t.Helper()
	v.id++
	req.ID = v.id
	line, err := json.Marshal(req)
	if err != nil {
		v.t.Fatal(err)
	}
	if _, err := v.link.Write(append(line, '\n')); err != nil {
		v.t.Fatalf("a request was not taken: %v", err)
	}
	return v.id
}

// clock asks for the time, which every worker supports.
func (v *visitor) clock() {
	v.t.Helper()
	id := v.send(model.Request{Clock: &struct{}{}})
	if ev := v.next(); ev.ID != id || ev.Clock == 0 {
		v.t.Fatalf("asked for the time it says %+v", ev)
	}
}

// numbers returns a simulated target, which no machine has.
func numbers(parameters string) model.Target {
	return model.Target{Name: "fake", Kind: model.Fake, URI: parameters}
}

// work starts a step that lasts an hour, and returns when it has begun.
func (v *visitor) work() {
	v.t.Helper()
	target := numbers("?iops=1000&pace=50")
	v.send(model.Request{Probe: &model.ProbeRequest{Target: target}})
	if ev := v.next(); ev.Probed == nil {
		v.t.Fatalf("probed, it says %+v", ev)
	}
	v.send(model.Request{Start: &model.StartRequest{
		Step: model.Step{Number: 1, Ramp: 1, Seconds: 180000}, Volume: model.Volume{Target: target, Size: 1 << 30},
		Workload: model.Workload{Name: "w", Access: model.Random, Direction: model.Read, BlockSize: 4096, Depth: 1},
	}})
	if ev := v.next(); ev.Sample == nil {
		v.t.Fatalf("started, it says %+v", ev)
	}
}

// end closes the link twice: the second time does nothing.
func (v *visitor) end() {
	v.t.Helper()
	for time := range 2 {
		if err := v.link.Close(); err != nil {
			v.t.Errorf("close %d: %v", time+1, err)
		}
	}
}

func (s *Subject) answers(t *testing.T) {
	v := s.put(t.Context(), t, s.New(t), "")
	if v.worker.Target.Name != s.Target.Name {
		t.Errorf("the worker's target is called %q, not %q", v.worker.Target.Name, s.Target.Name)
	}
	for range 3 {
		v.clock()
	}
	v.end()
	s.nothing(t)
}

// large sends a large request whose answer is equally long: a name that does not exist.
func (s *Subject) large(t *testing.T) {
	v := s.put(t.Context(), t, s.New(t), "")
	name := strings.Repeat("x", frame)
	v.send(model.Request{Probe: &model.ProbeRequest{Target: numbers("?" + name + "=1")}})
	ev := v.next()
	if ev.Error == nil || !strings.Contains(ev.Error.Message, name) {
		t.Errorf("the answer to a request of %d bytes does not repeat it", frame)
	}
	v.clock()
	v.end()
	s.nothing(t)
}

func (s *Subject) goes(t *testing.T) {
	v := s.put(t.Context(), t, s.New(t), "")
	id := v.send(model.Request{Bye: &struct{}{}})
	if ev := v.next(); ev.ID != id || ev.Bye == nil {
		t.Errorf("told to go, it says %+v", ev)
	}
	select {
	case err := <-v.ended:
		if well := (*model.FinishedError)(nil); !errors.Is(err, io.EOF) && !errors.As(err, &well) {
			t.Errorf("a worker that was told to go ends with %v", err)
		}
	case <-time.After(wait):
		t.Fatalf("the stream goes on %s after bye", wait)
	}
	v.end()
	s.nothing(t)
}

// closes closes the link to a worker in the middle of a step: the worker ends, and leaves nothing.
func (s *Subject) closes(t *testing.T) {
	v := s.put(t.Context(), t, s.New(t), "")
	v.work()
	v.end()
	s.nothing(t)
	// Readers are told that it is over, with whatever error.
	for range v.events {
	}
	if err := <-v.ended; err == nil {
		t.Error("the stream has no end")
	}
}

func (s *Subject) outlives(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	v := s.put(ctx, t, s.New(t), "")
	cancel()
	for range 3 {
		v.clock()
	}
	v.end()
	s.nothing(t)
}

func (s *Subject) done(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	w, err := s.New(t).Put(ctx, s.assignment(t, ""))
	if !errors.Is(err, context.Canceled) || w != nil {
		t.Errorf("%+v, %v", w, err)
	}
	s.nothing(t)
}

// apart starts two workers of one run: the end of one does not affect the other.
func (s *Subject) apart(t *testing.T) {
	at := s.New(t)
	a, b := s.put(t.Context(), t, at, "-v1"), s.put(t.Context(), t, at, "-v2")
	a.work()
	b.clock()
	a.end()
	b.clock()
	b.end()
	s.nothing(t)
}

func (s *Subject) wrong(t *testing.T) {
	if len(s.Wrong) == 0 {
		t.Fatal("nothing that can be wrong is known of this place")
	}
	for want, at := range s.Wrong {
		w, err := at(t).Put(t.Context(), s.assignment(t, ""))
		if err == nil {
			// Errors on the other side are reported by the stream.
			_, err = io.ReadAll(w.Link)
			if end := w.Link.Close(); end != nil {
				t.Errorf("%s: closing says %v", want, end)
			}
		}
		var sentence *model.WorkerError
		if !errors.As(err, &sentence) || !strings.Contains(sentence.Message, want) || sentence.Hint == "" {
			t.Errorf("%v is not a sentence about %q with a hint", err, want)
		}
		s.nothing(t)
	}
}

// nothing waits until nothing is left.
func (s *Subject) nothing(t *testing.T) {
	t.Helper()
	var left []string
	for end := time.Now().Add(30 * time.Second); ; time.Sleep(20 * time.Millisecond) {
		if left = s.Left(t); len(left) == 0 {
			return
		}
		if time.Now().After(end) {
			t.Fatalf("it has left %v", left)
		}
	}
}
