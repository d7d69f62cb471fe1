package fake

import (
	"testing"

	"github.com/loadline/loadline/internal/env"
	"github.com/loadline/loadline/internal/measure/load"
	"github.com/loadline/loadline/internal/measure/load/loadtest"
	"github.com/loadline/loadline/internal/model"
)

func TestContract(t *testing.T) {
	volume := func(uri string) model.Volume {
		return model.Volume{Target: model.Target{Kind: model.Fake, URI: uri}, Size: 8 << 20}
	}
	request := func(uri string) model.StartRequest {
		return model.StartRequest{
			Step: model.Step{Number: 7, Ramp: 1, Seconds: 3}, Volume: volume(uri),
			Workload: model.Workload{Name: "w", Access: model.Random, Direction: model.Mixed, ReadPercent: 75, BlockSize: 4096, Depth: 4, RateIOPS: 200},
		}
	}
	loadtest.Test(t, loadtest.Subject{
		New:     func(*testing.T) load.Tool { return Tool(env.OS()) },
		Request: func(*testing.T) model.StartRequest { return request("?iops=1000&cv=0.02&seed=3") },
		Slack:   0.1,
		Broken: map[string]func(*testing.T) model.StartRequest{
			`no parameter "iop"`: func(*testing.T) model.StartRequest { return request("?iop=3") },
		},
		Left:   func(*testing.T) []string { return nil },
		Volume: func(*testing.T) model.Volume { return volume("?iops=1000") },
	})
}
