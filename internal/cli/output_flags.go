package cli

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/loadline/loadline/internal/cli/flags"
	"github.com/loadline/loadline/internal/env"
	"github.com/loadline/loadline/internal/measure/store"
	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/safetext"
	"github.com/loadline/loadline/internal/show/outfile"
	"github.com/loadline/loadline/internal/show/report/format"
	"github.com/loadline/loadline/internal/show/report/term"
	"github.com/loadline/loadline/internal/show/report/text"
	"github.com/loadline/loadline/internal/show/results"
	"github.com/loadline/loadline/internal/show/screen"
)

// outputFlags select the format and the file of a verb's result. They mean
// the same in every verb: --format is the format, --json an alias for one, and --output the
// file that receives what standard output otherwise would.
type outputFlags struct {
	format, file string
	json, force  bool
	// forms are the formats that the verb supports; nil means all.
	forms []string
	// usual returns the format if neither the user nor the name of a file says which.
	usual func() string
	// plain reports whether the verb writes something that has only one format, whatever the
	// file is called.
	plain func() bool

	chosen format.Format
	// beside are the files that accompany the named file.
	beside []format.File
	// words prints what was measured as text, where the file cannot be written: the result has no other way out, and neither has
	// the name of its directory. It is nil for a verb that measures nothing.
	words func() error
}

// textOrJSON are the formats of results that are not a run's report.
var textOrJSON = []string{"text", "json"}

// registerOutput adds the flags to a command and wraps its RunE, which must be set, so that it writes
// into the file. Forms are the supported formats; none means all.
func registerOutput(e *env.Env, cmd *cobra.Command, o *outputFlags, forms ...string) {
	o.forms = forms
	fl := cmd.Flags()
	fl.StringVarP(&o.file, "output", "o", "", "write the result to `FILE` instead of standard output")
	fl.StringVar(&o.format, "format", "", "format of the result: "+strings.Join(o.names(), ", ")+" (default: by FILE's extension; text if it has none)")
	flags.Verify(fl, "format", func(name string) error { return (&outputFlags{format: name, forms: forms}).choose() })
	fl.BoolVar(&o.json, "json", false, "the same as --format json")
	run := cmd.RunE
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if err := o.choose(); err != nil {
			return err
		}
		return o.into(e, func() error { return run(cmd, args) })
	}
}

// names returns the valid values of --format.
func (o *outputFlags) names() []string {
	if o.forms != nil {
		return o.forms
	}
	return format.Names()
}

// name returns the format that was chosen.
func (o *outputFlags) name() string { return o.chosen.Name }

// toFile reports whether the result goes into a file.
func (o *outputFlags) toFile() bool { return o.file != "" && o.file != "-" }

// choose checks the flags and selects the format.
func (o *outputFlags) choose() (err error) {
	name, file := o.format, o.file
	if err := flags.CheckFormat(name, o.json); err != nil {
		return err
	}
	if o.json {
		name = "json"
	}
	if form, err := format.Choose(o.file, ""); o.file != "" && err == nil {
		return model.RefusedError(fmt.Sprintf("--output names a file; the format is --format %s", form.Name),
			fmt.Sprintf("--format %s, or, for a file of this name, --output ./%s", form.Name, o.file))
	}
	if name == "" && o.usual != nil && (!o.toFile() || format.Extension(o.file) == "") {
		name = o.usual()
	}
	if name == "" && o.plain != nil && o.plain() {
		file = ""
	}
	if err := o.checkExtension(name); err != nil {
		return err
	}
	if o.chosen, err = format.Choose(name, file, o.names()...); err != nil || slices.Contains(o.names(), o.name()) {
		return err
	}
	what := fmt.Sprintf("the format %q is not available here", name)
	if name == "" {
		what = "this command does not write " + o.chosen.Title()
	}
	return model.RefusedError(fmt.Sprintf("%s: choose %s", what, oneOf("", o.names())), "use "+oneOf("--format ", o.names()))
}

// oneOf lists words, each after a prefix: "text, json or csv".
func oneOf(prefix string, list []string) string {
	last := len(list) - 1
	if last <= 0 {
		return prefix + strings.Join(list, "")
	}
	return prefix + strings.Join(list[:last], ", "+prefix) + " or " + prefix + list[last]
}

