package open

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/loadline/loadline/internal/measure/load"
	"github.com/loadline/loadline/internal/model"
)

// The share of the time in which the loop waited for a processor is recorded.
func TestWaitingForAProcessorIsRecorded(t *testing.T) {
	if _, err := os.Stat("/proc/thread-self/schedstat"); err != nil {
		t.Skip("skipped: this kernel has no schedstat")
	}
	path := filepath.Join(t.TempDir(), "f")
	if err := os.WriteFile(path, make([]byte, 4<<20), 0o600); err != nil {
		t.Fatal(err)
	}
	r, err := (&Driver{}).Run(t.Context(), model.StartRequest{
		Step:     model.Step{Number: 1, Seconds: 1},
		Workload: model.Workload{Name: "w", OpenLoop: true, Access: model.Random, Direction: model.Read, BlockSize: 4096, Depth: 32, RateIOPS: 500},
		Volume:   model.Volume{Target: model.Target{Kind: model.File}, Path: path, Size: 4 << 20},
	}, load.BeginNow, func(model.Event) {})
	if err != nil || r.Error != "" || r.CPUWait == nil || *r.CPUWait <= 0 || *r.CPUWait > 1 {
		t.Errorf("%+v, %v", r, err)
	}
}
