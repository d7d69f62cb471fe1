package imported

import (
	"cmp"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/loadline/loadline/internal/model"
)

// fioOptions are the options of a job; the job's own override the global ones.
type fioOptions map[string]string

func (o fioOptions) add(options map[string]any) {
	for k, v := range options {
		o[strings.ToLower(k)] = fmt.Sprint(v)
	}
}

// number returns an integer option, at least least.
func (o fioOptions) number(key string, least int) int {
	if v, err := strconv.Atoi(strings.TrimSpace(o[key])); err == nil && v >= least && v < 1<<20 {
		return v
	}
	return least
}

// jobs returns the number of clones.
func (o fioOptions) jobs() int { return o.number("numjobs", 1) }

// on reports whether a boolean option is set; fio writes a bare option as "" or "1".
func (o fioOptions) on(key string) bool {
	v, ok := o[key]
	return ok && v != "0" && v != "false"
}

// patterns are fio's values of rw.
var patterns = map[string]struct {
	access    model.Access
	direction model.Direction
}{
	"read": {model.Sequential, model.Read}, "write": {model.Sequential, model.Write},
	"randread": {model.Random, model.Read}, "randwrite": {model.Random, model.Write},
	"rw": {model.Sequential, model.Mixed}, "readwrite": {model.Sequential, model.Mixed}, "randrw": {model.Random, model.Mixed},
}

// workload describes the job as a workload. Options that are not given have fio's default (4 KiB, depth
// 1), or are inferred from what was done.
func (o fioOptions) workload(name string, jobs []fioJob) model.Workload {
	w := model.Workload{Name: cmp.Or(slug(name), "job"), BlockSize: 4096, Depth: o.number("iodepth", 1)}
	if n := max(o.jobs(), len(jobs)); n > 1 {
		w.Jobs = n
	}
	rw := o["rw"]
	if rw == "" {
		rw = o["readwrite"]
	}
	rw, _, _ = strings.Cut(rw, ":")
	if p, ok := patterns[strings.ToLower(rw)]; ok {
		w.Access, w.Direction = p.access, p.direction
	} else {
		var read, wrote bool
		for i := range jobs {
			read, wrote = read || jobs[i].Read.IOs > 0, wrote || jobs[i].Write.IOs > 0
		}
		switch {
		case read && wrote:
			w.Direction = model.Mixed
		case wrote:
			w.Direction = model.Write
		default:
			w.Direction = model.Read
		}
	}
	if w.Direction == model.Mixed {
		w.ReadPercent = 50
		if v := o.number("rwmixread", 0); v > 0 && v < 100 {
			w.ReadPercent = v
		} else if v := o.number("rwmixwrite", 0); v > 0 && v < 100 {
			w.ReadPercent = 100 - v
		}
	}
	w.RateIOPS = o.rate(&w)
	bs, known := o["bs"]
	if !known {
		bs, known = o["blocksize"]
	}
	if n := fioSize(partOf(bs, w.Direction)); known && n > 0 {
		w.BlockSize = n
	} else if n := meanBlock(jobs); n > 0 {
		w.BlockSize = n
	}
	if o.on("thread") {
		w.Threads = true
	}
	w.OffsetIncrement = fioSize(o["offset_increment"])
	switch {
	case o.number("fdatasync", 0) == 1:
		w.Sync = "fdatasync"
	case o.number("fsync", 0) == 1:
		w.Sync = "fsync"
	}
	w.Metric = headline(w)
	return w
}

// headline returns the main metric of a job: its name may say so, as in Kbench and dbench; else latency
// at depth 1, bandwidth from 64 KiB on, else IOPS.
func headline(w model.Workload) model.Metric {
	for _, part := range strings.FieldsFunc(w.Name, func(r rune) bool { return r == '-' || r == '_' }) {
		switch part {
		case "iops":
			return model.IOPS
		case "bw", "bandwidth":
			return model.Bandwidth
		case "lat", "latency":
			return model.Latency
		}
	}
	switch {
	case w.BlockSize >= 64<<10:
		return model.Bandwidth
	case w.Depth*w.JobCount() == 1:
		return model.Latency
	}
	return model.IOPS
}

// meanBlock returns the size of the I/Os, if all have the same size and it is a multiple of 512 bytes.
func meanBlock(jobs []fioJob) int64 {
	var ios, bytes float64
	for i := range jobs {
		for _, f := range []*fioFlow{&jobs[i].Read, &jobs[i].Write} {
			ios += f.IOs
			bytes += cmp.Or(f.Bytes, f.KBytes*1024)
		}
	}
	if ios <= 0 || bytes <= 0 || bytes/ios > 1<<40 {
		return 0
	}
	if n := int64(math.Round(bytes / ios)); n%512 == 0 {
		return n
	}
	return 0
}

// volume records what the options say about the volume.
func (o fioOptions) volume(p *Part) {
	if len(o) == 0 {
		return
	}
	if p.volume.Engine == "" {
		p.volume.Engine = cmp.Or(o["ioengine"], "psync")
		p.volume.Direct = o.on("direct") || o["buffered"] == "0"
	}
	if size := partOf(o["size"], model.Read); size != "" && p.volume.Size == 0 {
		p.volume.Size = fioSize(size)
	}
}

// rate returns the requested rate of a workload in 1/s over all jobs: of a mix, that of the more frequent
// direction, by which it is judged.
func (o fioOptions) rate(w *model.Workload) float64 {
	d := w.Direction
	if d == model.Mixed && w.ReadPercent < 50 {
		d = model.Write
	}
	v, err := number(partOf(o["rate_iops"], d))
	if err != nil || v <= 0 || v > 1e9 {
		return 0
	}
	return v * float64(o.jobs())
}

// fioSize parses a size as fio does by default (its HOWTO, "kb_base"): k and kb are 1024 bytes, and ki
// and kib, contrary to all standards, 1000. 0 is unknown.
func fioSize(s string) int64 {
	digits, unit := cut(strings.ToLower(s))
	v, err := plain(digits)
	if err != nil {
		return 0
	}
	base := 1024.0
	unit = strings.TrimSuffix(unit, "b")
	if u, ok := strings.CutSuffix(unit, "i"); ok {
		unit, base = u, 1000
	}
	power := strings.Index("kmgtp", unit) + 1
	switch {
	case unit == "":
		power = 0
	case len(unit) != 1 || power == 0:
		return 0
	}
	if v *= math.Pow(base, float64(power)); v < 1<<60 {
		return int64(math.Round(v))
	}
	return 0
}

// partOf returns the part of an option for a direction: "4k,64k" is for reads and writes, and a single value for
// both. For a mix it is that of the reads.
func partOf(s string, d model.Direction) string {
	read, write, both := strings.Cut(s, ",")
	if write, _, _ = strings.Cut(write, ","); both && d == model.Write {
		return strings.TrimSpace(write)
	}
	return strings.TrimSpace(read)
}
