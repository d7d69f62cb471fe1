package store

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/klauspost/compress/zstd"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/jsonlimit"
	"github.com/loadline/loadline/internal/model/secrets"
	"github.com/loadline/loadline/internal/model/units"
)

// Start is what is known at the start of a run.
type Start struct {
	// Experiment is the text of experiment.yaml.
	Experiment []byte
	// Directory is the name of the run directory; empty for the run's ID.
	Directory   string
	Plan        model.Plan
	Run         model.Run
	Environment model.Environment
}

// Writer records one run. It is safe for concurrent use. It is the engine's Recorder.
type Writer struct {
	folder *Folder
	now    func() time.Time

	mu      sync.Mutex
	run     model.Run
	file    *os.File
	zip     *zstd.Encoder
	flushed time.Time
	// saved is how much of the samples file is readable, in bytes: up to the last flush.
	saved int64
	// unsynced holds the files that would not survive a power failure yet.
	unsynced map[string]bool
	// failed is why nothing more can be saved; what is recorded after that is only kept in run.
	failed error
	// counted are the samples of the steps without a result yet.
	counted map[part]int
	// recorded is the number of steps in the record on disk.
	recorded int
	// moved is the run as it was read back at its end, if its folder was no longer where it had been made; else nil.
	moved *model.Recorded
}

// flushEvery limits how much of a running step a crash can lose.
const flushEvery = 2 * time.Second

// Name returns the name of a run directory: the time and a slug of the target, for example
// "20261120-235200-var-lib-data".
func Name(started time.Time, target string) string {
	slug := strings.Trim(notSlug.ReplaceAllString(strings.ToLower(secrets.MaskText(target)), "-"), "-")
	if len(slug) > 40 {
		slug = strings.Trim(slug[len(slug)-40:], "-")
	}
	return strings.TrimRight(started.UTC().Format("20060102-150405")+"-"+slug, "-")
}

var notSlug = regexp.MustCompile(`[^a-z0-9]+`)

// Create creates the run directory under parent, with a number appended if the name is taken, and
// writes what is known at the start. The samples file is locked during the run, so that readers can
// tell a killed run from a running one. If that fails, such as for lack of room, nothing is left behind.
func Create(parent string, now func() time.Time, s Start) (*Writer, error) {
	dir, err := MakeDirectory(parent, cmp.Or(s.Directory, s.Run.ID))
	if err != nil {
		return nil, unbegun(parent, err)
	}
	folder, err := Open(dir)
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	w := &Writer{folder: folder, now: now, run: s.Run, flushed: now(), unsynced: map[string]bool{}}
	w.run.Schema, w.run.Status = model.RunSchema, model.Running
	if s.Directory == "" {
		// Another run that began in the same second has its name already.
		w.run.ID = filepath.Base(dir)
	}
	if err := w.begin(s); err != nil {
		return nil, errors.Join(unbegun(parent, err), w.abandon())
	}
	return w, nil
}

// unbegun says why nothing can be saved in parent. On a full disk, the file that was tried first says nothing more.
func unbegun(parent string, err error) error {
	if errors.Is(err, syscall.ENOSPC) {
		return fmt.Errorf("the results cannot be saved in %s, whose disk is full: %w", parent, syscall.ENOSPC)
	}
	return err
}

// abandon removes the directory of a run that could not begin. Create has made it, so nothing in it
// existed before, and nothing has been measured.
func (w *Writer) abandon() error {
	if w.file != nil {
		_ = w.file.Close()
	}
	return errors.Join(w.folder.Close(), os.RemoveAll(w.folder.name))
}

