package pods

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/loadline/loadline/internal/env"
	"github.com/loadline/loadline/internal/model"
)

const (
	// The worker breaks a silence every two seconds, so a stream that is silent for four
	// times that is dead, whatever the kernel thinks of it, and that is said.
	maxSilence = 8 * time.Second
	// The pauses between two tries to connect grow from the first to the longest.
	firstPause, longestPause = 250 * time.Millisecond, 5 * time.Second
	// maxLost is how long the way to a worker may be lost while its pod is not known
	// to have ended. Time in which the computer sleeps does not count.
	maxLost = 10 * time.Minute
	// maxAway is the same where the cluster says that the pod's node does not report any
	// more, which takes it most of a minute by default.
	maxAway = time.Minute
)

// errSilent is the end of a session in which nothing came for too long.
var errSilent = errors.New("nothing was heard from it")

// dialer opens a stream to the resident worker that begins behind event number from.
type dialer func(ctx context.Context, from int64) (io.ReadWriteCloser, error)

// link is one lossless stream made of as many connections as it takes.
type link struct {
	// pod names the pod in sentences.
	pod  string
	dial dialer
	// gone tells, in an error, that the pod has ended, so that dialling is in vain.
	gone func(ctx context.Context) error
	// away tells, in an error, that the cluster does not hear of the pod's node either.
	away func(ctx context.Context) error
	// say gets sentences about the connection for people.
	say func(string)
	// clock is the time by which it waits.
	clock env.Clock
	// end takes everything down; Close calls it once.
	end func() error
	// silence, pause, patience and absence are the constants above, unless they are set.
	silence, pause, patience, absence time.Duration

	ctx    context.Context
	cancel context.CancelFunc
	events *io.PipeReader
	toUser *io.PipeWriter
	done   chan struct{}

	mu     sync.Mutex
	stream io.ReadWriteCloser
	// sent are the requests that the worker may not have, oldest first.
	sent   []request
	closed bool
	once   sync.Once
	endErr error
}

type request struct {
	id   int
	line []byte
}

// newLink starts connecting. The fields pod, dial, gone, away, say and end are required.
func newLink(ctx context.Context, l *link) *link {
	l.absence = cmp.Or(l.absence, maxAway)
	l.silence, l.pause, l.patience = cmp.Or(l.silence, maxSilence), cmp.Or(l.pause, firstPause), cmp.Or(l.patience, maxLost)
	l.ctx, l.cancel = context.WithCancel(ctx)
	l.events, l.toUser = io.Pipe()
	l.done = make(chan struct{})
	go l.run()
	return l
}

// Read gives the worker's events without a gap or a repetition.
func (l *link) Read(p []byte) (int, error) { return l.events.Read(p) }

