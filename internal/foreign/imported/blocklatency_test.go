package imported

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/loadline/loadline/internal/model"
)

// The duration of a trace is what the document says before it ("time=30"), also for those that follow
// in the same section; otherwise it is unknown.
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

// TestASumOfOtherLatenciesIsNotTaken: with a mean that is impossible given its buckets, a budget could
// close that should not.
func TestASumOfOtherLatenciesIsNotTaken(t *testing.T) {
	for sum, want := range map[string]struct {
		mean   float64
		remark bool
	}{"4500000": {1.5e-3, false}, "29900000000": {math.Sqrt(1.024*2.048) * 1e-3, true}, "3000": {math.Sqrt(1.024*2.048) * 1e-3, true}} {
		doc := "@total_latency_ns: " + sum + "\n@io_count: 3\n@latency_us:\n[1K, 2K)   3 |@@@@|\n"
		parts, err := Parse("trace.txt", []byte(doc), "")
		if err != nil {
			t.Fatal(err)
		}
		r := parts[0].runs[0]
		if got := r.figures[0].Latency.Mean; math.Abs(got-want.mean) > 1e-9 {
			t.Errorf("%s: mean %v, want %v", sum, got, want.mean)
		}
		if warned := slices.ContainsFunc(parts[0].remarks, func(m model.Finding) bool { return strings.Contains(m.Message, "outside of its buckets") }); warned != want.remark {
			t.Errorf("%s: %+v", sum, parts[0].remarks)
		}
	}
}

// lhist() counts what is outside of its range in open buckets, without which percentiles are too low.
func TestOpenBucketsAreNotForgotten(t *testing.T) {
	text := "@usecs: \n[0, 100)             90 |@@@@|\n[100, 200)           10 |@|\n"
	parts, err := Parse("b.txt", []byte(text), "")
	if err != nil || len(parts) != 1 || len(parts[0].runs) != 1 {
		t.Fatalf("%+v, %v", parts, err)
	}
	for _, open := range []string{"[200, ...)           60 |@@|\n", "(..., 0)              1 |@|\n"} {
		if parts, err := Parse("b.txt", []byte(text+open), ""); err == nil && len(parts[0].runs) > 0 {
			t.Errorf("%q: %+v", open, parts[0].runs)
		}
	}
	// A histogram of open buckets alone is left out, and not the next one for it.
	parts, err = Parse("b.txt", []byte("@usecs[sda]:\n[1000, ...)            5 |@|\n\n@usecs[sdb]:\n[0, 100)             90 |@@@@|\n[100, 200)           10 |@|\n"), "")
	if err != nil || len(parts) != 1 || len(parts[0].runs) != 1 || !strings.HasSuffix(parts[0].runs[0].workload.Name, "sdb") || len(parts[0].remarks) == 0 || !strings.Contains(parts[0].remarks[0].Message, "5 of 5 I/Os are outside") {
		t.Errorf("%+v, %v", parts, err)
	}
}