// begin writes what is known at the start.
func (w *Writer) begin(s Start) (err error) {
	w.run.Command, w.run.Again = secrets.MaskCommand(s.Run.Command), secrets.MaskCommand(s.Run.Again)
	if err := w.folder.root.Mkdir(rawDir, folderMode); err != nil {
		return err
	}
	if w.file, err = w.folder.root.OpenFile(samplesFile, os.O_CREATE|os.O_WRONLY|os.O_EXCL, fileMode); err != nil {
		return err
	}
	// On a filesystem without locks (some NFS), only this distinction is lost.
	_ = syscall.Flock(int(w.file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if w.zip, err = newCompressor(w.file); err != nil {
		return err
	}
	for _, write := range []func() error{
		func() error { return w.folder.Write(experimentFile, []byte(secrets.MaskText(string(s.Experiment)))) },
		func() error { return w.folder.writeJSON(planFile, s.Plan) },
		func() error { return w.folder.writeJSON(environmentFile, secrets.MaskEnvironment(s.Environment)) },
		func() error { return w.folder.writeJSON(runFile, w.run) },
		w.reserveSpace,
	} {
		// What fails after the first has the same reason, or fails because of it.
		if err := write(); err != nil {
			return err
		}
	}
	return nil
}

// newCompressor returns an encoder that uses little memory.
func newCompressor(w io.Writer) (*zstd.Encoder, error) {
	return zstd.NewWriter(w, zstd.WithEncoderConcurrency(1), zstd.WithLowerEncoderMem(true), zstd.WithWindowSize(1<<20))
}

// writeSamples writes a complete samples file.
func writeSamples(w io.Writer, samples []model.Sample) error {
	zip, err := newCompressor(w)
	if err != nil {
		return err
	}
	enc := json.NewEncoder(zip)
	for _, s := range samples {
		if err := enc.Encode(s); err != nil {
			return errors.Join(err, zip.Close())
		}
	}
	return zip.Close()
}

// MakeDirectory creates a directory under parent, with a number appended if the name is taken. It is
// private to the user; parent is created if needed, with the permissions of the umask.
func MakeDirectory(parent, name string) (string, error) {
	if _, err := makeFolders(parent); err != nil {
		return "", fmt.Errorf("the folder for results cannot be made: %w", err)
	}
	return freshDir(parent, name)
}

// freshDir creates parent/name, or parent/name-2 … if that exists.
func freshDir(parent, name string) (string, error) {
	for i := 1; ; i++ {
		dir := filepath.Join(parent, name)
		if i > 1 {
			dir = fmt.Sprintf("%s-%d", dir, i)
		}
		err := os.Mkdir(dir, folderMode)
		if err == nil || !os.IsExist(err) || i > 1000 {
			return dir, err
		}
	}
}

// Dir returns the run directory.
func (w *Writer) Dir() string { return w.folder.name }

// Prepared records the preparation.
func (w *Writer) Prepared(p model.Preparation) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.run.Prepare = &p
	return w.save()
}

// Clock records the time from which the seconds of steps and samples are counted.
func (w *Writer) Clock(at time.Time) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.run.Clock = at
	return w.save()
}

// Sample records one second.
func (w *Writer) Sample(s model.Sample) error {
	line, err := json.Marshal(s)
	if err != nil {
		return err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.count(&s)
	if w.failed != nil {
		return nil
	}
	if _, err := w.zip.Write(append(line, '\n')); err != nil {
		return w.fail(fmt.Errorf("the samples cannot be saved: %w", err))
	}
	if w.now().Sub(w.flushed) >= flushEvery {
		return w.flush()
	}
	return nil
}

func (w *Writer) flush() error {
	w.flushed = w.now()
	err := w.zip.Flush()
	if err == nil {
		w.saved, err = w.file.Seek(0, io.SeekCurrent)
	}
	if err != nil {
		return w.fail(fmt.Errorf("the samples cannot be saved: %w", err))
	}
	return nil
}

// compressFrom is the size from which raw output is compressed, in bytes.
const compressFrom = 8 << 10

// Raw keeps a piece of the tool's own output under raw/, compressed if large. It may be called while
// other workers are still measuring, so it is only synced together with the step.
func (w *Writer) Raw(r model.Raw) error {
	return w.keep(r.Name, []byte(secrets.MaskText(string(r.Data))))
}

// keep saves a file under raw/ unchanged.
func (w *Writer) keep(name string, data []byte) error {
	name = path.Join(rawDir, path.Base(filepath.ToSlash(name)))
	if len(data) >= compressFrom {
		var buf bytes.Buffer
		zip, err := newCompressor(&buf)
		if err != nil {
			return err
		}
		if _, err := zip.Write(data); err != nil {
			return err
		}
		if err := zip.Close(); err != nil {
			return err
		}
		name, data = name+".zst", buf.Bytes()
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.failed != nil {
		return nil
	}
	if err := w.folder.writeUnsynced(name, data); err != nil {
		return w.fail(err)
	}
	w.unsynced[name] = true
	return nil
}

// Step records the results of a step's workers, after all its samples, and syncs everything recorded so
// far. Nothing is being measured at that time, not even on the same disk: the next step begins when this
// is done. It takes four flushes, 3 to 10 ms together on a virtual disk, while a repeat takes at least a
// second.
func (w *Writer) Step(results ...model.StepResult) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, r := range results {
		r.Error, r.Lost = secrets.MaskText(r.Error), secrets.MaskText(r.Lost)
		w.run.Steps = append(w.run.Steps, w.counts(r))
	}
	if w.failed != nil {
		return nil
	}
	if err := w.flush(); err != nil {
		return err
	}
	if err := w.sync(); err != nil {
		return w.fail(fmt.Errorf("what was measured cannot be saved: %w", err))
	}
	return w.save()
}

// Beside records what was measured alongside the load. It may be called during measurements.
func (w *Writer) Beside(b model.Beside) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.run.Beside.Add(b)
	if w.failed != nil {
		return nil
	}
	data, err := document(w.run)
	if err == nil {
		err = w.folder.writeUnsynced(runFile, data)
	}
	if err != nil {
		return w.fail(err)
	}
	w.unsynced[runFile] = true
	return nil
}

