package fio

import (
	"cmp"
	"fmt"
	"math"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/units"
)

// linkName is the name in the job text for a file whose real name fio cannot parse: the driver
// creates a symbolic link of this name in fio's working directory.
const linkName = "volume"

// extraMilliseconds are added to the run time of a job, so that the status tick at its end is sure
// to arrive.
const extraMilliseconds = 150

// refillBelow is the block size, in bytes, from which buffers are no longer refilled for each
// write. fio's buffers are random, so no block compresses by itself, and fio changes each 512 bytes
// before each write (scramble_buffers), so none is a duplicate. But small blocks from one buffer
// are alike, and storage that compresses records of up to 128 KiB would benefit from that. For
// large blocks new random data costs more than it is worth: 0.2 to 0.3 of a core for each GB/s.
// With one I/O in flight the refill (1 µs for 4k) would delay each I/O and change the measured
// rate, so there scrambling has to suffice.
const refillBelow = 128 << 10

// JobText returns the exact job file of a step. It is pure: the same step gives the same text.
//
// Beyond the workload's own options: randrepeat=0, otherwise every repeat would visit the same
// blocks; fio's map of visited blocks stays in use (norandommap is not set, as in Kbench), so that
// a random workload touches the whole volume before it returns to a block and no cache benefits
// from repeats, but softrandommap lets fio continue without the map if a memory limit forbids it,
// and if the map would exceed 64 MiB, norandommap draws each block independently; refill_buffers on
// small blocks (see refillBelow); allow_file_create=0, because the volume already exists.
func JobText(w model.Workload, v model.Volume, s model.Step) string {
	var t text
	t.comment("Loadline, step %d: %s", s.Number, w.Describe())
	if w.Job != "" {
		t.section(w.Name)
		ownJob(&t, w, v)
		t.measured(s.Ramp, s.Seconds)
		return t.String()
	}
	for _, jobs := range shares(w) {
		t.section(w.Name)
		pattern(&t, w, v, s, jobs)
		t.measured(s.Ramp, s.Seconds)
	}
	return t.String()
}

// pattern writes the I/O options of some or all of a workload's jobs.
func pattern(t *text, w model.Workload, v model.Volume, s model.Step, jobs share) {
	t.volume(v, v.Engine)
	t.set("direct", flag(v.Direct && !w.Append))
	if w.Append {
		t.comment("before each repeat its space is reserved anew (fallocate), so that nothing was written there")
	}
	t.set("rw", rw(w))
	if w.Direction == model.Mixed {
		t.set("rwmixread", w.ReadPercent)
	}
	t.set("bs", w.BlockSize)
	t.set("iodepth", max(1, w.Depth))
	t.set("numjobs", jobs.jobs)
	if w.Threads {
		t.set("thread", 1)
	}
	offset, size, increment := extent(w, v.Size, s.Offset)
	offset += int64(jobs.before) * increment
	if offset > 0 {
		t.set("offset", offset)
	}
	t.set("size", size)
	if increment > 0 {
		t.set("offset_increment", increment)
	}
	if w.Access == model.Random {
		randomMap(t, w, v.Size)
	}
	switch {
	case w.Sync == "":
	case onlyFsync(v):
		t.flush(w.Sync, "1")
	default:
		t.set(w.Sync, 1)
	}
	if jobs.rate > 0 {
		t.set("rate_iops", perDirection(w, float64(jobs.rate)))
	}
	if w.RateBandwidth > 0 {
		t.set("rate", perDirection(w, w.RateBandwidth/float64(w.JobCount())))
	}
	if w.Writes() && w.BlockSize < refillBelow && w.Depth*w.JobCount() > 1 {
		t.set("refill_buffers", 1)
	}
	if w.Slow() {
		t.systemClock()
	}
	t.set("randrepeat", 0)
	t.set("verify", 0)
}

// perDirection returns a job's limit. With one value for both directions of a mix, fio does as many I/Os in each of them,
// whatever their shares are.
func perDirection(w model.Workload, limit float64) string {
	of := func(d model.Direction) string {
		return strconv.FormatInt(max(1, int64(math.Round(limit*w.Proportion(d)))), 10)
	}
	if w.Direction != model.Mixed {
		return of(w.Direction)
	}
	return of(model.Read) + "," + of(model.Write)
}

// onlyFsync reports whether fio's engine for the volume knows no other flush than fsync: an NBD export and a Ceph image
// have no metadata of a file that an fdatasync could leave out, and their one flush is the same.
func onlyFsync(v model.Volume) bool {
	return v.Target.Kind == model.NBD || v.Target.Kind == model.RBD
}

// flush sets fsync in place of another flush, which is the same there.
func (t *text) flush(asked, value string) {
	if asked != "fsync" {
		t.comment("%s is a flush here, which this engine calls fsync", asked)
	}
	t.set("fsync", value)
}

// randomMap sets how a random workload chooses its blocks. A map that is too large is replaced by
// independent draws, not by fio's lfsr generator, which needs no map either and visits each block
// once: half of its offsets are exactly half of the previous one, so that neighbours correlate by
// 0.33 and are 0.27 of the volume apart instead of a third, which is an easier load for a spinning
// disk. Repeats are rare on a volume of this size: when a thousandth of the blocks has been
// visited, one I/O in a thousand repeats one.
func randomMap(t *text, w model.Workload, size int64) {
	if !w.DrawsAnew(size) {
		t.set("softrandommap", 1)
		return
	}
	t.comment("each block is drawn anew: a map of those measured would take %s of memory", units.FormatSize(w.RandomMap(size)))
	t.set("norandommap", 1)
}

