package worker

import (
	"context"
	"os"

	"github.com/loadline/loadline/internal/env"
	"github.com/loadline/loadline/internal/measure/agent"
	"github.com/loadline/loadline/internal/measure/load"
	"github.com/loadline/loadline/internal/measure/load/fake"
	"github.com/loadline/loadline/internal/measure/load/fio"
	"github.com/loadline/loadline/internal/measure/load/open"
	"github.com/loadline/loadline/internal/measure/load/postgres"
	"github.com/loadline/loadline/internal/measure/volume/nbd"
)

// registry makes the load tools that a worker has, the most particular first: of those that
// serve a workload the first one carries it out. A new tool is a line here.
var registry = []func(*env.Env) load.Tool{
	fake.Tool,
	postgres.Tool,
	openLoops,
	fio.Tool,
}

// Tools are one of each.
func Tools(e *env.Env) load.Tools {
	var list load.Tools
	for _, factory := range registry {
		list = append(list, factory(e))
	}
	return list
}

// Options are those of a worker with all its tools; runID names its own files.
func Options(e *env.Env, runID string) agent.Options {
	return agent.Options{Env: e, Version: Version, RunID: runID, Tools: Tools(e)}
}

func openLoops(e *env.Env) load.Tool { return open.Tool(&open.Driver{Dial: dialNBD, Clock: e.Clock}) }

// dialNBD connects to an export and hands the socket over.
func dialNBD(ctx context.Context, uri string) (*os.File, error) {
	conn, err := nbd.Dial(ctx, uri)
	if err != nil {
		return nil, err
	}
	return conn.HandOver()
}
