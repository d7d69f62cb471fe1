//go:build !linux

package volume

import (
	"fmt"
	"runtime"

	"github.com/loadline/loadline/internal/model"
)

// ProveFile has no map of a file's extents to read on this system.
func ProveFile(string, int64) (model.Proof, error) {
	return model.Proof{Method: "none", Detail: "FIEMAP is not available on " + runtime.GOOS}, nil
}

func unavailable(t model.Target) error {
	return model.RefusedError(fmt.Sprintf("%s cannot be probed: looking at disks is not available on %s", t.Name, runtime.GOOS),
		"run loadline on Linux, or name an NBD or Ceph image")
}

func probeFile(t model.Target) (model.Storage, error)   { return model.Storage{}, unavailable(t) }
func probeDevice(t model.Target) (model.Storage, error) { return model.Storage{}, unavailable(t) }
func guardDevice(t model.Target) error                  { return unavailable(t) }
func guardFile(t model.Target) error                    { return unavailable(t) }
