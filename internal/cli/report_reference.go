package cli

import (
	"bytes"

	"github.com/loadline/loadline/internal/env"
	"github.com/loadline/loadline/internal/judge/capacity"
	"github.com/loadline/loadline/internal/judge/results"
	"github.com/loadline/loadline/internal/model/study"
	"github.com/loadline/loadline/internal/show/report/format"
	"github.com/loadline/loadline/internal/show/report/html"
	"github.com/loadline/loadline/internal/show/report/jsonout"
	"github.com/loadline/loadline/internal/show/report/markdown"
	"github.com/loadline/loadline/internal/show/report/reference"
	"github.com/loadline/loadline/internal/show/report/term"
)

// reference writes a reference report of runs and published points.
func (f *reportFlags) reference(e *env.Env, args []string) error {
	forms := map[string]func(*bytes.Buffer, *study.Reference) error{
		"html":     func(b *bytes.Buffer, r *study.Reference) error { return html.RenderReference(b, r) },
		"markdown": func(b *bytes.Buffer, r *study.Reference) error { return markdown.RenderReference(b, r) },
		"json":     func(b *bytes.Buffer, r *study.Reference) error { return jsonout.WriteReference(b, r) },
	}
	render := forms[f.name()]
	if render == nil {
		return format.NotFor(f.name(), "a reference report", "html, markdown or json")
	}
	points, runs, err := results.PointsOf(args, f.system)
	if err != nil {
		return err
	}
	st, err := capacity.Study(points)
	if err != nil {
		return err
	}
	r := reference.Build(&st, runs, args)
	var b bytes.Buffer
	if err := render(&b, &r); err != nil {
		return err
	}
	_, err = term.Raw(e.Stdout).Write(b.Bytes())
	return err
}