// Write takes one request line. It does not fail when the connection is lost: the
// line is sent when there is one again.
func (l *link) Write(line []byte) (int, error) {
	var head struct {
		ID int `json:"id"`
	}
	if err := json.Unmarshal(line, &head); err != nil {
		return 0, fmt.Errorf("a request is no line of JSON: %w", err)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	select {
	case <-l.done:
		return 0, errors.New("the link to the pod has ended")
	default:
	}
	if l.closed {
		return 0, io.ErrClosedPipe
	}
	own := append([]byte(nil), line...)
	l.sent = append(l.sent, request{id: head.ID, line: own})
	if l.stream != nil {
		// A failed write is noticed by the reading side, which connects again.
		_, _ = l.stream.Write(own)
	}
	return len(line), nil
}

// Close ends the connection and takes down what the place has made.
func (l *link) Close() error {
	l.mu.Lock()
	l.closed = true
	l.mu.Unlock()
	l.cancel()
	l.events.Close()
	<-l.done
	l.once.Do(func() { l.endErr = l.end() })
	return l.endErr
}

// run connects and reads, again and again, until the link is closed or hopeless.
func (l *link) run() {
	defer close(l.done)
	var last int64
	// The monotonic clock stands still while the computer sleeps.
	lost, pause := l.clock.Now(), l.pause
	told := false
	for {
		before := last
		err := l.session(&last)
		if l.ctx.Err() != nil {
			l.toUser.CloseWithError(io.EOF)
			return
		}
		if last > before {
			lost, pause, told = l.clock.Now(), l.pause, false
		}
		if refused := refusal(err); refused != nil {
			l.toUser.CloseWithError(refused)
			return
		}
		if !told && (errors.Is(err, errSilent) || l.clock.Since(lost) > 2*time.Second) {
			l.say(fmt.Sprintf("the connection to %s is lost (%v); the work goes on there, trying again", l.pod, err))
			told = true
		}
		if gone := l.gone(l.ctx); gone != nil {
			l.toUser.CloseWithError(gone)
			return
		}
		if l.clock.Since(lost) >= l.absence {
			if away := l.away(l.ctx); away != nil {
				l.toUser.CloseWithError(away)
				return
			}
		}
		if l.clock.Since(lost) >= l.patience {
			l.toUser.CloseWithError(fmt.Errorf("the connection to %s was lost and could not be made again within %s: %w", l.pod, l.patience, err))
			return
		}
		select {
		case <-l.ctx.Done():
		case <-l.clock.After(pause):
		}
		pause = min(2*pause, longestPause)
	}
}

// refusal is the cluster's, which does not pass: a missing right.
func refusal(err error) error {
	var w *model.WorkerError
	if errors.As(err, &w) && w.Class == model.Refused {
		return w
	}
	return nil
}

// longestLine is that of the longest event which the engine takes, so no more is read.
const longestLine = 16 << 20

// nextLine reads a whole line with its end.
func nextLine(r *bufio.Reader) (line []byte, err error) {
	for {
		part, err := r.ReadSlice('\n')
		if line = append(line, part...); len(line) > longestLine {
			return nil, fmt.Errorf("the worker sent a line of more than %d MiB", longestLine>>20)
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return line, err
		}
	}
}

// session is one connection, from dialling to its end.
func (l *link) session(last *int64) error {
	ctx, cancel := context.WithCancel(l.ctx)
	defer cancel()
	stream, err := l.dial(ctx, *last)
	if err != nil {
		return err
	}
	defer stream.Close()
	stopped := context.AfterFunc(ctx, func() { stream.Close() })
	defer stopped()
	quiet := l.clock.AfterFunc(l.silence, cancel)
	defer quiet.Stop()
	lines := bufio.NewReaderSize(stream, 64<<10)
	line, err := nextLine(lines)
	if err != nil {
		return fmt.Errorf("the worker did not answer: %w", err)
	}
	var attached struct {
		Received *int `json:"received"`
	}
	if json.Unmarshal(line, &attached) != nil || attached.Received == nil {
		return fmt.Errorf("the worker answered with %.80q", line)
	}
	l.resume(stream, *attached.Received)
	defer l.suspend()
	for {
		line, err := nextLine(lines)
		if err != nil {
			if ctx.Err() != nil && l.ctx.Err() == nil {
				return fmt.Errorf("%w for %s", errSilent, l.silence)
			}
			return err
		}
		quiet.Reset(l.silence)
		if len(line) == 1 {
			continue
		}
		var head struct {
			Seq int64 `json:"seq"`
		}
		if err := json.Unmarshal(line, &head); err != nil {
			return fmt.Errorf("the worker sent a line that is no event: %.80q", line)
		}
		// What follows a gap is asked for again; the engine would refuse it.
		if head.Seq != *last+1 {
			return fmt.Errorf("event %d came where %d was due", head.Seq, *last+1)
		}
		if _, err := l.toUser.Write(line); err != nil {
			return err
		}
		*last = head.Seq
	}
}

// resume sends again what the worker has not received, and lets Write use the stream.
func (l *link) resume(stream io.ReadWriteCloser, received int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for len(l.sent) > 0 && l.sent[0].id <= received {
		l.sent = l.sent[1:]
	}
	for _, r := range l.sent {
		_, _ = stream.Write(r.line)
	}
	l.stream = stream
}

func (l *link) suspend() {
	l.mu.Lock()
	l.stream = nil
	l.mu.Unlock()
}
