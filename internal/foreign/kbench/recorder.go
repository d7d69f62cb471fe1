package kbench

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/loadline/loadline/internal/measure/store"
	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/units"
)

// recorder keeps one cycle in memory, and writes the file of each aspect when its last job is done. It
// implements the engine's Recorder.
type recorder struct {
	request  Request
	recorded model.Recorded
	now      func() time.Time
	// outputs are fio's outputs, by the name given in the step.
	outputs map[string][]byte
	values  Values
	// published are the files that were written.
	published []string
}

// unfinished adds to the error that ended a cycle which files it has left.
func (k *recorder) unfinished(err error) error {
	if len(k.published) == 0 {
		return err
	}
	return errors.Join(err, &model.LeftError{WorkerError: model.BrokenError("not all jobs were measured, so there is no summary; what was measured is in "+units.FormatList(k.published),
		"measure again with --overwrite to replace them")})
}

// Prepared keeps how the volume was prepared in the first cycle.
func (k *recorder) Prepared(p model.Preparation) error {
	// In a later cycle the volume is still filled and proven from the first.
	if k.recorded.Run.Prepare == nil {
		k.recorded.Run.Prepare = &p
		k.recorded.Plan.Shrink(&p)
	}
	return nil
}

// Sample keeps a sample.
func (k *recorder) Sample(s model.Sample) error {
	k.recorded.Samples = append(k.recorded.Samples, s)
	return nil
}

// Raw keeps an output of fio for its step, or a job text.
func (k *recorder) Raw(r model.Raw) error {
	if strings.HasSuffix(r.Name, ".json") {
		k.outputs[r.Name] = r.Data
	} else {
		job := strings.TrimSuffix(r.Name[strings.IndexByte(r.Name, '-')+1:], ".fio")
		k.recorded.Jobs[job] = string(r.Data)
	}
	return nil
}

// Beside keeps what was measured in addition to the load.
func (k *recorder) Beside(b model.Beside) error {
	k.recorded.Run.Beside.Add(b)
	return nil
}

// Finish keeps how the cycle ended, and when.
func (k *recorder) Finish(status model.Status, reason string) error {
	k.recorded.Run.Status, k.recorded.Run.Reason, k.recorded.Run.Finished = status, reason, k.now()
	return nil
}

// Step keeps a result, and publishes an aspect if this was its last job.
func (k *recorder) Step(results ...model.StepResult) error {
	if len(results) == 0 {
		return nil
	}
	k.recorded.Run.Steps = append(k.recorded.Run.Steps, results...)
	aspect := aspectOf(results[0].Step.Workload)
	for _, w := range k.recorded.Plan.Steps[len(k.recorded.Run.Steps):] {
		if aspectOf(w.Workload) == aspect {
			return nil
		}
	}
	return k.publish(aspect)
}

// publish writes the file of an aspect with the jobs that succeeded.
func (k *recorder) publish(aspect Aspect) error {
	var outputs [][]byte
	var idle, seconds float64
	for _, r := range k.recorded.Run.Steps {
		output := k.outputs[r.Raw]
		if aspectOf(r.Step.Workload) != aspect || r.Error != "" || r.EndedEarly || output == nil {
			continue
		}
		outputs = append(outputs, output)
		if c := r.Counters; c != nil {
			idle, seconds = idle+100*c.Idle*c.Seconds, seconds+c.Seconds
		}
	}
	if len(outputs) == 0 {
		return nil
	}
	var profile *float64
	if k.request.IdleProfile && seconds > 0 {
		idle /= seconds
		profile = &idle
	}
	data, err := compose(outputs, profile)
	if err != nil {
		return err
	}
	if err := k.values.Read(data); err != nil {
		return err
	}
	file := k.request.OutputFile(aspect)
	err = store.WriteNamed(file, data)
	if err == nil {
		k.published = append(k.published, file)
	}
	return err
}

// writableBeside checks that results can be saved, before anything is measured; release removes the folders that it made for them, if they are empty.
func writableBeside(path string) (release func(), err error) {
	dir := filepath.Dir(path)
	if release, err = store.Reserve(dir); err == nil {
		var f *os.File
		if f, err = os.CreateTemp(dir, ".tmp-*"); err == nil {
			f.Close()
			err = os.Remove(f.Name())
		}
		if err != nil {
			release()
		}
	}
	if err != nil {
		return nil, model.RefusedError("results cannot be saved in "+dir+": "+err.Error(), "name a folder that may be written in OUTPUT, such as OUTPUT=/tmp/device")
	}
	return release, nil
}
