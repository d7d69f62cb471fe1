package fio

import (
	"strings"
	"testing"
	"time"

	"github.com/loadline/loadline/internal/model"
)

// Limits are fio's own, one of each job; a ceiling is measured without any.
func TestRatesAreSharedByTheJobs(t *testing.T) {
	w := model.Workload{Name: "w", Access: model.Random, Direction: model.Read, BlockSize: 128 << 10, Depth: 4, Jobs: 2, RateIOPS: 617, RateBandwidth: 23244 << 10}
	v := model.Volume{Path: "/data/f", Engine: "libaio", Size: 1 << 30}
	text := JobText(w, v, model.Step{Number: 1, Seconds: 1})
	for _, line := range []string{"rate_iops=309\n", "rate=11900928\n"} {
		if !strings.Contains(text, line) {
			t.Errorf("no %q in %s", line, text)
		}
	}
	if text := ceilingText(w, v, time.Second); strings.Contains(text, "rate_iops") || strings.Contains(text, "\nrate=") {
		t.Errorf("a ceiling with a limit: %s", text)
	}
}
