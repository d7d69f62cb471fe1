package format

import (
	"bytes"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/show/report/csvout"
	"github.com/loadline/loadline/internal/show/report/html"
	"github.com/loadline/loadline/internal/show/report/jsonout"
	"github.com/loadline/loadline/internal/show/report/markdown"
	"github.com/loadline/loadline/internal/show/report/text"
)

// traces writes traces in the format.
func (f Format) traces(d *Documents, o text.Options) ([]File, error) {
	if len(d.Reports)+len(d.Comparisons)+len(d.Durability) > 0 || f.Name == "json" && len(d.Traces) > 1 {
		return nil, model.RefusedError("a trace is written by itself", "name one trace, or runs only")
	}
	switch f.Name {
	case "text":
		return one(func(b *bytes.Buffer) error {
			for i, t := range d.Traces {
				if i > 0 {
					b.WriteByte('\n')
				}
				if err := text.RenderTrace(b, t, text.TraceOptions{Options: o}); err != nil {
					return err
				}
			}
			return nil
		})
	case "json":
		return one(func(b *bytes.Buffer) error { return jsonout.WriteTrace(b, d.Traces[0]) })
	case "html":
		return one(func(b *bytes.Buffer) error { return html.RenderTraces(b, d.Traces...) })
	case "markdown":
		return one(func(b *bytes.Buffer) error { return markdown.RenderTraces(b, d.Traces...) })
	case "csv":
		return traceTables(d)
	}
	return nil, NotFor(f.Name, "a trace", "html, markdown, csv, json or text")
}

// traceTables returns the table of the figures, and that of the samples if there are any.
func traceTables(d *Documents) ([]File, error) {
	files, err := one(func(b *bytes.Buffer) error { return csvout.WriteTraces(b, d.Traces...) })
	if err != nil || d.TraceSamples == nil {
		return files, err
	}
	var b bytes.Buffer
	for _, t := range d.Traces {
		samples := d.TraceSamples(t)
		if samples == nil {
			continue
		}
		part := bytes.Buffer{}
		if err := csvout.WriteTraceSamples(&part, t.Run.ID, samples); err != nil {
			return nil, err
		}
		table := part.Bytes()
		if b.Len() > 0 {
			// One header for all.
			_, table, _ = bytes.Cut(table, []byte("\n"))
		}
		b.Write(table)
	}
	if b.Len() > 0 {
		files = append(files, File{"-samples", b.Bytes()})
	}
	return files, nil
}
