package jsonout

import (
	"encoding/json"
	"fmt"

	"github.com/loadline/loadline/internal/model"
)

// Island returns the documents of a page as one JSON object without line breaks, in
// which <, > and & are escaped: it can stand inside of an HTML script element.
func Island(reports []*model.Report, comparisons []*model.Comparison) ([]byte, error) {
	documents := struct {
		Reports     []*model.Report     `json:"reports"`
		Comparisons []*model.Comparison `json:"comparisons,omitempty"`
	}{Reports: []*model.Report{}}
	for _, r := range reports {
		documents.Reports = append(documents.Reports, withLists(r))
	}
	for _, c := range comparisons {
		documents.Comparisons = append(documents.Comparisons, withRows(c))
	}
	doc, err := json.Marshal(finite(documents))
	if err != nil {
		return nil, fmt.Errorf("the report cannot be written as JSON: %w", err)
	}
	return nullSentinels(doc), nil
}
