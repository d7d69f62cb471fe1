package profile

import (
	"fmt"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/units"
)

// LogRoom is the space in bytes for a database's log on its own volume.
const LogRoom = logRoom

// catalogRoom is the space that a database cluster needs in addition to tables and log: three empty
// databases, and temporary files for sorting.
const catalogRoom = 128 << 20

// DatabaseRoom returns the space in bytes for a database of a scale, including its log unless that is
// on its own volume (apart); a scale of 0 means not chosen yet.
func DatabaseRoom(scale int, apart bool) int64 {
	if apart {
		return int64(scale)*scaleBytes + catalogRoom
	}
	return int64(scale)*scaleBytes + logRoom
}

// DataRoom returns the space in bytes that an application needs on its data volume, given the volume of
// its plan.
func DataRoom(ask *model.AppRequest, v model.Volume) int64 {
	switch {
	case ask.Name == string(model.Etcd):
		return v.Size
	case v.Log != nil:
		return v.Size + catalogRoom
	}
	return v.Size + logRoom
}

// chooseLog plans the log on its own volume: data and log must each fit on theirs.
func chooseLog(v *model.Volume, scale int, probe model.ProbeResult) error {
	log := *probe.Log
	if log.Size < LogRoom {
		return model.RefusedError(
			fmt.Sprintf("the log takes up to %s, and %s can spare %s (its filesystem is kept below 95 %%)", units.FormatSize(LogRoom), log.Target.Name, units.FormatSize(log.Size)),
			"free some space, or name a place with more for --wal: df -h")
	}
	if need := DatabaseRoom(scale, true); need > probe.Capacity {
		hint := "a directory with more space: df -h"
		if fits := (probe.Capacity - catalogRoom) / scaleBytes; fits >= 1 {
			hint = fmt.Sprintf("--scale %d or less, or ", fits) + hint
		}
		return model.RefusedError(
			fmt.Sprintf("scale %d needs %s without its log, and %s can spare %s (its filesystem is kept below 95 %%)", scale, units.FormatSize(need), v.Target.Name, units.FormatSize(probe.Capacity)), hint)
	}
	log.Size, log.SizeReason = LogRoom, "the log, up to its default bound (max_wal_size) and half of it more"
	v.Log = &log
	return nil
}
