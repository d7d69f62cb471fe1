package link

import (
	"bufio"
	"cmp"
	"context"
	"crypto/rand"
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
	// A connection that is silent for four heartbeat intervals is dead, whatever the kernel thinks,
	// and is reported as such.
	maxSilence = 4 * heartbeat
	// The pause between two attempts to connect grows from firstPause to longestPause.
	firstPause, longestPause = 250 * time.Millisecond, 5 * time.Second
	// maxLost is how long the connection may be lost while the pod is not known to have ended. Time
	// in which the computer is suspended does not count.
	maxLost = 10 * time.Minute
	// maxAway is the same if the cluster says that the pod's node no longer reports, which the
	// cluster takes most of a minute to notice by default.
	maxAway = time.Minute
	// endGrace is how long the other end may take to confirm that the end has arrived.
	endGrace = 2 * time.Second
)

// errSilent ends a session in which nothing was received for too long.
var errSilent = errors.New("nothing was heard from it")

// errReplaced ends a link whose server was started again: it has none of what was sent before, and must not
// be sent it again as if nothing had happened.
var errReplaced = errors.New("what has answered is not what was there before")

// maxReplaced is how long the cluster is asked why a server was replaced.
const maxReplaced = 10 * time.Second

// Link is the client's end: Read returns what the server sends, without gaps or repetitions, and
// io.EOF when the server has ended the stream.
type Link struct {
	// Name is the other end's name in messages.
	Name string
	// Dial opens a connection to the other end's socket (see Attach).
	Dial func(ctx context.Context) (io.ReadWriteCloser, error)
	// Gone returns an error if the pod has ended, so that dialling is useless.
	Gone func(ctx context.Context) error
	// Away returns an error if the cluster has lost contact with the pod's node, too.
	Away func(ctx context.Context) error
	// Say receives messages about the connection for people.
	Say func(string)
	// Clock is used for waiting.
	Clock env.Clock
	// End releases everything; Close calls it once. Nil means that there is nothing to release.
	End func() error
	// Pause is the first pause between two attempts to connect; 0 means a quarter of a second.
	Pause time.Duration
	// silenceTimeout, reconnectTimeout and nodeTimeout default to the constants above.
	silenceTimeout, reconnectTimeout, nodeTimeout, replacedTimeout time.Duration

	client string
	// server is the name of the server that was reached first; only run uses it.
	server string
	ctx    context.Context
	cancel context.CancelFunc
	in     *io.PipeReader
	toUser *io.PipeWriter
	done   chan struct{}
	// heard is when a frame last arrived, data or not; only run uses it.
	heard time.Time

	mu sync.Mutex
	// out writes to the current connection; nil if there is none.
	out *frames
	// sent are the bytes that may not have arrived, after the first acknowledged ones.
	sent         []byte
	acknowledged int64
	closed       bool
	once         sync.Once
	endErr       error
}

// Connect starts connecting. The fields Name, Dial, Gone, Away and Say are required.
func Connect(ctx context.Context, l *Link) *Link {
	l.nodeTimeout, l.replacedTimeout = cmp.Or(l.nodeTimeout, maxAway), cmp.Or(l.replacedTimeout, maxReplaced)
	l.silenceTimeout, l.Pause, l.reconnectTimeout = cmp.Or(l.silenceTimeout, maxSilence), cmp.Or(l.Pause, firstPause), cmp.Or(l.reconnectTimeout, maxLost)
	l.client = rand.Text()
	l.ctx, l.cancel = context.WithCancel(ctx)
	l.in, l.toUser = io.Pipe()
	l.done = make(chan struct{})
	go l.run()
	return l
}

// Read reads what the other end sends.
func (l *Link) Read(p []byte) (int, error) { return l.in.Read(p) }

// Write does not fail when the connection is lost: the bytes are sent after reconnecting.
func (l *Link) Write(p []byte) (int, error) {
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
	l.sent = append(l.sent, p...)
	if l.out != nil {
		// A failed write is noticed by the reading side, which reconnects.
		_, _ = l.out.Write(p)
	}
	return len(p), nil
}

// Close closes the connection and calls End.
func (l *Link) Close() error {
	l.mu.Lock()
	l.closed = true
	l.mu.Unlock()
	l.cancel()
	l.in.Close()
	<-l.done
	l.once.Do(func() {
		if l.End != nil {
			l.endErr = l.End()
		}
	})
	return l.endErr
}

// run connects and reads, again and again, until the link is closed or cannot be restored.
func (l *Link) run() {
	defer close(l.done)
	var last int64
	// The monotonic clock stands still while the computer is suspended.
	lost, pause := l.Clock.Now(), l.Pause
	told := false
	for {
		err := l.session(&last)
		if l.ctx.Err() != nil || errors.Is(err, errEnd) {
			l.toUser.CloseWithError(io.EOF)
			return
		}
		if l.heard.After(lost) {
			// Silence may have lasted long before it is noticed, such as while this process was stopped.
			lost, pause, told = l.Clock.Now(), l.Pause, false
		}
		if refused := refusal(err); refused != nil {
			l.toUser.CloseWithError(refused)
			return
		}
		if errors.Is(err, errReplaced) {
			l.toUser.CloseWithError(l.whyReplaced())
			return
		}
		if !told && (errors.Is(err, errSilent) || l.Clock.Since(lost) > 2*time.Second) {
			l.Say(fmt.Sprintf("the connection to %s is lost (%v); the work goes on there, trying again", l.Name, err))
			told = true
		}
		if gone := l.Gone(l.ctx); gone != nil {
			l.toUser.CloseWithError(gone)
			return
		}
		if l.Clock.Since(lost) >= l.nodeTimeout {
			if away := l.Away(l.ctx); away != nil {
				l.toUser.CloseWithError(away)
				return
			}
		}
		if l.Clock.Since(lost) >= l.reconnectTimeout {
			l.toUser.CloseWithError(fmt.Errorf("the connection to %s was lost and could not be made again within %s: %w", l.Name, l.reconnectTimeout, err))
			return
		}
		select {
		case <-l.ctx.Done():
		case <-l.Clock.After(pause):
		}
		pause = min(2*pause, longestPause)
	}
}

