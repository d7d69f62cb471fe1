package analyze

import (
	"slices"

	"github.com/loadline/loadline/internal/model"
)

// application sums up the application's counters over the counted repeats of a workload; nil if no
// application was loaded. A counter that is missing from one repeat is omitted.
func application(rec *model.Recorded, w model.Workload, out map[int]bool) *model.AppResult {
	if !w.Loads() {
		return nil
	}
	var r model.AppResult
	var seconds, latency, connect float64
	sums := map[string]float64{}
	repeats, device, logDevice := 0, true, true
	missing := map[string]bool{}
	for _, s := range rec.Run.Steps {
		c := s.App
		if s.Step.Workload != w.Name || s.Error != "" || out[s.Step.Number] || c == nil {
			continue
		}
		repeats++
		r.Transactions, r.Failed, r.Skipped = r.Transactions+c.Transactions, r.Failed+c.Failed, r.Skipped+c.Skipped
		seconds, latency, connect = seconds+c.Seconds, latency+c.LatencySum, connect+c.Connect*float64(c.Transactions)
		for name, v := range map[string]*float64{
			"flushes": c.Flushes, "flush seconds": c.FlushSeconds, "log": c.LogBytes, "images": c.PageImages, "hits": c.Hits,
			"reads": c.Reads, "read seconds": c.ReadSeconds, "checkpoints": c.Checkpoints, "vacuums": c.Vacuums,
		} {
			if v == nil {
				missing[name] = true
				continue
			}
			sums[name] += *v
		}
		if m := s.Counters; m == nil || m.Device == "" {
			device = false
		} else {
			addDevice(sums, "device", m.DeviceReads, m.DeviceWrites, m.DeviceFlushes, m.DeviceWritten)
		}
		if m := s.Counters; m == nil || m.LogDevice == "" {
			logDevice = false
		} else {
			addDevice(sums, "log device", m.LogDeviceReads, m.LogDeviceWrites, m.LogDeviceFlushes, m.LogDeviceWritten)
		}
	}
	if repeats == 0 || r.Transactions == 0 {
		return nil
	}
	if seconds > 0 {
		r.UnderWay = latency / seconds
	}
	r.Connect = connect / float64(r.Transactions)
	known := func(names ...string) bool {
		return !slices.ContainsFunc(names, func(n string) bool { return missing[n] })
	}
	over := func(to **float64, divisor float64, names ...string) {
		if v := 0.0; known(names...) && divisor > 0 {
			v = sums[names[0]] / divisor
			*to = &v
		}
	}
	each := float64(r.Transactions)
	over(&r.Flushes, each, "flushes")
	over(&r.FlushTime, sums["flushes"], "flush seconds", "flushes")
	over(&r.Flushing, seconds, "flush seconds")
	over(&r.LogBytes, each, "log")
	over(&r.PageImages, each, "images")
	over(&r.Reads, each, "reads")
	over(&r.HitRate, sums["hits"]+sums["reads"], "hits", "reads")
	over(&r.Reading, latency, "read seconds")
	over(&r.Checkpoints, 1, "checkpoints")
	over(&r.Vacuums, 1, "vacuums")
	if device {
		over(&r.DeviceReads, each, "device reads")
		over(&r.DeviceWrites, each, "device writes")
		over(&r.DeviceFlushes, each, "device flushes")
		over(&r.DeviceWritten, each, "device written")
	}
	if logDevice {
		over(&r.LogDeviceReads, each, "log device reads")
		over(&r.LogDeviceWrites, each, "log device writes")
		over(&r.LogDeviceFlushes, each, "log device flushes")
		over(&r.LogDeviceWritten, each, "log device written")
	}
	return &r
}

// addDevice adds what a block device counted in a repeat. The kernel counts a flush as a write of no bytes as well.
func addDevice(sums map[string]float64, device string, reads, writes, flushes, written uint64) {
	sums[device+" reads"] += float64(reads)
	sums[device+" writes"] += max(0, float64(writes)-float64(flushes))
	sums[device+" flushes"] += float64(flushes)
	sums[device+" written"] += float64(written)
}
