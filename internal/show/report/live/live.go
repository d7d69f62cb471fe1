// Package live shows a running experiment. Its assumptions: on a terminal one line is redrawn and only
// messages scroll; anywhere else each phase and step leaves one plain line when it ends, so that a
// log reads like a report. It never measures and never reads the clock: it shows what the engine
// reports.
package live

import (
	"fmt"
	"io"
	"sync"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/show/report/term"
)

// Options describe what the stream can show.
type Options struct {
	// Interactive allows redrawing a line; Color and Unicode are as in a terminal.
	Interactive, Color, Unicode bool
	// Width is in columns; 0 means 80.
	Width int
	// Quiet shows messages only.
	Quiet bool
}

// Live shows the updates of one run. Its methods may be called from several goroutines. Errors of
// the stream are ignored: a progress display that cannot be shown must not end a measurement.
type Live struct {
	mu     sync.Mutex
	w      io.Writer
	o      Options
	style  term.Style
	state  state
	drawn  string
	hidden bool
	closed bool
}

// New starts a display on w.
func New(w io.Writer, o Options) *Live {
	if o.Width <= 0 {
		o.Width = 80
	}
	return &Live{w: term.Styled(w), o: o, style: term.Style{Color: o.Color && o.Interactive, Unicode: o.Unicode}}
}

// Observe shows an update. After Close it does nothing.
func (l *Live) Observe(u model.Update) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return
	}
	lines := l.state.take(u)
	// What is said of progress is progress.
	if u.Message != "" && (!l.o.Quiet || u.Progress == nil) {
		l.print(u.Message)
	}
	if l.o.Quiet {
		return
	}
	if !l.o.Interactive {
		for _, line := range lines {
			l.print(line)
		}
		return
	}
	l.draw()
}

// Close erases the status line and shows the cursor again; on other streams it writes the line of a
// phase that has just ended. It may be called twice.
func (l *Live) Close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return
	}
	l.closed = true
	if l.o.Interactive {
		l.erase()
		if l.hidden {
			fmt.Fprint(l.w, term.ShowCursor)
		}
		return
	}
	if line := l.state.endPhase(); line != "" && !l.o.Quiet {
		l.print(line)
	}
}

// Clear erases the status line, so that something else can be written below; the
// next update draws it again.
func (l *Live) Clear() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.erase()
}

// print writes a permanent line.
func (l *Live) print(line string) {
	l.erase()
	fmt.Fprintln(l.w, l.style.Text(line))
}

// draw redraws the status line when it has changed.
func (l *Live) draw() {
	line := l.statusLine()
	if line == l.drawn {
		return
	}
	if !l.hidden {
		fmt.Fprint(l.w, term.HideCursor)
		l.hidden = true
	}
	fmt.Fprint(l.w, term.EraseLine, line)
	l.drawn = line
}

// erase removes the status line.
func (l *Live) erase() {
	if l.drawn != "" {
		fmt.Fprint(l.w, term.EraseLine)
		l.drawn = ""
	}
}
