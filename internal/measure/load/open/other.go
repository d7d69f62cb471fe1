//go:build !linux

package open

import (
	"os"

	"github.com/loadline/loadline/internal/model"
)

func unavailable() (device, error) {
	return nil, model.RefusedError("an open loop needs Linux's asynchronous I/O", "measure on Linux, or sweep depths instead")
}

func openFile(model.Volume, model.Workload) (device, error) { return unavailable() }

func openNBD(sock *os.File, _ model.Workload) (device, error) {
	_ = sock.Close()
	return unavailable()
}

func preciseTimers(bool) {}

func threadCPU() (user, system float64) { return 0, 0 }

func threadWaits() (waited func() *float64) { return func() *float64 { return nil } }
