package durability

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/loadline/loadline/internal/env"
)

// The protocol between the writer and its parent, one message per line. The parent sends "cut" with a
// description of the coming cut, and receives "cutting" once that is in the ledger; the end of the
// writer's input means stop.
const (
	sayAcked   = "acked "
	sayCutting = "cutting"
	sayFailed  = "failed "
	sayCut     = "cut "
)

// tellEvery is how often the writer reports its progress.
const tellEvery = 50 * time.Millisecond

// stopTime bounds how long to wait at the end for writes in flight.
const stopTime = 5 * time.Second

// Write is the main function of the writing process: it continues where the ledger ends and writes
// until its input ends, a write fails, or it is killed. Loadline starts this process itself.
func Write(ctx context.Context, clock env.Clock, path string, in io.Reader, out io.Writer) error {
	s, err := readState(path)
	if err != nil {
		return err
	}
	l, err := openLedger(path, false)
	if err != nil {
		return err
	}
	w := &writer{clock: clock, state: s, ledger: l, out: out, failed: make(chan error, s.header.Jobs+2)}
	if err := w.open(ctx); err != nil {
		w.say(sayFailed + err.Error())
		return err
	}
	begin := writeEntry{Cut: len(s.phases) + 1, At: w.clock.Now(), Boot: bootID()}
	if s.last() != nil && s.header.promised() {
		// From here on, what the check found must stay.
		if err := w.media[0].flush(ctx); err != nil {
			w.say(sayFailed + err.Error())
			return err
		}
		begin.Held = true
	}
	if err := l.append(entry{Write: &begin}); err != nil {
		return err
	}
	return w.work(ctx, in)
}

type writer struct {
	clock  env.Clock
	state  *state
	ledger *ledger
	media  []medium
	acked  atomic.Int64
	failed chan error

	mu  sync.Mutex
	out io.Writer
}

// open opens a medium for each job. NBD jobs only get separate connections if the server guarantees
// that these see the same data.
func (w *writer) open(ctx context.Context) error {
	for range w.state.header.Jobs {
		m, err := openWriter(ctx, &w.state.header)
		if err != nil {
			return err
		}
		w.media = append(w.media, m)
		if !m.shareable() {
			break
		}
	}
	return nil
}

// work runs the jobs. On a failure it does not wait for those that hang.
func (w *writer) work(ctx context.Context, in io.Reader) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	var jobs sync.WaitGroup
	for j := range w.state.header.Jobs {
		jobs.Go(func() {
			if err := w.job(ctx, j); err != nil {
				w.failed <- err
			}
		})
	}
	told, ended := make(chan struct{}), make(chan struct{})
	go func() {
		w.listen(in)
		close(told)
	}()
	tick := w.clock.NewTicker(tellEvery)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			w.say(fmt.Sprint(sayAcked, w.acked.Load()))
		case err := <-w.failed:
			w.say(fmt.Sprint(sayAcked, w.acked.Load()))
			w.say(sayFailed + strings.ReplaceAll(err.Error(), "\n", " "))
			return err
		case <-told:
			told = nil
			stop()
			go func() {
				jobs.Wait()
				close(ended)
			}()
			w.clock.AfterFunc(stopTime, func() { w.failed <- fmt.Errorf("a write has not ended in %s", stopTime) })
		case <-ended:
			w.say(fmt.Sprint(sayAcked, w.acked.Load()))
			return nil
		}
	}
}

// listen handles messages from the parent until its input ends.
func (w *writer) listen(in io.Reader) {
	lines := bufio.NewScanner(in)
	for lines.Scan() {
		word, ok := strings.CutPrefix(lines.Text(), sayCut)
		var c cuttingEntry
		if !ok || json.Unmarshal([]byte(word), &c) != nil {
			continue
		}
		if err := w.ledger.append(entry{Cutting: &c}); err != nil {
			w.failed <- err
			return
		}
		w.say(sayCutting)
	}
}

// job writes to its own share of the blocks, so that no block has two writes in flight and the order
// of its writes is known.
func (w *writer) job(ctx context.Context, j int) error {
	h := &w.state.header
	m := w.media[j%len(w.media)]
	// Requests are not cancelled by the stop, which would break off the connection in the middle of
	// an exchange.
	whole := context.WithoutCancel(ctx)
	var mine []int
	for i := j; i < h.Blocks; i += h.Jobs {
		mine = append(mine, i)
	}
	p := aligned(int(h.BlockSize))
	for ctx.Err() == nil && len(mine) > 0 {
		i := mine[rand.IntN(len(mine))]
		b := &w.state.blocks[i]
		b.intended++
		at := [2]uint64{uint64(i), b.intended}
		encode(p, h.Volume, h.offset(i), b.intended)
		if err := w.ledger.append(entry{Intent: &at}); err != nil {
			return err
		}
		if err := m.write(whole, p, h.offset(i)); err != nil {
			return err
		}
		if err := w.ledger.append(entry{Ack: &at}); err != nil {
			return err
		}
		w.acked.Add(1)
	}
	return nil
}

// say sends a line to the parent; if the parent has ended, the end of the input shows it.
func (w *writer) say(line string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	fmt.Fprintln(w.out, line)
}
