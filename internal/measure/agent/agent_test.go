package agent

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/loadline/loadline/internal/env"
	"github.com/loadline/loadline/internal/measure/load"
	"github.com/loadline/loadline/internal/model"
)

// stub is a driver that writes nothing and can be made to wait.
type stub struct {
	fillErr error
	// filled is how many bytes Fill reports as written; 0 means all.
	filled int64
	// told is the progress that Fill reports.
	told []model.Progress
	// hold makes Run wait for its context.
	hold bool
	// wrote is set if the bandwidth of writes was probed.
	wrote *bool
}

func (stub) Version(context.Context) (string, error)                 { return "9", nil }
func (stub) Engines(context.Context, model.Volume) ([]string, error) { return []string{"psync"}, nil }
func (stub) ReadBack(context.Context, model.Volume, func(model.Progress)) (model.Proof, error) {
	return model.Proof{Method: "read-back"}, nil
}
func (s stub) Bandwidth(_ context.Context, _ model.Volume, write bool, _ time.Duration) (float64, error) {
	if s.wrote != nil && write {
		*s.wrote = true
	}
	return 1e6, nil
}
func (stub) Ceiling(context.Context, model.Workload, model.Volume, time.Duration) (float64, bool, error) {
	return 100000, true, nil
}
func (s stub) Fill(_ context.Context, v model.Volume, _ time.Duration, progress func(model.Progress)) (int64, error) {
	for _, p := range s.told {
		progress(p)
	}
	if s.filled > 0 {
		return s.filled, s.fillErr
	}
	return v.Size, s.fillErr
}
func (s stub) Run(ctx context.Context, req model.StartRequest, begin func(), emit func(model.Event)) (model.StepResult, error) {
	begin()
	emit(model.Event{Sample: &model.Sample{Seconds: 1, End: 1, Read: &model.Flow{IOs: 1}}})
	res := model.StepResult{}
	if s.hold {
		<-ctx.Done()
		res.Error = model.StoppedStep
	}
	if req.Volume.Path == "" {
		res.Error = "no path"
	}
	return res, nil
}

// session is a worker with the test at the other end.
type session struct {
	t      *testing.T
	in     *io.PipeWriter
	events *bufio.Scanner
	ended  chan error
	seq    int64
}

// tools returns a stub as the only tool of a worker.
func tools(s stub) load.Tools {
	return load.Tools{{Name: "stub", Driver: s, Filler: s, Serves: func(model.TargetKind, model.Workload) bool { return true }}}
}

func start(t *testing.T, s stub) *session { return startWith(t, tools(s)) }

func startWith(t *testing.T, list load.Tools) *session {
	inOut, in := io.Pipe()
	out, outIn := io.Pipe()
	s := &session{t: t, in: in, events: bufio.NewScanner(out), ended: make(chan error, 1)}
	go func() {
		err := Serve(t.Context(), inOut, outIn, Options{
			Env: env.OS(), Tools: list, Version: "test", RunID: "test",
		})
		outIn.Close()
		s.ended <- err
	}()
	if ev := s.next(); ev.Hello == nil || ev.Hello.Protocol != model.ProtocolVersion || ev.Hello.Clock == 0 {
		t.Fatalf("the first event is no hello: %+v", ev)
	}
	return s
}

// next reads one event and checks its number.
func (s *session) next() model.Event {
	s.t.Helper()
	if !s.events.Scan() {
		s.t.Fatal("the worker's events ended")
	}
	var ev model.Event
	if err := json.Unmarshal(s.events.Bytes(), &ev); err != nil {
		s.t.Fatal(err)
	}
	s.seq++
	if ev.Seq != s.seq {
		s.t.Fatalf("event %d has number %d", s.seq, ev.Seq)
	}
	return ev
}

// answer reads events until the one that completes a request.
func (s *session) answer() model.Event {
	s.t.Helper()
	for {
		if ev := s.next(); ev.Progress == nil && ev.Sample == nil && ev.Raw == nil {
			return ev
		}
	}
}

