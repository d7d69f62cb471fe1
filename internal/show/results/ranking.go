package results

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/loadline/loadline/internal/foreign/imported"
	"github.com/loadline/loadline/internal/judge/analyze"
	"github.com/loadline/loadline/internal/judge/trust"
	"github.com/loadline/loadline/internal/measure/store"
	"github.com/loadline/loadline/internal/model"
)

// finishRanking reads the runs of a folder of several systems back, and saves their reports and the
// ranking beside them.
func finishRanking(dir string) (done Outcome, err error) {
	folder, err := store.Open(dir)
	if err != nil {
		return done, err
	}
	defer folder.Close()
	var sides []analyze.Measured
	var folders []*store.Folder
	for _, name := range folder.RankedRuns() {
		f, err := folder.Sub(name)
		if err != nil {
			return done, err
		}
		defer f.Close()
		rec, err := f.Read()
		if err != nil {
			return done, err
		}
		sides, folders = append(sides, analyze.Measured{Recorded: rec}), append(folders, f)
	}
	for i := range sides {
		rec := sides[i].Recorded
		sides[i].Report = explained(rec, assembleOn(rec, importedBaseline(rec, sides)))
		if _, err := saveReport(folders[i], rec, sides[i].Report); isUnsaved(err) {
			done.Unsaved = err
		} else if err != nil {
			return done, err
		}
		done.Systems = append(done.Systems, sides[i].Report)
	}
	done.Report = rankingReport(dir, sides)
	if done.Document, err = saveReport(folder, nil, done.Report); isUnsaved(err) {
		done.Unsaved, err = err, nil
	}
	return done, err
}

// rankingReport is the report on several systems.
func rankingReport(dir string, sides []analyze.Measured) *model.Report {
	first := sides[0].Report.Run
	r := &model.Report{Schema: model.ReportSchema, Ranking: analyze.Rank(sides)}
	from := sharedSources(sides)
	r.Run = model.RunInfo{ID: filepath.Base(dir), Started: first.Started, Imported: from, Status: model.Complete, Directory: dir, Command: first.Command,
		Note: first.Note, Labels: first.Labels, Tools: map[string]string{}, Target: model.Target{Name: fmt.Sprintf("%d systems", len(sides)), Kind: first.Target.Kind}}
	r.Run.Volume.Target = r.Run.Target
	for _, s := range sides {
		for name, version := range s.Report.Run.Tools {
			if have, ok := r.Run.Tools[name]; ok && have != version {
				version = "several versions"
			}
			r.Run.Tools[name] = version
		}
	}
	r.Findings = sharedFindings(r.Ranking, sides)
	return r
}

// sharedSources is the origin of a ranking: every source once, and the earliest time of any
// measurement.
func sharedSources(sides []analyze.Measured) *model.Import {
	all := &model.Import{System: fmt.Sprintf("%d systems", len(sides)), Series: true}
	for _, s := range sides {
		im := s.Report.Run.Imported
		if im == nil {
			continue
		}
		all.At, all.Series = im.At, all.Series && im.Series
		if !im.Measured.IsZero() && (all.Measured.IsZero() || im.Measured.Before(all.Measured)) {
			all.Measured = im.Measured
		}
		for _, o := range im.Sources {
			o.Raw, o.Own = filepath.Join(filepath.Base(s.Report.Run.Directory), "raw", o.Raw), ""
			if !slices.ContainsFunc(all.Sources, func(have model.Source) bool { return have.Name == o.Name }) {
				all.Sources = append(all.Sources, o)
			}
		}
	}
	return all
}

// sharedFindings repeats what makes the systems' numbers doubtful, each finding once with the names of
// the systems that it concerns.
func sharedFindings(k *model.Ranking, sides []analyze.Measured) []model.Finding {
	var list []model.Finding
	about := map[int][]string{}
	for i, s := range sides {
		for _, f := range s.Report.Findings {
			if f.Severity != model.SeverityInvalid && f.Severity != model.SeverityWarning {
				continue
			}
			at := slices.IndexFunc(list, func(o model.Finding) bool {
				return o.Rule == f.Rule && o.Severity == f.Severity && o.Message == f.Message
			})
			if at < 0 {
				at, list = len(list), append(list, f)
			}
			about[at] = append(about[at], k.Systems[i].Name)
		}
	}
	for i := range list {
		list[i].Message = strings.Join(about[i], ", ") + ": " + list[i].Message
		// A workload's name does not identify the system.
		list[i].Results = nil
	}
	return list
}

// importedBaseline is the system that an imported one is declared to be built on; nil if none is named.
func importedBaseline(rec *model.Recorded, sides []analyze.Measured) *trust.Side {
	name := rec.Plan.Experiment.Baseline
	if name == "" {
		return nil
	}
	for _, s := range sides {
		if im := s.Recorded.Imported; im != nil && im.System == name {
			return &trust.Side{Name: name, Results: analyze.Results(s.Recorded), Storage: s.Recorded.Environment.Storage, Cap: s.Recorded.Plan.Experiment.Cap}
		}
	}
	return nil
}

// reimport reads the originals of an imported run again, and replaces what was read from them before.
func reimport(f *store.Folder) error {
	old, err := f.Read()
	if err != nil {
		return err
	}
	if old.Imported == nil {
		return model.BrokenError(fmt.Sprintf("%s is an imported run whose record cannot be read", f.Dir()), "import the originals in its raw/ folder again")
	}
	originals, err := f.Originals(old.Imported)
	if err != nil {
		return err
	}
	var parts []*imported.Part
	for i, s := range old.Imported.Sources {
		found, err := imported.Parse(s.Name, originals[i].Data, s.As)
		if err != nil {
			return err
		}
		for _, p := range found {
			if p.Source.Own == s.Own {
				p.Source.Raw = s.Raw
				parts = append(parts, p)
			}
		}
	}
	rec := imported.Assemble(old.Imported.System, old.Imported.At, parts)
	knownEvidence(rec, old.Plan.Experiment, old.Imported.System, old.Plan.Experiment.Baseline)
	rec.Run.ID, rec.Run.Command = old.Run.ID, old.Run.Command
	rec.Run.Tools["loadline"] = old.Run.Tools["loadline"]
	return f.RewriteImported(rec)
}

// reimportIn is reimport for a directory that the user named.
func reimportIn(dir string) error {
	f, err := store.Open(dir)
	if err != nil {
		return err
	}
	defer f.Close()
	return reimport(f)
}

// analyzeRanking reads the originals of all systems of a folder again.
func analyzeRanking(dir string) (Outcome, error) {
	folder, err := store.Open(dir)
	if err != nil {
		return Outcome{}, err
	}
	defer folder.Close()
	for _, name := range folder.RankedRuns() {
		err := func() error {
			f, err := folder.Sub(name)
			if err != nil {
				return err
			}
			defer f.Close()
			if !f.IsImported() {
				return nil
			}
			return reimport(f)
		}()
		if err != nil {
			return Outcome{}, err
		}
	}
	return finishRanking(dir)
}

// knownEvidence adds to a run what the user knows about the storage.
func knownEvidence(rec *model.Recorded, exp model.Experiment, name, baseline string) {
	to := &rec.Plan.Experiment
	to.Cap, to.Replicas, to.Note, to.Labels = exp.Cap, exp.Replicas, exp.Note, exp.Labels
	if baseline != "" && baseline != name {
		to.Baseline = baseline
	}
}