// whyReplaced returns why another server has answered. The cluster may take a moment to report it.
func (l *Link) whyReplaced() error {
	for begin := l.Clock.Now(); l.ctx.Err() == nil && l.Clock.Since(begin) < l.replacedTimeout; {
		if gone := l.Gone(l.ctx); gone != nil {
			return gone
		}
		select {
		case <-l.ctx.Done():
		case <-l.Clock.After(l.Pause):
		}
	}
	return model.BrokenError(l.Name+" was started again during the measurement, and what it had measured is lost", "find out why it ended, and run again")
}

// refusal returns the cluster's refusal that waiting does not resolve: a missing right.
func refusal(err error) error {
	var w *model.WorkerError
	if errors.As(err, &w) && w.Class == model.Refused {
		return w
	}
	return nil
}

// session is one connection, from dialling to its end; last is how many bytes have been received.
func (l *Link) session(last *int64) error {
	ctx, cancel := context.WithCancel(l.ctx)
	defer cancel()
	stream, err := l.Dial(ctx)
	if err != nil {
		return err
	}
	defer stream.Close()
	stopped := context.AfterFunc(ctx, func() { stream.Close() })
	defer stopped()
	quiet := l.Clock.AfterFunc(l.silenceTimeout, cancel)
	defer quiet.Stop()
	first := hello{Client: l.client, From: *last}
	// If writing fails there will be no answer, and that is reported.
	go func() { _ = writeLine(stream, first) }()
	in := bufio.NewReaderSize(stream, 64<<10)
	line, err := firstLine(in)
	if err != nil {
		return fmt.Errorf("%s did not answer: %w", l.Name, err)
	}
	var w struct {
		Server   string `json:"server"`
		Received *int64 `json:"received"`
	}
	if json.Unmarshal(line, &w) != nil || w.Received == nil {
		return fmt.Errorf("%s answered with %.80q", l.Name, line)
	}
	if l.server != "" && w.Server != l.server {
		return errReplaced
	}
	l.server = w.Server
	if err := l.resume(stream, *w.Received); err != nil {
		return err
	}
	defer l.suspend()
	var frame []byte
	for {
		frame, err = readFrame(in, frame)
		if errors.Is(err, errEnd) {
			l.acknowledge(stream, in)
			return err
		}
		if err != nil {
			if ctx.Err() != nil && l.ctx.Err() == nil {
				return fmt.Errorf("%w for %s", errSilent, l.silenceTimeout)
			}
			return err
		}
		l.heard = l.Clock.Now()
		if len(frame) == 0 {
			// A heartbeat. It must not reach the reader: a hundred reads without data in a row are an error to
			// bufio.
			quiet.Reset(l.silenceTimeout)
			continue
		}
		// The silence timeout is suspended while a slow reader takes the data.
		quiet.Stop()
		n, err := l.toUser.Write(frame)
		*last += int64(n)
		if err != nil {
			return err
		}
		quiet.Reset(l.silenceTimeout)
	}
}

// firstLine reads the first line of a connection.
func firstLine(r *bufio.Reader) ([]byte, error) {
	line, err := r.ReadSlice('\n')
	if errors.Is(err, bufio.ErrBufferFull) || len(line) > longestHello {
		return nil, fmt.Errorf("a line of more than %d bytes came", longestHello)
	}
	return line, err
}

// resume resends what has not arrived, and lets Write use the stream.
func (l *Link) resume(stream io.ReadWriteCloser, received int64) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	arrived := received - l.acknowledged
	if arrived < 0 || arrived > int64(len(l.sent)) {
		return fmt.Errorf("%s has had %d bytes, and %d to %d were sent", l.Name, received, l.acknowledged, l.acknowledged+int64(len(l.sent)))
	}
	l.sent, l.acknowledged = append([]byte(nil), l.sent[arrived:]...), received
	l.out = &frames{to: stream, clock: l.Clock}
	if len(l.sent) > 0 {
		_, _ = l.out.Write(l.sent)
	}
	return nil
}

// acknowledge confirms the end of the stream, and waits until the confirmation has arrived.
func (l *Link) acknowledge(stream io.ReadWriteCloser, in io.Reader) {
	waited := l.Clock.AfterFunc(endGrace, func() { stream.Close() })
	defer waited.Stop()
	l.mu.Lock()
	out := l.out
	l.mu.Unlock()
	if out != nil && out.end() == nil {
		_, _ = io.Copy(io.Discard, in)
	}
}

func (l *Link) suspend() {
	l.mu.Lock()
	l.out = nil
	l.mu.Unlock()
}