func (s *session) send(r model.Request) {
	s.t.Helper()
	line, err := json.Marshal(r)
	if err != nil {
		s.t.Fatal(err)
	}
	if _, err := s.in.Write(append(line, '\n')); err != nil {
		s.t.Fatal(err)
	}
}

// prepare creates an owned file of 1 MiB in a directory and returns its path.
func (s *session) prepare(dir string) string {
	s.t.Helper()
	s.send(model.Request{ID: 1, Prepare: &model.PrepareRequest{
		Volume: model.Volume{Target: model.Target{Kind: model.Directory, Name: dir, Path: dir}, Owned: true, Size: 1 << 20},
	}})
	ev := s.answer()
	if ev.Prepared == nil {
		s.t.Fatalf("not prepared: %+v", ev.Error)
	}
	if _, err := os.Stat(ev.Prepared.Path); err != nil {
		s.t.Fatalf("the data file is not there: %v", err)
	}
	return ev.Prepared.Path
}

var owned = model.Volume{Target: model.Target{Kind: model.Directory}, Owned: true}

func TestByeCleansUp(t *testing.T) {
	s := start(t, stub{})
	path := s.prepare(t.TempDir())
	s.send(model.Request{ID: 2, Start: &model.StartRequest{Step: model.Step{Number: 7}, Volume: owned}})
	if ev := s.next(); ev.Sample == nil || ev.Sample.Step != 7 || ev.ID != 2 {
		t.Errorf("sample: %+v", ev)
	}
	if ev := s.answer(); ev.Result == nil || ev.Result.Error != "" || ev.Result.Counters == nil || ev.Result.Step.Number != 7 {
		t.Errorf("result: %+v, %v", ev.Result, ev.Error)
	}
	s.send(model.Request{ID: 3, Bye: &struct{}{}})
	if ev := s.next(); ev.Bye == nil {
		t.Errorf("no bye: %+v", ev)
	}
	if err := <-s.ended; err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(path); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the data file is still there: %v", err)
	}
}

// The engine dies in the middle of a step: the worker stops and cleans up.
func TestTheEndOfInputStopsAndCleansUp(t *testing.T) {
	s := start(t, stub{hold: true})
	path := s.prepare(t.TempDir())
	s.send(model.Request{ID: 2, Start: &model.StartRequest{Volume: owned}})
	s.next() // the sample: the step is running
	s.in.Close()
	for s.events.Scan() {
	}
	if err := <-s.ended; !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("ended with %v", err)
	}
	if _, err := os.Stat(path); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the data file is still there: %v", err)
	}
}

func TestStopEndsAStepWithWhatItHas(t *testing.T) {
	s := start(t, stub{hold: true})
	s.prepare(t.TempDir())
	s.send(model.Request{ID: 2, Start: &model.StartRequest{Volume: owned}})
	s.next()
	s.send(model.Request{ID: 3, Stop: &model.StopRequest{ID: 2}})
	if ev := s.answer(); ev.Result == nil || ev.ID != 2 || ev.Result.Error != model.StoppedStep {
		t.Errorf("answer: %+v", ev)
	}
}

func TestAFailedPrefillIsTold(t *testing.T) {
	dir := t.TempDir()
	s := start(t, stub{fillErr: errors.New("Input/output error")})
	s.send(model.Request{ID: 1, Prepare: &model.PrepareRequest{
		Volume: model.Volume{Target: model.Target{Kind: model.Directory, Name: dir, Path: dir}, Owned: true, Prefill: true, Size: 1 << 20},
	}})
	if ev := s.answer(); ev.Error == nil || ev.Error.Class != model.Broken || !strings.Contains(ev.Error.Message, "Input/output") {
		t.Errorf("answer: %+v", ev)
	}
	s.send(model.Request{ID: 2, Bye: &struct{}{}})
	s.next()
	if left, _ := os.ReadDir(dir); len(left) > 0 {
		t.Errorf("left behind: %s", left[0].Name())
	}
}

func TestWhatIsNotPreparedIsNotMeasured(t *testing.T) {
	s := start(t, stub{})
	s.send(model.Request{ID: 1, Start: &model.StartRequest{Volume: owned}})
	if ev := s.answer(); ev.Error == nil {
		t.Errorf("answer: %+v", ev)
	}
}

