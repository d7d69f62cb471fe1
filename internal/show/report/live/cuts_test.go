package live

import (
	"bytes"
	"strings"
	"testing"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/iotrace"
	"github.com/loadline/loadline/internal/show/report/term"
)

// A log has one line for each phase of a cut, without the running count, and one for what the check found.
func TestCutsInALog(t *testing.T) {
	updates := []CutUpdate{
		{Message: "the ledger is in memory\nand more"},
		{Phase: "write", Cut: 1, Cuts: 2, Done: 5, Total: 10}, {Phase: "write", Cut: 1, Cuts: 2, Done: 12, Total: 10},
		{Phase: "cut", Cut: 1, Cuts: 2}, {Phase: "check", Cut: 1, Cuts: 2, Checked: &model.Cut{Acknowledged: 12, Lost: 1}},
	}
	shown := func(o Options) string {
		var b bytes.Buffer
		c := NewCuts(&b, o)
		for _, u := range updates {
			c.Observe(u)
		}
		c.Close()
		c.Close()
		return b.String()
	}
	want := "note    the ledger is in memory and more\n[cut 1/2] writing\n[cut 1/2] cutting\n[cut 1/2] 12 acknowledged, 1 lost, 0 damaged blocks\n"
	if got := shown(Options{}); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	if got := shown(Options{Quiet: true, Interactive: true}); got != "" {
		t.Errorf("quiet: %q", got)
	}
	redrawn := shown(Options{Interactive: true, Width: 80})
	if lines := strings.Count(redrawn, "\n"); lines != 2 || !strings.Contains(redrawn, term.EraseLine+"[cut 1/2] writing: 10 of 10 acknowledged") {
		t.Errorf("%d lines: %q", lines, redrawn)
	}
}

// The table of a trace is drawn over that of the second before, on a terminal only.
func TestTracesAreRedrawn(t *testing.T) {
	rows := func([]iotrace.Sample) []iotrace.Row { return []iotrace.Row{{Device: "sda"}} }
	shown := func(o Options) string {
		var b bytes.Buffer
		v := NewTrace(&b, o, rows)
		v.Note("cannot see flushes")
		v.Second(1, 10, nil)
		v.Second(2, 0, nil)
		v.Close()
		v.Close()
		return b.String()
	}
	if got := shown(Options{}); got != "note    cannot see flushes\n" {
		t.Errorf("a log: %q", got)
	}
	if got := shown(Options{Quiet: true, Interactive: true, Width: 80}); got != "" {
		t.Errorf("quiet: %q", got)
	}
	got := shown(Options{Interactive: true, Width: 80})
	if !strings.Contains(got, "1 s of 10 s\n") || !strings.Contains(got, "2 s until ^C\n") || strings.Count(got, term.EraseBelow) != 2 {
		t.Errorf("a terminal: %q", got)
	}
}
