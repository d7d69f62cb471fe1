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
	// defaultValue is the default size of a put's value in bytes: what a put adds to the log is
	// then as large as a write of the profile etcd, 2,300 bytes, which is about the size of a
	// Kubernetes object. Several smaller ones would share a page of the log, and only the first of
	// them makes the filesystem record a new block. keys is the number of keys.
	defaultValue, keys = 2200, 10_000
	// mostValue is etcd's limit (--max-request-bytes, 1.5 MiB), less room for a key.
	mostValue = 1_500_000
	// patience is how long pending puts may take after the end of a step, and lag how long after
	// its end a second is reported, so that everything that ended in it has been counted.
	patience, lag = 60 * time.Second, 0.2
)

// valueOption is the load option that sets the size of a value, named as in etcd's own benchmark.
const valueOption = "--val-size="

// CheckOptions refuses options that the client does not have.
func CheckOptions(options []string) error {
	_, err := valueSize(options)
	return err
}

// valueSize returns the size of a value in bytes according to the options.
func valueSize(options []string) (int, error) {
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

// bench is the load of one step: clients that put, each over its own connection.
type bench struct {
	clock   env.Clock
	clients []*client
	w       model.Workload
	value   int
	meter   *meter
	now     func() float64
}

// run generates load until the end of the step, or until ctx or alive is done, and waits for pending puts.
func (b *bench) run(ctx, alive context.Context) {
	// Puts that are pending at the end of the step may complete.
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

// tell reports the seconds as they end; the last one waits for the end of the load, which adds to
// it the puts that were never begun.
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

// message returns a put of a random key with a random value, which no storage can compress.
func (b *bench) message(random *rand.PCG, value []byte) []byte {
	for at := 0; at < len(value); at += 8 {
		var word [8]byte
		binary.LittleEndian.PutUint64(word[:], random.Uint64())
		copy(value[at:], word[:])
	}
	return putMessage(fmt.Appendf(nil, "loadline/%08d", random.Uint64()%keys), value)
}

// closed issues puts one after the other until the step ends.
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

// put issues one put and reports whether to continue.
func (b *bench) put(ctx context.Context, c *client, message []byte, due float64) bool {
	err := c.put(ctx, message)
	if err != nil && ctx.Err() != nil {
		// Cancelled.
		return false
	}
	b.meter.put(due, b.now(), err)
	return err == nil
}

// open makes puts due at random times (a Poisson process with the workload's rate), whether or not
// earlier ones have completed. Puts for which no client is free wait, and the wait counts in their
// latency; those already later than the limit, and those still waiting at the end of the step, are
// skipped.
func (b *bench) open(ctx context.Context, group *sync.WaitGroup) {
	// The queue has room for all puts that can become due, so that the scheduler never waits.
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

// most returns how many puts can be due in a step: those beyond eight standard deviations of the
// expected number are not begun.
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
