package imported

import (
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/loadline/loadline/internal/model"
)

// Part is what one file says of one system.
type Part struct {
	// Source is the file; its Own is the name that the file itself gives the system,
	// where it holds several.
	Source model.Source

	runs    []run
	volume  model.Volume
	tools   map[string]string
	profile string
	status  model.Status
	reason  string
	started time.Time
	remarks []model.Finding
	// section is the heading under which runs are found.
	section string
}

// run is one run of one workload.
type run struct {
	// label is what a document says right before it.
	label    string
	workload model.Workload
	figures  []model.Figure
	step     model.StepResult
	samples  []model.Sample
}

// kind is what of a workload makes it another one, its name aside.
func kind(w model.Workload) model.Workload {
	w.Name = ""
	return w
}

// add keeps a run. A workload of the same name that is not the same workload gets a
// number; one from another section of the document gets the section's name, and one
// that the document announces in other words gets those.
func (p *Part) add(r run) {
	name := r.workload.Name
	if p.section != "" && p.elsewhere(name) {
		name = slug(p.section) + "/" + name
	}
	if p.section != "" && p.announced(name, r.label) {
		name += "-" + slug(r.label)
	}
	base := name
	for i := 2; p.taken(name, r.workload); i++ {
		name = fmt.Sprintf("%s-%d", base, i)
	}
	r.workload.Name = name
	r.step.Step.Workload = name
	r.step.Step.Round = 1
	for i := range r.figures {
		r.figures[i].Workload = name
		if p.section != "" {
			r.figures[i].Group = p.section
		}
	}
	p.runs = append(p.runs, r)
}

// taken reports whether another workload has the name.
func (p *Part) taken(name string, w model.Workload) bool {
	for _, r := range p.runs {
		if r.workload.Name == name && kind(r.workload) != kind(w) {
			return true
		}
	}
	return false
}

// announced reports whether a workload of that name was announced in other words.
func (p *Part) announced(name, label string) bool {
	for _, r := range p.runs {
		if r.workload.Name == name && r.label != label {
			return label != ""
		}
	}
	return false
}

// elsewhere reports whether a workload of that name was found in another section.
func (p *Part) elsewhere(name string) bool {
	for _, r := range p.runs {
		if r.workload.Name == name && len(r.figures) > 0 && r.figures[0].Group != p.section {
			return true
		}
	}
	return false
}

// tool notes a tool's version.
func (p *Part) tool(name, version string) {
	if version == "" {
		return
	}
	if p.tools == nil {
		p.tools = map[string]string{}
	}
	p.tools[name] = version
}

// remark notes something that a reader of the figures must know.
func (p *Part) remark(severity model.Severity, workloads []string, message string) {
	p.remarks = append(p.remarks, model.Finding{Severity: severity, Results: workloads, Message: message})
}

// Assemble joins what several files say of one system into a run. at is when it is
// imported.
func Assemble(system string, at time.Time, parts []*Part) *model.Recorded {
	im := &model.Imported{Schema: model.ImportedSchema, System: system, At: at}
	target := model.Target{Name: system, Kind: model.Foreign}
	rec := &model.Recorded{Imported: im}
	rec.Plan = model.Plan{Schema: model.PlanSchema, Experiment: model.Experiment{Scenario: "import", Target: system},
		Volume: model.Volume{Target: target}, Schedule: model.Schedule{Mode: model.Fixed}}
	rec.Run = model.Run{Schema: model.RunSchema, Started: at, Finished: at, Status: model.Complete, Tools: map[string]string{}}
	joined := &Part{}
	sizes := map[int64]bool{}
	clock := 0.0
	for i, p := range parts {
		im.Sources = append(im.Sources, p.Source)
		im.Remarks = append(im.Remarks, p.remarks...)
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

// source is the index of the file that a run comes from.
func (r run) source() int {
	if len(r.figures) == 0 {
		return 0
	}
	return r.figures[0].Source
}

// worseStatus joins how two files end: a fault beats silence, and silence beats a
// good end.
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

// SystemName is what a part is about when the user does not say: what the source says,
// else the file's name without what Kbench, dbench and people append to it.
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
