// Package csvout writes tidy tables: one row for each observation, one column for each variable,
// base units, a point as the decimal separator (RFC 4180 otherwise). Its assumptions: a table that a
// statistics program reads without explanation is worth more than a pretty one; an unknown value is
// an empty cell, never a zero; and a name from outside must not become a formula in a spreadsheet.
package csvout

import (
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/safetext"
)

// Column is a column of a table, and its meaning.
type Column struct{ Name, Meaning string }

// table writes rows under the names of columns.
type table struct{ w *csv.Writer }

func newTable(w io.Writer, columns []Column) *table {
	t := &table{csv.NewWriter(w)}
	names := make([]string, len(columns))
	for i, c := range columns {
		names[i] = c.Name
	}
	// The csv writer keeps a write error, which is reported at the end.
	_ = t.w.Write(names)
	return t
}

// row writes a row. The format cannot escape what a terminal would interpret, so no cell contains
// it.
func (t *table) row(cells ...string) {
	for i := range cells {
		cells[i] = safetext.CleanLines(cells[i])
	}
	_ = t.w.Write(cells)
}

func (t *table) end() error {
	t.w.Flush()
	if err := t.w.Error(); err != nil {
		return fmt.Errorf("the table could not be written: %w", err)
	}
	return nil
}

// text returns a cell with text. A spreadsheet takes text that begins with one of these characters
// for a formula: a leading apostrophe prevents that.
func text(s string) string {
	s = safetext.CleanLines(s)
	if s != "" && strings.ContainsRune("=+-@\t\r", rune(s[0])) {
		return "'" + s
	}
	return s
}

// number returns a cell with a number; empty if it is not finite.
func number(v float64) string {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return ""
	}
	format := byte('f')
	if a := math.Abs(v); a != 0 && a < 1e-12 || a >= 1e15 {
		format = 'g'
	}
	return strconv.FormatFloat(v, format, -1, 64)
}

func count(n int) string { return strconv.Itoa(n) }

// instant returns a time, empty if there is none.
func instant(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.Format(time.RFC3339)
}

// estimate returns the four cells of an estimate: value, low, high, confidence. Without an interval
// the last three are empty; without an upper bound, high is.
func estimate(e model.Estimate) []string {
	if e.Open {
		return []string{number(e.Value), number(e.Low), "", number(e.Confidence)}
	}
	if e.Confidence == 0 {
		return []string{number(e.Value), "", "", ""}
	}
	return []string{number(e.Value), number(e.Low), number(e.High), number(e.Confidence)}
}
