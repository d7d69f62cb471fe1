package results

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/loadline/loadline/internal/judge/analyze"
	"github.com/loadline/loadline/internal/measure/store"
	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/iotrace"
	"github.com/loadline/loadline/internal/model/safetext"
	"github.com/loadline/loadline/internal/model/suggest"
	"github.com/loadline/loadline/internal/show/report/format"
	"github.com/loadline/loadline/internal/show/report/jsonout"
)

// Documents are the contents of a list of directories and files.
type Documents struct {
	format.Documents
	// directories has one entry for each report: the directory of its raw data, "" if only its document
	// was named.
	directories []string
	// traced has the samples of each trace, nil if only its document was named.
	traced [][]iotrace.Sample
	// Remarks are sentences on what could not be read or compared.
	Remarks []string
}

// Read reads the named results. Saved documents are taken as they are; missing ones are computed from
// the raw data, and nothing is written.
func Read(args []string) (*Documents, error) {
	d := &Documents{}
	for i, name := range args {
		for _, other := range args[:i] {
			if sameDirectory(name, other) {
				return nil, model.RefusedError(fmt.Sprintf("%s and %s are the same: it would stand beside itself", other, name), "name each run once")
			}
		}
		if err := d.add(name, len(args) > 1); err != nil {
			return nil, err
		}
	}
	if len(args) > 1 {
		d.compare()
	}
	d.addBeside()
	d.Samples = d.samples
	d.TraceSamples = func(t *iotrace.Report) []iotrace.Sample { return d.traced[slices.Index(d.Traces, t)] }
	return d, nil
}

// add adds what one argument names. With beside, a comparison is represented by its side B, because a
// comparison cannot be part of another one.
func (d *Documents) add(name string, beside bool) error {
	info, err := os.Stat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return noSuchRun(name)
	case err != nil:
		return model.RefusedError(fmt.Sprintf("%s cannot be read: %v", name, err), "")
	case !info.IsDir():
		return d.addFile(name)
	case IsDurability(name):
		return d.addDurability(name)
	case store.IsTrace(name):
		return d.addTrace(name)
	case store.IsComparison(name):
		if beside {
			d.Remarks = append(d.Remarks, name+" is a comparison: its side B is shown")
			return d.addRun(filepath.Join(name, store.CandidateDir))
		}
		return d.addComparison(name)
	case len(store.RankedRuns(name)) > 0:
		return d.addRanking(name, beside)
	case store.IsRun(name):
		return d.addRun(name)
	}
	hint := "name a folder under loadline-results/"
	if inside, _ := filepath.Glob(filepath.Join(name, "*", store.ReportFile)); len(inside) > 0 {
		hint = "name one of the runs in it, such as " + safetext.ShellWord(filepath.Dir(inside[len(inside)-1])) + "; loadline serve " + safetext.ShellWord(name) + " shows all"
	}
	return model.RefusedError(fmt.Sprintf("%s is not a run directory", name), hint)
}

// noSuchRun refuses a name that does not exist, and suggests the most similar one.
func noSuchRun(name string) error {
	folders := []string{filepath.Dir(name), "loadline-results"}
	for _, folder := range folders {
		var there []string
		inside, _ := os.ReadDir(folder)
		for _, e := range inside {
			if e.IsDir() && e.Name() == filepath.Base(name) {
				return model.RefusedError("there is no run "+name, "did you mean "+safetext.ShellWord(filepath.Join(folder, e.Name()))+"?")
			}
			if e.IsDir() {
				there = append(there, e.Name())
			}
		}
		if near := suggest.Nearest(filepath.Base(name), there); near != "" {
			return model.RefusedError("there is no run "+name, "did you mean "+safetext.ShellWord(filepath.Join(folder, near))+"?")
		}
	}
	return model.RefusedError("there is no run "+name, "name a folder under loadline-results/")
}

// addFile adds a document that was named directly.
func (d *Documents) addFile(name string) error {
	data, err := store.ReadNamedDocument(name)
	return d.addDocument(name, data, err)
}

// addDocument adds a document, or reports why it could not be read.
func (d *Documents) addDocument(name string, data []byte, err error) error {
	if err != nil {
		return model.RefusedError(fmt.Sprintf("%s cannot be read: %v", name, err), "")
	}
	doc, err := jsonout.Read(data)
	if err != nil {
		return model.RefusedError(fmt.Sprintf("%s is not a report: %v", name, err), "name a run directory, or the report.json of one")
	}
	switch {
	case doc.Report != nil:
		d.Reports, d.directories = append(d.Reports, doc.Report), append(d.directories, "")
	case doc.Comparison != nil:
		d.Comparisons = append(d.Comparisons, doc.Comparison)
	case doc.Durability != nil:
		d.Durability = append(d.Durability, doc.Durability)
	case doc.Trace != nil:
		d.Traces, d.traced = append(d.Traces, doc.Trace), append(d.traced, nil)
	}
	return nil
}

