package kbench

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/loadline/loadline/internal/env"
	"github.com/loadline/loadline/internal/judge/analyze"
	"github.com/loadline/loadline/internal/measure/engine"

	"github.com/loadline/loadline/internal/measure/session"
	"github.com/loadline/loadline/internal/measure/store"
	"github.com/loadline/loadline/internal/measure/volume"
	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/safetext"
	"github.com/loadline/loadline/internal/model/units"
	"github.com/loadline/loadline/internal/plan/profile"
	"github.com/loadline/loadline/internal/show/report/jsonout"
	"github.com/loadline/loadline/internal/show/results"
)

// Options are settings in addition to run.sh's arguments and environment.
type Options struct {
	// Overwrite allows overwriting the target, and files with the names of results.
	Overwrite bool
	// Child runs the worker as a separate process.
	Child bool
	// Time and RampTime apply to each job, in seconds; 0 means Kbench's values.
	Time, RampTime float64
	// Watch is notified of progress; Command and Labels are stored in the report.
	Watch   engine.Observer
	Command []string
	Labels  model.Labels
}

// Session is a volume that is measured once or repeatedly.
type Session struct {
	options Options
	env     *env.Env
	request Request
	target  model.Target
	// made is set if the file did not exist before, so that the worker creates and removes it.
	made     bool
	prepared *session.Prepared
	// release removes the folders that were made for the results, if they are empty.
	release func()
}

// Cycle is one pass over all jobs.
type Cycle struct {
	Values   Values
	Recorded *model.Recorded
	Report   *model.Report
}

// betweenCycles is the pause between the cycles of a long run in Kbench.
const betweenCycles = time.Second

// Begin refuses what cannot be measured or would destroy data, creates the file, and plans.
func Begin(ctx context.Context, e *env.Env, r Request, o Options) (*Session, error) {
	release, err := writableBeside(r.Prefix)
	if err != nil {
		return nil, err
	}
	s := &Session{options: o, env: e, request: r, release: release}
	if err = s.lay(ctx); err == nil {
		err = s.prepare(ctx)
	}
	if err != nil {
		release()
		return nil, sentence(err)
	}
	return s, nil
}

// Close ends the session of the worker, which removes the file if it created it, and discards a device
// that it filled if everything was measured.
func (s *Session) Close() error {
	defer s.release()
	return s.prepared.Close()
}

// Discarded returns what Close has discarded.
func (s *Session) Discarded() []session.Returned { return s.prepared.Discarded() }

// Plan returns the plan, and the result of probing the volume.
func (s *Session) Plan() (*model.Plan, *model.ProbeResult) {
	return &s.prepared.Plan, &s.prepared.Probe
}

// lay finds the target, and extends a shorter file that may be overwritten to the requested length. One
// that does not exist is left for the worker to create.
func (s *Session) lay(ctx context.Context) error {
	// Kbench creates its file, and its users name one that does not exist.
	t, err := session.ParseNew(s.request.File, true)
	if err != nil {
		return err
	}
	s.target = t
	switch {
	case t.Kind == model.BlockDevice:
		return s.mayOverwrite()
	case t.Kind == model.Directory:
		return model.RefusedError(fmt.Sprintf("%s is a directory, and Kbench measures a file", t.Name), "name a file in it: "+safetext.ShellWord(filepath.Join(t.Path, "test")))
	case t.Kind != model.File:
		return model.RefusedError(fmt.Sprintf("%s is neither a file nor a block device, which is all that Kbench knows", t.Name), "loadline run measures it: loadline run --profile kbench "+safetext.ShellWord(t.Name))
	}
	if err := s.mayOverwrite(); err != nil {
		return err
	}
	have := int64(0)
	if info, err := os.Stat(t.Path); err == nil {
		have = info.Size()
	}
	missing := volume.MakesFile(t)
	if have >= s.request.Size && !missing {
		return nil
	}
	if !missing && !s.options.Overwrite {
		return model.RefusedError(fmt.Sprintf("%s exists and holds %s and not the %s of SIZE", t.Name, units.FormatSize(have), units.FormatSize(s.request.Size)),
			"set SIZE="+fmt.Sprint(have)+", or let it be overwritten with --overwrite")
	}
	if err := checkSpace(t, s.request.Size-have); err != nil {
		return err
	}
	if s.made = missing; missing {
		return nil
	}
	// Checked before it is changed: for example, a file that contains a filesystem keeps its length.
	o, err := volume.Open(ctx, s.env, t, true, t.Name, "")
	if err != nil {
		return err
	}
	if err := o.File().Truncate(s.request.Size); err != nil {
		err = model.RefusedError(fmt.Sprintf("%s cannot be made %s long: %v", t.Name, units.FormatSize(s.request.Size), err), "set SIZE to less")
		return errors.Join(err, o.Close())
	}
	return o.Close()
}

// mayOverwrite refuses jobs that write to an existing target, unless that is allowed.
func (s *Session) mayOverwrite() error {
	jobs := s.request.Jobs()
	i := slices.IndexFunc(jobs, func(name string) bool { return strings.Contains(name, "-write-") })
	if s.options.Overwrite || i < 0 || volume.MakesFile(s.target) {
		return nil
	}
	return model.RefusedError(fmt.Sprintf("job %s writes, and %s exists: its content would be lost", jobs[i], s.target.Name),
		"let it be overwritten with --overwrite, name a file that does not exist, or set a MODE that only reads")
}

// Scenario is the scenario of a Kbench session, which is specified by Kbench's variables.
const Scenario = "kbench"

