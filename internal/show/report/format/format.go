package format

import (
	"bytes"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/iotrace"
	"github.com/loadline/loadline/internal/model/suggest"
	"github.com/loadline/loadline/internal/show/report/checks"
	"github.com/loadline/loadline/internal/show/report/csvout"
	"github.com/loadline/loadline/internal/show/report/html"
	"github.com/loadline/loadline/internal/show/report/jsonout"
	"github.com/loadline/loadline/internal/show/report/markdown"
	"github.com/loadline/loadline/internal/show/report/prom"
	"github.com/loadline/loadline/internal/show/report/term"
	"github.com/loadline/loadline/internal/show/report/text"
)

// Documents are the documents to write.
type Documents struct {
	Reports     []*model.Report
	Comparisons []*model.Comparison
	Durability  []*model.Durability
	// Beside are the traces recorded alongside the runs, one for each report, nil for a run without
	// one.
	Beside []*iotrace.Report
	// Traces are traces without a run.
	Traces []*iotrace.Report
	// TraceSamples reads the raw data of a trace; nil if only its document is available.
	TraceSamples func(*iotrace.Report) []iotrace.Sample
	// Samples reads the raw data of the runs that have any; nil if only the reports are available.
	Samples func() ([]*model.Recorded, error)
}

// Format is a format for documents.
type Format struct {
	// Name is the value of --format.
	Name string
	what string
	// Extensions are the file name extensions, the usual one first.
	Extensions []string
	render     func(*Documents, text.Options) ([]File, error)
	// ours reports whether a file with this beginning was written in this format.
	ours func(head []byte) bool
}

// formats are all formats, in the order of the help.
var formats = []Format{
	{"html", "one page with all charts, without network", []string{".html", ".htm"}, writeHTML, func(head []byte) bool {
		return bytes.Contains(head, []byte(`<meta name="generator" content="loadline">`))
	}},
	{"markdown", "for an issue or a pull request", []string{".md", ".markdown"}, writeMarkdown, func(head []byte) bool {
		return bytes.HasPrefix(head, []byte(markdown.ReferenceMark)) || bytes.HasPrefix(head, []byte("### ")) && bytes.Contains(head, []byte("**"))
	}},
	{"csv", "tidy tables", []string{".csv"}, writeCSV, func(head []byte) bool {
		return bytes.HasPrefix(head, []byte("run,started,target,")) || bytes.HasPrefix(head, []byte("run,workload,round,")) || bytes.HasPrefix(head, []byte("run_a,target_a,")) ||
			bytes.HasPrefix(head, []byte("trace,started,device,")) || bytes.HasPrefix(head, []byte("trace,end,seconds,"))
	}},
	{"json", "the document itself", []string{".json"}, writeJSON, func(head []byte) bool {
		return bytes.Contains(head, []byte(`"schema": "loadline.`))
	}},
	{"prometheus", "for node_exporter's textfile collector", []string{".prom"}, writePrometheus, func(head []byte) bool {
		return bytes.HasPrefix(head, []byte("# HELP loadline_"))
	}},
	{"junit", "goals, rows and verdicts as test cases, for a CI system", []string{".xml"}, writeJUnit, func(head []byte) bool {
		return bytes.HasPrefix(head, []byte(checks.JUnitMark))
	}},
	{"text", "for a terminal, with the charts of a sweep or of several volumes", []string{".txt"}, writeText, func(head []byte) bool {
		line, _, _ := bytes.Cut(head, []byte("\n"))
		return bytes.HasPrefix(line, []byte("target  ")) || bytes.HasPrefix(line, []byte("trace   ")) || bytes.HasPrefix(line, []byte("A       "))
	}},
}

// Names returns the values of --format.
func Names() (list []string) {
	for _, f := range formats {
		list = append(list, f.Name)
	}
	return list
}

// Help returns the lines of the help.
func Help() string {
	var b strings.Builder
	for _, f := range formats {
		fmt.Fprintf(&b, "  %-11s %-6s %s\n", f.Name, f.Extensions[0], f.what)
	}
	return b.String()
}

// Write writes documents as the files of the format; text is drawn according to o.
func (f Format) Write(d *Documents, o text.Options) ([]File, error) {
	if len(d.Traces) > 0 {
		return f.traces(d, o)
	}
	return f.render(d, o)
}

// IsReport reports whether a file with this beginning was written in one of the formats.
func IsReport(head []byte) bool {
	return slices.ContainsFunc(formats, func(f Format) bool { return f.ours(head) })
}

// Stream returns where an unsaved file of the format is written: text is for people, and the other
// formats escape in their own way what a terminal would interpret.
func (f Format) Stream(stdout io.Writer) io.Writer {
	if f.Name == "text" {
		return term.Styled(stdout)
	}
	return term.Raw(stdout)
}

