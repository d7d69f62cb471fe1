package observe

import (
	"golang.org/x/sys/unix"

	"github.com/loadline/loadline/internal/model"
)

// fillPlatform has nothing to add: on Linux files tell everything.
func fillPlatform(*model.Environment) {}

// memlockLimit is the soft RLIMIT_MEMLOCK in bytes; -1 is no limit.
func memlockLimit() int64 {
	var r unix.Rlimit
	if unix.Getrlimit(unix.RLIMIT_MEMLOCK, &r) != nil {
		return 0
	}
	if r.Cur > 1<<62 {
		return -1
	}
	return int64(r.Cur)
}
