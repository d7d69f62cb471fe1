package cli

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"sync"

	"github.com/loadline/loadline/internal/env"
	"github.com/loadline/loadline/internal/judge/results"
	"github.com/loadline/loadline/internal/model/iotrace"
	"github.com/loadline/loadline/internal/model/units"
	"github.com/loadline/loadline/internal/show/report/term"
	"github.com/loadline/loadline/internal/show/report/text"
)

// traceView shows a running trace: on a terminal a table of the last second, which is
// redrawn; elsewhere only messages.
type traceView struct {
	env   *env.Env
	quiet bool
	mu    sync.Mutex
	lines int
}

// viewRows is the maximum number of rows in the table of a running trace.
const viewRows = 12

func newTraceView(e *env.Env, quiet bool) *traceView { return &traceView{env: e, quiet: quiet} }

// Note shows a remark.
func (v *traceView) Note(words string) {
	if !v.quiet {
		printLine(v.env.Stderr, "note    %s", words)
	}
}

// Second shows the I/Os completed in the last second; of is the length of the trace, 0 if
// it runs until it is interrupted.
func (v *traceView) Second(end, of float64, samples []iotrace.Sample) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.quiet || !v.env.Terminal.Interactive {
		return
	}
	left := "until ^C"
	if of > 0 {
		left = "of " + units.FormatSpan(of)
	}
	o := terminalOptions(v.env.Terminal)
	o.Width--
	var b bytes.Buffer
	fmt.Fprintf(&b, "%s %s\n", units.FormatSpan(end), left)
	// Rendering text fails only if its writer fails, and a memory buffer does not.
	_ = text.RenderTraceRows(&b, results.TraceRows(samples), viewRows, o)
	v.erase()
	_, _ = io.WriteString(term.Styled(v.env.Stderr), b.String())
	v.lines = strings.Count(b.String(), "\n")
}

// erase clears the table from the screen.
func (v *traceView) erase() {
	if v.lines > 0 {
		_, _ = io.WriteString(term.Styled(v.env.Stderr), strings.Repeat(term.UpOne, v.lines)+term.EraseLine+term.EraseBelow)
		v.lines = 0
	}
}

// close clears the table: the report replaces it. It may be called twice.
func (v *traceView) close() {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.erase()
}