// Extension returns the extension of a file's name, in lower case: ".json"; "" if it has none, as "result", "result." and the
// hidden file ".result" have not. A file that is called ".html" is opened as a page.
func Extension(file string) string {
	extension := strings.ToLower(filepath.Ext(file))
	hidden := extension == strings.ToLower(filepath.Base(file))
	if extension == "." || hidden && !slices.ContainsFunc(formats, func(f Format) bool { return slices.Contains(f.Extensions, extension) }) {
		return ""
	}
	return extension
}

// Choose returns the named format, or else that of the file's extension, or text if it has none. A refusal names the
// formats in only, or all if it is empty.
func Choose(name, file string, only ...string) (Format, error) {
	if len(only) == 0 {
		only = Names()
	}
	if name != "" {
		for _, f := range formats {
			if f.Name == name || slices.Contains(f.Extensions, "."+name) {
				return f, nil
			}
		}
		hint := "use --format with one of: " + strings.Join(only, ", ")
		if near := suggest.Nearest(name, only); near != "" {
			hint = "--format " + near
		}
		return Format{}, model.RefusedError(fmt.Sprintf("there is no format %q", name), hint)
	}
	extension := Extension(file)
	if extension == "" || file == "-" {
		extension = ".txt"
	}
	var known []string
	for _, f := range formats {
		if slices.Contains(f.Extensions, extension) {
			return f, nil
		}
		if slices.Contains(only, f.Name) {
			known = append(known, f.Extensions[0])
		}
	}
	return Format{}, model.RefusedError(fmt.Sprintf("the extension of %s stands for no format: %s is none of %s", file, extension, strings.Join(known, ", ")),
		"use one of these extensions, or add --format with one of: "+strings.Join(only, ", "))
}

func writeHTML(d *Documents, _ text.Options) ([]File, error) {
	return one(func(b *bytes.Buffer) error {
		return html.RenderAll(b, jsonout.Page{Reports: d.Reports, Comparisons: d.Comparisons, Durability: d.Durability, Beside: d.Beside})
	})
}

func writeMarkdown(d *Documents, _ text.Options) ([]File, error) {
	return one(func(b *bytes.Buffer) error {
		// The page of a report contains its own comparison.
		alone := slices.DeleteFunc(slices.Clone(d.Comparisons), func(c *model.Comparison) bool { return d.contains(c) })
		return each(b, d, alone, func(c *model.Comparison) error { return markdown.RenderComparison(b, c) },
			func() error { return markdown.Render(b, d.Reports...) },
			func(t *model.Durability) error { return markdown.RenderDurability(b, t) })
	})
}

func writeText(d *Documents, o text.Options) ([]File, error) {
	return one(func(b *bytes.Buffer) error {
		comparisons := d.compared()
		comparison := func(c *model.Comparison) error { return text.RenderComparison(b, c, o) }
		reports := func() error { return text.RenderSeveral(b, d.Reports, d.Comparisons, o) }
		switch {
		case len(d.Reports) == 1:
			reports = func() error { return text.Render(b, d.Reports[0], o) }
		case len(d.Reports) == 2 && len(d.Comparisons) == 1:
			// The comparison's table contains both sides.
			reports = func() error { return nil }
		case len(d.Reports) > 2:
			// The reports' table contains the changes.
			comparisons = d.inside()
		}
		return each(b, d, comparisons, comparison, reports, func(t *model.Durability) error { return text.RenderDurability(b, t, o) })
	})
}

func writeJSON(d *Documents, _ text.Options) ([]File, error) {
	switch n := len(d.Reports) + len(d.Durability); {
	case len(d.Durability) > 0 && n > 1:
		return nil, NotFor("json", "a durability test and others together", "markdown")
	case len(d.Durability) == 1:
		return one(func(b *bytes.Buffer) error { return jsonout.WriteDurability(b, d.Durability[0]) })
	case len(d.Comparisons) == 1 && n <= 2:
		return one(func(b *bytes.Buffer) error { return jsonout.WriteComparison(b, d.Comparisons[0]) })
	case n == 1:
		return one(func(b *bytes.Buffer) error { return jsonout.Write(b, d.Reports[0]) })
	}
	return one(func(b *bytes.Buffer) error { return jsonout.WriteSeveral(b, d.Reports, d.Comparisons) })
}

func writeJUnit(d *Documents, _ text.Options) ([]File, error) {
	if len(d.Durability) > 0 {
		return nil, NotFor("junit", "a durability test", "json")
	}
	if ranked(d) {
		return nil, NotFor("junit", "a ranking (each of its systems is a run of its own, which has)", "json")
	}
	return one(func(b *bytes.Buffer) error { return checks.WriteJUnit(b, checks.Of(d.Reports, d.Comparisons, nil)) })
}

func writePrometheus(d *Documents, _ text.Options) ([]File, error) {
	if len(d.Durability) > 0 {
		return nil, NotFor("prometheus", "a durability test", "json")
	}
	if ranked(d) {
		return nil, NotFor("prometheus", "a ranking (each of its systems is a run of its own, which has)", "json")
	}
	return one(func(b *bytes.Buffer) error { return prom.Write(b, d.Reports, d.compared()) })
}

