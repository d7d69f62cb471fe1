package fio

import (
	"context"
	"fmt"
	"time"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/units"
)

// Bandwidth measures for the given time the sequential read or write bandwidth of the volume, in
// bytes/s: a rough figure for choosing a size. Writing first extends a file to the size of the
// volume; reading blocks that were never written gives a meaningless figure.
func (d *Driver) Bandwidth(ctx context.Context, v model.Volume, write bool, long time.Duration) (float64, error) {
	v = d.asUser(v)
	if _, err := d.Version(ctx); err != nil {
		return 0, err
	}
	check := reachable
	if write {
		check = extendFile
	}
	if err := check(v); err != nil {
		return 0, err
	}
	all := segments(v.Size)
	if len(all) == 0 {
		return 0, model.RefusedError(fmt.Sprintf("%s is too small to measure its bandwidth", name(v)), "choose a target of at least "+units.FormatSize(model.LeastSize(nil)))
	}
	var t text
	t.comment("Loadline, bandwidth probe")
	t.section("bandwidth")
	t.sequential(v, all[0])
	if write {
		t.set("rw", "write")
		t.set("refill_buffers", 1)
		if !v.Direct {
			// Otherwise it would be the bandwidth of the page cache.
			t.set("fdatasync", 16)
		}
	} else {
		t.set("rw", "read")
	}
	t.set("time_based", 1)
	t.set("runtime", milliseconds(long.Seconds(), 0))
	var last *job
	o, err := d.execute(ctx, process{
		text: t.String(), link: link(v), open: v.Open, silence: max(long, 0) + d.limits.stall, storage: name(v), expected: long,
		args: []string{"--output-format=json"},
		document: func(data []byte) (err error) {
			last, err = decode(data)
			return err
		},
	})
	if err != nil {
		return 0, err
	}
	if why := failure(o, last); why != "" {
		return 0, workerError("the bandwidth of %s could not be measured: %s.", name(v), why)
	}
	flow := last.Read
	if write {
		flow = last.Write
	}
	if flow.Bytes == 0 || flow.Runtime <= 0 {
		return 0, workerError("the bandwidth of %s could not be measured: no data was moved in %s.", name(v), units.FormatDuration(long.Seconds()))
	}
	return float64(flow.Bytes) / (float64(flow.Runtime) / 1000), nil
}
