package live

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"sync"

	"github.com/loadline/loadline/internal/model/iotrace"
	"github.com/loadline/loadline/internal/model/units"
	"github.com/loadline/loadline/internal/show/report/term"
	"github.com/loadline/loadline/internal/show/report/text"
)

// Trace shows a running trace: on a terminal a table of the last second, which is
// redrawn; elsewhere only messages.
type Trace struct {
	w     io.Writer
	o     Options
	rows  func([]iotrace.Sample) []iotrace.Row
	mu    sync.Mutex
	lines int
}

// viewRows is the maximum number of rows in the table of a running trace.
const viewRows = 12

// NewTrace starts a display on w, whose table has the rows that rows computes of a second. With Quiet it shows
// nothing.
func NewTrace(w io.Writer, o Options, rows func([]iotrace.Sample) []iotrace.Row) *Trace {
	return &Trace{w: w, o: o, rows: rows}
}

// Note shows a remark.
func (v *Trace) Note(words string) {
	if !v.o.Quiet {
		term.PrintLine(v.w, "note    %s", words)
	}
}

// Second shows the I/Os completed in the last second, which ended at end. of is the length of the trace, 0 if
// it runs until it is interrupted. Both are in seconds.
func (v *Trace) Second(end, of float64, samples []iotrace.Sample) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.o.Quiet || !v.o.Interactive {
		return
	}
	left := "until ^C"
	if of > 0 {
		left = "of " + units.FormatSpan(of)
	}
	o := text.Options{Width: v.o.Width - 1, Color: v.o.Color, Unicode: v.o.Unicode}
	var b bytes.Buffer
	fmt.Fprintf(&b, "%s %s\n", units.FormatSpan(end), left)
	// Rendering text fails only if its writer fails, and a memory buffer does not.
	_ = text.RenderTraceRows(&b, v.rows(samples), viewRows, o)
	v.erase()
	_, _ = io.WriteString(term.Styled(v.w), b.String())
	v.lines = strings.Count(b.String(), "\n")
}

// erase clears the table from the screen.
func (v *Trace) erase() {
	if v.lines > 0 {
		_, _ = io.WriteString(term.Styled(v.w), strings.Repeat(term.UpOne, v.lines)+term.EraseLine+term.EraseBelow)
		v.lines = 0
	}
}

// Close clears the table: the report replaces it. It may be called twice.
func (v *Trace) Close() {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.erase()
}
