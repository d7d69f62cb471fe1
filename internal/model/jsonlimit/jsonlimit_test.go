package jsonlimit

import (
	"strings"
	"testing"
)

func TestLongestText(t *testing.T) {
	for text, want := range map[string]int{
		``: 0, `{}`: 0, `{"a":1}`: 1, `{"a":"bcd"}`: 3, `["a\"bc"]`: 5, `["a\\","bcd"]`: 3, `["\\\""]`: 4,
		`"open`: 4, `"open\`: 5, `"`: 0, `["ab","c"`: 2,
	} {
		if got := longestText([]byte(text)); got != want {
			t.Errorf("%s: %d, want %d", text, got, want)
		}
	}
}

// A string of several megabytes cannot be ours; one as long as a job's options can.
func TestCheckBoundsItsTexts(t *testing.T) {
	if err := Check([]byte(`{"job":"` + strings.Repeat("rw=read\\n", 100<<10) + `"}`)); err != nil {
		t.Error(err)
	}
	for name, text := range map[string]string{
		"a value":     `{"hostname":"` + strings.Repeat("x", 3<<20) + `"}`,
		"a name":      `{"` + strings.Repeat("x", 3<<20) + `":1}`,
		"escaped":     `{"hostname":"` + strings.Repeat(`\"`, 3<<19) + `"}`,
		"with no end": `{"hostname":"` + strings.Repeat("x", 3<<20),
	} {
		err := Check([]byte(text))
		if err == nil || !strings.Contains(err.Error(), "it has a text of ") {
			t.Errorf("%s: %v", name, err)
		}
	}
}
