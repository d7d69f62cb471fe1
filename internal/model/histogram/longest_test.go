package histogram_test

import (
	"testing"

	"github.com/loadline/loadline/internal/model/histogram"
)

// fio counts every latency from 17.05 s on in its last bin, which it prints as 17112760320.
func TestALatencyInTheLastBucketIsAtLeastItsLowerEnd(t *testing.T) {
	for _, ns := range []uint64{17045651456, 17112760320, 20_000_000_000, 28_500_000_000} {
		var h histogram.Histogram
		h.Add(histogram.BucketOf(ns), 5)
		if got := h.Percentile(50); got != 17.045651456 {
			t.Errorf("the median of waits of %d ns is %v s", ns, got)
		}
	}
	var h histogram.Histogram
	h.Add(histogram.BucketOf(17045651455), 5)
	if got := h.Percentile(50); !(got < histogram.Longest) {
		t.Errorf("a wait below the last bucket is %v s", got)
	}
}
