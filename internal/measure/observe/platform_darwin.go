package observe

import (
	"golang.org/x/sys/unix"

	"github.com/loadline/loadline/internal/model"
)

// fillPlatform gets from sysctl what Linux has in files.
func fillPlatform(m *model.Environment) {
	if v, err := unix.Sysctl("kern.osproductversion"); err == nil {
		m.OS = "macOS " + v
	}
	if v, err := unix.Sysctl("machdep.cpu.brand_string"); err == nil {
		m.CPUModel = v
	}
	if v, err := unix.SysctlUint64("hw.memsize"); err == nil {
		m.Memory = int64(v)
	}
}

// memlockLimit does not matter to the I/O engines of macOS.
func memlockLimit() *int64 { return nil }
