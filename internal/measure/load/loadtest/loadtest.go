// Package loadtest checks whether a load tool keeps the contract of package load. Its assumptions: what
// the layers above rely on is tested in the same way for every tool, so a new tool supplies a
// Subject and gets the tests; what is specific to one tool is tested with that tool.
package loadtest

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/loadline/loadline/internal/measure/load"
	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/test/lab"
)

// Subject is a tool and the inputs for its tests.
type Subject struct {
	// New creates a fresh tool for each test.
	New func(t *testing.T) load.Tool
	// Request returns a request for a step of three seconds after a ramp of one, at a limited rate
	// that the volume easily sustains; the volume is ready.
	Request func(t *testing.T) model.StartRequest
	// Operations is set for a tool that counts operations of an application, which have no bytes.
	Operations bool
	// Slack is the relative error allowed in the rate: 0.1 is a tenth.
	Slack float64
	// Total returns the tool's own count of the I/Os after the ramp, from what it has printed and
	// its result, and how far the samples may differ from it; nil if the tool has no such count.
	Total func(t *testing.T, raws []model.Raw, res model.StepResult) (ios, slack uint64)
	// Long changes the step to one that runs until it is cancelled; nil makes it an hour long.
	Long func(*model.StartRequest)
	// Broken are steps that must fail, keyed by a part of the expected error message.
	Broken map[string]func(t *testing.T) model.StartRequest
	// Left lists what the tool has left behind: processes, and files other than the volume's.
	Left func(t *testing.T) []string
	// Volume returns a volume of a few MiB for the tool's Filler to fill; nil for a tool without a Filler.
	Volume func(t *testing.T) model.Volume
}

// OfApplication is the Subject of an application whose load tool is ready, as in a run: all steps load one server. It does
// the operations of request 100 times per second, drawn at random: 300 in three seconds, with a standard deviation of 17.
// broken are changes to the request that make it fail, keyed by a part of the expected error message.
func OfApplication(tool load.Tool, kind model.TargetKind, request model.StartRequest, broken map[string]func(*model.StartRequest), left func(*testing.T) []string) Subject {
	request.Volume.Target.Kind, request.Step.Ramp, request.Step.Seconds = kind, 1, 3
	request.Workload.OpenLoop, request.Workload.RateIOPS = true, 100
	s := Subject{New: func(*testing.T) load.Tool { return tool }, Operations: true, Slack: 0.25, Left: left,
		Request: func(*testing.T) model.StartRequest { return request }, Broken: map[string]func(*testing.T) model.StartRequest{}}
	for words, change := range broken {
		s.Broken[words] = func(*testing.T) model.StartRequest {
			r := request
			change(&r)
			return r
		}
	}
	return s
}

// Test runs all tests of the contract.
func Test(t *testing.T, s Subject) {
	t.Run("it serves what it is asked for", func(t *testing.T) {
		tool, req := s.New(t), s.Request(t)
		if tool.Name == "" || tool.Driver == nil || !tool.Serves(req.Volume.Target.Kind, req.Workload) {
			t.Errorf("%+v does not serve %s on %s", tool, req.Workload.Name, req.Volume.Target.Kind)
		}
		if (tool.Filler == nil) != (s.Volume == nil) {
			t.Error("a tool has a Filler, and a Subject a Volume, or neither has")
		}
	})
	t.Run("it knows its version", func(t *testing.T) { s.version(t) })
	t.Run("a step has its seconds, its sums and its rate", func(t *testing.T) {
		lab.UpToThree(t, func() []string { return s.step(t) })
	})
	t.Run("it begins when it is told to", func(t *testing.T) { s.begins(t) })
	t.Run("what is called off leaves nothing", func(t *testing.T) { s.calledOff(t) })
	t.Run("what cannot be done is a sentence", func(t *testing.T) { s.broken(t) })
	t.Run("its ceiling is known or not", func(t *testing.T) { s.ceiling(t) })
	if s.Volume != nil {
		t.Run("what it fills can be read back", func(t *testing.T) { s.fills(t) })
	}
}

// seen collects what a step emits, possibly from several goroutines.
type seen struct {
	mu      sync.Mutex
	begun   int
	early   bool
	samples []model.Sample
	raws    []model.Raw
	// on is called for every event; it may be nil.
	on func(model.Event)
}

func (s *seen) begin() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.begun++
}

func (s *seen) emit(ev model.Event) {
	s.mu.Lock()
	if ev.Sample != nil {
		s.early = s.early || s.begun == 0
		s.samples = append(s.samples, *ev.Sample)
	}
	if ev.Raw != nil {
		s.raws = append(s.raws, *ev.Raw)
	}
	s.mu.Unlock()
	if s.on != nil {
		s.on(ev)
	}
}

