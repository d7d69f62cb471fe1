package store

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"github.com/loadline/loadline/internal/model"
)

// Read reads a run directory, whatever state a crash left it in. Damage lists what could not be read.
// The error is Refused if the directory is not a run directory at all, and Broken if a file exceeds
// the bounds of any run.
func Read(dir string) (*model.Recorded, error) {
	f, err := Open(dir)
	if err != nil {
		return nil, notRunError(dir)
	}
	defer f.Close()
	return f.Read()
}

// ReadFS is Read for a run directory accessed through files, so that a caller can restrict what names
// may reach. dir is its name for display.
func ReadFS(files fs.FS, dir string) (*model.Recorded, error) {
	rec := &model.Recorded{Directory: dir}
	if err := readHead(files, dir, rec); err != nil {
		return nil, err
	}
	var err error
	rec.Samples, err = readSamples(files, samplesFile)
	if errors.Is(err, io.ErrUnexpectedEOF) && rec.Run.Status != model.Complete {
		// A crash cut it off between two flushes; the run's status already says so.
		err = nil
	}
	missing := errors.Is(err, fs.ErrNotExist)
	switch {
	case isBoundError(err):
		return nil, damageError(dir, samplesFile, err.Error())
	case missing:
		rec.Damage = append(rec.Damage, samplesFile+" is missing")
	case err != nil:
		rec.Damage = append(rec.Damage, fmt.Sprintf("%s ends early: %v", samplesFile, err))
	}
	rec.Imported = readImported(files, rec)
	if err == nil && rec.Imported == nil {
		rec.Damage = append(rec.Damage, sampleDamage(rec)...)
	}
	if !missing && len(rec.Samples) == 0 && !isCounted(rec.Run.Steps) && rec.Imported == nil && rec.Run.Status == model.Complete && slices.ContainsFunc(rec.Run.Steps, func(s model.StepResult) bool { return s.Error == "" }) {
		rec.Damage = append(rec.Damage, samplesFile+" is empty")
	}
	rec.Durability = readDurability(files, rec)
	rec.Jobs = readJobs(files, rec.Run.Steps)
	return rec, nil
}

// readHead reads plan, run and environment.
func readHead(files fs.FS, dir string, rec *model.Recorded) error {
	if _, err := fs.Stat(files, planFile); err != nil {
		return notRunError(dir)
	}
	for _, name := range []string{planFile, runFile, environmentFile, importedFile} {
		// If a file exceeds a bound, nothing in the directory can be trusted.
		if _, err := ReadDocument(files, name); isBoundError(err) {
			return damageError(dir, name, err.Error())
		}
	}
	if err := readJSON(files, planFile, &rec.Plan); err != nil {
		return model.RefusedError(fmt.Sprintf("%s cannot be read: %v", filepath.Join(dir, planFile), err),
			"copy the directory again from where it was measured, or measure again")
	}
	if rec.Plan.Schema != model.PlanSchema {
		return model.RefusedError(fmt.Sprintf("%s was written in schema %q, this loadline reads %q", dir, rec.Plan.Schema, model.PlanSchema),
			"use the loadline that made it")
	}
	for _, w := range rec.Plan.Workloads {
		if !slices.Contains([]model.Direction{model.Read, model.Write, model.Mixed}, w.Direction) {
			return damageError(dir, planFile, fmt.Sprintf("the workload %q neither reads nor writes, but has the direction %q", w.Name, w.Direction))
		}
	}
	err := readJSON(files, runFile, &rec.Run)
	if err == nil && rec.Run.Schema != model.RunSchema {
		err = fmt.Errorf("it was written in schema %q, and this loadline reads %q", rec.Run.Schema, model.RunSchema)
	}
	if err != nil {
		rec.Damage = append(rec.Damage, fmt.Sprintf("%s cannot be read: %v", runFile, err))
		rec.Run = model.Run{Schema: model.RunSchema, ID: filepath.Base(dir), Status: model.Running}
		rec.Steps = outputSteps(files, &rec.Plan)
		if !locked(files, samplesFile) {
			rec.Run.Status, rec.Run.Reason = model.Interrupted, "its record "+runFile+" cannot be read, so how it ended is not known"
			if len(rec.Steps) == 0 {
				rec.Run.Reason += "; nor is it known what each repeat measured"
			}
		}
	}
	dropCounts(rec)
	dropDistance(rec)
	// plan.json says what was planned, and everybody wants to know what was measured.
	rec.Plan.Shrink(rec.Run.Prepare)
	if err := readJSON(files, environmentFile, &rec.Environment); err != nil {
		rec.Damage = append(rec.Damage, fmt.Sprintf("%s cannot be read: %v", environmentFile, err))
	}
	if rec.Run.Status == model.Running && !locked(files, samplesFile) {
		rec.Run.Status = model.Interrupted
		rec.Run.Reason = killedReason
	}
	return nil
}

