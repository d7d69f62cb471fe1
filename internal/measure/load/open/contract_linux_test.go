package open

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/loadline/loadline/internal/measure/load"
	"github.com/loadline/loadline/internal/measure/load/loadtest"
	"github.com/loadline/loadline/internal/model"
)

func TestContract(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "f")
	if err := os.WriteFile(path, make([]byte, 4<<20), 0o600); err != nil {
		t.Fatal(err)
	}
	request := func(change func(*model.StartRequest)) func(*testing.T) model.StartRequest {
		return func(*testing.T) model.StartRequest {
			req := model.StartRequest{
				Step:     model.Step{Number: 7, Ramp: 1, Seconds: 3},
				Workload: model.Workload{Name: "w", OpenLoop: true, Access: model.Random, Direction: model.Read, BlockSize: 4096, Depth: 32, RateIOPS: 300},
				Volume:   model.Volume{Target: model.Target{Kind: model.File}, Path: path, Size: 4 << 20},
			}
			change(&req)
			return req
		}
	}
	loadtest.Test(t, loadtest.Subject{
		New:     func(*testing.T) load.Tool { return Tool(&Driver{}) },
		Request: request(func(*model.StartRequest) {}),
		// 900 random arrivals have a standard deviation of 30.
		Slack: 0.2,
		// The I/Os due after the ramp, give or take those in flight at either end.
		Total: func(_ *testing.T, _ []model.Raw, res model.StepResult) (ios, slack uint64) { return res.Due, 32 },
		Broken: map[string]func(*testing.T) model.StartRequest{
			"is not an open loop": request(func(r *model.StartRequest) { r.Workload.RateIOPS = 0 }),
			"cannot be opened":    request(func(r *model.StartRequest) { r.Volume.Path = filepath.Join(dir, "none") }),
			"do not fit a volume": request(func(r *model.StartRequest) { r.Volume.Size = 512 }),
		},
		Left: func(t *testing.T) (left []string) {
			open, err := filepath.Glob("/proc/self/fd/*")
			if err != nil {
				t.Fatal(err)
			}
			for _, fd := range open {
				if name, err := os.Readlink(fd); err == nil && strings.HasPrefix(name, dir) {
					left = append(left, fd+" is "+name)
				}
			}
			return left
		},
	})
}
