//go:build !linux

package trace

import (
	"io/fs"

	"github.com/loadline/loadline/internal/env"
	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/iotrace"
)

// newBPFTracer refuses: BPF is only available on Linux.
func newBPFTracer(iotrace.Request, env.Clock) (tracer, error) {
	return nil, model.RefusedError("only Linux can be traced", "run it on the machine that the devices are on")
}

func newPerfTracer(r iotrace.Request, c env.Clock, _ bool) (tracer, error) { return newBPFTracer(r, c) }

func perfRefusal(err error) *model.WorkerError { return bpfRefusal(err) }

func bpfRefusal(err error) *model.WorkerError { return model.RefusedError(err.Error(), "") }

func blockNumber(fs.FileInfo) (string, bool) { return "", false }