// sync makes everything written since the last call survive a power failure.
func (w *Writer) sync() error {
	errs := []error{syncFile(w.file)}
	for name := range w.unsynced {
		f, err := w.folder.root.Open(name)
		if err == nil {
			err = errors.Join(syncFile(f), f.Close())
		}
		errs = append(errs, err)
	}
	clear(w.unsynced)
	// The folder's own entries are synced together with the record, which is written next.
	return errors.Join(append(errs, w.folder.syncDirectory(rawDir))...)
}

// fullRecord is the largest record that is written, in bytes: less than what is read, because the end of the run
// is still recorded.
const fullRecord = jsonlimit.Largest - 1<<20

// save writes the run's record.
func (w *Writer) save() error {
	if w.failed != nil {
		return nil
	}
	data, err := document(w.run)
	if err == nil && len(data) > fullRecord {
		// What is there can still be read; a larger one could not.
		err = fmt.Errorf("the record of this run is full (%s): it holds no more repeats; make the run shorter, or use fewer volumes", units.FormatSize(fullRecord))
	}
	if err == nil {
		err = w.folder.Write(runFile, data)
	}
	if err != nil {
		return w.fail(fmt.Errorf("%s cannot be saved: %w", runFile, err))
	}
	w.recorded = len(w.run.Steps)
	if err := w.reserveSpace(); err != nil {
		return w.fail(err)
	}
	return nil
}

// Finish records the status, closes the samples and releases the lock.
func (w *Writer) Finish(status model.Status, reason string) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.run.Status, w.run.Reason, w.run.Finished = status, secrets.MaskText(reason), w.now()
	defer w.folder.Close()
	defer w.readMoved()
	defer w.file.Close()
	if w.failed == nil {
		err := w.zip.Close()
		if err == nil {
			err = w.sync()
		}
		if err == nil {
			// Nothing else is written after this.
			_ = w.folder.root.Remove(reserveFile)
			err = w.folder.writeJSON(runFile, w.run)
		}
		if err == nil {
			return nil
		}
		_ = w.fail(err) // it is returned below
	} else {
		_ = w.zip.Close() // its error is already known
	}
	if w.run.Status == model.Complete {
		w.run.Status, w.run.Reason = model.Failed, w.failed.Error()
	}
	// What follows the last flush is an incomplete block.
	_ = w.file.Truncate(w.saved)
	_ = w.folder.root.Remove(reserveFile)
	run := w.run
	if data, err := document(run); err == nil && len(data) > jsonlimit.Largest {
		run.Steps = run.Steps[:w.recorded]
	}
	if err := w.folder.writeJSON(runFile, run); err != nil {
		// The record on disk still says running, but without the lock: it is read as interrupted.
		return errors.Join(w.failed, err)
	}
	return w.failed
}

// writeJSON replaces a file of the folder with a document without secrets.
func (f *Folder) writeJSON(name string, v any) error {
	data, err := document(v)
	if err != nil {
		return fmt.Errorf("%s cannot be saved: %w", name, err)
	}
	return f.Write(name, data)
}

func document(v any) ([]byte, error) {
	data, err := json.MarshalIndent(v, "", " ")
	return append([]byte(secrets.MaskText(string(data))), '\n'), err
}
