package remote

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/loadline/loadline/internal/env"
	"github.com/loadline/loadline/internal/measure/trace"
	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/iotrace"
	"github.com/loadline/loadline/test/lab"
)

// played is a tracer implemented by a function of this test, which reads orders and writes answers.
type played struct {
	io.Reader
	io.Writer
	closed atomic.Bool
	end    func()
}

func (p *played) Close() error {
	p.closed.Store(true)
	p.end()
	return nil
}

// tracer returns a tracer on a node that runs play.
func tracer(node string, cgroups map[uint64]string, devices []string, play func(orders *json.Decoder, answers *json.Encoder) error) (*Tracer, *played) {
	ordersRead, ordersWrite := io.Pipe()
	answersRead, answersWrite := io.Pipe()
	p := &played{Reader: answersRead, Writer: ordersWrite, end: func() {
		ordersRead.CloseWithError(io.ErrClosedPipe)
		answersRead.CloseWithError(io.ErrClosedPipe)
	}}
	go func() {
		err := play(json.NewDecoder(ordersRead), json.NewEncoder(answersWrite))
		if err == nil {
			_, _ = io.Copy(io.Discard, ordersRead)
			err = io.EOF
		}
		ordersRead.CloseWithError(io.ErrClosedPipe)
		answersWrite.CloseWithError(err)
	}()
	return &Tracer{Node: node, Devices: devices, Cgroups: cgroups, Link: p}, p
}

// play returns a tracer that sees one second and then ends when told to, or with the error lost.
func play(method iotrace.Method, cannot []string, sample iotrace.Sample, lost error) func(*json.Decoder, *json.Encoder) error {
	return playAfter(func() {}, method, cannot, sample, lost)
}

// playAfter returns the tracer of play, which waits between the order to begin and its answer.
func playAfter(wait func(), method iotrace.Method, cannot []string, sample iotrace.Sample, lost error) func(*json.Decoder, *json.Encoder) error {
	return func(in *json.Decoder, out *json.Encoder) error {
		var first, begin, end command
		if err := in.Decode(&first); err != nil || len(first.Devices) != 1 {
			return errors.Join(err, errors.New("one device, it was said"))
		}
		run := iotrace.Run{Method: method, Limitations: cannot}
		if err := errors.Join(out.Encode(reply{Ready: true}), in.Decode(&begin)); err != nil {
			return err
		}
		wait()
		if err := errors.Join(out.Encode(reply{Begun: &run}), out.Encode(reply{Samples: []iotrace.Sample{sample}})); err != nil || lost != nil {
			return errors.Join(err, lost)
		}
		if err := in.Decode(&end); err != nil || !begin.Begin || !end.End {
			return errors.Join(err, errors.New("begin and end, it was said"))
		}
		seen := 0.25
		run.Seconds, run.Devices = 1.5, []iotrace.Device{{Name: sample.Device, Number: "7:1", Unseen: &seen}}
		return out.Encode(reply{Ended: &run})
	}
}

func second(device, cgroup string, end float64) iotrace.Sample {
	return iotrace.Sample{End: end, Seconds: 1, Device: device, Operation: iotrace.Read, Originator: iotrace.Originator{Command: "fio", Cgroup: cgroup}, Flow: model.Flow{IOs: 5}}
}

// trial lets tracers trace until enough samples have come.
func trial(t *testing.T, enough int, tracers ...*Tracer) (iotrace.Run, []iotrace.Sample, []string) {
	t.Helper()
	var said []string
	var samples []iotrace.Sample
	g, err := Ready(t.Context(), env.Clock{}, tracers, func(words string) { said = append(said, words) })
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	begun := 0
	run, err := g.Run(ctx, trace.Options{
		Begun: func(iotrace.Run) error { begun++; return nil },
		Second: func(_ float64, s []iotrace.Sample) error {
			if samples = append(samples, s...); len(samples) == enough {
				cancel()
			}
			return nil
		},
	})
	if err != nil || begun != 1 {
		t.Fatalf("%v, begun %d times", err, begun)
	}
	if err := g.Close(); err != nil {
		t.Error(err)
	}
	return run, samples, said
}

