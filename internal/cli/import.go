package cli

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/loadline/loadline/internal/env"
	"github.com/loadline/loadline/internal/imported"
	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/results"
	"github.com/loadline/loadline/internal/spec"
	"github.com/loadline/loadline/internal/store"
	"github.com/loadline/loadline/internal/worker"
)

// importFlags are the flags of import.
type importFlags struct {
	evidence               evidenceFlags
	as, into, results      string
	baseline, note, output string
}

func newImport(e *env.Env) *cobra.Command {
	var f importFlags
	cmd := &cobra.Command{
		Use:   "import [NAME=]FILE…",
		Short: "Make reports and a ranking of other tools' results",
		Long: `Reads results that another tool printed, saves them as runs with the originals beside
them, and reports them like runs: with a verdict on every number, which is never "valid"
where nobody checked it. Several systems are held against each other in a ranking that
says which places the numbers support.

FILE is a file, or - for standard input. NAME= says what was measured; files of one name
belong to one system; without it the file's name is taken, or what the file itself says
(a comparison of two volumes, a document with a heading for each system).

Formats, found by content:
` + formatList() + `
Exit codes: 0 fine; 1 failed; 2 not a result that can be read, with the line up to which
it was understood; 5 a number is invalid; 130 interrupted.`,
		Example: `  loadline import longhorn=fio.json
  loadline import A=a.log B=b.log -o bake-off
  loadline import whitepaper.md`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return nil
			}
			return usageError{fmt.Errorf("%s takes at least one FILE", cmd.CommandPath()), cmd.CommandPath() + " --help"}
		},
		RunE: func(_ *cobra.Command, args []string) error {
			if err := checkOutput(f.output); err != nil {
				return err
			}
			return f.run(e, args)
		},
	}
	flags := cmd.Flags()
	flags.SortFlags = false
	flags.StringVar(&f.as, "as", "", "the `FORMAT` of all files, when it should not be found by content")
	flags.StringVarP(&f.into, "into", "o", "", "the new `DIR` to save in (default: a new one under --results)")
	flags.StringVar(&f.results, "results", "loadline-results", "`DIR` that the new directory is made in")
	flags.StringVar(&f.baseline, "baseline", "", "the `NAME` of the system that the others are built on, to hold them against it")
	f.evidence.registerKnown(cmd)
	flags.StringVar(&f.note, "note", "", "a remark to keep with the results")
	flags.StringVar(&f.output, "output", "text", "what to print: text, or json for one report document")
	return cmd
}

// formatList lists the formats for the help.
func formatList() string {
	var b strings.Builder
	for _, f := range imported.Formats() {
		fmt.Fprintf(&b, "  %-15s %s\n", f.Name, f.Title)
	}
	return b.String()
}

// system is one of the systems that are imported.
type system struct {
	name      string
	parts     []*imported.Part
	originals []store.Original
}

func (f *importFlags) run(e *env.Env, args []string) error {
	exp := model.Experiment{Scenario: "import", Note: f.note}
	if err := f.evidence.apply(&exp); err != nil {
		return err
	}
	systems, err := f.read(e, args)
	if err != nil {
		return err
	}
	if f.baseline != "" && !slices.ContainsFunc(systems, func(s *system) bool { return s.name == f.baseline }) {
		return model.RefusedError(fmt.Sprintf("--baseline %q is none of the systems: %s", f.baseline, systemNames(systems)), "name one of them")
	}
	if len(systems) == 1 {
		if f.baseline != "" {
			return model.RefusedError("--baseline needs a second system: there is only "+systems[0].name, "name its results too: loadline import A=FILE B=FILE --baseline A")
		}
		dir, err := f.directory(e, systems[0].name)
		if err != nil {
			return err
		}
		if err := f.save(e, dir, systems[0], exp); err != nil {
			return errors.Join(err, os.RemoveAll(dir))
		}
		done, err := results.FinishIn(dir)
		if err != nil {
			return err
		}
		return ending(finish(e, done, f.output, false))
	}
	dir, err := f.directory(e, "import")
	if err != nil {
		return err
	}
	if err := f.saveRanked(e, dir, systems, exp); err != nil {
		// Half of an import would pass for a whole one.
		return errors.Join(err, os.RemoveAll(dir))
	}
	done, err := results.FinishRanking(dir)
	if err != nil {
		return err
	}
	return ending(finish(e, done, f.output, false))
}

