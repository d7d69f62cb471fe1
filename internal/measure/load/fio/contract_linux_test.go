package fio

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/loadline/loadline/internal/env"
	"github.com/loadline/loadline/internal/measure/load"
	"github.com/loadline/loadline/internal/measure/load/loadtest"
	"github.com/loadline/loadline/internal/model"
)

func TestContract(t *testing.T) {
	realDriver(t)
	dir, tmp := t.TempDir(), t.TempDir()
	t.Setenv("TMPDIR", tmp)
	path := filepath.Join(dir, "f")
	if err := os.WriteFile(path, make([]byte, 4<<20), 0o600); err != nil {
		t.Fatal(err)
	}
	volume := model.Volume{Target: model.Target{Kind: model.File}, Path: path, Size: 4 << 20, Engine: "psync"}
	request := func(change func(*model.StartRequest)) func(*testing.T) model.StartRequest {
		return func(*testing.T) model.StartRequest {
			req := model.StartRequest{
				Step:     model.Step{Number: 7, Ramp: 1, Seconds: 3},
				Workload: model.Workload{Name: "w", Access: model.Random, Direction: model.Read, BlockSize: 4096, Depth: 1, Jobs: 2, RateIOPS: 200},
				Volume:   volume,
			}
			change(&req)
			return req
		}
	}
	loadtest.Test(t, loadtest.Subject{
		New:     func(*testing.T) load.Tool { return Tool(env.OS(), nil) },
		Request: request(func(*model.StartRequest) {}),
		Slack:   0.1,
		Total: func(t *testing.T, raws []model.Raw, _ model.StepResult) (ios, slack uint64) {
			var last *job
			for _, raw := range raws {
				if !strings.HasSuffix(raw.Name, ".json") {
					continue
				}
				documents, _, _ := cut(raw.Data, func() int { return 1 << 20 })
				var err error
				if last, err = decode([]byte(documents[len(documents)-1])); err != nil {
					t.Fatal(err)
				}
			}
			if last == nil {
				t.Fatal("fio's own output is not kept")
			}
			// Its last status comes slightly after the last second of the step.
			return last.ios() * 3000 / uint64(last.milliseconds(2)), 12
		},
		Broken: map[string]func(*testing.T) model.StartRequest{
			"cannot be found": request(func(r *model.StartRequest) { r.Volume.Path = filepath.Join(dir, "none") }),
			"that are to be":  request(func(r *model.StartRequest) { r.Volume.Size = 8 << 20 }),
			"no-such-engine":  request(func(r *model.StartRequest) { r.Volume.Engine = "no-such-engine" }),
			"is a directory":  request(func(r *model.StartRequest) { r.Volume.Path = dir }),
		},
		Left: func(t *testing.T) (left []string) {
			for _, id := range under(t, tmp) {
				left = append(left, fmt.Sprint("process ", id))
			}
			for _, of := range []string{dir, tmp} {
				entries, err := os.ReadDir(of)
				if err != nil {
					t.Fatal(err)
				}
				for _, e := range entries {
					if name := filepath.Join(of, e.Name()); name != path {
						left = append(left, name)
					}
				}
			}
			return left
		},
		Volume: func(*testing.T) model.Volume { return volume },
	})
}
