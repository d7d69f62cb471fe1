package model

import "testing"

// Workloads that only append to a log go through the page cache, whatever the volume allows.
func TestDirectFor(t *testing.T) {
	log, read := Workload{Append: true}, Workload{}
	for _, c := range []struct {
		direct    bool
		workloads []Workload
		want      string
	}{
		{true, []Workload{read}, "direct=1"}, {true, []Workload{log, read}, "direct=1"}, {true, nil, "direct=1"},
		{true, []Workload{log}, "direct=0 (a log, flushed)"}, {false, []Workload{read}, "direct=0 (buffered)"},
	} {
		if got := (Volume{Direct: c.direct}).DirectFor(c.workloads); got != c.want {
			t.Errorf("%+v: %q", c, got)
		}
	}
}
