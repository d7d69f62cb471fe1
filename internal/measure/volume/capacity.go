package volume

import (
	"os"

	"github.com/loadline/loadline/internal/model"
)

// fillLimit is the share of a filesystem that may be in use when we have
// written: a full one is slow, and somebody else's service may need the rest.
const fillLimit = 0.95

// Capacity returns how many bytes a measurement may use at most. On a filesystem
// it is what this user may write without filling it beyond 95 % (as df counts:
// used against used and free); for an existing file its size, less if its holes
// would need more than that to be written; for devices and images their size.
// Zero means that nothing may be written.
func Capacity(s model.Storage, t model.Target) int64 {
	switch t.Kind {
	case model.Directory:
		return spare(s)
	case model.File:
		info, err := os.Stat(t.Path)
		if err != nil {
			return spare(s)
		}
		if info.Size()-allocated(info) <= spare(s) {
			return info.Size()
		}
		return min(info.Size(), spare(s))
	}
	return s.DeviceSize
}

// spare is what the filesystem can give.
func spare(s model.Storage) int64 {
	reach := s.Used + s.Free // what ordinary users can ever have of it
	left := int64(fillLimit*float64(reach)) - s.Used
	return max(0, min(left, s.Free))
}
