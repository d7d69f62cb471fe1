package cli

import (
	"strings"
	"testing"
)

// quick has a shorter prefill than the other profiles, unless somebody says how long it may
// be, or how much is to be written; what is advised or repeated of it says neither more nor less.
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
		again := spelled(c.exp, nil)
		if r := readWords(again[1:]); r.err != nil || r.exp.MaxPrefill != want {
			t.Errorf("%s: spelled %q, which has %g s (%v)", typed, again, r.exp.MaxPrefill, r.err)
		}
	}
}
