package fio

import (
	"context"
	"strings"
	"time"

	"github.com/loadline/loadline/internal/model"
)

// Ceiling measures for about d how many I/Os per second fio itself can generate for a workload,
// both directions together: the same job on the engine "null", whose I/Os complete at once. Rate
// limits are left out, because they would hide the ceiling.
func (d *Driver) Ceiling(ctx context.Context, w model.Workload, v model.Volume, long time.Duration) (rate float64, known bool, err error) {
	if _, err := d.Version(ctx); err != nil {
		return 0, false, err
	}
	var last *job
	o, err := d.execute(ctx, process{
		text: ceilingText(w, v, long), silence: long + d.limits.silence, expected: long,
		args: []string{"--output-format=json"},
		document: func(data []byte) (err error) {
			last, err = decode(data)
			return err
		},
	})
	if err != nil {
		return 0, false, err
	}
	if ctx.Err() != nil {
		return 0, false, ctx.Err()
	}
	if why := failure(o, last); why != "" {
		return 0, false, workerError("fio's own ceiling could not be measured: %s.", why)
	}
	ms := last.milliseconds(jobs(w))
	if ms <= 0 {
		return 0, false, workerError("fio's own ceiling could not be measured: it did nothing.")
	}
	return float64(last.ios()) / float64(ms) * 1000, true, nil
}

// ceilingText returns the workload's job without storage.
func ceilingText(w model.Workload, v model.Volume, long time.Duration) string {
	v.Target, v.Path, v.Engine, v.Direct = model.Target{}, "", "null", false
	w.RateIOPS, w.RateBandwidth = 0, 0
	var kept strings.Builder
	for line := range strings.Lines(w.Job) {
		if name, _ := option(line); !strings.HasPrefix(name, "rate") {
			kept.WriteString(line)
		}
	}
	w.Job = kept.String()
	return JobText(w, v, model.Step{Seconds: long.Seconds()})
}

// option splits a line of a job file; the name is empty if the line has no option.
func option(line string) (name, value string) {
	if i := strings.IndexAny(line, ";#"); i >= 0 {
		line = line[:i]
	}
	name, value, _ = strings.Cut(strings.TrimSpace(line), "=")
	return strings.TrimSpace(name), strings.TrimSpace(value)
}