// outputSteps returns the workloads of the steps that the load tool's outputs are named after.
func outputSteps(files fs.FS, plan *model.Plan) map[int]string {
	steps := map[int]string{}
	names, _ := fs.Glob(files, path.Join(rawDir, "*"))
	for _, name := range names {
		number, output, _ := strings.Cut(path.Base(name), "-")
		n, err := strconv.Atoi(number)
		if err != nil {
			continue
		}
		for _, w := range plan.Workloads {
			// A name may be the beginning of another one.
			if strings.HasPrefix(output, w.Name+".") && len(w.Name) > len(steps[n]) {
				steps[n] = w.Name
			}
		}
	}
	return steps
}

// notRunError returns the refusal of a directory that is not a run directory.
func notRunError(dir string) error {
	return model.RefusedError(fmt.Sprintf("%s is not a run directory: it has no %s", dir, planFile), "name a folder under loadline-results/")
}

// killedReason is the reason for a run that has no end and is no longer being written.
const killedReason = "the measuring process ended unexpectedly (killed, or the machine went down)"

// readDurability reads the durability tests that were saved inside the run.
func readDurability(files fs.FS, rec *model.Recorded) (tests []model.Durability) {
	names, _ := fs.Glob(files, "durability*/"+ReportFile)
	for _, name := range names {
		var d model.Durability
		if err := readJSON(files, name, &d); err != nil {
			rec.Damage = append(rec.Damage, fmt.Sprintf("%s cannot be read: %v", name, err))
			continue
		}
		tests = append(tests, d)
	}
	return tests
}

func readJSON(files fs.FS, name string, v any) error {
	data, err := ReadDocument(files, name)
	if err != nil {
		return err
	}
	return json.Unmarshal(data, v)
}

// Running reports whether a live process is still measuring into the directory.
func Running(dir string) bool {
	f, err := Open(dir)
	if err != nil {
		return false
	}
	defer f.Close()
	return runningFS(f.Files())
}

// runningFS is Running for a directory accessed through files.
func runningFS(files fs.FS) bool { return locked(files, samplesFile) }

// locked reports whether a live process is writing the file. Only files of the operating system can
// be locked.
func locked(files fs.FS, name string) bool {
	file, err := files.Open(name)
	if err != nil {
		return false
	}
	defer file.Close()
	f, ok := file.(*os.File)
	return ok && errors.Is(syscall.Flock(int(f.Fd()), syscall.LOCK_SH|syscall.LOCK_NB), syscall.EWOULDBLOCK)
}

// readJobs finds the first job text of each workload. Raw files are named in the step's result; the
// job of raw output "0007-x.json" is "0007-x.fio".
func readJobs(files fs.FS, steps []model.StepResult) map[string]string {
	jobs := map[string]string{}
	for _, s := range steps {
		if _, have := jobs[s.Step.Workload]; have || s.Raw == "" {
			continue
		}
		name := strings.TrimSuffix(path.Base(s.Raw), path.Ext(s.Raw)) + ".fio"
		if text, err := readBounded(files, path.Join(rawDir, name), largestJob); err == nil {
			jobs[s.Step.Workload] = string(text)
		}
	}
	return jobs
}
