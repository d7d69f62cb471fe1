package term

import (
	"bytes"
	"errors"
	"testing"
)

// An excerpt keeps its lines; a name with line breaks in it adds none.
func TestExcerptsKeepTheirLines(t *testing.T) {
	for message, want := range map[string]string{
		"own.yaml:3:5: unknown\n   3 |   - red\n     |     ^":     "loadline: own.yaml:3:5: unknown\n     3 |   - red\n       |     ^\n",
		"a.fio:4: no\n   4 | thinktime=5":                         "loadline: a.fio:4: no\n     4 | thinktime=5\n",
		"p/x\n 1 | \nnext: type this:5:1: bad\n   5 | a: [":       "loadline: p/x  1 |  next: type this:5:1: bad\n     5 | a: [\n",
		"there is no p/x\n 1 | \nloadline: all is well\nnext: no": "loadline: there is no p/x  1 |  loadline: all is well next: no\n",
	} {
		var b bytes.Buffer
		if PrintError(&b, "loadline: ", errors.New(message)); b.String() != want {
			t.Errorf("%q:\n%s\nwant\n%s", message, b.String(), want)
		}
	}
}
