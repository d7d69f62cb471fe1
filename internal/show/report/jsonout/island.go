package jsonout

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/iotrace"
	"github.com/loadline/loadline/internal/model/study"
)

// Page is the content of one page: comparisons, reports (which may be those of their sides) and
// durability tests.
type Page struct {
	Reports     []*model.Report
	Comparisons []*model.Comparison
	Durability  []*model.Durability
	// Beside are the traces recorded alongside the runs: one for each report, nil for a run without
	// one; or none at all.
	Beside []*iotrace.Report
}

// Island returns the documents of a page as one JSON object without line breaks, in which <, > and
// & are escaped, so that it can be placed in an HTML script element.
func Island(p Page) ([]byte, error) {
	documents := together("", p.Reports, p.Comparisons)
	documents.Durability = p.Durability
	if slices.ContainsFunc(p.Beside, func(t *iotrace.Report) bool { return t != nil }) {
		documents.Beside = p.Beside
	}
	doc, err := json.Marshal(finite(documents))
	if err != nil {
		return nil, fmt.Errorf("the report cannot be written as JSON: %w", err)
	}
	return Visible(nullSentinels(doc)), nil
}

// ReferenceIsland is Island for a reference report, under the key "reference".
func ReferenceIsland(r *study.Reference) ([]byte, error) {
	doc, err := json.Marshal(finite(struct {
		several
		Reference *study.Reference `json:"reference"`
	}{together("", nil, nil), r}))
	if err != nil {
		return nil, fmt.Errorf("the report cannot be written as JSON: %w", err)
	}
	return Visible(nullSentinels(doc)), nil
}

// TraceIsland is Island for traces.
func TraceIsland(traces []*iotrace.Report) ([]byte, error) {
	doc, err := json.Marshal(finite(struct {
		several
		Traces []*iotrace.Report `json:"traces"`
	}{together("", nil, nil), traces}))
	if err != nil {
		return nil, fmt.Errorf("the trace cannot be written as JSON: %w", err)
	}
	return Visible(nullSentinels(doc)), nil
}

// TraceComparisonIsland is Island for a comparison of two traces.
func TraceComparisonIsland(c *iotrace.Comparison) ([]byte, error) {
	doc, err := json.Marshal(finite(struct {
		several
		Traced *iotrace.Comparison `json:"traced"`
	}{together("", nil, nil), c}))
	if err != nil {
		return nil, fmt.Errorf("the comparison cannot be written as JSON: %w", err)
	}
	return Visible(nullSentinels(doc)), nil
}

// severalSchema is the schema name of what WriteSeveral writes.
const severalSchema = "loadline.reports/v1"

// WriteSeveral writes several documents as one: an object with the lists "reports" and
// "comparisons", in which each document has its usual schema.
func WriteSeveral(w io.Writer, reports []*model.Report, comparisons []*model.Comparison) error {
	return write(w, together(severalSchema, reports, comparisons))
}

// several are documents shown together.
type several struct {
	Schema      string              `json:"schema,omitempty"`
	Reports     []*model.Report     `json:"reports"`
	Comparisons []*model.Comparison `json:"comparisons,omitempty"`
	Durability  []*model.Durability `json:"durability,omitempty"`
	Beside      []*iotrace.Report   `json:"beside,omitempty"`
}

func together(schema string, reports []*model.Report, comparisons []*model.Comparison) several {
	s := several{Schema: schema}
	for _, r := range reports {
		s.Reports = append(s.Reports, withSchema(r))
	}
	for _, c := range comparisons {
		s.Comparisons = append(s.Comparisons, comparisonWithSchema(c))
	}
	return s
}
