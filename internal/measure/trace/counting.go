package trace

import (
	"slices"

	"github.com/loadline/loadline/internal/measure/procfs"
	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/iotrace"
)

// counterTracer is a trace that uses the devices' own counters.
type counterTracer struct {
	request     iotrace.Request
	list        []device
	first, last map[string]iotrace.Counters
}

func newCounterTracer(r iotrace.Request) (tracer, error) {
	all, err := devices(root)
	if err != nil {
		return nil, model.RefusedError(err.Error(), "run this on Linux, where the devices are")
	}
	if len(r.Devices) > 0 {
		// Without a request a partition would count its disk's I/Os once more.
		all = append(all, partitions(root)...)
	}
	c := &counterTracer{request: r, first: map[string]iotrace.Counters{}, last: map[string]iotrace.Counters{}}
	for _, d := range all {
		if len(r.Devices) > 0 && !slices.Contains(r.Devices, d.name) {
			continue
		}
		if d.counts {
			c.list = append(c.list, d)
		} else if len(r.Devices) > 0 {
			return nil, model.RefusedError(d.name+" does not count what it does, and without BPF nothing else is there to look at",
				"echo 1 > /sys/block/"+d.name+"/queue/iostats")
		}
	}
	return c, nil
}

// counterLimitations lists what the counters cannot tell.
var counterLimitations = []string{
	"no percentiles, no histograms and no largest latency: the counters have sums, so there are means only",
	"no attribution: neither process nor cgroup",
	"no sizes, no requeues and no errors",
	"writes include what waits for a flush without writing anything; subtract the flushes for those with data",
	"a mean latency includes the wait in the scheduler's queue",
}

func (c *counterTracer) limitations() []string { return counterLimitations }

// lostRecords returns 0: counters have no records.
func (c *counterTracer) lostRecords() uint64 { return 0 }

func (c *counterTracer) close() error { return nil }

func (c *counterTracer) begin() error {
	for _, d := range c.list {
		if now, err := procfs.BlockCounters(root, d.name); err == nil {
			c.first[d.name], c.last[d.name] = now, now
		}
	}
	return nil
}

func (c *counterTracer) second() (samples []iotrace.Sample, err error) {
	for _, d := range c.list {
		before, known := c.last[d.name]
		now, err := procfs.BlockCounters(root, d.name)
		if !known || err != nil {
			continue
		}
		c.last[d.name] = now
		if d.counts && !d.stillCounts(root) {
			// What it has not counted, nobody knows.
			delete(c.first, d.name)
			continue
		}
		if own, ok := procfs.CountedSince(before, now); ok {
			samples = append(samples, countedSamples(d.name, own)...)
		} else {
			// Another device has the name: what it counted since is not for the whole record.
			delete(c.first, d.name)
		}
	}
	return samples, nil
}

// countedSamples returns a device's counters for one second as samples.
func countedSamples(name string, c iotrace.Counters) (samples []iotrace.Sample) {
	for _, part := range []struct {
		op    iotrace.Operation
		ios   uint64
		bytes uint64
		time  float64
	}{
		{iotrace.Read, c.Reads, c.ReadBytes, c.ReadSeconds}, {iotrace.Write, c.Writes, c.WrittenBytes, c.WriteSeconds},
		{iotrace.Discard, c.Discards, c.DiscardBytes, 0}, {iotrace.Flush, c.Flushes, 0, c.FlushSeconds},
	} {
		if part.ios > 0 {
			samples = append(samples, iotrace.Sample{Device: name, Operation: part.op, Flow: model.Flow{IOs: part.ios, Bytes: part.bytes, LatencySum: part.time}})
		}
	}
	return samples
}

func (c *counterTracer) finish() (list []iotrace.Device, err error) {
	for _, d := range c.list {
		one := iotrace.Device{Name: d.name, Number: d.numberText(), Stacked: d.stacked}
		before, known := c.first[d.name]
		if now, err := procfs.BlockCounters(root, d.name); known && err == nil {
			if own, ok := procfs.CountedSince(before, now); ok {
				one.Counters = &own
			}
		}
		list = append(list, one)
	}
	return list, nil
}
