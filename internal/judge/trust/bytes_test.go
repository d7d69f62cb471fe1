package trust

import (
	"strings"
	"testing"

	"github.com/loadline/loadline/internal/model"
)

// A finding about several workloads has the ratio of each, in both directions of a mixed one, and does
// not blame flushes for what was read.
func TestBytesOfSeveralWorkloads(t *testing.T) {
	var ev Evidence
	ev.Recorded = &model.Recorded{}
	ev.Recorded.Environment.Storage.Device = "sda"
	mixed, other, flushes := model.Workload{Name: "mixed"}, model.Workload{Name: "other"}, model.Workload{Name: "log", Sync: "fsync"}
	list := []bytesOff{{mixed, "read", 3, 0.05, 10}, {mixed, "wrote", 1.2, 0.05, 10}, {other, "wrote", 1.5, 0.05, 10}}
	f := bytesFault(ev, list[0].cause(), list)
	ratios, _ := f.Evidence["ratios"].(map[string]any)
	if len(ratios) != 3 || ratios["mixed"] != 3.0 || ratios["mixed wrote"] != 1.2 || ratios["other"] != 1.5 || !strings.Contains(f.Message, "×1.20 to ×3.00") || len(f.Results) != 2 {
		t.Errorf("%s: %v, %v", f.Message, ratios, f.Results)
	}
	for verb, want := range map[string]bytesCause{"read": amplified, "wrote": flushed} {
		if got := (bytesOff{flushes, verb, 9, 0.05, 10}).cause(); got != want {
			t.Errorf("%s: cause %d, want %d", verb, got, want)
		}
	}
}
