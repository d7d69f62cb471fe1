package asked

import "testing"

// A script that would not load the server is told from one that would.
func TestScriptsWithoutSQL(t *testing.T) {
	for script, want := range map[string]bool{
		"SELECT 1;":                         true,
		"\\set x random(1, 10)\nSELECT :x;": true,
		"/* a */ SELECT 1; -- b":            true,
		"-- a\nSELECT '--';":                true,
		"\\if true\nBEGIN;\n\\endif":        true,
		"/* a\n\\set b */ SELECT 1":         true,
		"":                                  false,
		"-- a\n\n -- b\n":                   false,
		"/* a */":                           false,
		"/* a /* b */ SELECT 1; */":         false,
		"/* a\nSELECT 1;\n*/":               false,
		"/* never ends SELECT 1;":           false,
		";\n ; -- a":                        false,
		"\\set x 1\n\\sleep 1 ms":           false,
		"\\set x \\\n random(1, 10)\n-- a":  false,
		"\ufeff-- a":                        false,
	} {
		if hasSQL(script) != want {
			t.Errorf("%q: %v", script, !want)
		}
	}
}
