package spec

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/loadline/loadline/internal/model"
)

// fio's defaults.
const (
	defaultBlock = 4 << 10
	defaultReads = 50
)

// jobPatterns are fio's values of rw= that read or write.
var jobPatterns = map[string]model.Workload{
	"read":      {Access: model.Sequential, Direction: model.Read},
	"write":     {Access: model.Sequential, Direction: model.Write},
	"rw":        {Access: model.Sequential, Direction: model.Mixed},
	"readwrite": {Access: model.Sequential, Direction: model.Mixed},
	"randread":  {Access: model.Random, Direction: model.Read},
	"randwrite": {Access: model.Random, Direction: model.Write},
	"randrw":    {Access: model.Random, Direction: model.Mixed},
}

// describe converts a section into a workload: its text, and the fields for display in tables.
func (f *jobFile) describe(s jobSection) (model.Workload, error) {
	r := jobReader{file: f, section: s}
	rw, suffix, suffixed := strings.Cut(r.word("rw", "read"), ":")
	w, known := jobPatterns[rw]
	if !known {
		if strings.Contains(rw, "trim") {
			return w, f.fail(r.line("rw"), "remove this job", "Loadline measures reads and writes, not trims")
		}
		words := []string{"read", "write", "rw", "randread", "randwrite", "randrw"}
		message, hint := unknown("pattern", rw, words)
		return w, f.fail(r.line("rw"), hint, "%s", message)
	}
	if suffixed {
		r.patternSuffix(w.Access, rw, suffix)
	}
	if o := r.verifies(); o != nil && (w.Direction == model.Read || o.key == "verify_only") {
		return w, f.fail(o.line, "remove this line", "%s: this job only reads, and what it finds was not written by fio with such checksums, so intact data would look damaged", *o)
	}
	if o := r.verifies(); o != nil && !r.off("do_verify") {
		return w, f.fail(o.line, "add do_verify=0, which still writes the checksums, or remove this line",
			"%s: fio would also read back what it has written, and no result would show how much", *o)
	}
	if w.Direction == model.Mixed {
		w.ReadPercent = r.readPercent()
	}
	w.BlockSize = r.blockSize(w.Direction)
	w.Depth = r.whole("iodepth", 1)
	if slices.Contains(synchronousEngines, r.word("ioengine", "")) {
		w.Depth = 1
	}
	w.Jobs = r.whole("numjobs", 1)
	w.Threads = r.flag("thread")
	// The rate is per job in fio.
	w.RateIOPS = float64(r.perDirection("rate_iops", 0, w.Direction)) * float64(w.JobCount())
	w.RateBandwidth = float64(r.perDirection("rate", 0, w.Direction)) * float64(w.JobCount())
	for _, sync := range []string{"fsync", "fdatasync"} {
		// Flushes that follow more than one write are described by the job's text only.
		if w.Writes() && r.whole(sync, 0) == 1 {
			w.Sync = sync
		}
	}
	w.Metric = headline(w)
	if w.Depth == 1 {
		w.Metric = model.Latency
	}
	w.Job = s.text()
	return w, r.err
}

// patternSuffix refuses what may follow a pattern's colon, except what changes nothing: for random
// patterns fio expects a number of I/Os that follow one another before the next block is drawn, for
// sequential ones the distance that is skipped after each I/O. The results would be described as random
// although most I/Os are sequential, or as sequential although none are.
func (r *jobReader) patternSuffix(access model.Access, rw, suffix string) {
	n, err := fioFigure(suffix)
	switch {
	case err != nil:
		r.fail("rw", "%s: behind the colon stands a number; write rw=%s", r.find("rw"), rw)
	case access == model.Random && n != 1:
		r.fail("rw", "%s: I/Os between two random ones would be sequential, and the results would call them random; write rw=%s", r.find("rw"), rw)
	case access == model.Sequential && n != 0:
		r.fail("rw", "%s: the job would skip parts of the volume, and the results would call it sequential; write rw=%s", r.find("rw"), rw)
	}
}

// jobReader reads the values of a section's options; it keeps the first error.
type jobReader struct {
	file    *jobFile
	section jobSection
	err     error
}

func (r *jobReader) find(key string) *jobOption {
	for i := range r.section.options {
		if r.section.options[i].key == key {
			return &r.section.options[i]
		}
	}
	return nil
}

// verifies returns the option that makes fio verify what it reads; nil if it does not. do_verify=0 is
// not considered: it applies to data that a job has written, and a read-only job verifies regardless.
func (r *jobReader) verifies() *jobOption {
	if o := r.find("verify_only"); o != nil && (o.bare || o.value != "0") {
		return o
	}
	o := r.find("verify")
	if o == nil || o.value == "0" || o.value == "null" || o.value == "none" {
		return nil
	}
	return o
}

// off reports whether an option is set to 0.
func (r *jobReader) off(key string) bool {
	o := r.find(key)
	return o != nil && !o.bare && o.value == "0"
}

// line returns the line of the option, or else of the section.
func (r *jobReader) line(key string) int {
	if o := r.find(key); o != nil {
		return o.line
	}
	return r.section.line
}

func (r *jobReader) fail(key, format string, args ...any) {
	if r.err == nil {
		r.err = r.file.fail(r.line(key), "", format, args...)
	}
}

