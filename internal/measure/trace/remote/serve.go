// Package remote traces other machines: a tracer on each, and one record of what all of them saw.
//
// Its assumptions:
//
//   - A tracer is told what to do over the same connection on which it sends its samples, so it is
//     started without any configuration, and does nothing until asked.
//   - All tracers are ready before the first one begins, so that they begin at the same moment.
//   - The measurement is worth more than its trace: losing a tracer ends the trace of its machine,
//     which the record reports, and everything else continues.
//   - Machines number their cgroups and name their devices independently. With more than one
//     machine, a sample says which machine its numbers and names belong to.
package remote

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"

	"github.com/loadline/loadline/internal/env"
	"github.com/loadline/loadline/internal/measure/trace"
	"github.com/loadline/loadline/internal/model/iotrace"
)

// command is a line to the tracer: first the devices, then the permission to begin, then the end.
type command struct {
	Devices []string `json:"devices,omitempty"`
	// Holding are directories whose devices are to be counted, instead of Devices.
	Holding []string `json:"holding,omitempty"`
	Begin   bool     `json:"begin,omitempty"`
	End     bool     `json:"end,omitempty"`
}

// reply is a line from the tracer; one of its fields is set.
type reply struct {
	Ready bool `json:"ready,omitempty"`
	// Holding are the devices of the directories that were asked for, with Ready.
	Holding []string     `json:"holding,omitempty"`
	Begun   *iotrace.Run `json:"begun,omitempty"`
	// Samples are those of the second that ended End seconds after the beginning.
	Samples []iotrace.Sample `json:"samples,omitempty"`
	// Ended is the record, in the last line; Failed is why it is incomplete.
	Ended  *iotrace.Run `json:"ended,omitempty"`
	Failed string       `json:"failed,omitempty"`
}

// samplesPerLine bounds the number of samples in a line.
const samplesPerLine = 2048

// Serve traces for one client: it reads orders and writes answers, until it is ordered to end or the
// orders end. The error is from writing.
func Serve(ctx context.Context, clock env.Clock, orders io.Reader, answers io.Writer) error {
	in, out := json.NewDecoder(orders), json.NewEncoder(answers)
	var first command
	if err := in.Decode(&first); err != nil {
		return fmt.Errorf("nobody has said what to trace: %w", err)
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	found, why := devicesOf(first.Holding)
	begin := make(chan struct{})
	go follow(in, sync.OnceFunc(func() { close(begin) }), cancel)
	o := trace.Options{
		Clock: clock,
		Ready: func() error {
			if err := out.Encode(reply{Ready: true, Holding: found}); err != nil {
				return err
			}
			select {
			case <-begin:
				return nil
			case <-ctx.Done():
				return errors.New("it was ended before it began")
			}
		},
		Begun: func(r iotrace.Run) error { return out.Encode(reply{Begun: &r}) },
		Second: func(_ float64, samples []iotrace.Sample) error {
			for len(samples) > 0 {
				n := min(len(samples), samplesPerLine)
				if err := out.Encode(reply{Samples: samples[:n]}); err != nil {
					return err
				}
				samples = samples[n:]
			}
			return nil
		},
	}
	if len(found) > 0 {
		first.Devices, o.Method = found, iotrace.ByCounters
	}
	record, err := iotrace.Run{}, why
	if why == nil {
		record, err = run(ctx, o, first.Devices)
	}
	last := reply{Ended: &record}
	if err != nil {
		last.Failed = err.Error()
	}
	return out.Encode(last)
}

// devicesOf returns the device of each directory.
func devicesOf(directories []string) (found []string, err error) {
	for _, dir := range directories {
		name, err := trace.Holding(dir)
		if err != nil {
			return nil, fmt.Errorf("the device that holds a directory of replicas is not known: %w", err)
		}
		found = append(found, name)
	}
	return found, nil
}

// follow carries out the orders until the last one.
func follow(in *json.Decoder, begin, end func()) {
	defer end()
	for {
		var o command
		if in.Decode(&o) != nil || o.End {
			return
		}
		if o.Begin {
			begin()
		}
	}
}

// run traces devices.
func run(ctx context.Context, o trace.Options, devices []string) (iotrace.Run, error) {
	for _, name := range devices {
		if o.Method == iotrace.ByCounters {
			if !slices.Contains(o.Request.Devices, name) {
				o.Request.Devices = append(o.Request.Devices, name)
			}
			continue
		}
		if err := trace.Resolve(&o.Request, o.Clock, name, ""); err != nil {
			return iotrace.Run{}, err
		}
	}
	return trace.Run(ctx, o)
}
