package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/loadline/loadline/internal/env"
	"github.com/loadline/loadline/internal/judge/results"
	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/safetext"
	"github.com/loadline/loadline/internal/show/metrics"
	"github.com/loadline/loadline/internal/show/outfile"
	"github.com/loadline/loadline/internal/show/report/checks"
	"github.com/loadline/loadline/internal/show/report/format"
	"github.com/loadline/loadline/internal/show/report/term"
)

// publisher is where a result is sent in addition to standard output: a CI system,
// GitHub, a Pushgateway.
type publisher struct {
	junit, annotations, push string
	gateway                  *metrics.Gateway
	quiet                    bool
	// found is what was measured or compared.
	found format.Documents
}

// annotationForms are the valid values of --annotations.
var annotationForms = []string{"auto", "github", "none"}

// publisherFlags are the names of the flags.
var publisherFlags = []string{"junit", "annotations", "push"}

// registerPublisher adds the flags to a command and wraps its RunE, which must be set, so that the
// result is handed on afterwards.
func (f *measureFlags) registerPublisher(e *env.Env, cmd *cobra.Command) {
	h := &f.publisher
	flags := cmd.Flags()
	flags.StringVar(&h.junit, "junit", "", "write goals, rows and verdicts as JUnit XML into this `FILE` (docs/ci.md)")
	flags.StringVar(&h.annotations, "annotations", annotationForms[0], "report failures as annotations: github, none, or auto for GitHub if GITHUB_ACTIONS=true")
	flags.StringVar(&h.push, "push", "", "push the metrics to the Prometheus Pushgateway at this `URL`; exit code 1 if that fails")
	run := cmd.RunE
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		h.quiet = f.quiet
		if err := h.check(e, f.inside.detach); err != nil {
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
func (h *publisher) check(e *env.Env, detached bool) (err error) {
	if err := oneOf("--annotations", h.annotations, annotationForms); err != nil {
		return err
	}
	if h.annotations == "github" && emitsEvents(e) {
		return model.RefusedError("--annotations github and --progress json both write lines for a program to standard error", "leave one of them out")
	}
	if detached && (h.junit != "" || h.push != "") {
		return model.RefusedError("--detach does not wait for results, so --junit and --push have none", "leave --detach out; or loadline report RUN after loadline fetch")
	}
	if h.push != "" {
		if h.gateway, err = metrics.ParseGateway(h.push); err != nil {
			return err
		}
	}
	if h.junit == "" {
		return nil
	}
	return h.mayWrite()
}

// mayWrite refuses a file that must not be replaced.
func (h *publisher) mayWrite() error {
	err := outfile.Check(h.junit, false, "remove it first: rm "+safetext.ShellWord(h.junit))
	var refused *model.WorkerError
	if errors.As(err, &refused) {
		return model.RefusedError("--junit: "+refused.Message, "choose another name for --junit, or remove what is there: rm "+safetext.ShellWord(h.junit))
	}
	return err
}

// all hands on the results, and returns the error that the command ends with: an error of
// the measurement or the gate takes precedence over one of handing on.
func (h *publisher) all(ctx context.Context, e *env.Env, failOn []string, err error) error {
	if len(h.found.Reports)+len(h.found.Comparisons) == 0 {
		return err
	}
	suites := checks.Of(h.found.Reports, h.found.Comparisons, failOn)
	var failures []error
	if h.junit != "" {
		failures = append(failures, h.writeJUnit(e, suites))
	}
	if h.annotations == "github" || h.annotations == "auto" && onGitHub(e) && !emitsEvents(e) {
		failures = append(failures, checks.WriteAnnotations(term.Raw(e.Stderr), suites))
	}
	if h.annotations != "none" && onGitHub(e) {
		failures = append(failures, h.summarize(e, suites))
	}
	if h.gateway != nil {
		failures = append(failures, h.pushAll(ctx, e))
	}
	publishErr := errors.Join(failures...)
	var code exitCode
	if publishErr != nil && errors.As(err, &code) {
		// The gate's exit code takes precedence; the failure to hand on is still reported.
		printError(e.Stderr, publishErr)
		return err
	}
	return errors.Join(err, publishErr)
}

// say reports what was handed on and where to, unless --quiet was given.
func (h *publisher) say(e *env.Env, what, where string) {
	if !h.quiet {
		printLine(e.Stderr, "%-8s%s", what, where)
	}
}

// onGitHub reports whether this is a step of a GitHub workflow.
func onGitHub(e *env.Env) bool { return e.Getenv("GITHUB_ACTIONS") == "true" }

func (h *publisher) writeJUnit(e *env.Env, suites []checks.Suite) error {
	var b bytes.Buffer
	if err := errors.Join(checks.WriteJUnit(&b, suites), h.mayWrite()); err != nil {
		return err
	}
	if err := outfile.Write(h.junit, b.Bytes()); err != nil {
		return fmt.Errorf("the checks could not be written to %s: %w", h.junit, err)
	}
	h.say(e, "junit", h.junit)
	return nil
}

// longestSummary is the size limit of a step's summary on GitHub, in bytes.
const longestSummary = 1 << 20

// summarize appends the report to the summary of a step of a GitHub workflow, if GitHub
// names a file for it.
func (h *publisher) summarize(e *env.Env, suites []checks.Suite) error {
	name := e.Getenv("GITHUB_STEP_SUMMARY")
	if name == "" {
		return nil
	}
	markdown, err := format.Choose("markdown", "")
	if err != nil {
		return err
	}
	files, err := markdown.Write(&h.found, terminalOptions(e.Output))
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

// pushAll pushes the metrics of a complete measurement. An interrupted one
// would replace earlier metrics.
func (h *publisher) pushAll(ctx context.Context, e *env.Env) error {
	instance := ""
	var runs []*model.RunInfo
	for _, r := range h.found.Reports {
		runs = append(runs, &r.Run)
	}
	for _, c := range h.found.Comparisons {
		runs = append(runs, &c.A, &c.B)
		instance = c.B.Environment.Hostname + ":" + c.A.Target.Place() + "," + c.B.Target.Place()
	}
	for _, run := range runs {
		if run.Status != model.Complete {
			printLine(e.Stderr, "note    nothing was pushed to %s: the run is %s, and would replace a complete one", h.gateway.Name(), run.Status)
			return nil
		}
	}
	if instance == "" {
		instance = runs[0].Environment.Hostname + ":" + runs[0].Target.Place()
	}
	if err := h.gateway.Push(context.WithoutCancel(ctx), instance, h.found.Reports, h.found.Comparisons); err != nil {
		return err
	}
	h.say(e, "pushed", h.gateway.Name())
	return nil
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
