// Package archive keeps what a Job's pod has measured until somebody fetches it. Its assumptions:
// results must not need storage of their own, which would often be the storage under test; so the
// pod that made them waits, idle, for a stated time, and hands them over through the link that also
// connects to workers, complete and with a checksum of every file, or not at all.
//
// The link carries a line of JSON for each line of the work's output, a last one that marks its
// end, and then an archive; the commands stop and release travel back. Several clients may fetch at
// once, and each gets everything.
package archive

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/loadline/loadline/internal/cluster/link"
	"github.com/loadline/loadline/internal/env"
)

// Folder is the subdirectory of the results directory that contains the link's socket. It is never
// handed over.
const Folder = ".kept"

const (
	// saidName is the file with the lines before the archive.
	saidName = "said"
	// endGrace is how long a client that has released the results may take to receive the
	// confirmation.
	endGrace = 5 * time.Second
	// longestLine limits a line of the work's output, and longestWord a command sent to the work.
	longestLine, longestWord = 1 << 20, 64
)

// The commands to the end that keeps the results: stop ends the work but keeps its results so far;
// release means that the results need not be kept any longer.
const (
	stopWord    = "stop"
	releaseWord = "release"
)

// Status says how the work has ended.
type Status struct {
	// Code is the work's exit code.
	Code int `json:"code"`
	// Until is when the results are discarded if nobody fetches them.
	Until time.Time `json:"until,omitzero"`
}

// line is a line before the archive: a line of the work's output, or its end.
type line struct {
	Said string  `json:"said,omitempty"`
	Done *Status `json:"done,omitempty"`
}

// Options are the options of Keep. All but the clock are required.
type Options struct {
	// Dir is where the work writes its results.
	Dir string
	// Limit is how long the results are kept for fetching.
	Limit time.Duration
	Clock env.Clock
	// Say is called once, when the results are ready to be fetched.
	Say func(Status)
}

// Keep does the work and then keeps its results until they are released, the limit has passed or
// ctx ends. It returns the work's exit code. What the work writes to said is passed to its
// followers line by line.
func Keep(ctx context.Context, o Options, work func(ctx context.Context, said io.Writer) int) (code int, err error) {
	state := filepath.Join(o.Dir, Folder)
	if err := os.MkdirAll(state, 0o700); err != nil {
		return 0, fmt.Errorf("the results have no place in %s: %w", o.Dir, err)
	}
	spool, err := link.NewSpool(filepath.Join(state, saidName))
	if err != nil {
		return 0, fmt.Errorf("the results have no place in %s: %w", o.Dir, err)
	}
	defer spool.Close()
	working, stop := context.WithCancel(ctx)
	defer stop()
	released := make(chan struct{})
	release := sync.OnceFunc(func() { close(released) })
	k := &keeper{dir: o.Dir, spool: spool, released: released}
	server, err := link.Listen(state, link.Options{Clock: o.Clock, Out: k.open, In: func() io.Writer {
		return &lines{longest: longestWord, take: func(word []byte) {
			switch string(word) {
			case stopWord:
				stop()
			case releaseWord:
				release()
			}
		}}
	}})
	if err != nil {
		return 0, fmt.Errorf("nobody could fetch the results from %s: %w", o.Dir, err)
	}
	defer server.Close()

	said := &lines{longest: longestLine, take: func(text []byte) { writeLine(spool, line{Said: string(text)}) }}
	code = work(working, said)
	said.rest()
	if ctx.Err() != nil {
		// The pod is being deleted, and nobody could fetch anything from it.
		return code, nil
	}
	status := Status{Code: code, Until: o.Clock.Now().Add(o.Limit)}
	writeLine(spool, line{Done: &status})
	spool.End()
	o.Say(status)
	select {
	case <-ctx.Done():
	case <-o.Clock.After(o.Limit):
	case <-released:
		select {
		case <-server.Sent():
		case <-ctx.Done():
		case <-o.Clock.After(endGrace):
		}
	}
	return code, nil
}

// writeLine writes a line of JSON. A line that cannot be kept for followers is still in the log.
func writeLine(w io.Writer, l line) {
	if data, err := json.Marshal(l); err == nil {
		_, _ = w.Write(append(data, '\n'))
	}
}

