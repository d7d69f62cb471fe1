package worker

import (
	"context"
	"os"
	"slices"

	"github.com/loadline/loadline/internal/env"
	"github.com/loadline/loadline/internal/measure/agent"
	"github.com/loadline/loadline/internal/measure/load"
	"github.com/loadline/loadline/internal/measure/load/fake"
	"github.com/loadline/loadline/internal/measure/load/fio"
	"github.com/loadline/loadline/internal/measure/load/open"
	"github.com/loadline/loadline/internal/measure/load/postgres"
	"github.com/loadline/loadline/internal/measure/volume/nbd"
)

// Factory makes a load tool.
type Factory func(*env.Env) load.Tool

// registry makes the load tools that every worker has, the most particular first: of those that
// serve a workload the first one carries it out. A new tool is a line here; one that links what a
// pod's program is too small for, and loads what is on this machine only, is a line in
// session.OnlyHere.
var registry = []Factory{
	fake.Tool,
	postgres.Tool,
	openLoops,
	fio.Tool,
}

// Tools are one of each, and of more.
func Tools(e *env.Env, more ...Factory) load.Tools {
	var list load.Tools
	for _, factory := range slices.Concat(more, registry) {
		list = append(list, factory(e))
	}
	return list
}

// Options are those of a worker with all its tools, and more; runID names its own files.
func Options(e *env.Env, runID string, more ...Factory) agent.Options {
	return agent.Options{Env: e, Version: Version, RunID: runID, Tools: Tools(e, more...)}
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
