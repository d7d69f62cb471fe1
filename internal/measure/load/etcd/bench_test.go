package etcd

import (
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"net"
	"net/http"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/loadline/loadline/internal/env"
	"github.com/loadline/loadline/internal/model"
)

// service answers puts as etcd does, each after the time that delay returns, and counts them.
type service struct {
	delay func(put int64) time.Duration
	puts  atomic.Int64
	// status is the gRPC status of the answers; empty means "0".
	status string
	// last is the most recent message.
	last atomic.Value
}

func (s *service) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	message, err := io.ReadAll(r.Body)
	if err != nil || r.URL.Path != "/etcdserverpb.KV/Put" || r.ProtoMajor != 2 || r.Header.Get("Content-Type") != "application/grpc" || r.Header.Get("Te") != "trailers" {
		http.Error(w, "no put", http.StatusBadRequest)
		return
	}
	s.last.Store(message)
	time.Sleep(s.delay(s.puts.Add(1)))
	w.Header().Set("Content-Type", "application/grpc")
	if s.status != "" {
		w.Header().Set("Grpc-Status", s.status)
		w.Header().Set("Grpc-Message", "mvcc: database space exceeded%21")
		return
	}
	_, _ = w.Write([]byte{0, 0, 0, 0, 0})
	w.Header().Set(http.TrailerPrefix+"Grpc-Status", "0")
}

// serve answers on a socket until the end of the test, and returns the socket's path.
func serve(t *testing.T, s *service) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "s")
	listener, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	var h2 http.Protocols
	h2.SetUnencryptedHTTP2(true)
	server := &http.Server{Handler: s, Protocols: &h2}
	go func() { _ = server.Serve(listener) }()
	t.Cleanup(func() { _ = server.Close() })
	return path
}

func constant(d time.Duration) func(int64) time.Duration {
	return func(int64) time.Duration { return d }
}

// The message has protobuf's encoding: tags 10 and 18 are fields 1 and 2 of type bytes.
func TestPutIsAMessage(t *testing.T) {
	s := &service{delay: constant(0)}
	c := newClient(serve(t, s))
	defer c.close()
	value := strings.Repeat("v", 300)
	if err := c.put(t.Context(), putMessage([]byte("key"), []byte(value))); err != nil {
		t.Fatal(err)
	}
	got := s.last.Load().([]byte)
	want := "\x0a\x03key\x12\xac\x02" + value
	if got[0] != 0 || int(binary.BigEndian.Uint32(got[1:5])) != len(want) || string(got[5:]) != want {
		t.Errorf("%q", got)
	}
	s.status = "8"
	if err := c.put(t.Context(), putMessage(nil, nil)); err == nil || !strings.Contains(err.Error(), `status "8": mvcc: database space exceeded!`) {
		t.Errorf("%v", err)
	}
}

// loaded runs a load and returns its seconds and counts.
func loaded(t *testing.T, s *service, w model.Workload, step model.Step) ([]model.Sample, *meter) {
	t.Helper()
	path := serve(t, s)
	var samples []model.Sample
	clock := env.Clock{}
	b := &bench{clock: clock, w: w, value: 100, meter: newMeter(step, func(x model.Sample) { samples = append(samples, x) })}
	for range w.Depth {
		c := newClient(path)
		defer c.close()
		b.clients = append(b.clients, c)
	}
	if err := connect(t.Context(), b.clients); err != nil {
		t.Fatal(err)
	}
	b.now = clock.Watch()
	b.run(t.Context(), context.Background())
	b.meter.tell(math.Inf(1))
	return samples, b.meter
}

// Clients that wait for their answers do one put per answer: by Little's law all of them are busy.
func TestClosedLoopKeepsItsClientsBusy(t *testing.T) {
	samples, m := loaded(t, &service{delay: constant(20 * time.Millisecond)}, model.Workload{Depth: 4}, model.Step{Number: 7, Ramp: .5, Seconds: 2})
	c := m.counts()
	if under := c.LatencySum / c.Seconds; under < 3.6 || under > 4.05 || c.Failed+c.Skipped > 0 {
		t.Errorf("%v of 4 clients were there; %+v", under, c)
	}
	if len(samples) != 2 {
		t.Fatalf("%d seconds", len(samples))
	}
	for i, s := range samples {
		if s.Step != 7 || s.Seconds != 1 || math.Abs(s.End-(1.5+float64(i))) > 1e-9 || s.Write.IOs == 0 || s.Write.IOs > 204 || s.Write.Histogram.Count() != s.Write.IOs {
			t.Errorf("%+v", s)
		}
		if mean := s.Write.LatencySum / float64(s.Write.IOs); mean < 0.02 {
			t.Errorf("a put took %v s on average, and 0.02 at least", mean)
		}
	}
}

