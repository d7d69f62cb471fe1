package store

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"syscall"

	"github.com/klauspost/compress/zstd"

	"github.com/loadline/loadline/internal/model"
)

// Read reads a run directory back, whatever state a crash left it in. What could
// not be read is told in Damage; the error is a Refused one when the directory
// is no run directory at all.
func Read(dir string) (*model.Recorded, error) { return ReadFS(os.DirFS(dir), dir) }

// ReadFS is Read of a run directory that is reached through files, so that a reader
// can bound what its names may reach. dir is its name for people.
func ReadFS(files fs.FS, dir string) (*model.Recorded, error) {
	rec := &model.Recorded{Directory: dir}
	if err := readHead(files, dir, rec); err != nil {
		return nil, err
	}
	var err error
	rec.Samples, err = readSamples(files, samplesFile)
	if errors.Is(err, io.ErrUnexpectedEOF) && rec.Run.Status != model.Complete {
		// A crash tore it off between two flushes; the run says itself that it is cut.
		err = nil
	}
	if err != nil {
		rec.Damage = append(rec.Damage, fmt.Sprintf("%s ends early: %v", samplesFile, err))
	}
	rec.Imported = readImported(files, rec)
	rec.Durability = readDurability(files, rec)
	rec.Jobs = readJobs(files, rec.Run.Steps)
	return rec, nil
}

// readHead reads plan, run and environment.
func readHead(files fs.FS, dir string, rec *model.Recorded) error {
	if _, err := fs.Stat(files, planFile); err != nil {
		return model.RefusedError(fmt.Sprintf("%s is not a run directory: it has no %s", dir, planFile),
			"name a folder under loadline-results/")
	}
	if err := readJSON(files, planFile, &rec.Plan); err != nil {
		return model.RefusedError(fmt.Sprintf("%s cannot be read: %v", filepath.Join(dir, planFile), err),
			"copy the directory again from where it was measured, or measure again")
	}
	if rec.Plan.Schema != model.PlanSchema {
		return model.RefusedError(fmt.Sprintf("%s was written in schema %q, this loadline reads %q", dir, rec.Plan.Schema, model.PlanSchema),
			"use the loadline that made it")
	}
	if err := readJSON(files, runFile, &rec.Run); err != nil {
		rec.Damage = append(rec.Damage, fmt.Sprintf("%s cannot be read: %v", runFile, err))
		rec.Run = model.Run{Schema: model.RunSchema, ID: filepath.Base(dir), Status: model.Running}
	}
	if err := readJSON(files, environmentFile, &rec.Environment); err != nil {
		rec.Damage = append(rec.Damage, fmt.Sprintf("%s cannot be read: %v", environmentFile, err))
	}
	if rec.Run.Status == model.Running && !locked(files, samplesFile) {
		rec.Run.Status = model.Interrupted
		rec.Run.Reason = killed
	}
	return nil
}

// killed is the reason of a run that nobody writes any more and that has no end.
const killed = "the measuring process ended without a word (killed, or the machine went down)"

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
	data, err := fs.ReadFile(files, name)
	if err != nil {
		return err
	}
	return json.Unmarshal(data, v)
}

// Running tells whether a living process is still measuring into the directory.
func Running(dir string) bool { return RunningFS(os.DirFS(dir)) }

// RunningFS is Running for a directory that is reached through files.
func RunningFS(files fs.FS) bool { return locked(files, samplesFile) }

// locked tells whether a living process writes the file. Only files of the system
// can be locked.
func locked(files fs.FS, name string) bool {
	file, err := files.Open(name)
	if err != nil {
		return false
	}
	defer file.Close()
	f, ok := file.(*os.File)
	return ok && errors.Is(syscall.Flock(int(f.Fd()), syscall.LOCK_SH|syscall.LOCK_NB), syscall.EWOULDBLOCK)
}

// readSamples decodes on all cores, because a long run of many volumes holds more
// than a hundred thousand lines. Samples before a torn end are returned with the
// error; it is io.ErrUnexpectedEOF where the end was torn off between two flushes.
func readSamples(files fs.FS, name string) ([]model.Sample, error) {
	f, err := files.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	unzip, err := zstd.NewReader(f)
	if err != nil {
		return nil, err
	}
	defer unzip.Close()

	type chunk struct {
		lines   []byte
		samples []model.Sample
		err     error
	}
	work := make(chan *chunk)
	// Samples keep nothing of their lines, so the memory of a chunk serves again.
	var spare sync.Pool
	var pool sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		pool.Go(func() {
			for c := range work {
				lines := c.lines
				c.lines = nil
				c.samples, c.err = decodeLines(lines)
				spare.Put(&lines)
			}
		})
	}
	var chunks []*chunk
	var readErr error
	var rest []byte
	const piece = 1 << 20
	for readErr == nil {
		var buf []byte
		if used, ok := spare.Get().(*[]byte); ok {
			buf = (*used)[:0]
		}
		buf = append(slices.Grow(buf, len(rest)+piece), rest...)
		n := 0
		n, readErr = io.ReadFull(unzip, buf[len(rest):cap(buf)])
		buf = buf[:len(rest)+n]
		end := bytes.LastIndexByte(buf, '\n') + 1
		rest = buf[end:]
		if end > 0 {
			c := &chunk{lines: buf[:end]}
			chunks = append(chunks, c)
			work <- c
		}
	}
	close(work)
	pool.Wait()
	var samples []model.Sample
	for _, c := range chunks {
		samples = append(samples, c.samples...)
		if c.err != nil {
			return samples, c.err
		}
	}
	switch {
	case readErr != io.EOF && readErr != io.ErrUnexpectedEOF:
		return samples, readErr
	case len(rest) > 0:
		return samples, errors.New("the last line is torn")
	}
	// ReadFull says the same of a short end and of a torn one; the decoder remembers.
	if _, err := unzip.Read(make([]byte, 1)); err != io.EOF {
		return samples, err
	}
	return samples, nil
}

func decodeLines(lines []byte) ([]model.Sample, error) {
	samples := make([]model.Sample, 0, len(lines)/512)
	for len(lines) > 0 {
		end := bytes.IndexByte(lines, '\n')
		var s model.Sample
		if err := json.Unmarshal(lines[:end], &s); err != nil {
			return samples, fmt.Errorf("a line is no sample: %w", err)
		}
		samples = append(samples, s)
		lines = lines[end+1:]
	}
	return samples, nil
}

// readJobs finds the first job text of each workload. Raw files are named by the
// step's result; the job of raw output "0007-x.json" is "0007-x.fio".
func readJobs(files fs.FS, steps []model.StepResult) map[string]string {
	jobs := map[string]string{}
	for _, s := range steps {
		if _, have := jobs[s.Step.Workload]; have || s.Raw == "" {
			continue
		}
		name := strings.TrimSuffix(path.Base(s.Raw), path.Ext(s.Raw)) + ".fio"
		if text, err := fs.ReadFile(files, path.Join(rawDir, name)); err == nil {
			jobs[s.Step.Workload] = string(text)
		}
	}
	return jobs
}
