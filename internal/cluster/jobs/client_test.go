package jobs

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestTheLogIsShownWithoutItsReport: every line is shown once, also when the log is read
// again from its beginning, and the report in it is not.
func TestTheLogIsShownWithoutItsReport(t *testing.T) {
	const log = "target  sc:x\n[1/2] a\n{\n  \"schema\": \"x\",\n  \"y\": {\n  }\n}\nnote    behind\n" + KeptWords + " until 10:00\nmore\n"
	var shown []string
	f := &Client{Show: func(line string) { shown = append(shown, line) }}
	seen, over := f.showBehind(strings.NewReader(log[:strings.Index(log, "{")]), 0)
	if seen != 2 || over {
		t.Errorf("%d lines, over %v", seen, over)
	}
	if _, over = f.showBehind(strings.NewReader(log), seen); !over {
		t.Error("the end was not noticed")
	}
	if diff := cmp.Diff([]string{"target  sc:x", "[1/2] a", "note    behind"}, shown); diff != "" {
		t.Error(diff)
	}
}
