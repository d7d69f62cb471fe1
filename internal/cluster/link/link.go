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
	// A stream that is silent for four times the longest silence is dead, whatever the
	// kernel thinks of it, and that is said.
	maxSilence = 4 * heartbeat
	// The pauses between two tries to connect grow from the first to the longest.
	firstPause, longestPause = 250 * time.Millisecond, 5 * time.Second
	// maxLost is how long the way may be lost while the pod is not known to have ended.
	// Time in which the computer sleeps does not count.
	maxLost = 10 * time.Minute
	// maxAway is the same where the cluster says that the pod's node does not report any
	// more, which takes it most of a minute by default.
	maxAway = time.Minute
	// farewell is how long the other end may take to hear that its end has come.
	farewell = 2 * time.Second
)

// errSilent is the end of a session in which nothing came for too long.
var errSilent = errors.New("nothing was heard from it")

// Link is the end that comes back: Read gives what the other end sends without a gap or a
// repetition, and io.EOF when that has ended it.
type Link struct {
	// Name names the other end in sentences.
	Name string
	// Dial opens a connection to the other end's socket (see Attach).
	Dial func(ctx context.Context) (io.ReadWriteCloser, error)
	// Gone tells, in an error, that the pod has ended, so that dialling is in vain.
	Gone func(ctx context.Context) error
	// Away tells, in an error, that the cluster does not hear of the pod's node either.
	Away func(ctx context.Context) error
	// Say gets sentences about the connection for people.
	Say func(string)
	// Clock is the time by which it waits.
	Clock env.Clock
	// End takes everything down; Close calls it once. Nil is nothing to take down.
	End func() error
	// Pause is the first pause between two tries to connect; 0 is a quarter of a second.
	Pause time.Duration
	// silenceTimeout, reconnectTimeout and nodeTimeout are the constants above, unless they are set.
	silenceTimeout, reconnectTimeout, nodeTimeout time.Duration

	client string
	ctx    context.Context
	cancel context.CancelFunc
	in     *io.PipeReader
	toUser *io.PipeWriter
	done   chan struct{}

	mu sync.Mutex
	// out writes to the connection that there is; nil is none.
	out *frames
	// sent are the bytes that may not have arrived, behind the first acknowledged ones.
	sent         []byte
	acknowledged int64
	closed       bool
	once         sync.Once
	endErr       error
}

// Connect starts connecting. The fields Name, Dial, Gone, Away and Say are required.
func Connect(ctx context.Context, l *Link) *Link {
	l.nodeTimeout = cmp.Or(l.nodeTimeout, maxAway)
	l.silenceTimeout, l.Pause, l.reconnectTimeout = cmp.Or(l.silenceTimeout, maxSilence), cmp.Or(l.Pause, firstPause), cmp.Or(l.reconnectTimeout, maxLost)
	l.client = rand.Text()
	l.ctx, l.cancel = context.WithCancel(ctx)
	l.in, l.toUser = io.Pipe()
	l.done = make(chan struct{})
	go l.run()
	return l
}

// Read gives what the other end sends.
func (l *Link) Read(p []byte) (int, error) { return l.in.Read(p) }

// Write does not fail when the connection is lost: the bytes are sent when there is one
// again.
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
		// A failed write is noticed by the reading side, which connects again.
		_, _ = l.out.Write(p)
	}
	return len(p), nil
}

// Close ends the connection and takes down what the place has made.
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

// run connects and reads, again and again, until the link is closed or hopeless.
func (l *Link) run() {
	defer close(l.done)
	var last int64
	// The monotonic clock stands still while the computer sleeps.
	lost, pause := l.Clock.Now(), l.Pause
	told := false
	for {
		before := last
		err := l.session(&last)
		if l.ctx.Err() != nil || errors.Is(err, errEnd) {
			l.toUser.CloseWithError(io.EOF)
			return
		}
		if last > before {
			lost, pause, told = l.Clock.Now(), l.Pause, false
		}
		if refused := refusal(err); refused != nil {
			l.toUser.CloseWithError(refused)
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

// refusal is the cluster's, which does not pass: a missing right.
func refusal(err error) error {
	var w *model.WorkerError
	if errors.As(err, &w) && w.Class == model.Refused {
		return w
	}
	return nil
}

// session is one connection, from dialling to its end; last is how many bytes have come.
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
	// Where it cannot be written nothing will be answered, and that is told.
	go func() { _ = writeLine(stream, first) }()
	in := bufio.NewReaderSize(stream, 64<<10)
	line, err := firstLine(in)
	if err != nil {
		return fmt.Errorf("%s did not answer: %w", l.Name, err)
	}
	var w struct {
		Received *int64 `json:"received"`
	}
	if json.Unmarshal(line, &w) != nil || w.Received == nil {
		return fmt.Errorf("%s answered with %.80q", l.Name, line)
	}
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
		// Who is slow to take it hears nothing meanwhile.
		quiet.Stop()
		n, err := l.toUser.Write(frame)
		*last += int64(n)
		if err != nil {
			return err
		}
		quiet.Reset(l.silenceTimeout)
	}
}

// firstLine reads the line that a connection begins with.
func firstLine(r *bufio.Reader) ([]byte, error) {
	line, err := r.ReadSlice('\n')
	if errors.Is(err, bufio.ErrBufferFull) || len(line) > longestHello {
		return nil, fmt.Errorf("a line of more than %d bytes came", longestHello)
	}
	return line, err
}

// resume sends again what has not arrived, and lets Write use the stream.
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

// acknowledge tells that the end has come, and waits until that has arrived.
func (l *Link) acknowledge(stream io.ReadWriteCloser, in io.Reader) {
	waited := l.Clock.AfterFunc(farewell, func() { stream.Close() })
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
