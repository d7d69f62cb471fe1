package cli

import (
	"bytes"

	"github.com/loadline/loadline/internal/env"
	"github.com/loadline/loadline/internal/judge/capacity"
	"github.com/loadline/loadline/internal/show/report/format"
	"github.com/loadline/loadline/internal/show/report/reference"
	"github.com/loadline/loadline/internal/show/report/term"
	"github.com/loadline/loadline/internal/show/results"
)

// reference writes a reference report of runs and published points.
func (f *reportFlags) reference(e *env.Env, args []string) error {
	render, err := format.ForReference(f.name())
	if err != nil {
		return err
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
