package model

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

func TestLabelsAreRead(t *testing.T) {
	l, err := ParseLabels([]string{"env=staging", "build=v1.2=rc", "rack_2=東京 b"})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := l.Words(), []string{"build=v1.2=rc", "env=staging", "rack_2=東京 b"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	again, err := ParseLabels(l.Words())
	if err != nil || !slices.Equal(again.Words(), l.Words()) {
		t.Errorf("read again they are %q, %v", again.Words(), err)
	}
	if none, err := ParseLabels(nil); err != nil || none != nil {
		t.Errorf("no labels are %v, %v", none, err)
	}
}

// TestWrongLabelsAreRefused: the error says what is wrong.
func TestWrongLabelsAreRefused(t *testing.T) {
	many := make([]string, mostLabels+1)
	for i := range many {
		many[i] = fmt.Sprintf("l%d=x", i)
	}
	for _, c := range []struct {
		words []string
		says  string
	}{
		{[]string{"env"}, "no value"}, {[]string{"=x"}, "name that is not allowed"}, {[]string{"1st=x"}, "does not begin with a digit"},
		{[]string{"a-b=x"}, "not allowed"}, {[]string{"a:b=x"}, "not allowed"}, {[]string{"__name__=x"}, "keeps for itself"}, {[]string{"größe=x"}, "not allowed"},
		{[]string{"env="}, "empty value"}, {[]string{"env=a\nb"}, "visible text"}, {[]string{"env=\x1b[31mred"}, "visible text"}, {[]string{"env=\xff"}, "visible text"},
		{[]string{"env=a\u202eb"}, "visible text"}, {[]string{"env= a"}, "visible text"},
		{[]string{strings.Repeat("a", 65) + "=x"}, "65 bytes"}, {[]string{"a=" + strings.Repeat("x", 257)}, "257 bytes"},
		{[]string{"env=a", "env=b"}, "given twice"}, {many, "too many"},
	} {
		if _, err := ParseLabels(c.words); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%.80q: %v, and it should say %q", c.words, err, c.says)
		}
	}
}

// TestLabelsOfADocumentFromElsewhere: their names become columns and metric labels.
func TestLabelsOfADocumentFromElsewhere(t *testing.T) {
	l := Labels{"ok": "1", `x"} 1 #`: "2", "__name__": "3", "": "4", "=cmd": "5"}
	if got := l.Words(); !slices.Equal(got, []string{"ok=1"}) {
		t.Errorf("%q", got)
	}
}

func TestLabelsAreAddedToOthers(t *testing.T) {
	was := Labels{"env": "a", "rack": "1"}
	now := was.With(Labels{"env": "b", "new": "x"})
	if got := strings.Join(now.Words(), " "); got != "env=b new=x rack=1" || was["env"] != "a" {
		t.Errorf("%s, and before %v", got, was)
	}
	if Labels(nil).With(nil) != nil || Labels(nil).With(was)["rack"] != "1" {
		t.Error("no labels and others are not those others")
	}
}
