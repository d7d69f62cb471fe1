package etcd

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/loadline/loadline/internal/env"
	"github.com/loadline/loadline/internal/measure/load"
	"github.com/loadline/loadline/internal/measure/load/loadtest"
	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/test/lab"
)

func TestContract(t *testing.T) {
	d := ready(t)
	// Its version is that of the etcd on PATH.
	t.Setenv("PATH", filepath.Dir(lab.Etcd(t))+string(os.PathListSeparator)+os.Getenv("PATH"))
	request := func(change func(*model.StartRequest)) func(*testing.T) model.StartRequest {
		return func(*testing.T) model.StartRequest {
			req := ask(2, 3)
			req.Volume.Target.Kind, req.Step.Ramp = model.Etcd, 1
			req.Workload.OpenLoop, req.Workload.RateIOPS = true, 100
			change(&req)
			return req
		}
	}
	loadtest.Test(t, loadtest.Subject{
		// All steps load one server, as those of a run do.
		New: func(*testing.T) load.Tool {
			tool := Tool(env.OS())
			tool.Driver, tool.Application = d, d
			return tool
		},
		Request:    request(func(*model.StartRequest) {}),
		Operations: true,
		// 100 per second are drawn at random: 300 in three seconds, with a standard deviation of 17.
		Slack: 0.25,
		Broken: map[string]func(*testing.T) model.StartRequest{
			"no option":    request(func(r *model.StartRequest) { r.Workload.App.Options = "--none" }),
			"needs a rate": request(func(r *model.StartRequest) { r.Workload.RateIOPS = 0 }),
		},
		// The clients are in this process, and the server stays until the end of the run.
		Left: func(*testing.T) []string { return nil },
	})
}
