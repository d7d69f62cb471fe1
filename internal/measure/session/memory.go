package session

import "runtime/debug"

const (
	// manyWorkers is the number of workers from which on the driver trades processor time for memory: its
	// garbage, mostly of their connections and answers, would otherwise be as large as what it keeps.
	manyWorkers = 16
	// usualGC is Go's default of GOGC, and frugalGC ours for many workers, in percent of the live heap.
	usualGC, frugalGC = 100, 50
)

// saveMemory makes a driver of many workers collect its garbage earlier, unless GOGC says otherwise.
func saveMemory(workers int) {
	if workers < manyWorkers {
		return
	}
	if was := debug.SetGCPercent(frugalGC); was != usualGC {
		debug.SetGCPercent(was)
	}
}