// checkExtension refuses a format in a file that is named like one of another format: whatever opens it by its name would
// misunderstand it, and a browser might run a script in it. Any format is text.
func (o *outputFlags) checkExtension(name string) error {
	if name == "" || !o.toFile() {
		return nil
	}
	by, err := format.Choose("", o.file)
	asked, unknown := format.Choose(name, "")
	if err != nil || unknown != nil || by.Name == asked.Name || by.Name == "text" {
		return nil
	}
	other := strings.TrimSuffix(o.file, filepath.Ext(o.file)) + asked.Extensions[0]
	return model.RefusedError(fmt.Sprintf("%s is named like a file of the format %s, but --format %s was given", o.file, by.Name, asked.Name),
		"use -o "+safetext.ShellWord(other)+", or leave --format out")
}

// into runs a verb and writes its result into the file, if one is named.
func (o *outputFlags) into(e *env.Env, run func() error) error {
	if !o.toFile() {
		return run()
	}
	if err := o.checkReplaceable(o.file); err != nil {
		return err
	}
	var written bytes.Buffer
	stdout, output := e.Stdout, e.Output
	e.Stdout, e.Output = term.NewWriter(&written), env.Terminal{Width: 120, Unicode: true, Verbose: output.Verbose}
	err := run()
	e.Stdout, e.Output = stdout, output
	if written.Len() == 0 {
		return err
	}
	unwritten := o.save(e, written.Bytes())
	if unwritten != nil && o.words != nil {
		unwritten = errors.Join(o.words(), unwritten)
	}
	return alsoFailed(err, unwritten)
}

// checkReplaceable refuses a file that must not be replaced.
func (o *outputFlags) checkReplaceable(name string) error {
	instead := ""
	if o.forms == nil && o.usual != nil {
		instead = "add --force"
	}
	return outfile.Check(name, o.force, instead)
}

// save writes the file and those that accompany it.
func (o *outputFlags) save(e *env.Env, data []byte) error {
	files := append([]format.File{{Data: data}}, o.beside...)
	if outfile.IsStream(o.file) && len(files) > 1 {
		printLine(e.Stderr, "note    %s takes the first file only: -o FILE%s also writes the %s", o.file, o.chosen.Extensions[0], format.Suffixes(o.beside))
		files = files[:1]
	}
	return outfile.WriteAll(o.file, files, o.checkReplaceable, func(name string) { printLine(e.Stderr, "saved   %s", name) })
}

// emitOne writes a document that is shown as text, and otherwise is JSON.
func emitOne[D any](e *env.Env, o *outputFlags, d D, json func(io.Writer, D) error, words func(io.Writer, D, text.Options) error) error {
	if o.name() == "json" {
		return json(term.Raw(e.Stdout), d)
	}
	return words(e.Stdout, d, screen.Text(e.Output))
}

// emit writes documents in the format that was chosen.
func (o *outputFlags) emit(e *env.Env, d *format.Documents) error {
	options := screen.Text(e.Output)
	options.HasPage = outfile.HasPage
	files, err := o.chosen.Write(d, options)
	if err != nil {
		return err
	}
	if o.toFile() {
		o.beside = files[1:]
	} else if len(files) > 1 {
		printLine(e.Stderr, "note    -o FILE%s also writes the %s", o.chosen.Extensions[0], format.Suffixes(files[1:]))
	}
	_, err = o.chosen.Stream(e.Stdout).Write(files[0].Data)
	return err
}

// emitComparison writes a comparison with what its folder holds beside it, or alone if the folder was moved meanwhile.
func (o *outputFlags) emitComparison(e *env.Env, c *model.Comparison, folder *store.Folder) error {
	if folder.Moved() {
		return o.emit(e, &format.Documents{Comparisons: []*model.Comparison{c}})
	}
	return o.emitSaved(e, c, folder.Dir())
}

// emitSaved writes what is saved in a directory of results; a comparison, if
// given, replaces the saved one.
func (o *outputFlags) emitSaved(e *env.Env, comparison *model.Comparison, dirs ...string) error {
	d, err := results.Read(dirs)
	if err != nil {
		return err
	}
	if comparison != nil {
		d.Comparisons = []*model.Comparison{comparison}
	}
	return o.emit(e, &d.Documents)
}