// prepare starts the session with a worker, probes and plans.
func (s *Session) prepare(ctx context.Context) error {
	ramp, measured := s.request.Times()
	exp := model.Experiment{
		Scenario: Scenario, Target: s.request.File, Profile: "kbench", Only: s.request.Jobs(), Size: s.request.Size,
		Time: cmp.Or(s.options.Time, measured), RampTime: cmp.Or(s.options.RampTime, ramp), Seed: rand.Uint64() | 1,
	}
	if s.made || s.options.Overwrite {
		exp.DestroyDataOn = s.request.File
	}
	p, err := profile.Lookup("kbench")
	if err != nil {
		return err
	}
	if p, err = profile.Choose(p, exp.Only, nil); err != nil {
		return err
	}
	p.Workloads = s.request.Limited(p.Workloads)
	at := session.Places{Create: true}
	s.prepared, err = at.Prepare(ctx, s.env, session.Request{
		ID: store.Name(s.env.Now(), s.request.File), Child: s.options.Child, Watch: s.options.Watch, Experiment: exp, Profile: p, Build: s.build,
		// The checks for writing apply even if the jobs only read: the volume is filled first.
		Touch: exp.DestroyDataOn != "",
	})
	return err
}

// build plans the jobs, and whether the volume is written before it is measured: always if this is
// allowed, except for a complete file that is only read. Blocks that were never written read faster
// than any disk, and the first write to them is slower than later ones.
func (s *Session) build(exp model.Experiment, p profile.Profile, t model.Target, found model.ProbeResult) (model.Plan, error) {
	if t.Kind == model.File {
		// The free space was checked when the file was created, and Kbench's users choose the size.
		found.Capacity = max(found.Capacity, s.request.Size)
	}
	plan, err := profile.Build(exp, p, t, found)
	if err != nil || plan.Volume.Prefill || exp.DestroyDataOn == "" {
		return plan, err
	}
	plan.Volume.Prefill = true
	if t.Kind == model.File {
		proof, err := volume.ProveFile(t.Path, s.request.Size)
		if err != nil {
			return plan, err
		}
		plan.Volume.Prefill = !proof.Method.Exists() || proof.Unwritten > 0
	}
	return plan, nil
}

// Cycles measures once, or in a long run until told to end, and passes on the result of each cycle. After
// that nothing measures the volume again, so Close returns its space.
func (s *Session) Cycles(ctx context.Context, done func(*Cycle) error) error {
	err := s.cycles(ctx, done)
	if err == nil {
		s.prepared.Discard()
	}
	return err
}

func (s *Session) cycles(ctx context.Context, done func(*Cycle) error) error {
	var first *model.Run
	for {
		c, err := s.cycle(ctx, first)
		if ctx.Err() != nil && s.request.LongRun && first != nil {
			// This is how a long run normally ends.
			return nil
		}
		if err != nil {
			return err
		}
		if err := done(c); err != nil || !s.request.LongRun {
			return err
		}
		first = &c.Recorded.Run
		s.prepared.Plan.Volume.Prefill = false
		select {
		case <-s.env.After(betweenCycles):
		case <-ctx.Done():
			return nil
		}
	}
}

// cycle measures all jobs. What the first cycle recorded in addition to them is reused in later ones.
func (s *Session) cycle(ctx context.Context, first *model.Run) (*Cycle, error) {
	run := model.Run{Schema: model.RunSchema, ID: filepath.Base(s.request.Prefix), Started: s.env.Now(), Tools: s.prepared.Probe.Tools,
		Command: s.options.Command, Labels: s.options.Labels}
	if first != nil {
		s.prepared.Plan.Shrink(first.Prepare)
		run.Prepare, run.Beside, s.prepared.Beside = first.Prepare, first.Beside, engine.Evidence{}
	}
	rec := &recorder{request: s.request, now: s.env.Now, outputs: map[string][]byte{}, recorded: model.Recorded{
		Plan: s.prepared.Plan, Run: run, Environment: s.prepared.Probe.Environment, Jobs: map[string]string{},
	}}
	_, err := s.prepared.Measure(ctx, rec, s.options.Watch, s.env.Now)
	if err := cmp.Or(err, failedStep(rec.recorded.Run.Steps)); err != nil {
		return nil, rec.unfinished(err)
	}
	report := results.Assemble(&rec.recorded)
	var doc bytes.Buffer
	if err := jsonout.Write(&doc, report); err != nil {
		return nil, err
	}
	return &Cycle{Values: rec.values, Recorded: &rec.recorded, Report: report}, store.WriteNamed(s.request.ReportFile(), doc.Bytes())
}

// sentence replaces run's flags in a refusal by what a user of Kbench sets.
func sentence(err error) error {
	var worker *model.WorkerError
	if !errors.As(err, &worker) {
		return err
	}
	say := strings.NewReplacer("--size ", "SIZE=", "--destroy-data-on", "--overwrite", " or leave it out", "")
	said := *worker
	said.Message, said.Hint = say.Replace(worker.Message), say.Replace(worker.Hint)
	return &said
}

// failedStep returns the first failed step as an error; nil if there is none.
func failedStep(steps []model.StepResult) error {
	for _, s := range steps {
		if s.Error != "" {
			return model.BrokenError(fmt.Sprintf("%s failed: %s", s.Step.Workload, s.Error), "")
		}
	}
	return nil
}

// compare decides for every number whether its change is more than noise, with the margins of loadline
// compare.
func compare(a, b *Cycle) *model.Comparison {
	return analyze.Compare(analyze.Measured{Recorded: a.Recorded, Report: a.Report}, analyze.Measured{Recorded: b.Recorded, Report: b.Report},
		results.Margins(model.Margins{}, model.Experiment{}))
}