// saveRanked saves several systems in one new folder.
func (f *importFlags) saveRanked(e *env.Env, dir string, systems []*system, exp model.Experiment) error {
	if err := os.Mkdir(dir, 0o700); err != nil {
		return err
	}
	var names []string
	for _, s := range systems {
		name := unused(s.name, names)
		names = append(names, name)
		if err := f.save(e, filepath.Join(dir, name), s, exp); err != nil {
			return err
		}
	}
	return store.WriteRankedRuns(dir, names)
}

// read reads all files and sorts what they say by system, in the order of the
// arguments.
func (f *importFlags) read(e *env.Env, args []string) ([]*system, error) {
	var systems []*system
	for _, arg := range args {
		name, file := splitNamed(arg)
		data, err := readSource(e, file)
		if err != nil {
			return nil, err
		}
		shown := filepath.Base(file)
		if file == "-" {
			shown = "stdin"
		}
		parts, err := imported.Parse(shown, data, f.as)
		if err != nil {
			return nil, err
		}
		if name != "" && len(parts) > 1 {
			var own []string
			for _, p := range parts {
				own = append(own, p.Source.Own)
			}
			return nil, model.RefusedError(fmt.Sprintf("%s speaks of %d systems (%s), so it cannot all be %q", shown, len(parts), strings.Join(own, ", "), name),
				"leave the name out: loadline import "+model.ShellWord(file))
		}
		for _, p := range parts {
			who := name
			if who == "" {
				who = imported.SystemName(p, shown)
			}
			systems = joinSystem(systems, who, p, data)
		}
	}
	return systems, nil
}

// joinSystem adds a part to the system of that name, or to a new one.
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
func (f *importFlags) save(e *env.Env, dir string, s *system, exp model.Experiment) error {
	rec := imported.Assemble(s.name, e.Now().UTC(), s.parts)
	results.KnownEvidence(rec, exp, s.name, f.baseline)
	rec.Run.ID = filepath.Base(dir)
	rec.Run.Command = recordedCommand(e)
	rec.Run.Tools["loadline"] = worker.Version
	yaml, err := spec.MarshalExperiment(rec.Plan.Experiment)
	if err != nil {
		return err
	}
	return store.CreateImported(dir, yaml, rec, s.originals)
}

// directory makes the place that the import is saved in: --into, which must be new,
// or one under --results. Its last part is only named, not made.
func (f *importFlags) directory(e *env.Env, name string) (string, error) {
	if f.into == "" {
		dir, err := store.MakeDirectory(f.results, store.Name(e.Now(), name))
		if err != nil {
			return "", model.RefusedError(err.Error(), "choose another folder with --results DIR")
		}
		// The run itself is made in its place.
		return dir, os.Remove(dir)
	}
	if info, err := os.Lstat(filepath.Clean(f.into)); err == nil && !info.IsDir() {
		// Also a link to a folder: making the run would take the link's place.
		return "", model.RefusedError(fmt.Sprintf("%s is %s, and no folder: it is not replaced", f.into, store.Kind(filepath.Clean(f.into))), "name a new directory with -o DIR")
	}
	entries, err := os.ReadDir(f.into)
	switch {
	case err == nil && len(entries) > 0:
		return "", model.RefusedError(fmt.Sprintf("%s is there already and not empty: an import is never written over another", f.into), "name a new directory")
	case err == nil:
		err = os.Remove(f.into)
	case errors.Is(err, os.ErrNotExist):
		err = store.MakeParent(filepath.Dir(filepath.Clean(f.into)))
	}
	if err != nil {
		return "", model.RefusedError(fmt.Sprintf("%s cannot be made: %v", f.into, err), "name a new directory")
	}
	return filepath.Clean(f.into), nil
}

func systemNames(systems []*system) string {
	var names []string
	for _, s := range systems {
		names = append(names, s.name)
	}
	return strings.Join(names, ", ")
}
