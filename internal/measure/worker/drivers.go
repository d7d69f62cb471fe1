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
	"github.com/loadline/loadline/internal/measure/observe"
	"github.com/loadline/loadline/internal/measure/volume/nbd"
)

// Factory creates a load tool.
type Factory func(*env.Env) load.Tool

// registry lists the load tools that every worker has, the most specific first: a workload is carried out
// by the first one that serves it. A new tool is a line here; an application that does not run in pods
// is a line in the registry of package session.
var registry = []Factory{
	fake.Tool,
	postgres.Tool,
	openLoops,
	fioTool,
}

// Tools returns one of each, and of more.
func Tools(e *env.Env, more ...Factory) load.Tools {
	var list load.Tools
	for _, factory := range slices.Concat(more, registry) {
		list = append(list, factory(e))
	}
	return list
}

// Options returns those of a worker with all its tools, and more; runID is part of its file names.
func Options(e *env.Env, runID string, more ...Factory) agent.Options {
	return agent.Options{Env: e, Version: Version, RunID: runID, Tools: Tools(e, more...)}
}

func fioTool(e *env.Env) load.Tool { return fio.Tool(e, observe.MemoryKills) }

func openLoops(e *env.Env) load.Tool { return open.Tool(&open.Driver{Dial: dialNBD, Clock: e.Clock}) }

// dialNBD connects to an export and returns the socket.
func dialNBD(ctx context.Context, uri string) (*os.File, error) {
	conn, err := nbd.Dial(ctx, uri)
	if err != nil {
		return nil, err
	}
	return conn.HandOver()
}