func (s *Subject) version(t *testing.T) {
	tool := s.New(t)
	version, err := tool.Driver.Version(t.Context())
	if err != nil || version == "" {
		t.Fatalf("%q, %v", version, err)
	}
	if tool.Assume == nil {
		return
	}
	told := s.New(t)
	told.Assume("0.0-told")
	if got, err := told.Driver.Version(t.Context()); err != nil || got != "0.0-told" {
		t.Errorf("somebody's word is not taken: %q, %v", got, err)
	}
	tool.Assume("0.0-late")
	if got, err := tool.Driver.Version(t.Context()); err != nil || got != version {
		t.Errorf("somebody's word replaces what it has found out itself: %q, not %q, %v", got, version, err)
	}
}

// Wrong collects what does not fit, for lab.UpToThree. A tool counts I/Os, bytes and latencies one after the other, and on a busy machine there is a
// tenth of a second between two of them; a tool whose counts do not belong together is wrong every time.
type Wrong []string

// Note adds a message.
func (w *Wrong) Note(format string, args ...any) { *w = append(*w, fmt.Sprintf(format, args...)) }

// step checks a whole step against its own samples, sums and rate, and returns what does not fit.
func (s *Subject) step(t *testing.T) (w Wrong) {
	t.Helper()
	tool, req := s.New(t), s.Request(t)
	var got seen
	res, err := tool.Driver.Run(t.Context(), req, got.begin, got.emit)
	if err != nil || res.Error != "" {
		t.Fatalf("%v, %q", err, res.Error)
	}
	if got.begun != 1 || got.early {
		t.Errorf("it began %d times; a sample came before: %v", got.begun, got.early)
	}
	if res.Step.Number != req.Step.Number {
		t.Errorf("the result is of step %d, not %d", res.Step.Number, req.Step.Number)
	}
	var sum model.Flow
	covered, before := 0.0, req.Step.Ramp
	for i, x := range got.samples {
		// A late status makes its second longer and the next one shorter.
		if x.Seconds <= 0 || x.Seconds > 1.6 || x.End <= before || x.Step != req.Step.Number {
			w.Note("sample %d: %g s of step %d that end at %g s, after %g s", i, x.Seconds, x.Step, x.End, before)
		}
		// The ramp must not be part of any sample.
		if first := x.Begin(); first < req.Step.Ramp-0.5 {
			w.Note("sample %d begins at %g s, in the ramp of %g s", i, first, req.Step.Ramp)
		}
		covered, before = covered+x.Seconds, x.End
		for _, d := range req.Workload.Directions() {
			if f := x.Flow(d); f != nil {
				w.holdFlow(f)
				sum.Add(*f)
			} else {
				t.Errorf("sample %d has no %s", i, d)
			}
		}
	}
	if math.Abs(covered-req.Step.Seconds) > 0.1 || math.Abs(float64(len(got.samples))-req.Step.Seconds) > 1 {
		w.Note("%d samples cover %g s, not %g s", len(got.samples), covered, req.Step.Seconds)
	}
	if last := req.Step.Ramp + req.Step.Seconds; math.Abs(before-last) > 1 {
		w.Note("the last sample ends at %g s, not %g s", before, last)
	}
	if sum.IOs == 0 {
		t.Fatal("nothing was done")
	}
	// A tool may count the bytes of a second at a slightly different moment than its I/Os.
	if blocks := float64(sum.Bytes) / float64(req.Workload.BlockSize); !s.Operations && math.Abs(blocks-float64(sum.IOs)) > 4 {
		w.Note("%d I/Os, and the bytes of %g", sum.IOs, blocks)
	}
	if s.Operations && (res.App == nil || res.App.Transactions < sum.IOs) {
		t.Errorf("%d operations in the samples, and the result has %+v", sum.IOs, res.App)
	}
	asked := 0.0
	for _, d := range req.Workload.Directions() {
		asked += req.Workload.RateIOPS * req.Workload.Proportion(d)
	}
	if rate := float64(sum.IOs) / covered; math.Abs(rate/asked-1) > s.Slack {
		w.Note("%g I/Os per second, and %g were asked for", rate, asked)
	}
	if s.Total != nil {
		total, slack := s.Total(t, got.raws, res)
		if sum.IOs+slack < total || sum.IOs > total+slack {
			w.Note("the samples have %d I/Os, the tool counted %d", sum.IOs, total)
		}
	}
	s.nothing(t)
	return w
}

// holdFlow checks that one second of one direction is consistent.
func (w *Wrong) holdFlow(f *model.Flow) {
	if n := f.Histogram.Count(); n != f.IOs {
		w.Note("%d I/Os with %d latencies", f.IOs, n)
	}
	if f.IOs == 0 {
		return
	}
	mean := f.LatencySum / float64(f.IOs)
	// Buckets are 1.6 % wide, and a tool may report their midpoints.
	if mean <= 0 || math.Abs(f.Histogram.Mean()/mean-1) > 0.05 {
		w.Note("the mean latency is %g s by the sum, and %g s by the histogram", mean, f.Histogram.Mean())
	}
}