// ownJob writes the user's own options and the options that we must add to them. On a file or
// device the job's own engine takes precedence.
func ownJob(t *text, w model.Workload, v model.Volume) {
	engine := v.Engine
	for line := range strings.Lines(w.Job) {
		name, value := option(line)
		if name == "" {
			continue
		}
		if name == "ioengine" {
			if v.Path != "" {
				engine = value
			}
			continue
		}
		if name == "fdatasync" && onlyFsync(v) {
			t.flush(name, value)
			continue
		}
		t.line(strings.TrimSpace(line))
	}
	t.volume(v, engine)
	t.set("size", v.Size)
	// The report says whether the page cache was bypassed, and repeats must not visit the same
	// blocks again, whatever the job leaves out.
	t.set("direct", flag(v.Direct))
	t.set("randrepeat", 0)
}

// rw returns fio's name for the access pattern.
func rw(w model.Workload) string {
	word := map[model.Direction]string{model.Read: "read", model.Write: "write", model.Mixed: "rw"}[w.Direction]
	if w.Access == model.Random {
		return "rand" + word
	}
	return word
}

// extent returns the range that a workload covers: offset, size and the distance between the jobs,
// in bytes. A sequential workload begins at the fraction of the volume given by the step, aligned
// to its blocks and, if the volume is large enough, to 1 MiB. Jobs with separate ranges
// (offset_increment) get a size that keeps the last one inside the volume.
func extent(w model.Workload, volume int64, fraction float64) (offset, size, increment int64) {
	bs := max(512, w.BlockSize)
	whole := volume / bs * bs
	if jobs := int64(w.JobCount()); w.OffsetIncrement > 0 && jobs > 1 {
		increment = w.OffsetIncrement
		if increment*(jobs-1)+bs > whole {
			increment = whole / jobs / bs * bs
		}
		return 0, (whole - increment*(jobs-1)) / bs * bs, increment
	}
	if w.Access != model.Sequential || fraction <= 0 {
		return 0, whole, 0
	}
	step := bs
	if mib := int64(1 << 20); bs < mib && mib%bs == 0 && volume >= 8*mib {
		step = mib
	}
	offset = int64(fraction*float64(volume)) / step * step
	if whole-offset < bs {
		return 0, whole, 0
	}
	return offset, whole - offset, 0
}

// linked reports whether fio needs a symbolic link to reach the path: in a job file ";" and "#"
// begin comments and "$" may begin a variable, all anywhere in a line, and quotes and leading or
// trailing blanks are lost.
func linked(path string) bool {
	return strings.ContainsAny(path, ";#$\"'\\\n\r\t`") || strings.TrimSpace(path) != path || !filepath.IsAbs(path)
}

// text builds a job file.
type text struct{ strings.Builder }

func (t *text) line(s string) { t.WriteString(s + "\n") }

func (t *text) comment(format string, args ...any) {
	t.line("# " + strings.ReplaceAll(fmt.Sprintf(format, args...), "\n", " "))
}

func (t *text) set(name string, value any) { t.line(fmt.Sprintf("%s=%v", name, value)) }

// section begins a job. A name in fio ends at "]", and "global" is not a job.
func (t *text) section(name string) {
	clean := strings.Map(func(r rune) rune {
		if r < ' ' || r > '~' || strings.ContainsRune("[];#$\\\"", r) {
			return '-'
		}
		return r
	}, name)
	if strings.EqualFold(clean, "global") || strings.TrimSpace(clean) == "" {
		clean = "job-" + clean
	}
	t.line("[" + clean + "]")
}

// volume sets the target of the I/O, and keeps fio from creating or changing it.
func (t *text) volume(v model.Volume, engine string) {
	switch v.Target.Kind {
	case model.NBD:
		t.set("ioengine", "nbd")
		t.set("uri", escapeURI(v.Target.URI))
		return
	case model.RBD:
		pool, image, _ := strings.Cut(v.Target.URI, "/")
		t.set("ioengine", "rbd")
		t.set("clientname", cmp.Or(v.Target.User, "admin"))
		t.set("pool", pool)
		t.set("rbdname", image)
		return
	}
	t.set("ioengine", engine)
	switch {
	case v.Open != nil:
		t.comment("descriptor 3 is %q, which Loadline holds open; to run this by hand, put that name here", v.Path)
		t.set("filename", "/proc/self/fd/3")
	case linked(v.Path):
		t.comment("%s is a symbolic link to %q", linkName, v.Path)
		t.set("filename", linkName)
	default:
		t.set("filename", strings.ReplaceAll(v.Path, ":", `\:`))
	}
	t.set("allow_file_create", 0)
	t.set("fallocate", "none")
}

// measured writes the options of a time-based job with a single latency histogram.
func (t *text) measured(ramp, seconds float64) {
	t.set("time_based", 1)
	if ramp > 0 {
		t.set("ramp_time", milliseconds(ramp, 0))
	}
	t.set("runtime", milliseconds(seconds, extraMilliseconds))
	t.set("group_reporting", 1)
	t.histograms()
}

func (t *text) histograms() {
	t.set("lat_percentiles", 1)
	t.set("clat_percentiles", 0)
	t.set("slat_percentiles", 0)
}

func milliseconds(seconds float64, extra int64) string {
	return fmt.Sprintf("%dms", max(1, int64(math.Round(seconds*1000)))+extra)
}

// escapeURI percent-encodes the characters that a job file cannot contain.
func escapeURI(uri string) string {
	return strings.NewReplacer(" ", "%20", ";", "%3B", "#", "%23", "$", "%24", `"`, "%22", `\`, "%5C").Replace(uri)
}

func flag(b bool) int {
	if b {
		return 1
	}
	return 0
}
