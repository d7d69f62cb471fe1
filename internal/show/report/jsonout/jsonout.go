// Package jsonout writes a report as its JSON document, loadline.report/v1. Its assumptions: there is
// one form only (indented, keys in the order of the schema, nothing escaped for HTML), lists are
// never null, and a number that is not finite is null, because JSON cannot represent it and a
// writer that fails at the end of a run loses the run.
package jsonout

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"slices"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/iotrace"
	"github.com/loadline/loadline/internal/show/report/words"
)

// Write writes the document and a newline. It fails only when w does, or if a finding's evidence
// contains something that JSON cannot represent (a channel, a function).
func Write(w io.Writer, r *model.Report) error { return write(w, withSchema(r)) }

// WriteComparison is Write for a comparison, loadline.comparison/v1.
func WriteComparison(w io.Writer, c *model.Comparison) error {
	return write(w, comparisonWithSchema(c))
}

// WriteDurability is Write for a durability test, loadline.durability/v1.
func WriteDurability(w io.Writer, d *model.Durability) error { return write(w, d) }

// WriteTrace is Write for a trace, loadline.trace/v1.
func WriteTrace(w io.Writer, t *iotrace.Report) error { return write(w, t) }

// WriteTraceComparison is Write for a comparison of two traces.
func WriteTraceComparison(w io.Writer, c *iotrace.Comparison) error { return write(w, c) }

// WriteDocument writes a document that only one command prints, in the form of all others.
func WriteDocument(w io.Writer, document any) error { return write(w, document) }

func write(w io.Writer, document any) error {
	doc := finite(document)
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(doc); err != nil {
		return fmt.Errorf("the report cannot be written as JSON: %w", err)
	}
	var out bytes.Buffer
	if err := json.Indent(&out, nullSentinels(buf.Bytes()), "", "  "); err != nil {
		return fmt.Errorf("the report cannot be written as JSON: %w", err)
	}
	if _, err := w.Write(Visible(numbersOnALine(out.Bytes()))); err != nil {
		return fmt.Errorf("the report could not be written: %w", err)
	}
	return nil
}

// numbersOnALine joins the lines of each array that contains only numbers (or arrays of them): a
// series of a thousand points is one line, not a thousand.
func numbersOnALine(doc []byte) []byte {
	out := make([]byte, 0, len(doc))
	inString := false
	for i := 0; i < len(doc); i++ {
		c := doc[i]
		switch {
		case inString && c == '\\':
			out = append(out, c)
			i++
			c = doc[i]
		case c == '"':
			inString = !inString
		case !inString && c == '[':
			if end := numbersEnd(doc[i:]); end > 0 {
				for _, b := range doc[i : i+end] {
					if b == ',' {
						out = append(out, ',', ' ')
					} else if b != ' ' && b != '\n' {
						out = append(out, b)
					}
				}
				i += end - 1
				continue
			}
		}
		out = append(out, c)
	}
	return out
}

// numbersEnd returns the length of the array at the beginning of doc, or 0 if it contains anything
// but numbers, nulls and arrays.
func numbersEnd(doc []byte) int {
	depth := 0
	for i, c := range doc {
		switch c {
		case '[':
			depth++
		case ']':
			depth--
			if depth == 0 {
				return i + 1
			}
		case '"', '{', 't', 'f':
			return 0
		}
	}
	return 0
}

// withSchema returns a copy with the schema names set, including that of an embedded document.
func withSchema(r *model.Report) *model.Report {
	c := *r
	if c.Schema == "" {
		c.Schema = model.ReportSchema
	}
	if r.Comparison != nil {
		c.Comparison = comparisonWithSchema(r.Comparison)
	}
	return &c
}

// comparisonWithSchema is withSchema for a comparison, whose rows get their notes.
func comparisonWithSchema(r *model.Comparison) *model.Comparison {
	c := *r
	if c.Schema == "" {
		c.Schema = model.ComparisonSchema
	}
	c.Rows = slices.Clone(r.Rows)
	for i := range c.Rows {
		c.Rows[i].Note = words.NoteOf(r, c.Rows[i])
	}
	return &c
}