// word returns an option's value, or the default if it is absent.
func (r *jobReader) word(key, otherwise string) string {
	o := r.find(key)
	if o == nil {
		return otherwise
	}
	if strings.Contains(o.value, "$") {
		r.fail(key, "%s: write the value itself, because the results are described by it", o)
	}
	return o.value
}

// flag is true if the option has no value or is not 0.
func (r *jobReader) flag(key string) bool {
	o := r.find(key)
	return o != nil && (o.bare || o.value != "0")
}

// whole returns a count; 0 is only allowed for one that is optional.
func (r *jobReader) whole(key string, otherwise int) int {
	o := r.find(key)
	if o == nil {
		return otherwise
	}
	n, err := fioFigure(r.word(key, ""))
	if err != nil || n < int64(min(otherwise, 1)) || n > math.MaxInt32 {
		r.fail(key, "%s: this must be a whole number of at least %d", o, min(otherwise, 1))
		return otherwise
	}
	return int(n)
}

// readPercent returns the percentage of reads; fio allows either rwmixread or rwmixwrite.
func (r *jobReader) readPercent() int {
	key, writes := "rwmixread", r.find("rwmixwrite")
	if writes != nil && (r.find(key) == nil || r.find(key).line < writes.line) {
		key = "rwmixwrite"
	}
	share := r.whole(key, defaultReads)
	if key == "rwmixwrite" {
		share = 100 - share
	}
	if share < 1 || share > 99 {
		r.fail(key, "a mix has 1 to 99 %% reads; use rw=randread or rw=randwrite for one direction")
		return defaultReads
	}
	return share
}

// blockSize returns the block size in bytes, or its mean if it varies.
func (r *jobReader) blockSize(d model.Direction) int64 {
	if o := r.find("bssplit"); o != nil {
		return r.splitMean(o, d)
	}
	o := r.find("bsrange")
	if o == nil {
		return max(1, r.perDirection("bs", defaultBlock, d))
	}
	low, high, _ := strings.Cut(side(r.word("bsrange", ""), ",", d), "-")
	a, errA := fioFigure(low)
	b, errB := fioFigure(high)
	if errA != nil || errB != nil || a <= 0 || b < a {
		r.fail("bsrange", "%s: a range of block sizes is written like 4k-64k", o)
		return defaultBlock
	}
	return (a + b) / 2
}

// splitMean returns the mean block size of bssplit=4k/60:64k/40; omitted percentages share the rest
// equally.
func (r *jobReader) splitMean(o *jobOption, d model.Direction) int64 {
	type part struct{ size, share float64 }
	var parts []part
	rest, open := 100.0, 0
	for _, entry := range strings.Split(side(r.word("bssplit", ""), ",", d), ":") {
		size, share, given := strings.Cut(entry, "/")
		n, err := fioFigure(size)
		p := part{float64(n), -1}
		if given && share != "" {
			var errShare error
			p.share, errShare = strconv.ParseFloat(share, 64)
			if errShare != nil || p.share < 0 {
				err = strconv.ErrSyntax
			}
			rest -= p.share
		} else {
			open++
		}
		if err != nil || n <= 0 {
			r.fail("bssplit", "%s: shares of block sizes are written like 4k/60:64k/40", o)
			return defaultBlock
		}
		parts = append(parts, p)
	}
	var sum, weight float64
	for _, p := range parts {
		if p.share < 0 {
			p.share = max(0, rest) / float64(open)
		}
		sum, weight = sum+p.size*p.share, weight+p.share
	}
	if weight == 0 {
		r.fail("bssplit", "%s: the shares add up to nothing", o)
		return defaultBlock
	}
	return int64(math.Round(sum / weight))
}

// perDirection parses a figure for which fio allows separate values for reads and writes: "a,b".
func (r *jobReader) perDirection(key string, otherwise int64, d model.Direction) int64 {
	o := r.find(key)
	if o == nil {
		return otherwise
	}
	value := side(r.word(key, ""), ",", d)
	if value == "" {
		return otherwise
	}
	n, err := fioFigure(value)
	if err != nil || n < 0 || n == 0 && otherwise > 0 {
		r.fail(key, "%s: %q is not a figure", o, value)
		return otherwise
	}
	return n
}

// side returns the part of "reads,writes" for a direction; a mixed workload is described by its reads,
// and a single figure applies to both.
func side(value, separator string, d model.Direction) string {
	parts := strings.Split(value, separator)
	if d == model.Write && len(parts) > 1 {
		return strings.TrimSpace(parts[1])
	}
	return strings.TrimSpace(parts[0])
}

// fioFigure parses a figure as fio does: k, kb, m … are powers of 1024, and ki, kib … are powers of
// 1000 (fio's HOWTO, "kb_base").
func fioFigure(value string) (int64, error) {
	digits := strings.TrimRight(strings.ToLower(value), "bikmgtp")
	suffix := strings.ToLower(value)[len(digits):]
	n, err := strconv.ParseInt(digits, 0, 64)
	if err != nil || suffix == "" || suffix == "b" {
		return n, err
	}
	power := strings.IndexByte("kmgtp", suffix[0]) + 1
	unit := strings.TrimSuffix(suffix[1:], "b")
	if power == 0 || unit != "" && unit != "i" {
		return 0, strconv.ErrSyntax
	}
	base := int64(1024)
	if unit == "i" {
		base = 1000
	}
	for range power {
		if n > math.MaxInt64/2/base {
			return 0, strconv.ErrRange
		}
		n *= base
	}
	return n, nil
}
