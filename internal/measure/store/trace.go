package store

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"github.com/klauspost/compress/zstd"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/iotrace"
	"github.com/loadline/loadline/internal/model/secrets"
)

// traceFile is the record in every trace's directory. The samples are in samplesFile, one line for
// each second and each kind of I/O of each process.
const traceFile = "trace.json"

// TraceDir is the subfolder of a run that holds the trace recorded alongside it.
const TraceDir = "trace"

// TraceWriter records one trace.
type TraceWriter struct {
	folder  *Folder
	now     func() time.Time
	file    *os.File
	zip     *zstd.Encoder
	flushed time.Time
	// moved is the trace as it was read back at its end, if its folder was no longer where it had been made; else nil.
	moved *RecordedTrace
}

// CreateTrace creates the directory of that name under parent, with a number appended if the name is
// taken. The samples file is locked while the trace is running.
func CreateTrace(parent, name string, now func() time.Time, run iotrace.Run) (*TraceWriter, error) {
	dir, err := MakeDirectory(parent, name)
	if err != nil {
		return nil, err
	}
	folder, err := Open(dir)
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	w := &TraceWriter{folder: folder, now: now, flushed: now()}
	if w.file, err = folder.root.OpenFile(samplesFile, os.O_CREATE|os.O_WRONLY|os.O_EXCL, fileMode); err != nil {
		return nil, errors.Join(err, folder.Close(), os.RemoveAll(dir))
	}
	_ = syscall.Flock(int(w.file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if w.zip, err = newCompressor(w.file); err == nil {
		err = w.Save(run)
	}
	if err != nil {
		// The directory was made here, and nothing has been traced.
		return nil, errors.Join(err, w.file.Close(), folder.Close(), os.RemoveAll(dir))
	}
	return w, nil
}

// Dir returns the trace's directory.
func (w *TraceWriter) Dir() string { return w.folder.name }

// Recorded reads the trace back after its end, also if its folder was moved meanwhile.
func (w *TraceWriter) Recorded() (*RecordedTrace, error) {
	if w.moved != nil {
		return w.moved, nil
	}
	return ReadTrace(w.folder.name)
}

// Save replaces the record.
func (w *TraceWriter) Save(run iotrace.Run) error {
	run.Schema, run.Reason = iotrace.RunSchema, secrets.MaskText(run.Reason)
	run.Command, run.Environment = secrets.MaskCommand(run.Command), secrets.MaskEnvironment(run.Environment)
	return w.folder.writeJSON(traceFile, run)
}

// Second records the samples of one second.
func (w *TraceWriter) Second(samples []iotrace.Sample) error {
	for _, s := range samples {
		s.Command, s.Cgroup = secrets.MaskText(s.Command), secrets.MaskText(s.Cgroup)
		line, err := json.Marshal(s)
		if err == nil {
			_, err = w.zip.Write(append(line, '\n'))
		}
		if err != nil {
			return fmt.Errorf("the samples cannot be saved: %w", err)
		}
	}
	if w.now().Sub(w.flushed) < flushEvery {
		return nil
	}
	w.flushed = w.now()
	if err := w.zip.Flush(); err != nil {
		return fmt.Errorf("the samples cannot be saved: %w", err)
	}
	return nil
}

// Finish closes the samples and saves the record. It must be called once.
func (w *TraceWriter) Finish(run iotrace.Run) error {
	err := errors.Join(w.zip.Close(), syncFile(w.file), w.Save(run))
	if _, gone := os.Stat(w.folder.name); err != nil && errors.Is(gone, fs.ErrNotExist) {
		err = model.BrokenError(fmt.Sprintf("the trace could not be saved: %s was removed while it was made", w.folder.name), "trace again, and leave its folder in place")
	}
	err = errors.Join(err, w.file.Close())
	if err == nil && w.folder.Moved() {
		w.moved, _ = w.folder.readTrace() // whoever asks for it is told why it cannot be read
	}
	return errors.Join(err, w.folder.Close())
}

// IsTrace reports whether the directory is a trace.
func IsTrace(dir string) bool {
	info, err := os.Lstat(filepath.Join(dir, traceFile))
	return err == nil && info.Mode().IsRegular()
}

// RecordedTrace is a trace as it was recorded.
type RecordedTrace struct {
	Run     iotrace.Run
	Samples []iotrace.Sample
	// Damage lists, in sentences, what could not be read.
	Damage    []string
	Directory string
}

// ReadTrace reads a trace's directory, whatever state a crash left it in.
func ReadTrace(dir string) (*RecordedTrace, error) {
	f, err := Open(dir)
	if err != nil {
		return nil, notTraceError(dir)
	}
	defer f.Close()
	return f.readTrace()
}

// ReadRunTrace reads a trace recorded alongside a run, in a subfolder of the run's directory: TraceDir, or
// that of the disks behind its volumes. It returns nil if there is none. A link does not belong to the run and
// is refused.
func ReadRunTrace(run, dir string) (*RecordedTrace, error) {
	f, err := Open(run)
	if err != nil {
		return nil, notRunError(run)
	}
	defer f.Close()
	sub, err := f.Sub(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, err
	}
	defer sub.Close()
	return sub.readTrace()
}

// ReadRunTraceReport returns the saved report of the trace recorded alongside a run, from TraceDir
// of the run's directory; nil if there is none. A link is refused.
func ReadRunTraceReport(run *os.Root) ([]byte, error) {
	sub, err := (&Folder{root: run}).Sub(TraceDir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer sub.Close()
	return ReadDocument(sub.Files(), ReportFile)
}

func (f *Folder) readTrace() (*RecordedTrace, error) {
	files, dir := f.Files(), f.Dir()
	rec := &RecordedTrace{Directory: dir}
	err := readJSON(files, traceFile, &rec.Run)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, notTraceError(dir)
	case err != nil:
		return nil, damageError(dir, traceFile, err.Error())
	case rec.Run.Schema != iotrace.RunSchema:
		return nil, model.RefusedError(fmt.Sprintf("%s was written in schema %q, this loadline reads %q", dir, rec.Run.Schema, iotrace.RunSchema), "use the loadline that made it")
	}
	if !plausibleTrace(&rec.Run) {
		return nil, damageError(dir, traceFile, fmt.Sprintf("it has more than %d devices, or times that cannot be", mostDevices))
	}
	cut := rec.Run.Status == model.Running && !locked(files, samplesFile)
	if cut {
		rec.Run.Status, rec.Run.Reason = model.Interrupted, killedReason
	}
	rec.Samples, err = readTraceSamples(files, rec.Run.Seconds)
	switch {
	case isBoundError(err):
		return nil, damageError(dir, samplesFile, err.Error())
	case errors.Is(err, io.ErrUnexpectedEOF) && rec.Run.Status != model.Complete:
		// It was cut off between two flushes, and the record says so.
	case err != nil:
		rec.Damage = append(rec.Damage, fmt.Sprintf("%s ends early: %v", samplesFile, err))
	}
	return rec, nil
}

func notTraceError(dir string) error {
	return model.RefusedError(fmt.Sprintf("%s is not the directory of a trace: it has no %s", dir, traceFile), "name a folder under loadline-results/")
}

// mostDevices is how many devices a trace has at most, mostOperations how many kinds of operation (the
// kernel numbers about twenty), and mostSizes how many classes of size (powers of two below 4 GiB):
// with more, the devices' tables would take minutes.
const (
	mostDevices    = 4096
	mostOperations = 64
	mostSizes      = 33
)

// plausibleTrace reports whether a record can be that of a real trace.
func plausibleTrace(r *iotrace.Run) bool {
	ok := len(r.Devices) <= mostDevices && r.Seconds >= 0 && r.Seconds <= longest
	for _, d := range r.Devices {
		ok = ok && (d.Unseen == nil || math.Abs(*d.Unseen) <= iotrace.MostCounted)
	}
	return ok
}

// endTolerance is how many seconds after the end of a trace its last sample may end: the kernel's
// maps are read after the counters, on a machine that may be short of resources.
const endTolerance = 60

// withinTrace reports whether a sample is within a trace of so many seconds; length is 0 if the
// trace was cut off and its length is unknown. The first second begins with the trace.
func withinTrace(s *iotrace.Sample, length float64) bool {
	end := longest
	if length > 0 {
		end = min(length+endTolerance, longest)
	}
	return s.End <= end && s.Seconds <= s.End+1e-6
}

// readTraceSamples reads the samples of a trace of the given length, up to the end or the first one
// that cannot be read.
func readTraceSamples(files fs.FS, length float64) (samples []iotrace.Sample, err error) {
	f, err := files.Open(samplesFile)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	unzip, err := newDecompressor(f)
	if err != nil {
		return nil, err
	}
	defer unzip.Close()
	m := newMeter(f)
	devices, operations, sizes := map[string]bool{}, map[string]bool{}, map[int64]bool{}
	var rest []byte
	buf := make([]byte, 1<<20)
	for {
		n, readErr := unzip.Read(buf)
		if err := m.addText(n); err != nil {
			return samples, err
		}
		rest = append(rest, buf[:n]...)
		for {
			end := bytes.IndexByte(rest, '\n')
			if end < 0 {
				break
			}
			s, err := decodeTraceLine(rest[:end], m)
			if err != nil {
				return samples, err
			}
			if !withinTrace(&s, length) {
				return samples, boundError(fmt.Sprintf("a sample of %g s that ends %g s after the trace began is outside the trace's own time", s.Seconds, s.End))
			}
			if devices[s.Device] = true; len(devices) > mostDevices {
				return samples, boundError(fmt.Sprintf("it has more than %d devices, which no machine has", mostDevices))
			}
			if operations[string(s.Operation)] = true; len(operations) > mostOperations {
				return samples, boundError(fmt.Sprintf("it has more than %d operations, which no kernel has", mostOperations))
			}
			if sizes[s.Size] = true; len(sizes) > mostSizes {
				return samples, boundError(fmt.Sprintf("it has more than %d classes of size, which no kernel has", mostSizes))
			}
			samples, rest = append(samples, s), rest[end+1:]
		}
		switch {
		case len(rest) > longestLine:
			return samples, errLongLine
		case readErr == io.EOF && len(rest) > 0:
			return samples, errors.New("the last line is torn")
		case readErr == io.EOF:
			return samples, nil
		case readErr != nil:
			return samples, readErr
		}
	}
}

func decodeTraceLine(line []byte, m *meter) (s iotrace.Sample, err error) {
	if len(line) > longestLine {
		return s, errLongLine
	}
	if err := json.Unmarshal(line, &s); err != nil {
		return s, fmt.Errorf("a line is not a sample: %w", err)
	}
	if err := s.Check(); err != nil {
		return s, boundError(err.Error())
	}
	return s, m.addSample(&model.Sample{Read: &s.Flow})
}