// One record holds what all tracers saw: a device under its node, a cgroup under its pod, and each
// second once for all nodes.
func TestSeveralNodesInOneRecord(t *testing.T) {
	a, linkA := tracer("a", map[uint64]string{7: "pod n/x"}, []string{"sda"}, play(iotrace.ByBPF, []string{"the one", "both"}, second("sda", "#7", 1), nil))
	b, linkB := tracer("b", map[uint64]string{8: "pod n/y"}, []string{"sda"}, play(iotrace.ByCounters, []string{"both"}, second("sda", "#7", 1.05), nil))
	run, samples, said := trial(t, 2, a, b)
	if !linkA.closed.Load() || !linkB.closed.Load() || len(said) > 0 {
		t.Errorf("closed: %v, %v; said: %q", linkA.closed.Load(), linkB.closed.Load(), said)
	}
	if run.Method != iotrace.ByCounters || run.Reason != "" || run.Started.IsZero() {
		t.Errorf("%+v", run)
	}
	if diff := cmp.Diff([]string{"a: the one", "both"}, run.Limitations); diff != "" && !slices.Equal(run.Limitations, []string{"both", "a: the one"}) {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"a/sda", "b/sda"}, run.Request.Devices); diff != "" {
		t.Error(diff)
	}
	if len(run.Devices) != 2 || run.Devices[0].Name != "a/sda" || run.Devices[1].Name != "b/sda" || *run.Devices[1].Unseen != 0.25 || run.Seconds != 1.5 {
		t.Errorf("%+v", run.Devices)
	}
	slices.SortFunc(samples, func(a, b iotrace.Sample) int { return strings.Compare(a.Device, b.Device) })
	if samples[0].Device != "a/sda" || samples[0].Cgroup != "pod n/x" || samples[1].Device != "b/sda" || samples[1].Cgroup != "#7" {
		t.Errorf("%+v", samples)
	}
	if samples[0].End != samples[1].End || samples[0].Seconds > samples[0].End {
		t.Errorf("one second ends at %g and at %g", samples[0].End, samples[1].End)
	}
}

// On a single node, devices keep their own names, and a lost tracer's earlier samples are kept.
func TestALostTracer(t *testing.T) {
	only, _ := tracer("a", nil, []string{"sda"}, play(iotrace.ByBPF, nil, second("sda", "", 1), errors.New("the node is gone")))
	run, samples, said := trial(t, 2, only)
	if len(samples) != 1 || samples[0].Device != "sda" || len(run.Devices) != 1 || run.Devices[0].Name != "sda" || run.Devices[0].Counters != nil || run.Seconds < 1 {
		t.Errorf("%+v, %+v", samples, run)
	}
	if !strings.Contains(run.Reason, "the tracer on a was lost after 1 s: the node is gone") || len(said) != 1 || !strings.Contains(said[0], "the trace of a ends here") {
		t.Errorf("%q, %q", run.Reason, said)
	}
}

// One is lost while another continues, or before the other has begun.
func TestALostTracerAmongOthers(t *testing.T) {
	for _, slow := range []bool{false, true} {
		gone := make(chan struct{})
		losing := play(iotrace.ByBPF, nil, second("sda", "", 1), errors.New("the node is gone"))
		lost, _ := tracer("a", nil, []string{"sda"}, func(in *json.Decoder, out *json.Encoder) error {
			defer close(gone)
			return losing(in, out)
		})
		whole, _ := tracer("b", nil, []string{"sdb"}, playAfter(func() {
			if slow {
				<-gone
				time.Sleep(50 * time.Millisecond) // until the group knows
			}
		}, iotrace.ByBPF, nil, second("sdb", "", 1), nil))
		run, samples, _ := trial(t, 2, lost, whole)
		if len(samples) != 2 || len(run.Devices) != 2 || run.Devices[0].Unseen != nil || run.Devices[1].Unseen == nil || !strings.Contains(run.Reason, "on a was lost") || strings.Contains(run.Reason, "on b") {
			t.Errorf("the other slow: %v: %+v, %+v", slow, samples, run)
		}
	}
}

// A tracer that cannot begin is reported before anything is measured, and the other tracers are
// closed.
func TestATracerThatCannotBegin(t *testing.T) {
	fine, link := tracer("a", nil, []string{"sda"}, play(iotrace.ByBPF, nil, second("sda", "", 1), nil))
	bad, _ := tracer("b", nil, []string{"sdz"}, func(in *json.Decoder, out *json.Encoder) error {
		var first command
		return errors.Join(in.Decode(&first), out.Encode(reply{Ended: &iotrace.Run{}, Failed: "there is no block device sdz"}))
	})
	_, err := Ready(t.Context(), env.Clock{}, []*Tracer{fine, bad}, func(string) {})
	if err == nil || !strings.Contains(err.Error(), "the tracer on b failed: there is no block device sdz") || !link.closed.Load() {
		t.Errorf("%v; closed: %v", err, link.closed.Load())
	}
}