// keeper opens what goes over the link: the lines, the archive, and the end once it is released.
type keeper struct {
	dir      string
	spool    *link.Spool
	released <-chan struct{}
}

func (k *keeper) open(from int64) (io.ReadCloser, error) {
	closed := make(chan struct{})
	p := &parts{close: sync.OnceFunc(func() { close(closed) })}
	// The total length of the lines is known only when they have ended; an offset beyond it lies in
	// the archive.
	skip := int64(0)
	said, err := k.spool.From(from)
	if err != nil {
		whole, sizeErr := k.spool.Size()
		if sizeErr != nil || from < whole {
			return nil, err
		}
		skip = from - whole
		if said, err = k.spool.From(whole); err != nil {
			return nil, err
		}
	}
	p.current = said
	p.next = []func() (io.ReadCloser, error){
		func() (io.ReadCloser, error) {
			r, w := io.Pipe()
			go func() { w.CloseWithError(give(w, k.dir)) }()
			_, err := io.CopyN(io.Discard, r, skip)
			return r, err
		},
		func() (io.ReadCloser, error) {
			select {
			case <-k.released:
				return nil, io.EOF
			case <-closed:
				return nil, io.ErrClosedPipe
			}
		},
	}
	return p, nil
}

// parts reads several readers one after the other.
type parts struct {
	mu      sync.Mutex
	current io.ReadCloser
	next    []func() (io.ReadCloser, error)
	ended   bool
	close   func()
}

func (p *parts) Read(b []byte) (int, error) {
	for {
		p.mu.Lock()
		current := p.current
		p.mu.Unlock()
		n, err := current.Read(b)
		if n > 0 || err != io.EOF || len(p.next) == 0 {
			return n, err
		}
		current.Close()
		part, err := p.next[0]()
		p.next = p.next[1:]
		if err != nil {
			return 0, err
		}
		p.mu.Lock()
		p.current = part
		ended := p.ended
		p.mu.Unlock()
		if ended {
			part.Close()
		}
	}
}

func (p *parts) Close() error {
	p.close()
	p.mu.Lock()
	defer p.mu.Unlock()
	p.ended = true
	return p.current.Close()
}

// lines splits what is written into lines.
type lines struct {
	mu      sync.Mutex
	longest int
	part    []byte
	take    func(line []byte)
}

func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	n := len(p)
	for {
		text, after, whole := bytes.Cut(p, []byte("\n"))
		// The beginning of an overlong line is enough.
		l.part = append(l.part, text[:min(len(text), l.longest-len(l.part))]...)
		if !whole {
			return n, nil
		}
		l.take(l.part)
		l.part, p = nil, after
	}
}

// rest handles a last line without a line end.
func (l *lines) rest() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.part) > 0 {
		l.take(l.part)
	}
	l.part = nil
}

// Stop tells the work at the other end of a link to end; its results so far are kept.
func Stop(to io.Writer) error { return tell(to, stopWord) }

// Release tells the other end that the results need not be kept any longer.
func Release(to io.Writer) error { return tell(to, releaseWord) }

func tell(to io.Writer, word string) error {
	_, err := io.WriteString(to, word+"\n")
	return err
}

// Follow reads the work's output until it ends, and returns its status and a reader with the
// archive for Take.
func Follow(from io.Reader, show func(string)) (Status, io.Reader, error) {
	// In JSON, a byte takes at most six bytes.
	r := bufio.NewReaderSize(from, 64<<10)
	for {
		text, err := boundedLine(r, 6*longestLine+longestHead)
		if err != nil {
			return Status{}, nil, err
		}
		var l line
		if err := json.Unmarshal(text, &l); err != nil {
			return Status{}, nil, fmt.Errorf("the Job said %.80q", text)
		}
		if l.Done != nil {
			return *l.Done, r, nil
		}
		show(l.Said)
	}
}

// longestHead is the maximum length of the JSON around a line.
const longestHead = 64

func boundedLine(r *bufio.Reader, most int) (text []byte, err error) {
	for {
		part, err := r.ReadSlice('\n')
		if text = append(text, part...); len(text) > most {
			return nil, fmt.Errorf("the Job said more than %d bytes in one line", most)
		}
		if err != bufio.ErrBufferFull {
			if err == io.EOF {
				err = io.ErrUnexpectedEOF
			}
			return text, err
		}
	}
}
