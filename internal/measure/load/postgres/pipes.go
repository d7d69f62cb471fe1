package postgres

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"github.com/loadline/loadline/internal/env"
)

const (
	// pipeSize is how much of its log pgbench can write before it blocks: enough for seconds.
	pipeSize = 1 << 20
	// staysOpen is how long the logs of a pgbench that has ended may stay open.
	staysOpen = 2 * time.Second
)

// pipes are the pipes of pgbench's log.
type pipes struct {
	root        *os.Root
	names       []string
	read, write []*os.File
}

// end has everyone who reads see the end of what has been written.
func (p *pipes) end() {
	for _, f := range p.read {
		_ = f.SetReadDeadline(time.Unix(1, 0))
	}
}

// openPipes creates the pipes that pgbench will open as its log files, in a place where only we can
// replace them, and opens them: "PREFIX.PID" for its first thread, "PREFIX.PID.1" for the second.
// The write end that we hold open keeps readers from seeing end of file before pgbench has opened
// them.
func (b *bench) openPipes(prefix string, pid, n int) (p *pipes, err error) {
	root := b.server.root
	p = &pipes{root: root}
	defer func() {
		if err != nil {
			p.close()
			p.remove()
		}
	}()
	for i := range n {
		name := fmt.Sprintf("%s.%d", prefix, pid)
		if i > 0 {
			name += "." + strconv.Itoa(i)
		}
		if err := unix.Mkfifo(filepath.Join(b.server.dir, name), 0o600); err != nil {
			return p, fmt.Errorf("%s: %w", name, err)
		}
		p.names = append(p.names, name)
		r, err := root.OpenFile(name, os.O_RDONLY|unix.O_NONBLOCK, 0)
		if err != nil {
			return p, err
		}
		p.read = append(p.read, r)
		w, err := root.OpenFile(name, os.O_WRONLY|unix.O_NONBLOCK, 0)
		if err != nil {
			return p, err
		}
		p.write = append(p.write, w)
		setPipeSize(w, pipeSize)
		if err := b.server.account.Give(root, name); err != nil {
			return p, err
		}
	}
	return p, nil
}

// close lets the readers see end of file.
func (p *pipes) close() {
	for _, w := range p.write {
		_ = w.Close()
	}
}

func (p *pipes) remove() {
	for _, r := range p.read {
		_ = r.Close()
	}
	for _, name := range p.names {
		_ = p.root.Remove(name)
	}
}

// following is the reading of pgbench's log into a record.
type following struct {
	pipes   *pipes
	lock    sync.Mutex
	readers sync.WaitGroup
	broke   []error
}

// follow reads the pipes as they are written to.
func (p *pipes) follow(rec *record) *following {
	f := &following{pipes: p, broke: make([]error, len(p.read))}
	for i, pipe := range p.read {
		f.readers.Go(func() { f.broke[i] = rec.read(i, pipe, &f.lock) })
	}
	return f
}

// end waits for what a pgbench that has ended has written, and removes the pipes. Its error is about what
// pgbench cannot have written.
func (f *following) end(clock env.Clock) error {
	f.pipes.close()
	read := make(chan struct{})
	go func() { f.readers.Wait(); close(read) }()
	select {
	case <-read:
	case <-clock.After(staysOpen):
		// A process that a script has started, in a group of its own, holds a log open. pgbench has written all of it.
		f.pipes.end()
		<-read
	}
	f.pipes.remove()
	return errors.Join(f.broke...)
}
