package kbench

import (
	"strings"

	"github.com/loadline/loadline/internal/measure/store"
	"github.com/loadline/loadline/internal/show/report/text"
)

// SaveSummary saves Kbench's summary of a cycle, followed by Loadline's own report, and returns it.
func SaveSummary(r Request, done *Cycle, o text.Options) (string, error) {
	return saved(r.SummaryFile(), Summary(r, done.Values), func(b *strings.Builder) error { return text.Render(b, done.Report, o) })
}

// SaveComparison saves Kbench's comparison of two volumes, followed by what Loadline says of the change, and returns it.
func SaveComparison(pair [2]Request, sides [2]*Cycle, o text.Options) (string, error) {
	return saved(PairFile(pair), comparison(pair, sides[0].Values, sides[1].Values), func(b *strings.Builder) error {
		return text.RenderComparison(b, compare(sides[0], sides[1]), o)
	})
}

func saved(file, kbench string, more func(*strings.Builder) error) (string, error) {
	var b strings.Builder
	b.WriteString(kbench)
	if err := more(&b); err != nil {
		return "", err
	}
	return b.String(), store.WriteNamed(file, []byte(b.String()))
}
