package volume

import (
	"fmt"
	"os"
	"time"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/units"
)

// Capacity returns how many bytes a measurement may use at most. On a filesystem it is what this user
// may write without filling it beyond 95 %. For an existing
// file it is the file's size, or less if it is written, and filling its holes would need more than that; a filesystem that does not
// report its size has no reserve to keep free. For devices and images it is their size. Zero means that nothing may be written.
func Capacity(s model.Storage, t model.Target, write bool) int64 {
	switch t.Kind {
	case model.Directory:
		return s.Spare()
	case model.File:
		info, err := os.Stat(t.Path)
		if err != nil {
			return s.Spare()
		}
		if !write || s.Total == 0 || info.Size()-allocated(info) <= s.Spare() {
			return info.Size()
		}
		return min(info.Size(), s.Spare())
	}
	return s.DeviceSize
}

// lastLimit is the share that CheckSpace allows. It is above that of Storage.Spare, because several files of one run
// need some space for the filesystem's own records as well.
const lastLimit = 0.975

// reclaimTime is how long a filesystem may take to count the space of a file that was just removed as free: ZFS does
// so with its next transaction group, every 5 s.
const reclaimTime = 10 * time.Second

// CheckSpace refuses a file of that size in bytes, in a directory whose filesystem it would fill: others may
// have written since the probe, while a user thought about a prompt or another run was prepared.
func CheckSpace(t model.Target, size int64) error {
	if t.Kind != model.Directory {
		return nil
	}
	var s model.Storage
	for end := system.Now().Add(reclaimTime); ; system.Sleep(200 * time.Millisecond) {
		var err error
		s, err = filesystem(t.Path)
		reach := s.Usable()
		if err != nil || reach == 0 || s.Used+size <= int64(lastLimit*float64(reach)) {
			return nil
		}
		if system.Now().After(end) {
			break
		}
	}
	return model.RefusedError(fmt.Sprintf("a file of %s no longer fits into %s: others have written there in the meantime, and it can now spare %s (it is kept below 95 %%)",
		units.FormatSize(size), t.Name, units.FormatSize(s.Spare())), "measure again: the size is then chosen anew")
}
