package trust

import (
	"strings"
	"testing"

	"github.com/loadline/loadline/internal/model"
)

// slow is a run whose random reads do that many I/Os per second in repeats of two seconds, with the given interval.
func slow(rate, half float64, repeats int) Evidence {
	ev := sound()
	for i := range ev.Results {
		r := &ev.Results[i]
		if r.Workload != iops.Name {
			continue
		}
		r.Repeats, r.Seconds, r.Converged = repeats, 2*float64(repeats), false
		r.Estimate = estimate(model.IOPS, rate, half)
		r.Metrics = map[model.Metric]model.Estimate{model.IOPS: r.Estimate}
	}
	return ev
}

// One I/O of the two of a repeat is half of them, however many repeats there are.
func TestAnIntervalOfCountsNeedsLongerRepeats(t *testing.T) {
	names := []string{iops.Name}
	for _, repeats := range []int{5, 500} {
		if got := slow(1, 0.5, repeats).longer(names); !strings.Contains(got, "--only=rand-read-iops --time 7m") || strings.Contains(got, "varies") {
			t.Errorf("%d repeats at 1 I/O per second: %q", repeats, got)
		}
	}
	if got := slow(0.01, 0.5, 5).longer(names); strings.Contains(got, "--time") || strings.Contains(got, "varies") {
		t.Errorf("a hundred seconds for each I/O: %q", got)
	}
	if got := slow(1000, 0.5, 5).longer(names); strings.Contains(got, "--time") {
		t.Errorf("storage that varies: %q", got)
	}
	scaled := slow(1, 0.5, 5)
	scaled.Recorded.Plan.Experiment.Scale = &model.ScaleRequest{Rate: 1}
	if got := scaled.longer(names); !strings.Contains(got, "a higher --rate") {
		t.Errorf("one I/O per second was asked for: %q", got)
	}
	goal := goalOf(iops, model.IOPS, true, model.Undecided)
	if got := Settle(slow(1, 0.5, 5), nil, goal, forSeconds(20000)); !strings.Contains(got, "--time") || strings.Contains(got, "varies") {
		t.Errorf("a goal: %q", got)
	}
}
