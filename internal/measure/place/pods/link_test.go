package pods

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/loadline/loadline/internal/model"
)

// worker plays the resident worker: it answers request n with event n+1 (event 1
// is its hello), and its connections break after so many bytes.
type worker struct {
	mu       sync.Mutex
	events   []string
	received int
	requests []int
	// cuts are the bytes after which each connection breaks; the last one holds.
	cuts  []int
	dials int
	// refuse makes dialling fail.
	refuse error
}

func newWorker(cuts ...int) *worker {
	return &worker{events: []string{`{"seq":1,"hello":{}}`}, cuts: cuts}
}

func (w *worker) dial(ctx context.Context, from int64) (io.ReadWriteCloser, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.refuse != nil {
		return nil, w.refuse
	}
	limit := 1 << 30
	if w.dials < len(w.cuts) {
		limit = w.cuts[w.dials]
	}
	w.dials++
	here, there := net.Pipe()
	go w.serve(there, from, limit)
	return here, nil
}

func (w *worker) serve(conn net.Conn, from int64, limit int) {
	defer conn.Close()
	w.mu.Lock()
	answer := fmt.Sprintf(`{"received":%d}`, w.received)
	w.mu.Unlock()
	go func() {
		lines := bufio.NewScanner(conn)
		for lines.Scan() {
			var req struct{ ID int }
			_ = json.Unmarshal(lines.Bytes(), &req)
			w.mu.Lock()
			if req.ID > w.received {
				w.received = req.ID
				w.requests = append(w.requests, req.ID)
				w.events = append(w.events, fmt.Sprintf(`{"seq":%d,"id":%d}`, len(w.events)+1, req.ID))
			}
			w.mu.Unlock()
		}
	}()
	send := func(line string) bool {
		line += "\n"
		n := min(len(line), limit)
		limit -= n
		_, err := io.WriteString(conn, line[:n])
		return err == nil && limit > 0
	}
	if !send(answer) {
		return
	}
	for {
		w.mu.Lock()
		line := ""
		if int(from) < len(w.events) {
			line = w.events[from]
			from++
		}
		w.mu.Unlock()
		if !send(line) {
			return
		}
		if line == "" {
			time.Sleep(time.Millisecond)
		}
	}
}

func quickLink(w *worker, gone func(context.Context) error, end func() error) *link {
	return newLink(context.Background(), &link{pod: "the pod", dial: w.dial, gone: gone, away: alive, say: func(string) {}, end: end, pause: time.Millisecond})
}

func alive(context.Context) error { return nil }
func noEnd() error                { return nil }

// TestNothingIsLostOrRepeated: wherever connections break, every request reaches
// the worker once and in order, and so does every event the engine.
func TestNothingIsLostOrRepeated(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := newWorker(rapid.SliceOfN(rapid.IntRange(0, 120), 0, 8).Draw(t, "cuts")...)
		l := quickLink(w, alive, noEnd)
		defer l.Close()
		lines := bufio.NewScanner(l)
		requests := rapid.IntRange(1, 12).Draw(t, "requests")
		expect := func(n int) {
			if !lines.Scan() || !strings.HasPrefix(lines.Text(), fmt.Sprintf(`{"seq":%d,`, n)) {
				t.Fatalf("event %d: %q, %v", n, lines.Text(), lines.Err())
			}
		}
		expect(1)
		// Some requests wait for their answer, others follow at once.
		answered := 1
		for id := 1; id <= requests; id++ {
			if _, err := fmt.Fprintf(l, `{"id":%d}`+"\n", id); err != nil {
				t.Fatal(err)
			}
			if rapid.Bool().Draw(t, "wait") {
				for ; answered <= id; answered++ {
					expect(answered + 1)
				}
			}
		}
		for ; answered <= requests; answered++ {
			expect(answered + 1)
		}
		w.mu.Lock()
		defer w.mu.Unlock()
		for i, id := range w.requests {
			if id != i+1 {
				t.Fatalf("the worker got %v", w.requests)
			}
		}
	})
}

func TestLinkEndsWithThePodsWords(t *testing.T) {
	w := newWorker(30)
	gone := errors.New("the pod was evicted")
	l := quickLink(w, func(context.Context) error { return gone }, noEnd)
	defer l.Close()
	if _, err := io.ReadAll(l); !errors.Is(err, gone) {
		t.Errorf("%v", err)
	}
	<-l.done
	if _, err := io.WriteString(l, `{"id":1}`+"\n"); err == nil {
		t.Error("a request to nobody was taken")
	}
}

