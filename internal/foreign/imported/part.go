package imported

import (
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/loadline/loadline/internal/model"
)

// Part is what one file says about one system.
type Part struct {
	// Source is the file; its Own is the name that the file itself gives the system, if it has several.
	Source model.Source

	runs    []run
	volume  model.Volume
	tools   map[string]string
	profile string
	status  model.Status
	reason  string
	started time.Time
	remarks []model.Finding
	// observed is data recorded alongside the runs.
	observed []model.Observation
	// section is the heading under which the current runs are found.
	section string
}

// run is one run of one workload.
type run struct {
	// label is the text directly before the run in a document, params is what distinguishes runs with
	// the same name ("c10", "s250", a device).
	label  string
	params []string
	// base and words are the name and description of this kind of run; those of the workload may be
	// followed by a parameter or a number, and by what the document says about it.
	base, words string

	workload model.Workload
	figures  []model.Figure
	step     model.StepResult
	samples  []model.Sample
	// member is the index of the run's jobs among those of its fio document (sameJobs).
	member int
}

// same reports whether two runs are of the same test: the same name and parameters, and in a document
// not introduced with different words.
func (r run) same(o run) bool {
	w, v := r.workload, o.workload
	w.Name, v.Name, w.Words, v.Words = "", "", "", ""
	return r.base == o.base && w == v && r.words == o.words && slices.Equal(r.params, o.params) && announcement(r.label) == announcement(o.label)
}

// repeatWords matches words with which a document introduces a repetition of the same test.
var repeatWords = regexp.MustCompile(`(?i)\b(?:run|repeat|repetition|attempt|try|first|second|third|fourth|fifth|again|1st|2nd|3rd|\d+th|\d+)\b`)

// announcement returns a label without words that only count repeats.
func announcement(label string) string { return slug(repeatWords.ReplaceAllString(label, " ")) }

// add adds a run and returns its name. This is the name of its kind, prefixed in another section of the
// document with the section's name. A different test of that name gets its distinguishing parameters as
// a suffix, else a number, and its description includes what the document says about it.
func (p *Part) add(r run) (name string) {
	r.base, r.words = r.workload.Name, r.workload.Words
	if p.section == "" {
		r.label = ""
	} else if p.elsewhere(r.base) {
		r.base = slug(p.section) + "/" + r.base
	}
	r.workload.Name = p.nameOf(r)
	if r.workload.Name != r.base && r.label != "" {
		r.workload.Words += " (" + r.label + ")"
	}
	r.step.Step.Workload = r.workload.Name
	r.step.Step.Round = 1
	for i := range r.figures {
		r.figures[i].Workload = r.workload.Name
		if p.section != "" {
			r.figures[i].Group = p.section
		}
	}
	p.runs = append(p.runs, r)
	return r.workload.Name
}

// nameOf returns the name of a run's test.
func (p *Part) nameOf(r run) string {
	free := func(name string) bool {
		return !slices.ContainsFunc(p.runs, func(o run) bool { return o.workload.Name == name })
	}
	if i := slices.IndexFunc(p.runs, r.same); i >= 0 {
		return p.runs[i].workload.Name
	}
	name := r.base
	for _, param := range r.params {
		if free(name) {
			break
		}
		name += "-" + param
	}
	for i := 2; !free(name); i++ {
		name = fmt.Sprintf("%s-%d", strings.Join(append([]string{r.base}, r.params...), "-"), i)
	}
	return name
}

// elsewhere reports whether a workload of that name was found in another section.
func (p *Part) elsewhere(name string) bool {
	for _, r := range p.runs {
		if r.base == name && len(r.figures) > 0 && r.figures[0].Group != p.section {
			return true
		}
	}
	return false
}

// tool records the version of a tool.
func (p *Part) tool(name, version string) {
	if version == "" {
		return
	}
	if p.tools == nil {
		p.tools = map[string]string{}
	}
	p.tools[name] = version
}

// remark records something that a reader of the figures needs to know.
func (p *Part) remark(severity model.Severity, workloads []string, message string) {
	p.remarks = append(p.remarks, model.Finding{Severity: severity, Results: workloads, Message: message})
}

