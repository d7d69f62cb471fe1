//go:build !linux

package trace

import (
	"context"
	"io/fs"

	"github.com/loadline/loadline/internal/env"
	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/iotrace"
)

// tracing is on Linux only.
type tracing struct{ kernel noKernel }

type noKernel struct{}

func (noKernel) lacks() []string { return nil }
func (noKernel) close() error    { return nil }

func newTracing(iotrace.Request, env.Clock) (*tracing, error) {
	return nil, model.RefusedError("only Linux can be traced", "run it on the machine that the devices are on")
}

func (*tracing) follow(context.Context, Options, *iotrace.Run) error { return nil }

func refusal(err error) *model.WorkerError { return model.RefusedError(err.Error(), "") }

func blockNumber(fs.FileInfo) (string, bool) { return "", false }
