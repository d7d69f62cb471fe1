package format

import (
	"io"

	"github.com/loadline/loadline/internal/model/iotrace"
	"github.com/loadline/loadline/internal/model/study"
	"github.com/loadline/loadline/internal/show/report/html"
	"github.com/loadline/loadline/internal/show/report/jsonout"
	"github.com/loadline/loadline/internal/show/report/markdown"
	"github.com/loadline/loadline/internal/show/report/text"
)

// ForReference returns what writes a reference report in a format.
func ForReference(name string) (func(io.Writer, *study.Reference) error, error) {
	switch name {
	case "html":
		return html.RenderReference, nil
	case "markdown":
		return markdown.RenderReference, nil
	case "json":
		return jsonout.WriteReference, nil
	}
	return nil, NotFor(name, "a reference report", "html, markdown or json")
}

// ForTraceComparison returns what writes a comparison of two traces in a format.
func ForTraceComparison(name string) (func(io.Writer, *iotrace.Comparison, text.Options) error, error) {
	plain := func(write func(io.Writer, *iotrace.Comparison) error) func(io.Writer, *iotrace.Comparison, text.Options) error {
		return func(w io.Writer, c *iotrace.Comparison, _ text.Options) error { return write(w, c) }
	}
	switch name {
	case "text":
		return text.RenderTraceComparison, nil
	case "json":
		return plain(jsonout.WriteTraceComparison), nil
	case "html":
		return plain(html.RenderTraceComparison), nil
	case "markdown":
		return plain(markdown.RenderTraceComparison), nil
	}
	return nil, NotFor(name, "a comparison of two traces", "text, json, markdown or html")
}
