package engine

import (
	"io"
	"strings"
	"testing"

	"github.com/loadline/loadline/internal/model"
)

// endless is a link whose worker says hello and then sends without end; every write succeeds, so only the
// reader's own limits end it.
type endless struct {
	io.Reader
	said *countingReader
}

type countingReader struct {
	head  string
	piece string
	n     int
}

func (c *countingReader) Read(p []byte) (int, error) {
	if c.head != "" {
		n := copy(p, c.head)
		c.head = c.head[n:]
		return n, nil
	}
	n := 0
	for n < len(p) {
		at := (c.n + n) % len(c.piece)
		n += copy(p[n:], c.piece[at:])
	}
	c.n += n
	return n, nil
}

func (endless) Write(line []byte) (int, error) { return len(line), nil }
func (endless) Close() error                   { return nil }

// The engine gives up on a worker that sends an endless line at a limit, not when memory is full.
func TestAnEndlessLineEndsTheLink(t *testing.T) {
	said := &countingReader{head: `{"seq":1,"hello":{"protocol":1,"version":"v","clock":1,"hostname":"h","pid":1}}` + "\n", piece: " "}
	w, err := Connect(t.Context(), endless{said, said})
	if err != nil {
		t.Fatal(err)
	}
	_, err = w.Idle(t.Context(), model.IdleRequest{})
	if err == nil || !strings.Contains(err.Error(), "a line of more than 16 MiB") {
		t.Errorf("%v", err)
	}
	if said.n > 3*longestEvent {
		t.Errorf("%d bytes were read", said.n)
	}
}

// What a worker sends in one repeat is limited: one sample per second, and little raw output.
func TestAnExceededQuotaEndsTheRun(t *testing.T) {
	for name, c := range map[string]struct {
		event model.Event
		words string
	}{
		"samples": {model.Event{Sample: &model.Sample{Step: 1, End: 1, Seconds: 1, Read: &model.Flow{IOs: 100}}}, "samples of a repeat"},
		"raw":     {model.Event{Raw: &model.Raw{Name: "0001-w.json", Data: make([]byte, 128<<10)}}, "raw output"},
		"large":   {model.Event{Raw: &model.Raw{Name: "0001-w.json", Data: make([]byte, 6<<20)}}, "answer to one request"},
	} {
		t.Run(name, func(t *testing.T) {
			w, _ := connected(t, func(s *scripted, r model.Request) {
				switch {
				case r.Stop != nil:
					s.emit(model.Event{ID: r.Stop.ID, Result: &model.StepResult{Step: model.Step{Number: 1, Workload: "w"}, Error: model.StoppedStep, Ended: 1}})
				case r.Start == nil:
					steady(s, r)
				default:
					ev := c.event
					ev.ID = r.ID
					for range 2000 {
						s.emit(ev)
					}
				}
			})
			m := &memory{}
			_, err := execute(t.Context(), plan(1000, "w"), needs{}, m, w)
			if err == nil || !strings.Contains(err.Error(), c.words) {
				t.Errorf("%v", err)
			}
			if m.status != model.Failed {
				t.Errorf("status %s", m.status)
			}
		})
	}
}
