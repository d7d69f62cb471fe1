package volume

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/loadline/loadline/internal/env"
	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/safetext"
)

// Guard decides whether the target may be written; nil means yes. A directory and a file that does
// not exist yet may be written, because Loadline only writes a file that it creates. Anything that
// exists must be named in destroy, as typed or as resolved; and even then it is refused while it is
// in use or carries the signature of a filesystem, a partition table, swap, LVM, RAID, ZFS or
// encryption. What cannot be checked is refused. Reading needs no guard: a mounted device may be
// read.
//
// The answer holds only at the moment of the call. To write, use Open, which does the same checks and
// keeps the target open.
func Guard(ctx context.Context, e *env.Env, t model.Target, destroy string) error {
	if t.Kind == model.Fake || MakesFile(t) {
		return nil
	}
	switch t.Kind {
	case model.BlockDevice, model.File:
		o, err := Open(ctx, e, t, true, destroy, "")
		if err != nil {
			return err
		}
		return o.Close()
	}
	if err := named(t, destroy); err != nil {
		return err
	}
	switch t.Kind {
	case model.NBD:
		return guardNBD(ctx, e, t)
	case model.RBD:
		return guardRBD(ctx, e, t)
	}
	return model.RefusedError(fmt.Sprintf("%s is of a kind (%s) that Loadline does not write to", t.Name, t.Kind), "")
}

// named refuses to overwrite a target that the user has not named in --destroy-data-on.
func named(t model.Target, destroy string) error {
	if t.Is(destroy) {
		return nil
	}
	message := fmt.Sprintf("%s exists, and writing to it would destroy what it holds", t.Name)
	if destroy != "" {
		message = fmt.Sprintf("%s would be overwritten, but --destroy-data-on names %s", t.Name, destroy)
	}
	return model.RefusedError(message, fmt.Sprintf("if its content may go, add: --destroy-data-on %s", safetext.ShellWord(t.Name))+orReadOnly)
}

// readOnly is what to do instead of writing, and orReadOnly ends advice with it.
const (
	readOnly   = "choose workloads that only read"
	orReadOnly = "; or " + readOnly
)

// WithoutWorkloads takes the advice to choose other workloads out of a refusal, for a caller that has none.
func WithoutWorkloads(err error) error {
	var refused *model.WorkerError
	if !errors.As(err, &refused) || !strings.HasSuffix(refused.Hint, readOnly) {
		return err
	}
	hint := strings.TrimSuffix(strings.TrimSuffix(refused.Hint, orReadOnly), ", or "+readOnly)
	if hint == readOnly {
		hint = "name a target that can be written"
	}
	return &model.WorkerError{Class: refused.Class, Message: refused.Message, Hint: hint}
}

// evenSo ends the message about a target that is in use.
const evenSo = ": refused even with --destroy-data-on"

// inUse returns the refusal of a target that is currently in use.
func inUse(t model.Target, how, hint string) error {
	return model.RefusedError(t.Name+" "+how+evenSo, hint)
}
