package asked

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/units"
)

const (
	// scaleBytes is the approximate size of pgbench's tables and indexes at scale 1 (the manual's page
	// pgbench: 100,000 rows; measured at scale 10: 149 MiB).
	scaleBytes = 15 << 20
	// leastScale is the smallest scale that is chosen automatically: below it only a page or two would
	// be hot.
	leastScale = 10
	// cachedShare is the fraction of memory for data that should stay cached, diskTimes the size of
	// data that should not, as a multiple of memory.
	cachedShare, diskTimes = 0.25, 2.0
	// usualLog is the default limit of the server's log (max_wal_size), in bytes.
	usualLog = 1 << 30
	// fillRate is the rate at which a server loads rows, in bytes/s, for estimates; fillStart is the
	// time to create a server, in seconds.
	fillRate, fillStart = 40 << 20, 4.0
)

// chooseData chooses the scale of the data and stores it in ask. Workloads that represent published tests
// use the scale of those tests.
func chooseData(ask *model.AppRequest, workloads []model.Workload, t model.Target, probe model.ProbeResult) (model.Volume, error) {
	published := 0
	for _, w := range workloads {
		published = max(published, w.App.PublishedScale)
	}
	v := model.Volume{Target: t, Engine: "pgbench"}
	memory := probe.Environment.Memory
	if limit := probe.Environment.CgroupMemory; limit > 0 && (memory == 0 || limit < memory) {
		memory = limit
	}
	if probe.App.Elsewhere() {
		memory = 0
	}
	switch {
	case ask.Scale < 0:
		return v, model.RefusedError(fmt.Sprintf("--scale %d is not a scale", ask.Scale), "write a number from 1 up")
	case ask.Scale > 0 && ask.Fit != "":
		return v, model.RefusedError("--scale and --fit both say how large the data are", "give one of them")
	case ask.Scale > 0:
		v.SizeReason = "as asked by --scale"
	case ask.Fit == "" && published > 0:
		ask.Scale = published
		v.SizeReason = "that of the published test" + within(published, memory)
	case ask.Fit == "" || ask.Fit == "cached":
		ask.Scale = max(leastScale, ask.Clients, min(published, int(cachedShare*float64(memory)/scaleBytes)))
		v.SizeReason = "one branch for each client"
		if ask.Scale > max(leastScale, ask.Clients) {
			v.SizeReason = "as near to the published test's as stays in memory"
		}
		v.SizeReason += within(ask.Scale, memory) + beside(ask.Scale, probe.App)
	case ask.Fit == "disk":
		if memory == 0 && probe.Untried {
			return v, model.RefusedError("--fit disk chooses twice the memory of the node that the pod comes to, which is known when it is there", "for a plan say how large: --scale 1000")
		}
		if memory == 0 {
			return v, model.RefusedError("--fit disk chooses twice the memory, and how much there is could not be read", "say how large: --scale 1000")
		}
		ask.Scale = max(leastScale, ask.Clients, published, int(math.Ceil(diskTimes*float64(max(memory, sharedBuffers(probe.App)))/scaleBytes)))
		v.SizeReason = fmt.Sprintf("twice the memory (%s): most reads need the disk", units.FormatSize(memory))
	default:
		return v, model.RefusedError(fmt.Sprintf("--fit %q is not known", ask.Fit), "choose cached (the data stay in memory) or disk (twice the memory), or say how large: --scale 100")
	}
	v.Size = int64(ask.Scale) * scaleBytes
	v.SizeReason = fmt.Sprintf("scale %d: %s", ask.Scale, v.SizeReason)
	if probe.App.Elsewhere() {
		v.SizeReason += "; whether the server has room for it cannot be seen from here"
		return v, nil
	}
	if probe.Log != nil {
		return v, chooseLog(&v, *ask, probe)
	}
	if need := room(*ask, false); need > probe.Capacity {
		return v, model.RefusedError(
			fmt.Sprintf("scale %d needs %s, its log included, and %s can spare %s (its filesystem is kept below 95 %%)", ask.Scale, units.FormatSize(need), t.Name, units.FormatSize(probe.Capacity)),
			smaller(probe.Capacity-logRoom(*ask), ask.Fit == "" && published > 0))
	}
	return v, nil
}

// within reports in words whether data of a scale stays in memory, of which only about a quarter is certain to
// be left for it by the kernel and the server; "" if the memory size is unknown.
func within(scale int, memory int64) string {
	switch {
	case memory == 0:
		return ""
	case float64(scale)*scaleBytes <= cachedShare*float64(memory):
		return ", and within a quarter of the memory: reads need no disk"
	}
	return fmt.Sprintf("; more than a quarter of the memory (%s), so reads may need the disk", units.FormatSize(memory))
}