// addRanking adds the ranking of a folder of several systems; together with other arguments, the
// systems are added instead.
func (d *Documents) addRanking(dir string, beside bool) error {
	if !beside {
		data, err := readDocument(dir, store.ReportFile)
		return d.addDocument(filepath.Join(dir, store.ReportFile), data, err)
	}
	d.Remarks = append(d.Remarks, dir+" is a ranking: its systems are shown")
	for _, system := range store.RankedRuns(dir) {
		if err := d.addRun(system); err != nil {
			return err
		}
	}
	return nil
}

func (d *Documents) addDurability(dir string) error {
	t, err := readDurability(dir)
	if err != nil {
		return err
	}
	d.Durability = append(d.Durability, t)
	return nil
}

// addTrace adds the directory of a trace, whose report is computed from its samples.
func (d *Documents) addTrace(dir string) error {
	if store.Running(dir) {
		return stillRunning("trace", dir)
	}
	rec, err := store.ReadTrace(dir)
	if err != nil {
		return err
	}
	t := assembleTrace(rec)
	d.Traces, d.traced = append(d.Traces, t), append(d.traced, rec.Samples)
	return nil
}

// addRun adds a run directory.
func (d *Documents) addRun(dir string) error {
	if store.Running(dir) {
		return model.RefusedError(fmt.Sprintf("the run in %s is still in progress", dir), "wait for its end, or watch it: loadline serve "+safetext.ShellWord(filepath.Dir(dir)))
	}
	r, remarks, err := savedReport(dir)
	if err != nil {
		return err
	}
	// A run may have been moved since.
	r.Run.Directory = dir
	d.Remarks = append(d.Remarks, remarks...)
	d.Reports, d.directories = append(d.Reports, r), append(d.directories, dir)
	return nil
}

// addBeside adds the traces made beside the runs; an unreadable one is reported as a remark.
func (d *Documents) addBeside() {
	for _, dir := range d.directories {
		var t *iotrace.Report
		if dir != "" {
			var err error
			if t, err = tracedBeside(dir); err != nil {
				d.Remarks = append(d.Remarks, fmt.Sprintf("%s: the trace beside it cannot be read: %v", dir, err))
			}
		}
		d.Beside = append(d.Beside, t)
	}
}

// savedReport is the saved report of a run, or one computed from its raw data if there is none, or if
// it is older than the charts.
func savedReport(dir string) (*model.Report, []string, error) {
	var remarks []string
	data, err := readDocument(dir, store.ReportFile)
	if err == nil {
		var doc jsonout.Document
		doc, err = jsonout.Read(data)
		if err == nil && doc.Report != nil && doc.Report.Charted() {
			return doc.Report, nil, nil
		}
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		remarks = append(remarks, fmt.Sprintf("%s cannot be read (%v): the report is computed again", filepath.Join(dir, store.ReportFile), err))
	}
	rec, err := store.Read(dir)
	if err != nil {
		return nil, nil, err
	}
	for _, damage := range rec.Damage {
		remarks = append(remarks, dir+": "+damage)
	}
	return explained(rec, Assemble(rec)), remarks, nil
}

// addComparison adds both sides of a saved comparison and its findings.
func (d *Documents) addComparison(dir string) error {
	for _, side := range store.Sides {
		if err := d.addRun(filepath.Join(dir, side)); err != nil {
			return err
		}
	}
	data, err := readDocument(dir, store.ComparisonFile)
	if err == nil {
		var doc jsonout.Document
		if doc, err = jsonout.Read(data); err == nil && doc.Comparison != nil {
			d.Comparisons = append(d.Comparisons, doc.Comparison)
			return nil
		}
	}
	d.compare()
	return nil
}

// compare compares every run with the first one; a remark says why one cannot be compared.
func (d *Documents) compare() {
	var first analyze.Measured
	for i := 1; i < len(d.Reports); i++ {
		if err := func() error {
			var err error
			if first.Recorded == nil {
				if first, err = d.side(0); err != nil {
					return err
				}
			}
			side, err := d.side(i)
			if err != nil {
				return err
			}
			c, err := Compare(first, side)
			if err == nil {
				d.Comparisons = append(d.Comparisons, c)
			}
			return err
		}(); err != nil {
			d.Remarks = append(d.Remarks, fmt.Sprintf("%s cannot be compared with %s: %v", d.name(i), d.name(0), err))
		}
	}
}

// name is the name of a run in a remark.
func (d *Documents) name(i int) string {
	if d.directories[i] != "" {
		return d.directories[i]
	}
	return d.Reports[i].Run.ID
}

// side is a run with its raw data.
func (d *Documents) side(i int) (analyze.Measured, error) {
	if d.directories[i] == "" {
		return analyze.Measured{}, fmt.Errorf("of %s only the document is here, and comparing takes the raw data", d.name(i))
	}
	rec, err := store.Read(d.directories[i])
	return analyze.Measured{Recorded: rec, Report: d.Reports[i]}, err
}

// samples reads the raw data of the runs that have any.
func (d *Documents) samples() ([]*model.Recorded, error) {
	var list []*model.Recorded
	for _, dir := range d.directories {
		if dir == "" {
			continue
		}
		rec, err := store.Read(dir)
		if err != nil {
			return nil, err
		}
		list = append(list, rec)
	}
	return list, nil
}
