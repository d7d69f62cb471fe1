package fio

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"strings"
	"sync/atomic"
	"time"

	"github.com/loadline/loadline/internal/measure/load"
	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/units"
)

// Run runs one step and emits its samples as they arrive, one per second, then the job text and
// fio's output. Sample.End is in seconds since the step began, ramp included. Failures are reported
// in the result's Error, and the samples taken before are kept; an error is returned only if the
// step could not be attempted at all (fio missing, a volume smaller than it should be).
//
// If the step begins together with others, fio is started before begin is called, where possible:
// its I/O then begins when begin returns, not when fio has finished starting.
func (d *Driver) Run(ctx context.Context, req model.StartRequest, begin func(), emit func(model.Event)) (model.StepResult, error) {
	result := model.StepResult{Step: req.Step}
	req.Volume = d.asUser(req.Volume)
	if _, err := d.Version(ctx); err != nil {
		return result, err
	}
	if err := cmp.Or(checkRate(req.Workload), reachable(req.Volume)); err != nil {
		return result, err
	}
	if req.Workload.Append {
		if err := reserveAnew(req.Volume); err != nil {
			return result, err
		}
	}
	raw := fmt.Sprintf("%04d-%s", req.Step.Number, load.FileName(req.Workload.Name))
	text := JobText(req.Workload, req.Volume, req.Step)
	gated := canGate(req)
	if gated {
		text = "[global]\n" + gateLines + text
	} else {
		begin()
	}
	emit(model.Event{Raw: &model.Raw{Name: raw + ".fio", Data: []byte(text)}})
	result.Raw = raw + ".json"

	var begun atomic.Value
	begun.Store(d.env.Now())
	s := &series{
		step: req.Step.Number, whole: int64(req.Step.Seconds * 1000), ramp: req.Step.Ramp, jobs: jobs(req.Workload),
		reads: req.Workload.Reads(), writes: req.Workload.Writes(), flight: inFlight(req.Workload), block: blockSize(req.Workload),
		now:  func() float64 { return d.env.Since(begun.Load().(time.Time)).Seconds() },
		emit: func(x model.Sample) { emit(model.Event{Sample: &x}) },
	}
	args := []string{"--status-interval=1", "--output-format=json+"}
	if !req.Workload.Writes() {
		// A workload declared as read-only must not write, whatever a user's job says.
		args = append(args, "--readonly")
	}
	var last *job
	p := process{
		text: text, link: link(req.Volume), open: req.Volume.Open,
		args:    args,
		silence: d.limits.stall, storage: name(req.Volume), silent: s.silent, expected: load.Seconds(req.Step.Ramp + req.Step.Seconds),
		document: func(data []byte) error {
			j, err := decode(data)
			if err != nil {
				return err
			}
			last = j
			return s.add(j)
		},
	}
	if gated {
		p.hold = func() { begin(); begun.Store(d.env.Now()) }
	}
	p.running = func(dir string, id int) func() {
		waits := watchWaits(d.env.Clock, func() []int { return jobsOf(dir, id) }, id, req.Step)
		return func() { result.CPUWait = waits() }
	}
	o, err := d.execute(ctx, p)
	if err != nil {
		return result, err
	}
	// fio may have waited for the storage once more before it ended.
	s.unmeasured(s.ended())
	result.Error = failure(o, last)
	s.finish(result.Error == "")
	if result.Error == "" {
		result.Error = s.missing(o, last, req.Step)
	}
	if last != nil {
		result.IOErrors, result.ShortIOs = last.failures(), last.short()
		result.UserCPU, result.SystemCPU = last.cores()
		result.DepthLevels, result.Submission = last.levels(), last.submission()
	}
	result.Stalls = s.stalls
	emit(model.Event{Raw: &model.Raw{Name: result.Raw, Data: o.raw.bytes()}})
	return result, nil
}

// missing says what of a step was not measured although fio reports no failure; "" if nothing is missing.
func (s *series) missing(o *outcome, last *job, step model.Step) string {
	switch {
	case last.ios() == 0:
		return fmt.Sprintf("not one I/O was done in %s", units.FormatDuration(step.Seconds))
	case !s.complete():
		return fmt.Sprintf("fio ended after %s of %s", units.FormatDuration(float64(s.covered)/1000), units.FormatDuration(step.Seconds)) + fioMessage(o)
	}
	return ""
}

// reachable refuses a file that is smaller than the range of its workloads: fio would unlink it and
// lay out its own.
func reachable(v model.Volume) error {
	if v.Path == "" {
		return nil
	}
	info, err := os.Stat(v.Reach())
	if err != nil {
		return model.BrokenError(fmt.Sprintf("the volume cannot be found: %v.", err), "")
	}
	if info.Mode().IsRegular() && info.Size() < v.Size {
		return model.BrokenError(fmt.Sprintf("%s holds %s and not the %s that are to be measured.",
			v.Path, units.FormatSize(info.Size()), units.FormatSize(v.Size)), "do not change the file while it is measured")
	}
	if info.IsDir() {
		return model.BrokenError(fmt.Sprintf("%s is a directory and not a file.", v.Path), "")
	}
	return nil
}

// link returns the path that fio has to reach through a symbolic link, if any.
func link(v model.Volume) string {
	if v.Open == nil && v.Path != "" && linked(v.Path) {
		return v.Path
	}
	return ""
}

// jobs returns the number of jobs of a workload, including those of a user's own job file.
func jobs(w model.Workload) int {
	n := 0
	for _, part := range shares(w) {
		n += part.jobs
	}
	for line := range strings.Lines(w.Job) {
		if name, value := option(line); name == "numjobs" {
			_, _ = fmt.Sscan(value, &n)
		}
	}
	return n
}

// inFlight returns how many I/Os a workload keeps in flight, also for a user's own job file.
func inFlight(w model.Workload) int {
	depth := max(1, w.Depth)
	for line := range strings.Lines(w.Job) {
		if name, value := option(line); name == "iodepth" {
			_, _ = fmt.Sscan(value, &depth)
		}
	}
	return depth * jobs(w)
}

// blockSize returns the size in bytes of each I/O of a workload that keeps the same number in flight, otherwise 0: for a rate, an
// open loop, and a user's own job file, whose sizes may vary.
func blockSize(w model.Workload) int64 {
	if w.Job != "" || w.OpenLoop || w.RateIOPS > 0 || w.RateBandwidth > 0 {
		return 0
	}
	return w.BlockSize
}
