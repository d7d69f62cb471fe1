// Package csvout writes tidy tables: one row for each observation, one column for
// each variable, base units, a point as the decimal sign (RFC 4180 otherwise). Its
// opinion: a table that a statistics program reads without a word of explanation is
// worth more than a pretty one; what is not known is an empty cell, never a zero;
// and a name from outside must not become a formula in a spreadsheet.
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

// Column is a column of a table, and what it means.
type Column struct{ Name, Meaning string }

// table writes rows under the names of columns.
type table struct{ w *csv.Writer }

func newTable(w io.Writer, columns []Column) *table {
	t := &table{csv.NewWriter(w)}
	names := make([]string, len(columns))
	for i, c := range columns {
		names[i] = c.Name
	}
	// A write that fails is kept by the writer, and told at the end.
	_ = t.w.Write(names)
	return t
}

// row writes a row. The format has no escapes for what a terminal would obey, so no cell
// holds it.
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

// text is a cell of words. A spreadsheet takes what begins with one of these
// characters for a formula: an apostrophe before it stops that.
func text(s string) string {
	s = safetext.CleanLines(s)
	if s != "" && strings.ContainsRune("=+-@\t\r", rune(s[0])) {
		return "'" + s
	}
	return s
}

// number is a cell of a number; what is not finite is empty.
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

// instant is a time, empty when there is none.
func instant(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.Format(time.RFC3339)
}

// estimate is the four cells of an estimate: value, low, high, confidence. Without
// an interval the last three are empty, and where nothing bounds it from above, high is.
func estimate(e model.Estimate) []string {
	if e.Open {
		return []string{number(e.Value), number(e.Low), "", number(e.Confidence)}
	}
	if e.Confidence == 0 {
		return []string{number(e.Value), "", "", ""}
	}
	return []string{number(e.Value), number(e.Low), number(e.High), number(e.Confidence)}
}
