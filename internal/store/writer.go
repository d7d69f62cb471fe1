package store

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/klauspost/compress/zstd"

	"github.com/loadline/loadline/internal/model"
)

// Start is what is known when a run begins.
type Start struct {
	// Experiment is the text of experiment.yaml.
	Experiment []byte
	// Directory is the name of the run directory; empty for the run's ID.
	Directory   string
	Plan        model.Plan
	Run         model.Run
	Environment model.Environment
}

// Writer records one run. Its methods may be called from several goroutines. It
// is the engine's Recorder.
type Writer struct {
	dir string
	now func() time.Time

	mu      sync.Mutex
	run     model.Run
	file    *os.File
	zip     *zstd.Encoder
	flushed time.Time
}

// flushEvery bounds how much of a running step a crash can lose.
const flushEvery = 2 * time.Second

// Name makes the name of a run directory: the time and a slug of the target,
// for example "20261120-235200-var-lib-data".
func Name(started time.Time, target string) string {
	slug := strings.Trim(notSlug.ReplaceAllString(strings.ToLower(target), "-"), "-")
	if len(slug) > 40 {
		slug = strings.Trim(slug[len(slug)-40:], "-")
	}
	return strings.TrimRight(started.UTC().Format("20060102-150405")+"-"+slug, "-")
}

var notSlug = regexp.MustCompile(`[^a-z0-9]+`)

// Create makes the run directory under parent, with a number appended when the
// name is taken, and writes what is known at the start. The samples file is
// locked while the run goes on, so that readers can tell a killed run from a
// running one.
func Create(parent string, now func() time.Time, s Start) (*Writer, error) {
	dir, err := MakeDirectory(parent, cmp.Or(s.Directory, s.Run.ID))
	if err != nil {
		return nil, err
	}
	w := &Writer{dir: dir, now: now, run: s.Run, flushed: now()}
	w.run.Schema, w.run.Status = model.RunSchema, model.Running
	if err := os.Mkdir(filepath.Join(dir, rawDir), 0o755); err != nil {
		return nil, err
	}
	if w.file, err = os.OpenFile(filepath.Join(dir, samplesFile), os.O_CREATE|os.O_WRONLY|os.O_EXCL, 0o644); err != nil {
		return nil, err
	}
	// A filesystem without locks (some NFS) only loses the distinction.
	_ = syscall.Flock(int(w.file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if w.zip, err = newZip(w.file); err != nil {
		return nil, err
	}
	return w, errors.Join(
		WriteFile(dir, experimentFile, s.Experiment),
		writeJSON(dir, planFile, s.Plan),
		writeJSON(dir, environmentFile, s.Environment),
		writeJSON(dir, runFile, w.run),
	)
}

// newZip compresses with little memory.
func newZip(w io.Writer) (*zstd.Encoder, error) {
	return zstd.NewWriter(w, zstd.WithEncoderConcurrency(1), zstd.WithLowerEncoderMem(true), zstd.WithWindowSize(1<<20))
}

// writeSamples writes a whole file of samples.
func writeSamples(w io.Writer, samples []model.Sample) error {
	zip, err := newZip(w)
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

// MakeDirectory makes a directory under parent, which is made as well, with a
// number appended when the name is taken.
func MakeDirectory(parent, name string) (string, error) {
	if err := os.MkdirAll(parent, 0o755); err != nil {
		return "", fmt.Errorf("the folder for results cannot be made: %w", err)
	}
	return freshDir(parent, name)
}

// freshDir makes parent/name, or parent/name-2 … when it exists.
func freshDir(parent, name string) (string, error) {
	for i := 1; ; i++ {
		dir := filepath.Join(parent, name)
		if i > 1 {
			dir = fmt.Sprintf("%s-%d", dir, i)
		}
		err := os.Mkdir(dir, 0o755)
		if err == nil || !os.IsExist(err) || i > 1000 {
			return dir, err
		}
	}
}

// Dir is the run directory.
func (w *Writer) Dir() string { return w.dir }

// Prepared records the preparation.
func (w *Writer) Prepared(p model.Preparation) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.run.Prepare = &p
	return writeJSON(w.dir, runFile, w.run)
}

// Sample records one second.
func (w *Writer) Sample(s model.Sample) error {
	line, err := json.Marshal(s)
	if err != nil {
		return err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if _, err := w.zip.Write(append(line, '\n')); err != nil {
		return fmt.Errorf("the samples cannot be saved: %w", err)
	}
	if w.now().Sub(w.flushed) >= flushEvery {
		return w.flush()
	}
	return nil
}

func (w *Writer) flush() error {
	w.flushed = w.now()
	if err := w.zip.Flush(); err != nil {
		return fmt.Errorf("the samples cannot be saved: %w", err)
	}
	return nil
}

// compressFrom is the size from which raw output is kept compressed.
const compressFrom = 8 << 10

// Raw keeps a piece of the tool's own output under raw/, compressed when large.
func (w *Writer) Raw(r model.Raw) error {
	name := filepath.Join(rawDir, filepath.Base(r.Name))
	if len(r.Data) < compressFrom {
		return WriteFile(w.dir, name, r.Data)
	}
	var buf bytes.Buffer
	zip, err := newZip(&buf)
	if err != nil {
		return err
	}
	if _, err := zip.Write(r.Data); err != nil {
		return err
	}
	if err := zip.Close(); err != nil {
		return err
	}
	return WriteFile(w.dir, name+".zst", buf.Bytes())
}

// Step records a step's result, after all its samples.
func (w *Writer) Step(r model.StepResult) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if err := w.flush(); err != nil {
		return err
	}
	w.run.Steps = append(w.run.Steps, r)
	return writeJSON(w.dir, runFile, w.run)
}

// Beside records what was measured beside the load.
func (w *Writer) Beside(b model.Beside) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.run.Beside.Add(b)
	return writeJSON(w.dir, runFile, w.run)
}

// Finish records the status, closes the samples and releases the lock.
func (w *Writer) Finish(status model.Status, reason string) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.run.Status, w.run.Reason, w.run.Finished = status, reason, w.now()
	return errors.Join(w.zip.Close(), w.file.Sync(), writeJSON(w.dir, runFile, w.run), w.file.Close())
}

// WriteFile replaces a file of the run directory whole.
func WriteFile(dir, name string, data []byte) error {
	path := filepath.Join(dir, name)
	tmp, err := os.CreateTemp(filepath.Dir(path), ".tmp-*")
	if err != nil {
		return fmt.Errorf("%s cannot be saved: %w", name, err)
	}
	_, err = tmp.Write(data)
	err = errors.Join(err, tmp.Chmod(0o644), tmp.Close())
	if err == nil {
		err = os.Rename(tmp.Name(), path)
	}
	if err != nil {
		os.Remove(tmp.Name())
		return fmt.Errorf("%s cannot be saved: %w", name, err)
	}
	return nil
}

func writeJSON(dir, name string, v any) error {
	data, err := json.MarshalIndent(v, "", " ")
	if err != nil {
		return fmt.Errorf("%s cannot be saved: %w", name, err)
	}
	return WriteFile(dir, name, append(data, '\n'))
}
