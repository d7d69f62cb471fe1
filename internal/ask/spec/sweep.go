package spec

import (
	"math"
	"strconv"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/units"
)

var sweepFields = []string{"pattern", "depths", "block_sizes", "jobs", "load"}

// sweep returns what a sweep varies; nil if the field is absent.
func (o *object) sweep(field string) *model.SweepRequest {
	if !o.has(field) {
		return nil
	}
	s := o.object(field, "a sweep", sweepFields)
	s.require("pattern", "one of randread, randwrite, read, write, randrw")
	s.require("block_sizes", "")
	r := &model.SweepRequest{
		Pattern: s.oneOf("pattern", "randread", "randwrite", "read", "write", "randrw"),
		Depths:  s.wholes("depths"), Jobs: s.wholes("jobs"), Load: s.truth("load"),
	}
	for i, text := range s.texts("block_sizes") {
		n, err := units.ParseSize(text)
		if err != nil || n <= 0 {
			s.doc.fail(s.list("block_sizes")[i].GetToken(), "", "%q is not a block size", text)
		}
		r.BlockSizes = append(r.BlockSizes, n)
	}
	return r
}

// wholes returns a list of whole numbers from 1 on.
func (o *object) wholes(field string) []int {
	var out []int
	for i, text := range o.texts(field) {
		n, err := units.ParseWhole(text)
		if err != nil || n < 1 || n > math.MaxInt32 {
			o.doc.fail(o.list(field)[i].GetToken(), plainHint(err), "%s contains %q, but takes whole numbers from 1 up", field, text)
		}
		out = append(out, int(n))
	}
	return out
}

// formatSweep formats what sweep parses.
func formatSweep(r *model.SweepRequest) any {
	if r == nil {
		return nil
	}
	blocks := make([]string, len(r.BlockSizes))
	for i, n := range r.BlockSizes {
		blocks[i] = plainSize(n)
	}
	return []pair{
		{"pattern", r.Pattern}, {"depths", formatWholes(r.Depths)}, {"block_sizes", list(blocks)},
		{"jobs", formatWholes(r.Jobs)}, {"load", formatTruth(r.Load)},
	}
}

func plainSize(n int64) string {
	if s, ok := formatSize(n).(string); ok {
		return s
	}
	return strconv.FormatInt(n, 10)
}

func formatWholes(numbers []int) any {
	texts := make([]string, len(numbers))
	for i, n := range numbers {
		texts[i] = strconv.Itoa(n)
	}
	return list(texts)
}
