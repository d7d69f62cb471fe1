// Package publish hands results on to programs that wait for them: JUnit XML, annotations and the summary of a
// workflow's step for a CI system, metrics for a Prometheus Pushgateway. Its assumptions: what is unusable
// as a destination is refused before anything is measured; one destination that fails does not keep
// the results from the others; and nothing is pushed of a run that did not complete, because it would
// replace one that did.
package publish

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/loadline/loadline/internal/env"
	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/show/metrics"
	"github.com/loadline/loadline/internal/show/outfile"
	"github.com/loadline/loadline/internal/show/report/checks"
	"github.com/loadline/loadline/internal/show/report/format"
	"github.com/loadline/loadline/internal/show/report/text"
)

// Destinations are where results are handed on to. The zero value of each means that it gets none.
type Destinations struct {
	// JUnit is the file for goals, rows and verdicts as JUnit XML.
	JUnit string
	// Annotations receives failures as GitHub's annotations.
	Annotations io.Writer
	// Summary is the file that GitHub names for the summary of a workflow's step.
	Summary string
	// Gateway is pushed the metrics.
	Gateway *metrics.Gateway
	// Text says how text in the summary is laid out.
	Text text.Options
	// Said is told what was handed on and where to, and Note receives a remark.
	Said func(what, where string)
	Note func(words string)
}

// Check refuses a destination that cannot be written to.
func (d *Destinations) Check() error {
	if d.JUnit == "" {
		return nil
	}
	if d.JUnit == "-" {
		// As in -o -, it stands for standard output, and the result is written there.
		return model.RefusedError("--junit cannot be written to standard output (-): the result goes there", "name a file, such as --junit checks.xml, or --junit ./- for one of that name")
	}
	err := outfile.Check(d.JUnit, false, "")
	var refused *model.WorkerError
	if !errors.As(err, &refused) {
		return err
	}
	hint := "choose another name for --junit"
	if strings.HasPrefix(refused.Hint, outfile.MakeFolder) {
		hint = refused.Hint
	}
	return model.RefusedError("--junit: "+refused.Message, hint)
}

// Publish hands on what was found. failOn are the verdicts of a comparison that count as failures. The error joins those of
// all destinations.
func (d *Destinations) Publish(ctx context.Context, found *format.Documents, failOn []string) error {
	suites := checks.Of(found.Reports, found.Comparisons, failOn)
	var failures []error
	if d.JUnit != "" {
		failures = append(failures, d.writeJUnit(suites))
	}
	if d.Annotations != nil {
		failures = append(failures, checks.WriteAnnotations(d.Annotations, suites))
	}
	if d.Summary != "" {
		failures = append(failures, d.summarize(found, suites))
	}
	if d.Gateway != nil {
		failures = append(failures, d.push(ctx, found))
	}
	return errors.Join(failures...)
}

func (d *Destinations) writeJUnit(suites []checks.Suite) error {
	var b bytes.Buffer
	if err := errors.Join(checks.WriteJUnit(&b, suites), d.Check()); err != nil {
		return err
	}
	if err := outfile.Write(d.JUnit, b.Bytes()); err != nil {
		return fmt.Errorf("the checks could not be written to %s: %w", d.JUnit, err)
	}
	d.Said("junit", d.JUnit)
	return nil
}

// longestSummary is the size limit of a step's summary on GitHub, in bytes.
const longestSummary = 1 << 20

// summarize appends the report to the summary of a workflow's step.
func (d *Destinations) summarize(found *format.Documents, suites []checks.Suite) error {
	name := d.Summary
	markdown, err := format.Choose("markdown", "")
	if err != nil {
		return err
	}
	files, err := markdown.Write(found, d.Text)
	if err != nil {
		return err
	}
	head := checks.Summary(suites) + "\n\n"
	summary := append([]byte(head), files[0].Data...)
	info, err := os.Stat(name)
	if err == nil && info.Size()+int64(len(summary)) > longestSummary {
		summary = []byte(head + "The report is too long for a summary.\n")
	}
	if err == nil && !info.Mode().IsRegular() {
		return fmt.Errorf("the summary could not be written: GITHUB_STEP_SUMMARY names %s, which is not a regular file", name)
	}
	to, err := os.OpenFile(name, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err == nil {
		_, err = to.Write(append(summary, '\n'))
		err = errors.Join(err, to.Close())
	}
	if err != nil {
		return fmt.Errorf("the summary could not be written to %s, which GITHUB_STEP_SUMMARY names: %s", name, env.Reason(err))
	}
	return nil
}

// push pushes the metrics of a complete measurement. An interrupted one would replace earlier metrics.
func (d *Destinations) push(ctx context.Context, found *format.Documents) error {
	instance := ""
	var runs []*model.RunInfo
	for _, r := range found.Reports {
		runs = append(runs, &r.Run)
	}
	for _, c := range found.Comparisons {
		runs = append(runs, &c.A, &c.B)
		instance = c.B.Environment.Hostname + ":" + c.A.Target.Place() + "," + c.B.Target.Place()
	}
	for _, run := range runs {
		if run.Status != model.Complete {
			d.Note(fmt.Sprintf("nothing was pushed to %s: the run is %s, and would replace a complete one", d.Gateway.Name(), run.Status))
			return nil
		}
	}
	if instance == "" {
		instance = runs[0].Environment.Hostname + ":" + runs[0].Target.Place()
	}
	if err := d.Gateway.Push(context.WithoutCancel(ctx), instance, found.Reports, found.Comparisons); err != nil {
		return err
	}
	d.Said("pushed", d.Gateway.Name())
	return nil
}
