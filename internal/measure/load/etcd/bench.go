package etcd

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/loadline/loadline/internal/env"
	"github.com/loadline/loadline/internal/model"
)

const (
	// defaultValue is how large a put's value is in bytes, where nobody says: what a put adds to
	// the log is then as large as a write of the profile etcd, 2,300 bytes, which is about an object
	// of Kubernetes'. Of smaller ones several share a page of the log, and only the first of them has
	// the filesystem note a new block. keys are how many keys there are.
	defaultValue, keys = 2200, 10_000
	// mostValue is what etcd takes at most (--max-request-bytes, 1.5 MiB), less a key's room.
	mostValue = 1_500_000
	// patience is how long puts under way may take after the end of a step, and lag how long
	// after its end a second is told, so that what ended in it has been counted.
	patience, lag = 60 * time.Second, 0.2
)

// valueOption is the option of a load that says how large a value is, as etcd's own benchmark
// has it.
const valueOption = "--val-size="

// ValueOption asks for values of so many bytes.
func ValueOption(size int) string { return valueOption + strconv.Itoa(size) }

// CheckOptions refuses options that the client does not have.
func CheckOptions(options []string) error {
	_, err := ValueSize(options)
	return err
}

// ValueSize is how many bytes the options ask to put as a value.
func ValueSize(options []string) (int, error) {
	size := defaultValue
	for _, o := range options {
		text, known := strings.CutPrefix(o, valueOption)
		n, err := strconv.Atoi(text)
		if !known || err != nil || n < 1 || n > mostValue {
			return 0, model.RefusedError(fmt.Sprintf("the load of etcd has no option %q", o), fmt.Sprintf("say how large a value is, 1 to %d bytes: --value-size 2200", mostValue))
		}
		size = n
	}
	return size, nil
}

// bench is one step's load: clients that put, each through a connection of its own.
type bench struct {
	clock   env.Clock
	clients []*client
	w       model.Workload
	value   int
	meter   *meter
	now     func() float64
}

// run loads until the end of the step, or until ctx or alive is done, and waits for what is
// under way.
func (b *bench) run(ctx, alive context.Context) {
	// A put that is under way at the end of the step is let end.
	puts, cancel := context.WithCancel(alive)
	defer cancel()
	over := b.clock.AfterFunc(time.Duration(b.meter.end()*float64(time.Second))+patience, cancel)
	defer over.Stop()
	stop := context.AfterFunc(ctx, cancel)
	defer stop()

	told := make(chan struct{})
	loading, loaded := context.WithCancel(context.Background())
	go func() {
		defer close(told)
		b.tell(loading)
	}()
	var group sync.WaitGroup
	if b.w.OpenLoop {
		b.open(puts, &group)
	} else {
		for _, c := range b.clients {
			group.Go(func() { b.closed(puts, c) })
		}
	}
	group.Wait()
	loaded()
	<-told
}

// tell has the seconds told as they end; the last one waits for the end of the load, which
// still counts in it what was never begun.
func (b *bench) tell(loading context.Context) {
	ticks := b.clock.NewTicker(100 * time.Millisecond)
	defer ticks.Stop()
	for {
		select {
		case <-ticks.C:
			b.meter.tell(min(b.now()-lag, b.meter.end()-0.5))
		case <-loading.Done():
			return
		}
	}
}

// message is a put of a key that is drawn, with a value of noise, which no storage compresses.
func (b *bench) message(random *rand.PCG, value []byte) []byte {
	for at := 0; at < len(value); at += 8 {
		var word [8]byte
		binary.LittleEndian.PutUint64(word[:], random.Uint64())
		copy(value[at:], word[:])
	}
	return putMessage(fmt.Appendf(nil, "loadline/%08d", random.Uint64()%keys), value)
}

// closed puts one after the other until the step ends.
func (b *bench) closed(ctx context.Context, c *client) {
	random, value := rand.NewPCG(rand.Uint64(), rand.Uint64()), make([]byte, b.value)
	for ctx.Err() == nil {
		message := b.message(random, value)
		begun := b.now()
		if begun >= b.meter.end() {
			return
		}
		if !b.put(ctx, c, message, begun) {
			return
		}
	}
}

// put does one, and says whether to go on.
func (b *bench) put(ctx context.Context, c *client, message []byte, due float64) bool {
	err := c.put(ctx, message)
	if err != nil && ctx.Err() != nil {
		// Called off.
		return false
	}
	b.meter.put(due, b.now(), err)
	return err == nil
}

// open makes puts due at random times (a Poisson process of the workload's rate), whether or
// not earlier ones have ended. Those that no client is free for wait, and their time counts;
// those that are later than the limit already, and those that wait at the end of the step, are
// skipped.
func (b *bench) open(ctx context.Context, group *sync.WaitGroup) {
	// The queue is bounded by what can be due, so that who keeps time never waits.
	queue := make(chan float64, b.most())
	group.Go(func() {
		defer close(queue)
		b.schedule(ctx, queue)
	})
	for _, c := range b.clients {
		group.Go(func() {
			random, value := rand.NewPCG(rand.Uint64(), rand.Uint64()), make([]byte, b.value)
			failed := false
			for due := range queue {
				now := b.now()
				switch late := now - due; {
				case ctx.Err() != nil:
				case now >= b.meter.end():
					b.meter.skip(due, b.meter.end()-due)
				case failed || b.w.App.Limit > 0 && late > b.w.App.Limit:
					b.meter.skip(due, max(late, b.w.App.Limit))
				default:
					failed = !b.put(ctx, c, b.message(random, value), due)
				}
			}
		})
	}
}

// most is how many puts can be due in a step: what is drawn beyond eight standard deviations of
// their number is not begun.
func (b *bench) most() int {
	const sigmas, few = 8, 100
	mean := b.w.RateIOPS * b.meter.end()
	return int(mean+sigmas*math.Sqrt(mean)) + few
}

// schedule makes puts due until the end of the step.
func (b *bench) schedule(ctx context.Context, queue chan<- float64) {
	due := 0.0
	for n := 0; n < cap(queue); n++ {
		due += rand.ExpFloat64() / b.w.RateIOPS
		if due >= b.meter.end() {
			return
		}
		if wait := due - b.now(); wait > 0 {
			select {
			case <-b.clock.After(time.Duration(wait * float64(time.Second))):
			case <-ctx.Done():
				return
			}
		}
		queue <- due
	}
}
