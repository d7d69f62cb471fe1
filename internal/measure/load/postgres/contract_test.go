package postgres

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/loadline/loadline/internal/env"
	"github.com/loadline/loadline/internal/measure/load"
	"github.com/loadline/loadline/internal/measure/load/loadtest"
	"github.com/loadline/loadline/internal/model"
)

func TestContract(t *testing.T) {
	d := ready(t)
	request := func(change func(*model.StartRequest)) func(*testing.T) model.StartRequest {
		return func(*testing.T) model.StartRequest {
			req := ask(2, 3)
			req.Volume.Target.Kind, req.Step.Ramp = model.Postgres, 1
			req.Workload.OpenLoop, req.Workload.RateIOPS = true, 100
			change(&req)
			return req
		}
	}
	loadtest.Test(t, loadtest.Subject{
		// All steps load one server, as those of a run do.
		New: func(*testing.T) load.Tool {
			tool := Tool(env.OS())
			tool.Driver, tool.Application, tool.Remote = d, d, d
			return tool
		},
		Request:    request(func(*model.StartRequest) {}),
		Operations: true,
		// 100 per second are drawn at random: 300 in three seconds, with a standard deviation of 17.
		Slack: 0.25,
		Broken: map[string]func(*testing.T) model.StartRequest{
			"no-such-mode": request(func(r *model.StartRequest) { r.Workload.App.Options = "--builtin=tpcb-like\n--protocol=no-such-mode" }),
		},
		Left: func(t *testing.T) (left []string) {
			pipes, err := filepath.Glob(filepath.Join(d.server.dir, "log.*"))
			if err != nil {
				t.Fatal(err)
			}
			return append(pipes, loadTools(t)...)
		},
	})
}

// loadTools lists the processes of pgbench that this process has started.
func loadTools(t *testing.T) (list []string) {
	t.Helper()
	processes, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range processes {
		text, err := os.ReadFile(file)
		if err != nil {
			// It has ended meanwhile.
			continue
		}
		name, rest, _ := strings.Cut(string(text), ") ")
		if fields := strings.Fields(rest); strings.HasSuffix(name, "(pgbench") && len(fields) > 1 && fields[1] == strconv.Itoa(os.Getpid()) && fields[0] != "Z" {
			list = append(list, fmt.Sprintf("process %s", name))
		}
	}
	return list
}