// TestLinkDoesNotAskAgainForARight: a missing right does not come while one waits.
func TestLinkDoesNotAskAgainForARight(t *testing.T) {
	w := newWorker()
	w.refuse = fmt.Errorf("the worker did not answer: %w", model.RefusedError("the right to create pods/exec is missing", "ask for it"))
	l := quickLink(w, alive, noEnd)
	defer l.Close()
	var refused *model.WorkerError
	if _, err := io.ReadAll(l); !errors.As(err, &refused) || refused.Hint != "ask for it" {
		t.Errorf("%v", err)
	}
}

func TestLinkGivesUpInWords(t *testing.T) {
	w := newWorker()
	w.refuse = errors.New("connection refused")
	l := newLink(context.Background(), &link{pod: "the pod", dial: w.dial, gone: alive, away: alive, say: func(string) {}, end: noEnd, pause: time.Millisecond, patience: 20 * time.Millisecond})
	defer l.Close()
	_, err := io.ReadAll(l)
	if err == nil || !strings.Contains(err.Error(), "connection refused") || !strings.Contains(err.Error(), "could not be made again within 20ms") {
		t.Errorf("%v", err)
	}
}

func TestSilentConnectionIsDropped(t *testing.T) {
	dials := 0
	w := newWorker()
	said := make(chan string, 9)
	l := newLink(context.Background(), &link{
		dial: func(ctx context.Context, from int64) (io.ReadWriteCloser, error) {
			if dials++; dials > 1 {
				return w.dial(ctx, from)
			}
			here, there := net.Pipe()
			go func() { _, _ = io.WriteString(there, `{"received":0}`+"\n") }()
			return here, nil
		},
		pod: "the pod on node3", gone: alive, away: alive, say: func(s string) { said <- s }, end: noEnd, pause: time.Millisecond, silence: 30 * time.Millisecond,
	})
	defer l.Close()
	// It is said at once, before anything is tried.
	if words := <-said; !strings.HasPrefix(words, "the connection to the pod on node3 is lost (nothing was heard from it for 30ms)") {
		t.Error(words)
	}
	if line, err := bufio.NewReader(l).ReadString('\n'); err != nil || !strings.Contains(line, `"seq":1`) {
		t.Errorf("%q, %v", line, err)
	}
}

// TestLostNodeEndsTheLink: a pod that the cluster has not given up runs for ever on a node
// that is gone; the link ends when the cluster says that it does not hear of the node, and
// not before its time.
func TestLostNodeEndsTheLink(t *testing.T) {
	w := newWorker()
	w.refuse = errors.New("no route to host")
	begin, asked := time.Now(), 0
	lost := errors.New("the pod p is lost with its node")
	l := newLink(context.Background(), &link{pod: "the pod", dial: w.dial, gone: alive, away: func(context.Context) error {
		if asked++; asked == 1 {
			return nil
		}
		return lost
	}, say: func(string) {}, end: noEnd, pause: time.Millisecond, absence: 50 * time.Millisecond})
	defer l.Close()
	if _, err := io.ReadAll(l); !errors.Is(err, lost) || asked != 2 || time.Since(begin) < 50*time.Millisecond {
		t.Errorf("%v after %s, asked %d times", err, time.Since(begin), asked)
	}
}

func TestCloseTakesDownOnce(t *testing.T) {
	times := 0
	failed := errors.New("still there")
	l := quickLink(newWorker(), alive, func() error { times++; return failed })
	for range 2 {
		if err := l.Close(); err != failed {
			t.Errorf("%v", err)
		}
	}
	if times != 1 {
		t.Errorf("taken down %d times", times)
	}
}

func TestNamesFitTheCluster(t *testing.T) {
	for id, want := range map[string]string{
		"20261121-060134-sc-local-path":       "loadline-20261121-060134-sc-local-path",
		"20261121-060134-pvc_prod/X.y":        "loadline-20261121-060134-pvc-prod-x-y",
		strings.Repeat("a", 99):               "loadline-" + strings.Repeat("a", 41),
		"trailing-" + strings.Repeat("-", 60): "loadline-trailing",
	} {
		if got := label(id); got != want {
			t.Errorf("%s: %s, want %s", id, got, want)
		}
	}
}
