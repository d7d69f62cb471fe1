package spec

import (
	"fmt"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/goccy/go-yaml/ast"

	"github.com/loadline/loadline/internal/model"
)

// Profile is a user's own list of workloads, as in its file. Times are seconds; 0 means that the file
// leaves it at the default. Its fields are those of package profile's Profile, so that one can be
// converted to the other.
type Profile struct {
	Name         string
	Title        string
	Workloads    []model.Workload
	Repeat, Ramp float64
	// ShortWriteLook shortens the long repeat of writes after a prefill that was as long.
	ShortWriteLook bool
	MaxTime        float64
	// Precision is the target relative half-width; 0 means the default.
	Precision float64
	// Engine is fio's ioengine for files and devices; "" selects the best that works.
	Engine string
	// Size is the number of bytes to cover; 0 bases it on the speed of the storage.
	Size int64
	// Goals are the goals for the results.
	Goals []string
}

var (
	profileFields  = []string{"name", "title", "repeat_time", "ramp", "shorter_long_write", "max_time", "precision", "engine", "size", "goals", "workloads"}
	workloadFields = []string{"name", "access", "direction", "read_percent", "block_size", "depth", "jobs",
		"threads", "offset_increment", "sync", "append", "rate_iops", "rate_bandwidth", "metric"}
	accesses   = []string{"rand", "seq"}
	directions = []string{"read", "write", "mixed"}
	syncs      = []string{"fsync", "fdatasync"}
	engines    = []string{"io_uring", "libaio", "psync", "posixaio"}
	metrics    = []string{"iops", "bandwidth", "latency", "p50", "p99"}
)

// namePattern matches a valid workload name: it becomes part of file names.
var namePattern = regexp.MustCompile(`^[a-z0-9][a-z0-9._-]{0,63}$`)

const (
	// sectorSize is the smallest transfer of a block device, in bytes.
	sectorSize = 512
	maxBlock   = 1 << 30
	maxDepth   = 65536
	maxJobs    = 4096
)

// ParseProfile parses a user's own profile. Without a name it is named after its file. The schema is
// docs/profile.schema.json.
func ParseProfile(file string, data []byte) (Profile, error) {
	d, root := open(file, data)
	o := d.object(root, "a profile", profileFields)
	p := Profile{
		Name: o.text("name"), Title: o.text("title"),
		Repeat: o.seconds("repeat_time"), Ramp: o.seconds("ramp"), ShortWriteLook: o.truth("shorter_long_write"), MaxTime: o.seconds("max_time"),
		Precision: o.share("precision"), Engine: o.oneOf("engine", engines...),
		Size: o.size("size"), Goals: o.texts("goals"),
	}
	o.checkRepeat("repeat_time", p.Repeat)
	if p.Name == "" {
		base := filepath.Base(file)
		p.Name = strings.TrimSuffix(base, filepath.Ext(base))
	}
	o.require("workloads", "list at least one workload")
	items := o.list("workloads")
	if o.has("workloads") && len(items) == 0 {
		o.fail("workloads", "list at least one workload", "a profile without workloads measures nothing")
	}
	names := map[string]int{}
	for _, item := range items {
		w, object := workload(d, item)
		if line := names[w.Name]; line > 0 {
			object.fail("name", "", "the name %q is taken by the workload in line %d", w.Name, line)
		}
		if at := object.keys["name"]; at != nil {
			names[w.Name] = at.Position.Line
		}
		p.Workloads = append(p.Workloads, w)
	}
	for i, text := range p.Goals {
		if _, err := ParseGoal(text, p.Workloads); err != nil {
			refused, _ := err.(*model.WorkerError)
			d.fail(o.list("goals")[i].GetToken(), refused.Hint, "%s", strings.TrimPrefix(refused.Message, "--goal "))
		}
	}
	if d.err != nil {
		return Profile{}, d.err
	}
	return p, nil
}

// workload parses one item of the list. Depth and jobs default to 1, and the metric to the one that
// fits (see headline).
func workload(d *document, node ast.Node) (model.Workload, *object) {
	o := d.object(node, "a workload", workloadFields)
	for _, field := range []string{"name", "access", "direction", "block_size"} {
		o.require(field, "every workload has a name, an access, a direction and a block_size")
	}
	w := model.Workload{
		Name:      o.text("name"),
		Access:    model.Access(o.oneOf("access", accesses...)),
		Direction: model.Direction(o.oneOf("direction", directions...)),
		BlockSize: o.size("block_size"),
		Depth:     max(1, int(o.whole("depth", 1, maxDepth))),
		Jobs:      int(o.whole("jobs", 1, maxJobs)),
		Threads:   o.truth("threads"),
		Sync:      o.oneOf("sync", syncs...),
		Append:    o.truth("append"),
		RateIOPS:  o.wholeRate("rate_iops"),
		Metric:    model.Metric(o.oneOf("metric", metrics...)),

		ReadPercent:     int(o.whole("read_percent", 1, 99)),
		OffsetIncrement: o.size("offset_increment"),
		RateBandwidth:   float64(o.size("rate_bandwidth")),
	}
	if w.Metric == "" {
		w.Metric = headline(w)
	}
	checkWorkload(o, w)
	return w, o
}

// checkWorkload records an error if fields contradict each other.
func checkWorkload(o *object, w model.Workload) {
	if o.has("name") && !namePattern.MatchString(w.Name) {
		hint := "use small letters, digits, dots, dashes and underscores, at most 64"
		if s := sanitize(w.Name); s != "" {
			hint += fmt.Sprintf(": %q", s)
		}
		o.fail("name", hint, "%q cannot be a workload's name, because files are named after it", w.Name)
	}
	if o.has("block_size") && (w.BlockSize%sectorSize != 0 && !w.Append || w.BlockSize > maxBlock) {
		o.fail("block_size", "", "a block of %d bytes is not a multiple of %d up to 1 GiB", w.BlockSize, sectorSize)
	}
	if w.OffsetIncrement%sectorSize != 0 {
		o.fail("offset_increment", "", "offset_increment is not a multiple of %d", sectorSize)
	}
	mixed := w.Direction == model.Mixed
	if mixed && !o.has("read_percent") {
		o.fail("direction", "add read_percent: 70, for example", "a mixed workload needs its share of reads")
	}
	if !mixed && o.has("read_percent") {
		o.fail("read_percent", "write direction: mixed, or leave read_percent out",
			"only a mixed workload has a share of reads, and this one is %q", w.Direction)
	}
	if w.Append && (w.Direction != model.Write || w.Access != model.Sequential || w.Sync == "" || w.JobCount() > 1) {
		o.fail("append", "write access: seq, direction: write and sync: fdatasync, or leave append out",
			"what is appended is written sequentially by one job, with a flush after each write")
	}
	if w.Sync != "" && w.Direction == model.Read {
		o.fail("sync", "", "a workload that only reads has nothing to flush")
	}
}

// headline chooses the headline metric of a workload: latency for one I/O at a time, bandwidth for
// large blocks, IOPS otherwise.
func headline(w model.Workload) model.Metric {
	switch {
	case w.Depth == 1 && w.Sync == "":
		return model.Latency
	case w.BlockSize >= 64<<10:
		return model.Bandwidth
	}
	return model.IOPS
}
