package volume

import (
	"context"
	"fmt"

	"github.com/loadline/loadline/internal/env"
	"github.com/loadline/loadline/internal/model"
)

// Probe finds out what a target really is. It writes nothing, except in a directory, where it writes
// a temporary file and removes it again. A target that cannot be measured at all is Refused.
func Probe(ctx context.Context, e *env.Env, t model.Target) (model.Storage, error) {
	return examine(ctx, e, t, false)
}

// Look is Probe without any writing: whether a directory supports direct I/O stays unknown.
func Look(ctx context.Context, e *env.Env, t model.Target) (model.Storage, error) {
	return examine(ctx, e, t, true)
}

func examine(ctx context.Context, e *env.Env, t model.Target, lookOnly bool) (model.Storage, error) {
	switch t.Kind {
	case model.Directory, model.File:
		return probeFile(t, lookOnly)
	case model.BlockDevice:
		return probeDevice(t)
	case model.NBD:
		return probeNBD(ctx, t)
	case model.RBD:
		return probeRBD(ctx, e, t)
	}
	return model.Storage{}, fmt.Errorf("a %s has no storage to probe", t.Kind)
}