// When a server stalls for a second, all puts that were due meanwhile are late, however many there
// are, not just one per client.
func TestOpenLoopTimesFromWhenAPutWasDue(t *testing.T) {
	const rate, stall = 200.0, time.Second
	s := &service{}
	s.delay = func(put int64) time.Duration {
		if put == 100 {
			return stall
		}
		return 0
	}
	samples, m := loaded(t, s, model.Workload{Depth: 1, OpenLoop: true, RateIOPS: rate}, model.Step{Number: 1, Seconds: 4})
	late, all := uint64(0), uint64(0)
	for _, x := range samples {
		all += x.Write.Histogram.Count()
		late += x.Write.Histogram.Count() - countBelow(x, 0.1)
	}
	// In 0.9 s of that second 180 puts were due on average, and waited for more than 0.1 s.
	if late < 100 || late > 400 {
		t.Errorf("%d of %d puts were more than 0.1 s late", late, all)
	}
	if c := m.counts(); math.Abs(float64(c.Transactions)/(4*rate)-1) > 0.25 || m.due < c.Transactions {
		t.Errorf("%+v, %d due", c, m.due)
	}
}

// countBelow returns how many of a second's latencies are certainly below a bound in seconds.
func countBelow(s model.Sample, bound float64) uint64 {
	n := s.Write.Histogram.Count()
	for share := 1.0; share <= 100; share++ {
		if s.Write.Histogram.Percentile(share) > bound {
			return uint64((share - 1) / 100 * float64(n))
		}
	}
	return n
}

// Load beyond the server's capacity is skipped and counted, with and without a limit.
func TestOverloadIsCounted(t *testing.T) {
	for _, limit := range []float64{0, 0.1} {
		t.Run(fmt.Sprint(limit), func(t *testing.T) {
			w := model.Workload{Depth: 2, OpenLoop: true, RateIOPS: 400, App: model.AppLoad{Limit: limit}}
			samples, m := loaded(t, &service{delay: constant(20 * time.Millisecond)}, w, model.Step{Number: 1, Seconds: 3})
			c := m.counts()
			if done := float64(c.Transactions); done > 320 || done < 60 {
				t.Errorf("%v puts of two clients that take 20 ms each were done in 3 s", done)
			}
			if due := float64(c.Transactions + c.Skipped); math.Abs(due/1200-1) > 0.2 || float64(m.due) != due {
				t.Errorf("%+v: %v of 1,200 are accounted for, %d were due", c, due, m.due)
			}
			counted := uint64(0)
			for _, s := range samples {
				counted += s.Write.Histogram.Count()
			}
			// Puts in progress at the end belong to no second.
			if counted+2 < c.Transactions+c.Skipped {
				t.Errorf("%d of %d are in the histograms", counted, c.Transactions+c.Skipped)
			}
		})
	}
}

func TestFailedPutsAreCounted(t *testing.T) {
	s := &service{delay: constant(0)}
	path := serve(t, s)
	c := newClient(path)
	defer c.close()
	m := newMeter(model.Step{Seconds: 1}, func(model.Sample) {})
	b := &bench{clients: []*client{c}, value: 8, meter: m, w: model.Workload{Depth: 1}}
	b.now = b.clock.Watch()
	s.status = "14"
	b.run(t.Context(), context.Background())
	if got := m.counts(); got.Failed != 1 || got.Transactions != 0 || !strings.Contains(m.fault, `status "14"`) {
		t.Errorf("%+v %q", got, m.fault)
	}
}

func TestValueSize(t *testing.T) {
	if n, err := valueSize(nil); n != 2200 || err != nil {
		t.Error(n, err)
	}
	if n, err := valueSize([]string{valueOption + "1024"}); n != 1024 || err != nil {
		t.Error(n, err)
	}
	for _, bad := range []string{"--val-size=0", "--val-size=x", "--total=5", "--val-size=2000000"} {
		if err := CheckOptions([]string{bad}); err == nil {
			t.Errorf("%s was taken", bad)
		}
	}
}

// TestAServerThatStandsStillIsTold: seconds without an answer are reported separately, because no
// percentile shows them.
func TestAServerThatStandsStillIsTold(t *testing.T) {
	m := newMeter(model.Step{Number: 1, Ramp: 1, Seconds: 9}, func(model.Sample) {})
	for _, ended := range []float64{0.5, 1, 1.5, 2} {
		m.put(ended-0.5, ended, nil)
	}
	m.put(1.9, 4.5, nil) // the other client's
	m.put(2, 4.6, nil)
	m.put(7.5, 8, nil) // no request was pending before
	if len(m.stalls) != 1 || m.stalls[0] != (model.Stall{Begin: 2, Seconds: 2.5}) {
		t.Errorf("%+v", m.stalls)
	}
}
