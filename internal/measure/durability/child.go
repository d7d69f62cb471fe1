package durability

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/loadline/loadline/internal/env"
)

// child is the writing process as seen by its parent.
type child struct {
	cmd   *exec.Cmd
	clock env.Clock
	stdin io.WriteCloser
	// ended is closed when the process has ended.
	ended chan struct{}

	mu      sync.Mutex
	acked   int
	since   time.Time // when acked last increased
	cutting bool
	words   string // the error that it reported
	stderr  strings.Builder
}

// startChild starts the writer described by cmd.
func startChild(clock env.Clock, cmd *exec.Cmd) (*child, error) {
	c := &child{cmd: cmd, ended: make(chan struct{}), since: clock.Now(), clock: clock}
	cmd.Stderr = &c.stderr
	var err error
	if c.stdin, err = cmd.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("the writing process cannot be started: %w", err)
	}
	go func() {
		c.listen(out)
		_ = cmd.Wait()
		close(c.ended)
	}()
	return c, nil
}

func (c *child) listen(out io.Reader) {
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		line := lines.Text()
		c.mu.Lock()
		if n, ok := strings.CutPrefix(line, sayAcked); ok {
			if acked, err := strconv.Atoi(n); err == nil && acked > c.acked {
				c.acked, c.since = acked, c.clock.Now()
			}
		} else if line == sayCutting {
			c.cutting = true
		} else if words, ok := strings.CutPrefix(line, sayFailed); ok {
			c.words = words
		}
		c.mu.Unlock()
	}
}

// look returns the current state: how many writes were acknowledged, the time since the last one,
// whether the cut is in the ledger, and the error that ended the writing.
func (c *child) look() (acked int, still time.Duration, cutting bool, words string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.acked, c.clock.Since(c.since), c.cutting, c.words
}

// gone reports whether the process has ended.
func (c *child) gone() bool {
	select {
	case <-c.ended:
		return true
	default:
		return false
	}
}

// why returns the reason for an unexpected end.
func (c *child) why() string {
	if _, _, _, words := c.look(); words != "" {
		return words
	}
	if !c.gone() {
		return "the writing process does not answer"
	}
	if text := strings.TrimSpace(c.stderr.String()); text != "" {
		return text
	}
	return fmt.Sprintf("the writing process ended (%s)", c.cmd.ProcessState)
}

// announce has the writer record the coming cut in the ledger.
func (c *child) announce(ctx context.Context, what cuttingEntry) error {
	line, err := json.Marshal(what)
	if err != nil {
		return err
	}
	if _, err := fmt.Fprintf(c.stdin, "%s%s\n", sayCut, line); err != nil {
		return errors.New(c.why())
	}
	return poll(ctx, c.clock, func() (bool, error) {
		if _, _, cutting, _ := c.look(); cutting {
			return true, nil
		}
		if c.gone() {
			return false, errors.New(c.why())
		}
		return false, nil
	})
}

// kill kills the process; one that hangs in the kernel only ends when its device answers again.
func (c *child) kill() { _ = c.cmd.Process.Kill() }

// stop asks the process to end, and kills it if it does not.
func (c *child) stop() {
	_ = c.stdin.Close()
	select {
	case <-c.ended:
	case <-c.clock.After(2 * stopTime):
		c.kill()
		select {
		case <-c.ended:
		case <-c.clock.After(stopTime):
		}
	}
}

// pollEvery is the polling interval.
const pollEvery = 20 * time.Millisecond

// poll calls look until it returns true or fails, or the context ends.
func poll(ctx context.Context, clock env.Clock, look func() (bool, error)) error {
	tick := clock.NewTicker(pollEvery)
	defer tick.Stop()
	for {
		if done, err := look(); done || err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-tick.C:
		}
	}
}
