package cli

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/loadline/loadline/internal/cli/flags"
	"github.com/loadline/loadline/internal/env"
	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/show/outfile"
	"github.com/loadline/loadline/internal/show/publish"
	"github.com/loadline/loadline/internal/show/report/format"
	"github.com/loadline/loadline/internal/show/results"
	"github.com/loadline/loadline/internal/show/screen"
)

// publisher is where a result is sent in addition to standard output: a CI system,
// GitHub, a Pushgateway.
type publisher struct {
	junit, annotations, push string
	to                       publish.Destinations
	// found is what was measured or compared.
	found format.Documents
}

// registerPublisher adds the flags to a command and wraps its RunE, which must be set, so that the
// result is handed on afterwards.
func (f *measureFlags) registerPublisher(e *env.Env, cmd *cobra.Command) {
	h := &f.publisher
	fl := cmd.Flags()
	fl.StringVar(&h.junit, "junit", "", "write goals, rows and verdicts as JUnit XML into this `FILE` (docs/ci.md)")
	fl.StringVar(&h.annotations, "annotations", publish.AnnotationForms[0], "report failures as annotations: github, none, or auto for GitHub if GITHUB_ACTIONS=true")
	fl.StringVar(&h.push, "push", "", "push the metrics to the Prometheus Pushgateway at this `URL`; exit code 1 if that fails")
	run := cmd.RunE
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if err := h.check(e, f.quiet, f.inside.detach, f.output.file); err != nil {
			return err
		}
		err := run(cmd, args)
		if f.gate.judged != nil {
			h.found.Comparisons = append(h.found.Comparisons, f.gate.judged)
		}
		return h.all(cmd.Context(), e, f.gate.failOn, err)
	}
}

// check refuses invalid flags and unusable destinations before anything is measured.
func (h *publisher) check(e *env.Env, quiet, detached bool, output string) (err error) {
	if err := flags.OneOf("--annotations", h.annotations, publish.AnnotationForms); err != nil {
		return err
	}
	if h.annotations == "github" && screen.EmitsEvents(e) {
		return model.RefusedError("--annotations github and --progress json both write lines for a program to standard error", "leave one of them out")
	}
	if detached && (h.junit != "" || h.push != "") {
		return model.RefusedError("--detach does not wait for results, so --junit and --push have none", "leave --detach out; or loadline report RUN after loadline fetch")
	}
	if h.junit != "" && outfile.Same(h.junit, output) {
		return model.RefusedError(fmt.Sprintf("--junit and -o both name %s: one would replace the other", h.junit), "choose another name for one of them")
	}
	h.to, err = publish.To(publish.Options{
		JUnit: h.junit, Annotations: h.annotations, Push: h.push,
		Stderr: e.Stderr, Events: screen.EmitsEvents(e), Quiet: quiet, Text: screen.Text(e.Output), Getenv: e.Getenv,
	})
	return err
}

// all hands on the results, and returns the error that the command ends with: an error of
// the measurement or the gate takes precedence over one of handing on.
func (h *publisher) all(ctx context.Context, e *env.Env, failOn []string, err error) error {
	if len(h.found.Reports)+len(h.found.Comparisons) == 0 {
		return err
	}
	publishErr := h.to.Publish(ctx, &h.found, failOn)
	var code exitCode
	if publishErr != nil && errors.As(err, &code) {
		// The gate's exit code takes precedence; the failure to hand on is still reported.
		printError(e.Stderr, publishErr)
		return err
	}
	return errors.Join(err, publishErr)
}

// fetched adds the results in directories that a Job has measured.
func (h *publisher) fetched(dirs []string) error {
	for _, dir := range dirs {
		d, err := results.Read([]string{dir})
		if err != nil {
			return err
		}
		if len(d.Comparisons) > 0 {
			h.found.Comparisons = append(h.found.Comparisons, d.Comparisons...)
			continue
		}
		h.found.Reports = append(h.found.Reports, d.Reports...)
	}
	return nil
}