// beside says that the data is larger than the server's own cache, if its size is known.
func beside(scale int, app *model.AppState) string {
	if cache := sharedBuffers(app); cache > 0 && int64(scale)*scaleBytes > cache {
		return fmt.Sprintf("; larger than shared_buffers (%s), so some come from the kernel's page cache", units.FormatSize(cache))
	}
	return ""
}

// memorySize matches a setting that is a size.
var memorySize = regexp.MustCompile(`^\s*'?([0-9.]+)\s*(B|kB|MB|GB|TB)?'?\s*$`)

// sizeOf returns a setting that is a size, in bytes; a number without a unit is in units of that many bytes. 0 is unknown.
func sizeOf(value string, unitless float64) int64 {
	m := memorySize.FindStringSubmatch(value)
	if m == nil {
		return 0
	}
	n, err := strconv.ParseFloat(m[1], 64)
	if err != nil {
		return 0
	}
	unit := map[string]float64{"": unitless, "B": 1, "kB": 1 << 10, "MB": 1 << 20, "GB": 1 << 30, "TB": 1 << 40}[m[2]]
	return int64(math.Min(n*unit, 1<<60))
}

// sharedBuffers returns the size of the server's own cache in bytes; 0 is unknown.
func sharedBuffers(app *model.AppState) int64 {
	value, _ := app.Setting("shared_buffers")
	return sizeOf(value, 8<<10)
}

// logRoom returns the space for the server's log in bytes, in addition to the data: its limit (max_wal_size), which it
// may exceed temporarily, by half of it here, and what is kept beyond that (wal_keep_size).
func logRoom(ask model.AppRequest) int64 {
	limit, kept := int64(usualLog), int64(0)
	for _, s := range ask.Set {
		name, value, _ := strings.Cut(s, "=")
		switch strings.ToLower(strings.TrimSpace(name)) {
		case "max_wal_size":
			limit = max(usualLog, sizeOf(value, 1<<20))
		case "wal_keep_size":
			kept = sizeOf(value, 1<<20)
		}
	}
	return limit + limit/2 + kept
}

// smaller returns what to type if there is not enough space, of which this much is left for data; published is set if
// the scale is that of a published test.
func smaller(left int64, published bool) string {
	if fits := left / scaleBytes; fits >= 1 && published {
		return fmt.Sprintf("--fit cached (what stays in memory), --scale %d or less, or a directory with more space: df -h", fits)
	} else if fits >= 1 {
		return fmt.Sprintf("--scale %d or less, or a directory with more space: df -h", fits)
	}
	return "free some space, or name a directory with more: df -h"
}

// catalogRoom is the space that a database cluster needs in addition to tables and log: three empty
// databases, and temporary files for sorting.
const catalogRoom = 128 << 20

// room returns the space in bytes for the requested database, including its log unless that is
// on its own volume (apart); a scale of 0 means not chosen yet.
func room(ask model.AppRequest, apart bool) int64 {
	if apart {
		return int64(ask.Scale)*scaleBytes + catalogRoom
	}
	return int64(ask.Scale)*scaleBytes + logRoom(ask)
}

// chooseLog plans the log on its own volume: data and log must each fit on theirs.
func chooseLog(v *model.Volume, ask model.AppRequest, probe model.ProbeResult) error {
	log, takes := *probe.Log, logRoom(ask)
	if log.Size < takes {
		return model.RefusedError(
			fmt.Sprintf("the log takes up to %s, and %s can spare %s (its filesystem is kept below 95 %%)", units.FormatSize(takes), log.Target.Name, units.FormatSize(log.Size)),
			"free some space, or name a place with more for --wal: df -h")
	}
	if need := room(ask, true); need > probe.Capacity {
		hint := "a directory with more space: df -h"
		if fits := (probe.Capacity - catalogRoom) / scaleBytes; fits >= 1 {
			hint = fmt.Sprintf("--scale %d or less, or ", fits) + hint
		}
		return model.RefusedError(
			fmt.Sprintf("scale %d needs %s without its log, and %s can spare %s (its filesystem is kept below 95 %%)", ask.Scale, units.FormatSize(need), v.Target.Name, units.FormatSize(probe.Capacity)), hint)
	}
	log.Size, log.SizeReason = takes, "the log, up to its limit (max_wal_size) and half of it more"
	v.Log = &log
	return nil
}

// dataRoom returns the space in bytes on the data volume of a plan with the given volume.
func dataRoom(ask model.AppRequest, v model.Volume) int64 {
	if v.Log != nil {
		return v.Size + catalogRoom
	}
	return v.Size + logRoom(ask)
}

// readySeconds returns how long it takes until a server is filled.
func readySeconds(v model.Volume) float64 { return fillStart + float64(v.Size)/fillRate }
