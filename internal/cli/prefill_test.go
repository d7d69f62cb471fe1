package cli

import (
	"strings"
	"testing"

	"github.com/loadline/loadline/internal/measure/session"
	"github.com/loadline/loadline/internal/plan/command"
)

// The profile quick has a shorter prefill limit than the others, unless the user sets the limit
// or the size. Advised and repeated commands do not change that limit.
func TestQuickHasAPrefillOfItsOwn(t *testing.T) {
	for typed, want := range map[string]float64{
		"run /srv": 30, "run /srv --profile quick": 22, "compare /srv/a /srv/b --profile quick": 22,
		"run /srv --profile quick --max-prefill 30s": 30, "run /srv --profile quick --max-prefill 22s": 22,
		"run /srv --profile quick --size 4GiB": 0, "run /srv --max-prefill 22s": 22,
	} {
		c := readWords(strings.Fields(typed))
		if c.err != nil || c.exp.MaxPrefill != want {
			t.Errorf("%s: %g s, want %g (%v)", typed, c.exp.MaxPrefill, want, c.err)
		}
		again := command.Of(c.exp, nil, session.Applications())
		if r := readWords(again[1:]); r.err != nil || r.exp.MaxPrefill != want {
			t.Errorf("%s: spelled %q, which has %g s (%v)", typed, again, r.exp.MaxPrefill, r.err)
		}
	}
}
