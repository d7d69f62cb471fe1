package trace

import (
	"context"
	"slices"

	"github.com/loadline/loadline/internal/model"
)

// counting is a trace by the devices' own counters.
type counting struct {
	request     model.TraceRequest
	list        []device
	first, last map[string]model.DeviceCounters
}

func newCounting(r model.TraceRequest) (*counting, error) {
	all, err := devices(root)
	if err != nil {
		return nil, model.RefusedError(err.Error(), "run this on Linux, where the devices are")
	}
	c := &counting{request: r, first: map[string]model.DeviceCounters{}, last: map[string]model.DeviceCounters{}}
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

func (c *counting) follow(ctx context.Context, o Options, run *model.TraceRun) error {
	return followed(ctx, c, o, run)
}

func (c *counting) begin() error {
	for _, d := range c.list {
		if now, err := counters(root, d.name); err == nil {
			c.first[d.name], c.last[d.name] = now, now
		}
	}
	return nil
}

func (c *counting) second() (samples []model.TraceSample, err error) {
	for _, d := range c.list {
		before, known := c.last[d.name]
		now, err := counters(root, d.name)
		if !known || err != nil {
			continue
		}
		c.last[d.name] = now
		samples = append(samples, countedSamples(d.name, since(now, before))...)
	}
	return samples, nil
}

// countedSamples are what a device's counters say of a second.
func countedSamples(name string, c model.DeviceCounters) (samples []model.TraceSample) {
	for _, part := range []struct {
		op    model.TraceOperation
		ios   uint64
		bytes uint64
		time  float64
	}{
		{model.TraceRead, c.Reads, c.ReadBytes, c.ReadSeconds}, {model.TraceWrite, c.Writes, c.WrittenBytes, c.WriteSeconds},
		{model.TraceDiscard, c.Discards, c.DiscardBytes, 0}, {model.TraceFlush, c.Flushes, 0, c.FlushSeconds},
	} {
		if part.ios > 0 {
			samples = append(samples, model.TraceSample{Device: name, Operation: part.op, Flow: model.Flow{IOs: part.ios, Bytes: part.bytes, LatencySum: part.time}})
		}
	}
	return samples
}

func (c *counting) finish() (list []model.TraceDevice, err error) {
	for _, d := range c.list {
		one := model.TraceDevice{Name: d.name, Number: d.words(), Stacked: d.stacked}
		if now, err := counters(root, d.name); err == nil {
			own := since(now, c.first[d.name])
			one.Counters = &own
		}
		list = append(list, one)
	}
	return list, nil
}
