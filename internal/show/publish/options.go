package publish

import (
	"io"

	"github.com/loadline/loadline/internal/show/metrics"
	"github.com/loadline/loadline/internal/show/report/term"
	"github.com/loadline/loadline/internal/show/report/text"
)

// Options say what is asked to be handed on, and how the command shows what it does.
type Options struct {
	// JUnit is the file for JUnit XML, Push the URL of a Pushgateway, and Annotations one of AnnotationForms.
	JUnit, Push, Annotations string
	// Stderr is for annotations and for people; Events is set if it carries events for a program, and Quiet if
	// it does not say what was handed on.
	Stderr        io.Writer
	Events, Quiet bool
	// Text says how text in the summary is laid out.
	Text text.Options
	// Getenv reads the environment, in which GitHub says what it takes.
	Getenv func(string) string
}

// AnnotationForms are the ways to annotate: as the environment asks for, for GitHub, and none.
var AnnotationForms = []string{"auto", "github", "none"}

// To returns the destinations that are asked for. It refuses those that cannot be used.
func To(o Options) (d Destinations, err error) {
	d = Destinations{JUnit: o.JUnit, Text: o.Text, Note: func(words string) { term.PrintLine(o.Stderr, "note    %s", words) }}
	d.Said = func(what, where string) {
		if !o.Quiet {
			term.PrintLine(o.Stderr, "%-8s%s", what, where)
		}
	}
	onGitHub := o.Getenv("GITHUB_ACTIONS") == "true"
	if o.Annotations == "github" || o.Annotations == "auto" && onGitHub && !o.Events {
		d.Annotations = term.Raw(o.Stderr)
	}
	if o.Annotations != "none" && onGitHub {
		d.Summary = o.Getenv("GITHUB_STEP_SUMMARY")
	}
	if o.Push != "" {
		if d.Gateway, err = metrics.ParseGateway(o.Push); err != nil {
			return d, err
		}
	}
	return d, d.Check()
}