func writeCSV(d *Documents, _ text.Options) ([]File, error) {
	if len(d.Durability) > 0 {
		return nil, NotFor("csv", "a durability test", "json")
	}
	if ranked(d) {
		return nil, NotFor("csv", "a ranking (each of its systems is a run of its own, which has)", "json")
	}
	var files []File
	add := func(suffix string, write func(*bytes.Buffer) error) error {
		var b bytes.Buffer
		err := write(&b)
		files = append(files, File{suffix, b.Bytes()})
		return err
	}
	if len(d.Reports) > 0 {
		if err := add("", func(b *bytes.Buffer) error { return csvout.WriteEstimates(b, d.Reports...) }); err != nil {
			return nil, err
		}
		if slices.ContainsFunc(d.Reports, func(r *model.Report) bool { return len(r.Scales) > 0 }) {
			if err := add("-scale", func(b *bytes.Buffer) error { return csvout.WriteScales(b, d.Reports...) }); err != nil {
				return nil, err
			}
			if err := add("-laws", func(b *bytes.Buffer) error { return csvout.WriteLaws(b, d.Reports...) }); err != nil {
				return nil, err
			}
		}
		var recorded []*model.Recorded
		if d.Samples != nil {
			var err error
			if recorded, err = d.Samples(); err != nil {
				return nil, err
			}
		}
		if len(recorded) > 0 {
			if err := add("-samples", func(b *bytes.Buffer) error { return csvout.WriteSamples(b, recorded...) }); err != nil {
				return nil, err
			}
		}
	}
	if comparisons := d.compared(); len(comparisons) > 0 {
		suffix := ""
		if len(files) > 0 {
			suffix = "-comparison"
		}
		if err := add(suffix, func(b *bytes.Buffer) error { return csvout.WriteComparison(b, comparisons...) }); err != nil {
			return nil, err
		}
	}
	return files, nil
}

// compared returns the comparisons, those inside reports included.
func (d *Documents) compared() []*model.Comparison { return slices.Concat(d.Comparisons, d.inside()) }

// inside returns the comparisons that are inside reports and nowhere else.
func (d *Documents) inside() (list []*model.Comparison) {
	for _, r := range d.Reports {
		if c := r.Comparison; c != nil && !slices.ContainsFunc(slices.Concat(d.Comparisons, list), c.Same) {
			list = append(list, c)
		}
	}
	return list
}

// contains reports whether a comparison is inside one of the reports.
func (d *Documents) contains(c *model.Comparison) bool {
	return slices.ContainsFunc(d.Reports, func(r *model.Report) bool { return r.Comparison != nil && r.Comparison.Same(c) })
}

// ranked reports whether a ranking is among the reports.
func ranked(d *Documents) bool {
	return slices.ContainsFunc(d.Reports, func(r *model.Report) bool { return r.Ranking != nil })
}

// each writes these comparisons, then the reports, then the durability tests, separated by blank
// lines.
func each(b *bytes.Buffer, d *Documents, comparisons []*model.Comparison, comparison func(*model.Comparison) error, reports func() error, test func(*model.Durability) error) error {
	part := func(write func() error) error {
		before := b.Len()
		if before > 0 {
			b.WriteByte('\n')
		}
		err := write()
		if before > 0 && b.Len() == before+1 {
			b.Truncate(before)
		}
		return err
	}
	for _, c := range comparisons {
		if err := part(func() error { return comparison(c) }); err != nil {
			return err
		}
	}
	if len(d.Reports) > 0 {
		if err := part(reports); err != nil {
			return err
		}
	}
	for _, t := range d.Durability {
		if err := part(func() error { return test(t) }); err != nil {
			return err
		}
	}
	return nil
}

// File is one file that a format writes: suffix is inserted between the requested name and the
// extension.
type File struct {
	Suffix string
	Data   []byte
}

// one returns the only file of a format.
func one(render func(*bytes.Buffer) error) ([]File, error) {
	var b bytes.Buffer
	err := render(&b)
	return []File{{Data: b.Bytes()}}, err
}

// titles are the formats' names in sentences.
var titles = map[string]string{
	"html": "HTML", "markdown": "Markdown", "csv": "CSV", "json": "JSON", "prometheus": "Prometheus metrics", "junit": "JUnit XML", "text": "text",
}

// Title returns the format's name in a sentence.
func (f Format) Title() string { return titles[f.Name] }

// NotFor returns the refusal of a format that cannot represent what was named.
func NotFor(format, what, instead string) error {
	return model.RefusedError(fmt.Sprintf("%s cannot be written as %s", what, titles[format]), "--format "+instead)
}

// Suffixes lists what distinguishes files that accompany another, as text.
func Suffixes(files []File) string {
	var list []string
	for _, f := range files {
		list = append(list, strings.TrimPrefix(f.Suffix, "-"))
	}
	return strings.Join(list, " and the ")
}