// A tracer that repeats an answer, or whose samples cannot be, is lost by itself: what the others see
// stays whole.
func TestATracerThatMisbehaves(t *testing.T) {
	repeats, _ := tracer("a", nil, []string{"sda"}, func(in *json.Decoder, out *json.Encoder) error {
		var o command
		r := iotrace.Run{Method: iotrace.ByBPF}
		return errors.Join(in.Decode(&o), out.Encode(reply{Ready: true}), in.Decode(&o), out.Encode(reply{Begun: &r}), out.Encode(reply{Begun: &r}))
	})
	silent, _ := tracer("b", nil, []string{"sda"}, func(in *json.Decoder, out *json.Encoder) error {
		var o command
		return errors.Join(in.Decode(&o), out.Encode(reply{Ready: true}))
	})
	g, err := Ready(t.Context(), env.Clock{}, []*Tracer{repeats, silent}, func(string) {})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := g.Run(t.Context(), trace.Options{}); err == nil || !strings.Contains(err.Error(), "on a was lost: it repeated itself") {
		t.Error(err)
	}
	if err := g.Close(); err != nil {
		t.Error(err)
	}
	for name, spoil := range map[string]func(*iotrace.Sample){
		"before the beginning": func(s *iotrace.Sample) { s.End = -1 },
		"in the future":        func(s *iotrace.Sample) { s.End = 1e6 },
		"another device":       func(s *iotrace.Sample) { s.Device = "sdz" },
		"an operation":         func(s *iotrace.Sample) { s.Operation = "\x1b[2J<b>" },
		"bytes":                func(s *iotrace.Sample) { s.Flow.Bytes = 1e18 },
		"a size":               func(s *iotrace.Sample) { s.Size = 3 },
	} {
		bad := second("sda", "", 1)
		spoil(&bad)
		lost, _ := tracer("a", nil, []string{"sda"}, play(iotrace.ByBPF, nil, bad, nil))
		whole, _ := tracer("b", nil, []string{"sdb"}, play(iotrace.ByBPF, nil, second("sdb", "", 1), nil))
		var samples []iotrace.Sample
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
		g, err := Ready(ctx, env.Clock{}, []*Tracer{lost, whole}, func(string) { cancel() })
		if err != nil {
			t.Fatal(err)
		}
		run, err := g.Run(ctx, trace.Options{Second: func(_ float64, s []iotrace.Sample) error { samples = append(samples, s...); return nil }})
		cancel()
		if err := errors.Join(err, g.Close()); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if !strings.Contains(run.Reason, "on a was lost") || strings.Contains(run.Reason, "on b") || slices.ContainsFunc(samples, func(s iotrace.Sample) bool { return s.Device != "b/sdb" }) {
			t.Errorf("%s: %q, %+v", name, run.Reason, samples)
		}
	}
}

// Tracers begin up to some time apart, and their seconds are the same ones; what is kept of them
// does not grow.
func TestSecondsOfTracersThatBeginApart(t *testing.T) {
	for _, offset := range []float64{0.1, 0.3, 0.5, 0.8, 2.2} {
		a, b := &Tracer{Node: "a"}, &Tracer{Node: "b", offset: offset}
		g := &Group{tracers: []*Tracer{a, b}, seconds: map[int]span{}}
		ends := map[float64]bool{}
		for i := 1; i <= 1000; i++ {
			for _, x := range []*Tracer{a, b} {
				s := second("sda", "", float64(i)+0.01)
				g.align(x, &s)
				if ends[s.End] = true; s.End-s.Seconds < -1e-6 {
					t.Errorf("a second begins %g s before the trace", s.Seconds-s.End)
				}
			}
		}
		if len(ends) > 1003 || len(g.seconds) > secondsKept+5 {
			t.Errorf("%g s apart: 1000 s have %d ends, and %d are kept", offset, len(ends), len(g.seconds))
		}
	}
}