// begins delays the step: nothing may be done before it begins, and its seconds count from then.
func (s *Subject) begins(t *testing.T) {
	tool, req := s.New(t), s.Request(t)
	req.At = 1
	var got seen
	begun := make(chan struct{})
	res, err := tool.Driver.Run(t.Context(), req, func() {
		// Longer than the ramp, so that a tool that does not wait has emitted a sample by then.
		time.Sleep(2500 * time.Millisecond)
		got.begin()
		close(begun)
	}, got.emit)
	if err != nil || res.Error != "" {
		t.Fatalf("%v, %q", err, res.Error)
	}
	select {
	case <-begun:
	default:
		t.Fatal("it never asked whether it may begin")
	}
	if got.early || got.begun != 1 {
		t.Errorf("a sample came before the step had begun (%v), which it did %d times", got.early, got.begun)
	}
	if len(got.samples) == 0 {
		t.Fatal("no samples")
	}
	if first := got.samples[0]; first.Begin() > req.Step.Ramp+1 {
		t.Errorf("the first sample begins at %g s: the time before counts", first.Begin())
	}
	s.nothing(t)
}

func (s *Subject) calledOff(t *testing.T) {
	tool, req := s.New(t), s.Request(t)
	if req.Step.Seconds = 3600; s.Long != nil {
		s.Long(&req)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	got := seen{on: func(ev model.Event) {
		if ev.Sample != nil {
			cancel()
		}
	}}
	res, err := tool.Driver.Run(ctx, req, got.begin, got.emit)
	if err != nil || res.Error != model.StoppedStep {
		t.Errorf("%v, %q, not %q", err, res.Error, model.StoppedStep)
	}
	if len(got.samples) == 0 {
		t.Error("the samples that came before are lost")
	}
	s.nothing(t)

	// The same tool continues with the next step.
	next := s.Request(t)
	if res, err := tool.Driver.Run(t.Context(), next, load.BeginNow, func(model.Event) {}); err != nil || res.Error != "" {
		t.Errorf("the next step: %v, %q", err, res.Error)
	}
	s.nothing(t)
}

func (s *Subject) broken(t *testing.T) {
	if len(s.Broken) == 0 {
		t.Fatal("nothing that cannot be done is known of this tool")
	}
	for want, request := range s.Broken {
		tool := s.New(t)
		res, err := tool.Driver.Run(t.Context(), request(t), load.BeginNow, func(model.Event) {})
		said := res.Error
		if err != nil {
			said = err.Error()
			if words := (*model.WorkerError)(nil); !errors.As(err, &words) {
				t.Errorf("%v is not a sentence for people", err)
			}
		}
		if !strings.Contains(said, want) {
			t.Errorf("%q does not say %q", said, want)
		}
		s.nothing(t)
	}
}

func (s *Subject) ceiling(t *testing.T) {
	tool, req := s.New(t), s.Request(t)
	rate, known, err := tool.Driver.Ceiling(t.Context(), req.Workload, req.Volume, 300*time.Millisecond)
	if err != nil || known && rate <= req.Workload.RateIOPS || !known && rate != 0 {
		t.Errorf("%g I/Os per second, known %v, %v", rate, known, err)
	}
	s.nothing(t)
}

func (s *Subject) fills(t *testing.T) {
	tool, v := s.New(t), s.Volume(t)
	engines, err := tool.Filler.Engines(t.Context(), v)
	if err != nil || len(engines) == 0 {
		t.Fatalf("%v, %v", engines, err)
	}
	v.Engine = engines[0]
	var last model.Progress
	written, err := tool.Filler.Fill(t.Context(), v, time.Minute, func(p model.Progress) { last = p })
	if err != nil || written != v.Size || last.Done != last.Total {
		t.Fatalf("%d of %d bytes, %v; at last %+v", written, v.Size, err, last)
	}
	proof, err := tool.Filler.ReadBack(t.Context(), v, func(model.Progress) {})
	// Where the filesystem shows what was written, nothing has to be read, and the proof says so.
	if none := !proof.Method.Exists(); err != nil || proof.Unwritten != 0 || none == (proof.Checked > 0) || none && proof.Detail == "" {
		t.Errorf("%+v, %v", proof, err)
	}
	for _, write := range []bool{true, false} {
		if rate, err := tool.Filler.Bandwidth(t.Context(), v, write, 500*time.Millisecond); err != nil || rate <= 0 {
			t.Errorf("write %v: %g bytes/s, %v", write, rate, err)
		}
	}
	s.nothing(t)
}

// nothing checks that the tool has left nothing behind.
func (s *Subject) nothing(t *testing.T) {
	t.Helper()
	if left := s.Left(t); len(left) > 0 {
		t.Errorf("it has left %v", left)
	}
}
