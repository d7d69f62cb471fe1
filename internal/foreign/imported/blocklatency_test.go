package imported

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// How long a trace was is what the document says before it ("time=30"), for those that follow in
// its section as well; elsewhere it is not known.
func TestTracesSayWhatTheyLookedAt(t *testing.T) {
	parts := parsed(t, "pgbench-traced.md")
	for name, want := range map[string][]string{
		"Longhorn":   {"block-latency-c1 30 s, disk", "block-latency-c10 30 s, disk", "block-latency-process 30 s, process"},
		"Local-Path": {"block-latency 0 s, disk", "block-latency-process 0 s, process", "block-latency-sde 0 s, disk"},
	} {
		var got []string
		for _, r := range system(t, parts, name).runs {
			for _, f := range r.figures {
				if f.Traced != "" {
					got = append(got, fmt.Sprintf("%s %v s, %s", f.Workload, f.Seconds, f.Traced))
				}
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got) %s", name, diff)
		}
	}
}