// Assemble combines what several files say about one system into a run. at is the time of the import.
func Assemble(system string, at time.Time, parts []*Part) *model.Recorded {
	im := &model.Imported{Schema: model.ImportedSchema, System: system, At: at}
	target := model.Target{Name: system, Kind: model.Foreign}
	rec := &model.Recorded{Imported: im}
	rec.Plan = model.Plan{Schema: model.PlanSchema, Experiment: model.Experiment{Scenario: Scenario, Target: system},
		Volume: model.Volume{Target: target}, Schedule: model.Schedule{Mode: model.Fixed}}
	rec.Run = model.Run{Schema: model.RunSchema, Started: at, Finished: at, Status: model.Complete, Tools: map[string]string{}}
	joined := &Part{}
	sizes := map[int64]bool{}
	clock := 0.0
	for i, p := range parts {
		im.Sources = append(im.Sources, p.Source)
		im.Remarks = append(im.Remarks, p.remarks...)
		for _, o := range p.observed {
			o.Source = i
			im.Observed = append(im.Observed, o)
		}
		for name, version := range p.tools {
			rec.Run.Tools[name] = version
		}
		if p.profile != "" {
			rec.Plan.Experiment.Profile = p.profile
		}
		if v := p.volume; v.Engine != "" && rec.Plan.Volume.Engine == "" {
			rec.Plan.Volume.Engine, rec.Plan.Volume.Direct = v.Engine, v.Direct
		}
		if p.volume.Size > 0 {
			sizes[p.volume.Size] = true
			rec.Plan.Volume.Size = p.volume.Size
		}
		rec.Run.Status, rec.Run.Reason = worseStatus(rec.Run.Status, rec.Run.Reason, p.status, p.reason)
		if !p.started.IsZero() && (im.Measured.IsZero() || p.started.Before(im.Measured)) {
			im.Measured = p.started
		}
		for _, r := range p.runs {
			for k := range r.figures {
				r.figures[k].Source = i
			}
			joined.add(r)
		}
	}
	if len(sizes) > 1 {
		rec.Plan.Volume.Size = 0
	}
	if !im.Measured.IsZero() {
		rec.Run.Started, rec.Run.Finished = im.Measured, im.Measured
	}
	have := map[string]bool{}
	for i, r := range joined.runs {
		if w := r.workload; !have[w.Name] {
			have[w.Name] = true
			rec.Plan.Workloads = append(rec.Plan.Workloads, w)
		}
		r.step.Step.Number = i + 1
		r.step.Raw = parts[r.source()].Source.Raw
		seconds := r.step.Step.Seconds
		r.step.Started = clock
		for _, s := range r.samples {
			s.Step = i + 1
			s.End += clock
			rec.Samples = append(rec.Samples, s)
		}
		clock += seconds + r.step.Step.Ramp
		r.step.Ended = clock
		rec.Run.Steps = append(rec.Run.Steps, r.step)
		im.Figures = append(im.Figures, r.figures...)
	}
	return rec
}

// source returns the index of the file that a run comes from.
func (r run) source() int {
	if len(r.figures) == 0 {
		return 0
	}
	return r.figures[0].Source
}

// worseStatus combines the statuses of two files: a failure overrides an unknown status, and that
// overrides success.
func worseStatus(a model.Status, why string, b model.Status, because string) (model.Status, string) {
	rank := map[model.Status]int{model.Complete: 1, model.Unknown: 2, model.Interrupted: 3, model.Failed: 4}
	if b == "" {
		b = model.Unknown
	}
	if rank[b] > rank[a] {
		return b, because
	}
	return a, why
}

// SystemName returns the name of a part's system if the user gave none: the name in the source, else
// the file's name without the suffixes that Kbench, dbench and users commonly append.
func SystemName(p *Part, file string) string {
	if p.Source.Own != "" {
		return p.Source.Own
	}
	name := strings.TrimSuffix(file, filepath.Ext(file))
	for _, ending := range []string{"-iops", "-bandwidth", "-latency"} {
		name = strings.TrimSuffix(name, ending)
	}
	if name == "" {
		return file
	}
	return name
}
