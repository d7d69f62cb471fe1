package observe

import (
	"golang.org/x/sys/unix"

	"github.com/loadline/loadline/internal/model"
)

// fillPlatform has nothing to add: on Linux everything is in files.
func fillPlatform(*model.Environment) {}

// memlockLimit returns the soft RLIMIT_MEMLOCK in bytes; nil if there is no limit, or if it cannot be
// read.
func memlockLimit() *int64 {
	var r unix.Rlimit
	if unix.Getrlimit(unix.RLIMIT_MEMLOCK, &r) != nil || r.Cur > 1<<62 {
		return nil
	}
	limit := int64(r.Cur)
	return &limit
}
