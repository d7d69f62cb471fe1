package results

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/loadline/loadline/internal/ask/spec"
	"github.com/loadline/loadline/internal/foreign/imported"
	"github.com/loadline/loadline/internal/measure/store"
	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/safetext"
)

// system is one of the imported systems.
type system struct {
	name      string
	parts     []*imported.Part
	originals []store.Original
}

// ImportOptions say what to import and where to save it.
type ImportOptions struct {
	// Files are as the user names them: FILE, NAME=FILE, or "-" for Stdin.
	Files []string
	Stdin io.Reader
	// As is the format of all files; empty is found by content.
	As string
	// Into is the new directory to save in; empty is a new one in the folder Results.
	Into, Results string
	// Same are names for the same system, as NAME=OTHER: the data of OTHER are assigned to NAME.
	Same []string
	// Baseline names the system that the others are built on; empty is none.
	Baseline string
	// Experiment holds the user's information: cap, replicas, note.
	Experiment model.Experiment
	Now        func() time.Time
	// Command and Version are those of the importing loadline, and are kept with the import.
	Command []string
	Version string
}

// Import saves what other tools have printed as runs, several systems with a ranking, and computes
// their reports.
func Import(f ImportOptions) (Outcome, error) {
	systems, err := f.read()
	if err != nil {
		return Outcome{}, err
	}
	if f.Baseline != "" && !slices.ContainsFunc(systems, func(s *system) bool { return s.name == f.Baseline }) {
		return Outcome{}, model.RefusedError(fmt.Sprintf("--baseline %q is none of the systems: %s", f.Baseline, systemNames(systems)), "name one of them")
	}
	if len(systems) == 1 {
		if f.Baseline != "" {
			return Outcome{}, model.RefusedError("--baseline needs a second system: there is only "+systems[0].name, "name its results too: loadline import A=FILE B=FILE --baseline A")
		}
		dir, err := f.directory(systems[0].name)
		if err != nil {
			return Outcome{}, err
		}
		if err := f.save(dir, systems[0]); err != nil {
			return Outcome{}, errors.Join(err, os.RemoveAll(dir))
		}
		return finishIn(dir)
	}
	dir, err := f.directory("import")
	if err != nil {
		return Outcome{}, err
	}
	if err := f.saveRanked(dir, systems); err != nil {
		// A partial import could be mistaken for a complete one.
		return Outcome{}, errors.Join(err, os.RemoveAll(dir))
	}
	return finishRanking(dir)
}

// saveRanked saves several systems in one new folder.
func (f *ImportOptions) saveRanked(dir string, systems []*system) error {
	if err := os.Mkdir(dir, 0o700); err != nil {
		return err
	}
	var names []string
	for _, s := range systems {
		name := unused(s.name, names)
		names = append(names, name)
		if err := f.save(filepath.Join(dir, name), s); err != nil {
			return err
		}
	}
	return store.WriteRankedRuns(dir, names)
}

// read reads all files and sorts their contents by system, in the order of the arguments.
func (f *ImportOptions) read() ([]*system, error) {
	same, err := f.same()
	if err != nil {
		return nil, err
	}
	var systems []*system
	for _, arg := range f.Files {
		name, file, err := splitNamed(arg)
		if err != nil {
			return nil, err
		}
		data, err := readSource(f.Stdin, file)
		if err != nil {
			return nil, err
		}
		shown := filepath.Base(file)
		if file == "-" {
			shown = "stdin"
		}
		parts, err := imported.Parse(shown, data, f.As)
		if err != nil {
			return nil, err
		}
		if name != "" && len(parts) > 1 {
			var own []string
			for _, p := range parts {
				own = append(own, p.Source.Own)
			}
			return nil, model.RefusedError(fmt.Sprintf("%s speaks of %d systems (%s), so it cannot all be %q", shown, len(parts), strings.Join(own, ", "), name),
				"leave the name out: loadline import "+safetext.ShellWord(file))
		}
		for _, p := range parts {
			who := name
			if who == "" {
				who = imported.SystemName(p, shown)
			}
			systems = joinSystem(systems, same.of(who), p, data)
		}
	}
	return systems, same.unknown(systems)
}

// joinSystem adds a part to the system with that name, or to a new one.
func joinSystem(systems []*system, name string, p *imported.Part, data []byte) []*system {
	i := slices.IndexFunc(systems, func(s *system) bool { return s.name == name })
	if i < 0 {
		i, systems = len(systems), append(systems, &system{name: name})
	}
	s := systems[i]
	p.Source.Raw = fmt.Sprintf("%02d-%s", len(s.originals)+1, rawName(p.Source.Name))
	s.parts = append(s.parts, p)
	s.originals = append(s.originals, store.Original{Raw: p.Source.Raw, Data: data})
	return systems
}

// save saves a system as a run directory.
func (f *ImportOptions) save(dir string, s *system) error {
	rec := imported.Assemble(s.name, f.Now().UTC(), s.parts)
	knownEvidence(rec, f.Experiment, s.name, f.Baseline)
	rec.Run.ID = filepath.Base(dir)
	rec.Run.Command = f.Command
	rec.Run.Tools["loadline"] = f.Version
	yaml, err := spec.MarshalExperiment(rec.Plan.Experiment)
	if err != nil {
		return err
	}
	return store.CreateImported(dir, yaml, rec, s.originals)
}

// directory makes the place for the import: --into, which must be new, or one under --results. Its last
// part is only named, not created.
func (f *ImportOptions) directory(name string) (string, error) {
	if f.Into == "" {
		dir, err := store.MakeDirectory(f.Results, store.Name(f.Now(), name))
		if err != nil {
			return "", model.RefusedError(err.Error(), "choose another folder with --results DIR")
		}
		// The run itself is created in its place.
		return dir, os.Remove(dir)
	}
	if info, err := os.Lstat(filepath.Clean(f.Into)); err == nil && !info.IsDir() {
		// A link to a folder is refused too: creating the run would replace the link.
		what := store.Kind(filepath.Clean(f.Into))
		if _, err := os.Stat(f.Into); err == nil {
			what += ", not a folder"
		}
		return "", model.RefusedError(fmt.Sprintf("%s is %s: it is not replaced", f.Into, what), "name a new directory with -o DIR")
	}
	entries, err := os.ReadDir(f.Into)
	switch {
	case err == nil && len(entries) > 0:
		return "", model.RefusedError(fmt.Sprintf("%s is there already and not empty: an import is never written over another", f.Into), "name a new directory")
	case err == nil:
		err = os.Remove(f.Into)
	case errors.Is(err, os.ErrNotExist):
		_, err = store.Reserve(filepath.Dir(filepath.Clean(f.Into)))
	}
	if err != nil {
		return "", model.RefusedError(fmt.Sprintf("%s cannot be made: %v", f.Into, err), "name a new directory")
	}
	return filepath.Clean(f.Into), nil
}

func systemNames(systems []*system) string {
	var names []string
	for _, s := range systems {
		names = append(names, s.name)
	}
	return strings.Join(names, ", ")
}
