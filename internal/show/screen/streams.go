package screen

import (
	"cmp"
	"io"
	"sync"

	"github.com/loadline/loadline/internal/env"
	"github.com/loadline/loadline/internal/show/report/term"
)

// Sanitized returns an environment whose streams filter out terminal control sequences:
// see term.Writer. Documents and protocols bypass the filter, with term.Raw.
func Sanitized(e *env.Env) *env.Env {
	clean := *e
	clean.Stdout, clean.Stderr = term.NewWriter(e.Stdout), term.NewWriter(e.Stderr)
	return &clean
}

// Raw returns the environment for a verb whose streams carry a protocol.
func Raw(e *env.Env) *env.Env {
	raw := *e
	raw.Stdout = term.Raw(e.Stdout)
	return &raw
}

// Output is the standard output of a command. It remembers that it could not be written.
type Output struct {
	io.Writer
	mu  sync.Mutex
	err error
}

// Write passes on to the writer below, with its result.
func (o *Output) Write(p []byte) (int, error) {
	n, err := o.Writer.Write(p)
	if err != nil {
		o.mu.Lock()
		o.err = cmp.Or(o.err, err)
		o.mu.Unlock()
	}
	return n, err
}

// Err returns the first error of a write, nil if there was none.
func (o *Output) Err() error {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.err
}
