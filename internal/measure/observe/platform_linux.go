package observe

import (
	"golang.org/x/sys/unix"

	"github.com/loadline/loadline/internal/model"
)

// fillPlatform has nothing to add: on Linux files tell everything.
func fillPlatform(*model.Environment) {}

// memlockLimit is the soft RLIMIT_MEMLOCK in bytes; nil where there is no limit, or none is told.
func memlockLimit() *int64 {
	var r unix.Rlimit
	if unix.Getrlimit(unix.RLIMIT_MEMLOCK, &r) != nil || r.Cur > 1<<62 {
		return nil
	}
	limit := int64(r.Cur)
	return &limit
}
