package profile

import (
	"fmt"
	"math"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/units"
)

const (
	// scaleBytes is how large pgbench's tables and indexes are at scale 1, about (the manual's
	// page pgbench: 100,000 rows; measured at scale 10: 149 MiB).
	scaleBytes = 15 << 20
	// leastScale is the smallest that is chosen: below it nothing but a page or two is hot.
	leastScale = 10
	// cachedShare is the part of memory that data fit into which are to stay there, diskTimes
	// how many times the memory those are which do not.
	cachedShare, diskTimes = 0.25, 2.0
	// logRoom is what the server's log takes beside them: its default bound (max_wal_size,
	// 1 GiB), which it may go beyond for a while.
	logRoom = 3 << 29
	// fillRate is how fast a server takes rows, in bytes/s, for estimates; fillStart what it
	// takes to make one, in seconds.
	fillRate, fillStart = 40 << 20, 4.0
	// appOverhead is what a visit costs beside ramp and visit: a checkpoint, reading the
	// counts twice, the load tool's start and the second by which it outlasts the visit.
	appOverhead = 2.0
)

// chooseApplication decides how large the data of an application are; ask gets the scale.
func chooseApplication(ask *model.AppRequest, t model.Target, probe model.ProbeResult) (model.Volume, error) {
	v := model.Volume{Target: t, Engine: "pgbench"}
	memory := probe.Environment.Memory
	if limit := probe.Environment.CgroupMemory; limit > 0 && (memory == 0 || limit < memory) {
		memory = limit
	}
	switch {
	case ask.Scale < 0:
		return v, model.RefusedError(fmt.Sprintf("--scale %d is no scale", ask.Scale), "write a number from 1 on")
	case ask.Scale > 0 && ask.Fit != "":
		return v, model.RefusedError("--scale and --fit both say how large the data are", "give one of them")
	case ask.Scale > 0:
		v.SizeReason = "as asked by --scale"
	case ask.Fit == "" || ask.Fit == "cached":
		ask.Scale = max(leastScale, ask.Clients)
		v.SizeReason = "one branch for each client, and within a quarter of the memory: reads need no disk"
		if most := cachedShare * float64(memory); memory > 0 && float64(ask.Scale)*scaleBytes > most {
			v.SizeReason = fmt.Sprintf("one branch for each client; more than a quarter of the memory (%s), so reads may need the disk", units.FormatSize(memory))
		}
	case ask.Fit == "disk":
		if memory == 0 {
			return v, model.RefusedError("--fit disk chooses twice the memory, and how much there is could not be read", "say how large: --scale 1000")
		}
		ask.Scale = max(leastScale, ask.Clients, int(math.Ceil(diskTimes*float64(memory)/scaleBytes)))
		v.SizeReason = fmt.Sprintf("twice the memory (%s): most reads need the disk", units.FormatSize(memory))
	default:
		return v, model.RefusedError(fmt.Sprintf("--fit %q is not known", ask.Fit), "choose cached (the data stay in memory) or disk (twice the memory), or say how large: --scale 100")
	}
	v.Size = int64(ask.Scale) * scaleBytes
	v.SizeReason = fmt.Sprintf("scale %d: %s", ask.Scale, v.SizeReason)
	if need := v.Size + logRoom; need > probe.Capacity {
		return v, model.RefusedError(
			fmt.Sprintf("scale %d needs %s, its log included, and %s can spare %s (its filesystem is kept below 95 %%)", ask.Scale, units.FormatSize(need), t.Name, units.FormatSize(probe.Capacity)),
			smaller(probe.Capacity))
	}
	return v, nil
}

// smaller is what to type where there is less room.
func smaller(capacity int64) string {
	if fits := (capacity - logRoom) / scaleBytes; fits >= 1 {
		return fmt.Sprintf("--scale %d or less, or a directory with more space: df -h", fits)
	}
	return "free some space, or name a directory with more: df -h"
}
