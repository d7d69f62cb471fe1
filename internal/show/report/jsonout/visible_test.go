package jsonout

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode"

	"pgregory.net/rapid"
)

// The document means the same, and contains nothing that a terminal would interpret.
func TestVisible(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		said := rapid.String().Draw(t, "text") + "\x1b[31m\x7f\u009b31m\u202e\u200b\ufeff\U000e0041µ日💾"
		doc, err := json.Marshal(map[string]string{said: said})
		if err != nil {
			t.Fatal(err)
		}
		doc = Visible(doc)
		if i := strings.IndexFunc(string(doc), func(r rune) bool { return unicode.IsControl(r) || unicode.Is(unicode.Cf, r) }); i >= 0 {
			t.Fatalf("%q holds a control character at %d", doc, i)
		}
		var read map[string]string
		if err := json.Unmarshal(doc, &read); err != nil || read[said] != said {
			t.Fatalf("%q became %q: %v", said, read, err)
		}
	})
	if got, want := string(Visible([]byte(`"µ日💾"`))), `"µ日💾"`; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