// A real tracer at the other end: it traces this machine, whichever way is possible here.
func TestServe(t *testing.T) {
	names, err := os.ReadDir("/sys/block")
	if err != nil || len(names) == 0 {
		lab.Unavailable(t, "this machine has no block device")
	}
	device := names[0].Name()
	ordersRead, ordersWrite := io.Pipe()
	answersRead, answersWrite := io.Pipe()
	served := make(chan error, 1)
	go func() { served <- Serve(t.Context(), env.Clock{}, ordersRead, answersWrite) }()
	only := &Tracer{Node: "here", Devices: []string{device}, Link: &played{Reader: answersRead, Writer: ordersWrite, end: func() {
		ordersWrite.Close()
		answersRead.CloseWithError(io.ErrClosedPipe)
	}}}
	g, err := Ready(t.Context(), env.Clock{}, []*Tracer{only}, func(words string) { t.Error(words) })
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	run, err := g.Run(ctx, trace.Options{Begun: func(iotrace.Run) error {
		time.AfterFunc(1500*time.Millisecond, cancel)
		return nil
	}, Second: func(float64, []iotrace.Sample) error { return nil }})
	if err := errors.Join(err, <-served, g.Close()); err != nil {
		t.Fatal(err)
	}
	if run.Reason != "" || run.Method == "" || len(run.Devices) != 1 || run.Devices[0].Name != device || run.Seconds < 1 {
		t.Errorf("%+v", run)
	}
}

// Directories of two nodes: each tracer finds their devices itself, and is told no other.
func TestCountingTheDevicesOfDirectories(t *testing.T) {
	holds := func(devices []string, sample iotrace.Sample) func(*json.Decoder, *json.Encoder) error {
		return func(in *json.Decoder, out *json.Encoder) error {
			var first, begin, end command
			if err := in.Decode(&first); err != nil || len(first.Devices) > 0 || len(first.Holding) != len(devices) {
				return errors.Join(err, fmt.Errorf("it was told %+v", first))
			}
			run := iotrace.Run{Method: iotrace.ByCounters}
			if err := errors.Join(out.Encode(reply{Ready: true, Holding: devices}), in.Decode(&begin), out.Encode(reply{Begun: &run}), out.Encode(reply{Samples: []iotrace.Sample{sample}}), in.Decode(&end)); err != nil {
				return err
			}
			for _, name := range devices {
				run.Devices = append(run.Devices, iotrace.Device{Name: name, Counters: &iotrace.Counters{}})
			}
			return out.Encode(reply{Ended: &run})
		}
	}
	a, _ := tracer("a", nil, nil, holds([]string{"sda", "sda"}, second("sda", "", 1)))
	b, _ := tracer("b", nil, nil, holds([]string{"dm-0"}, second("dm-0", "", 1)))
	a.Holding, b.Holding = []string{"/disks/1", "/disks/2"}, []string{"/disks/1"}
	run, samples, _ := trial(t, 2, a, b)
	if diff := cmp.Diff([]string{"a/sda", "b/dm-0"}, run.Request.Devices); diff != "" || len(samples) != 2 || run.Reason != "" {
		t.Errorf("%s, %+v, %q", diff, samples, run.Reason)
	}
	g := &Group{tracers: []*Tracer{a, b}}
	if got := g.DeviceOf(a, 1) + " " + g.DeviceOf(b, 0); got != "a/sda b/dm-0" {
		t.Error(got)
	}
	// One that cannot tell says why, before anything is measured.
	wrong, _ := tracer("c", nil, nil, func(in *json.Decoder, out *json.Encoder) error {
		var first command
		return errors.Join(in.Decode(&first), out.Encode(reply{Ready: true}))
	})
	wrong.Holding = []string{"/disks/1"}
	if _, err := Ready(t.Context(), env.Clock{}, []*Tracer{wrong}, func(string) {}); err == nil || !strings.Contains(err.Error(), "the tracer on c names 0 devices for 1 directories") {
		t.Error(err)
	}
	ordersRead, ordersWrite := io.Pipe()
	answersRead, answersWrite := io.Pipe()
	go func() {
		_ = Serve(t.Context(), env.Clock{}, ordersRead, answersWrite)
		answersWrite.Close()
	}()
	memory := &Tracer{Node: "here", Holding: []string{"/proc"}, Link: &played{Reader: answersRead, Writer: ordersWrite, end: func() {
		ordersWrite.Close()
		answersRead.CloseWithError(io.ErrClosedPipe)
	}}}
	if _, err := Ready(t.Context(), env.Clock{}, []*Tracer{memory}, func(string) {}); err == nil || !strings.Contains(err.Error(), "the device that holds a directory of replicas is not known: its filesystem is on no single block device") {
		t.Error(err)
	}
}
