//go:build !linux

package volume

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"time"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/proof"
)

// ProveFile is not available: there is no map of a file's extents to read on this system.
func ProveFile(string, int64) (model.Proof, error) {
	return model.Proof{Method: proof.None, Detail: "FIEMAP is not available on " + runtime.GOOS}, nil
}

// DescribeMount cannot see mounts on this system.
func DescribeMount(string) string { return "" }

func unavailable(t model.Target) error {
	return model.RefusedError(fmt.Sprintf("%s cannot be probed: looking at disks is not available on %s", t.Name, runtime.GOOS),
		"run loadline on Linux, or name an NBD or Ceph image")
}

func filesystem(string) (model.Storage, error) { return model.Storage{}, errors.ErrUnsupported }

func probeFile(t model.Target, _ bool) (model.Storage, error) { return model.Storage{}, unavailable(t) }
func probeDevice(t model.Target) (model.Storage, error)       { return model.Storage{}, unavailable(t) }

// deviceState is what must not change while a device is held; on this system only files are
// supported.
type deviceState struct{}

func (deviceState) difference(deviceState) string { return "was replaced by another device" }

// Discard does nothing on this system.
func (o *Object) Discard(context.Context, int64, time.Duration) (int64, error) { return 0, nil }

func lookAtDevice(*os.File) (deviceState, error) { return deviceState{}, nil }

func openTarget(t model.Target, _ bool) (*os.File, error) { return nil, unavailable(t) }

func sharedDescriptor(model.Target, bool, string) (*os.File, error) { return nil, nil }

func shareDescriptor(*os.File, model.Target, bool, string) func() { return func() {} }

// SampleZeros samples nothing.
func (o *Object) SampleZeros(context.Context, int64, *model.Proof) error { return nil }

func (o *Object) guardUse(openers) error { return unavailable(o.target) }

// Prove is ProveFile for the held object.
func (o *Object) Prove(size int64) (model.Proof, error) { return ProveFile(o.path, size) }