// The worker refuses to destroy data even if the engine did not check.
func TestTheWorkerGuardsByItself(t *testing.T) {
	file := t.TempDir() + "/precious"
	if err := os.WriteFile(file, []byte("data"), 0o600); err != nil {
		t.Fatal(err)
	}
	s := start(t, stub{})
	s.send(model.Request{ID: 1, Prepare: &model.PrepareRequest{
		Volume: model.Volume{Target: model.Target{Kind: model.File, Name: file, Path: file}, Path: file, Prefill: true, Size: 4},
	}})
	if ev := s.answer(); ev.Error == nil || ev.Error.Class != model.Refused {
		t.Errorf("answer: %+v", ev)
	}
}

func TestRubbishIsAnsweredInWords(t *testing.T) {
	s := start(t, stub{})
	if _, err := io.WriteString(s.in, "what?\n"); err != nil {
		t.Fatal(err)
	}
	if ev := s.answer(); ev.Error == nil || !strings.Contains(ev.Error.Message, "not a request") {
		t.Errorf("answer: %+v", ev)
	}
	s.send(model.Request{ID: 5})
	if ev := s.answer(); ev.Error == nil || ev.ID != 5 {
		t.Errorf("answer: %+v", ev)
	}
}

// A volume that was prepared ahead of a plan that turned out different is created again.
func TestAVolumeIsPreparedAgain(t *testing.T) {
	dir := t.TempDir()
	s := start(t, stub{})
	first := s.prepare(dir)
	s.send(model.Request{ID: 2, Prepare: &model.PrepareRequest{
		Volume: model.Volume{Target: model.Target{Kind: model.Directory, Name: dir, Path: dir}, Owned: true, Prefill: true, Size: 2 << 20},
	}})
	ev := s.answer()
	if ev.Prepared == nil || ev.Prepared.Path != first || ev.Prepared.Written != 2<<20 {
		t.Fatalf("answer: %+v, %v", ev.Prepared, ev.Error)
	}
	if info, err := os.Stat(first); err != nil || info.Size() != 2<<20 {
		t.Errorf("%v, %v", info, err)
	}
	s.send(model.Request{ID: 3, Bye: &struct{}{}})
	s.next()
	if left, _ := os.ReadDir(dir); len(left) > 0 {
		t.Errorf("left behind: %s", left[0].Name())
	}
}

func TestWhatOthersHaveAskedIsNotAskedAgain(t *testing.T) {
	var told string
	dir := t.TempDir()
	hinted := tools(stub{})
	hinted[0].Name, hinted[0].Assume = "fio", func(version string) { told = version }
	s := startWith(t, hinted)
	s.send(model.Request{ID: 1, Probe: &model.ProbeRequest{
		Target: model.Target{Kind: model.Directory, Name: dir, Path: dir}, Engines: []string{"psync"}, Tools: map[string]string{"fio": "3.33"},
	}})
	if ev := s.answer(); ev.Probed == nil || told != "3.33" {
		t.Errorf("told of version %q: %+v", told, ev.Error)
	}
}

// A file that is made for the measurement is written before it is read, also in the probe: the bandwidth of its holes is
// that of memory. What exists and is only to be read is not written.
func TestWhatIsReadInTheProbeWasWritten(t *testing.T) {
	dir := t.TempDir()
	file := dir + "/existing"
	if err := os.WriteFile(file, make([]byte, 2<<20), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, target := range []model.Target{{Kind: model.Directory, Name: dir, Path: dir}, {Kind: model.File, Name: file, Path: file}} {
		wrote := false
		s := start(t, stub{wrote: &wrote})
		s.send(model.Request{ID: 1, Probe: &model.ProbeRequest{Target: target, Bandwidth: true}})
		if ev := s.answer(); ev.Probed == nil || wrote != (target.Kind == model.Directory) || (ev.Probed.WriteBandwidth > 0) != wrote {
			t.Errorf("%s: writes probed: %v, %+v, %v", target.Kind, wrote, ev.Probed, ev.Error)
		}
	}
}
