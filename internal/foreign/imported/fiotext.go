package imported

import (
	"cmp"
	"math"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/units"
)

var formatFioText = Format{
	Name:    "fio-text",
	Title:   "fio's text output",
	Example: "fiotest: (groupid=0, jobs=8): err= 0: pid=119: Wed May  4 01:59:49 2022\n   read: IOPS=246, BW=246MiB/s (258MB/s)(10.6GiB/44238msec)",
	words:   []string{"clat percentiles", "IO depths", "issued rwts", "Run status group", "groupid="},
	sameAs:  "fio-json",
	read:    readFioText,
}

var (
	fioHead    = regexp.MustCompile(`^(\S.*?): \(g=(\d+)\): rw=(\w+), bs=(\S.*?), ioengine=(\w+), iodepth=(\d+)`)
	fioBlock   = regexp.MustCompile(`\([RW]\) ([0-9.]+ ?[KMG]?i?B)-`)
	fioVersion = regexp.MustCompile(`^fio-([0-9]\S*)\s*$`)
	fioLayout  = regexp.MustCompile(`Laying out IO files? \((\d+) files? / (?:total )?(\S+?)\)`)
	fioGroup   = regexp.MustCompile(`^(\S.*?): \(groupid=(\d+), jobs=(\d+)\): err=\s*(\d+)(?: \(.*?\))?: pid=\d+:?\s*(.*)$`)
	fioRate    = regexp.MustCompile(`^\s*(read|write|trim)\s*: IOPS=([0-9.]+[kMG]?), BW=(\S+/s) \(([^)]*)\)\(([^/]+)/(\d+)msec\)`)
	fioOldRate = regexp.MustCompile(`^\s*(read|write)\s*: io=([0-9.]+\s?[KMGT]?B), bw=([0-9.]+\s?[KMGT]?B/s), iops=\s*([0-9.]+), runt=\s*(\d+)msec`)
	fioLat     = regexp.MustCompile(`^\s*(slat|clat|lat)\s*\((nsec|usec|msec)\):?\s*min=\s*([0-9.]+[kKM]?), max=\s*([0-9.]+[kKM]?), avg=\s*([0-9.]+[kKM]?)`)
	fioClat    = regexp.MustCompile(`^\s*(clat|lat) percentiles \((nsec|usec|msec)\):`)
	fioPercent = regexp.MustCompile(`([0-9.]+)th=\[\s*([0-9.]+)\]`)
	fioCPU     = regexp.MustCompile(`^\s*cpu\s*: usr=([0-9.]+)%, sys=([0-9.]+)%`)
	fioDepths  = regexp.MustCompile(`^\s*IO depths\s*:(.*)$`)
	fioLevel   = regexp.MustCompile(`(>?=?\d+)=([0-9.]+)%`)
	fioIssued  = regexp.MustCompile(`short=([0-9,/rwdts=]+)`)
	fioSignal  = regexp.MustCompile(`^fio: terminating on signal (\d+)`)
	fioCommand = regexp.MustCompile(`(?:^|\s|/)fio(?: -\S+)* .*--(?:rw|readwrite|name)=`)
	fioOption  = regexp.MustCompile(`--([a-z_]+)(?:=(\S+))?`)
)

// fioPlan is the description of a group of jobs in the head of the output.
type fioPlan struct {
	name, rw, engine string
	block            int64
	depth            int
}

// fioText is the state of the parser for fio's text output.
type fioText struct {
	p       *Part
	last    int
	plans   map[int]fioPlan
	options fioOptions
	// command is set if the command line was seen, so that missing options have fio's defaults.
	command bool
	size    int64
	run     *run
	group   fioGroupHead
	flow    *model.Figure
	unit    float64
	rank    int
	done    []run
	stopped string
}

type fioGroupHead struct {
	jobs int
	err  string
}

// readFioText reads the groups of jobs from the normal output of fio 3 (and fio 2).
func readFioText(t *text, p *Part) (int, error) {
	r := &fioText{p: p, plans: map[int]fioPlan{}, options: fioOptions{}}
	for i, line := range t.lines {
		if r.line(t, i, line) {
			r.last = t.at(i)
		}
	}
	r.close()
	if len(r.done) == 0 {
		return r.last, nil
	}
	for _, done := range r.done {
		p.add(done)
	}
	if r.size > 0 {
		p.volume.Size = r.size
	}
	if r.command && p.volume.Engine == "" {
		r.options.volume(p)
	}
	switch {
	case r.stopped != "":
		p.status, p.reason = model.Interrupted, "fio was ended by signal "+r.stopped
	case p.status == "":
		p.status = model.Complete
	}
	return r.last, nil
}

// line parses one line; it returns false if the line contains nothing of interest.
func (r *fioText) line(t *text, i int, line string) bool {
	if fioCommand.MatchString(line) && !strings.Contains(line, "groupid=") {
		r.commandLine(line)
		return true
	}
	if m := fioHead.FindStringSubmatch(line); m != nil {
		plan := fioPlan{name: m[1], rw: m[3], engine: m[5]}
		plan.depth, _ = strconv.Atoi(m[6])
		if b := fioBlock.FindStringSubmatch(m[4]); b != nil {
			if n, err := amount(b[1]); err == nil && n < 1<<40 {
				plan.block = int64(n)
			}
		}
		if g, err := strconv.Atoi(m[2]); err == nil {
			r.plans[g] = plan
		}
		return true
	}
	if m := fioVersion.FindStringSubmatch(line); m != nil {
		r.p.tool("fio", m[1])
		return true
	}
	if m := fioLayout.FindStringSubmatch(line); m != nil {
		if n, err := amount(m[2]); err == nil && m[1] == "1" {
			r.size = int64(math.Min(n, 1<<62))
		}
		return true
	}
	if m := fioSignal.FindStringSubmatch(line); m != nil {
		r.stopped = m[1]
		return true
	}
	if m := fioGroup.FindStringSubmatch(line); m != nil {
		r.open(t.label(i), m)
		return true
	}
	if r.run == nil {
		return false
	}
	return r.inGroup(t.at(i), line)
}

// commandLine takes the options of a fio command shown in the transcript.
func (r *fioText) commandLine(line string) {
	r.command = true
	for _, m := range fioOption.FindAllStringSubmatch(line, -1) {
		r.options[m[1]] = m[2]
	}
}

// open begins a group of jobs.
func (r *fioText) open(label string, m []string) {
	r.close()
	g, _ := strconv.Atoi(m[2])
	jobs, _ := strconv.Atoi(m[3])
	plan, known := r.plans[g]
	w := model.Workload{Name: cmp.Or(slug(m[1]), "job"), Depth: plan.depth, BlockSize: plan.block}
	if pattern, ok := patterns[plan.rw]; ok && known {
		w.Access, w.Direction = pattern.access, pattern.direction
	}
	if jobs > 1 {
		w.Jobs = min(jobs, 1<<20)
	}
	r.run = &run{workload: w, label: label}
	r.group = fioGroupHead{jobs: jobs, err: m[4]}
	r.flow = nil
	// "Wed May  4 01:59:49 2022" has no time zone: UTC is assumed.
	if at, err := time.Parse("Mon Jan 2 15:04:05 2006", strings.Join(strings.Fields(m[5]), " ")); err == nil && r.p.started.IsZero() {
		r.p.started = at
	}
}

// inGroup parses a line below the head of a group.
func (r *fioText) inGroup(line int, s string) bool {
	if m := fioRate.FindStringSubmatch(s); m != nil {
		r.flow = nil
		if m[1] == "trim" {
			return true
		}
		iops, err1 := number(m[2])
		// The same rate in two units: the binary one is more precise.
		bw, err2 := bandwidth(m[3])
		msec, err3 := strconv.ParseFloat(m[6], 64)
		if err1 == nil && err2 == nil && err3 == nil {
			r.rate(line, model.Direction(m[1]), r.finer(iops, bw, m[5], msec), msec/1e3)
		}
		return true
	}
	if m := fioOldRate.FindStringSubmatch(s); m != nil {
		r.flow = nil
		// fio 2 writes KB for 1024 bytes, and MB for 1024 of those.
		bw, err1 := bandwidth(binary(m[3]))
		iops, err2 := number(m[4])
		msec, err3 := strconv.ParseFloat(m[5], 64)
		if err1 == nil && err2 == nil && err3 == nil {
			r.rate(line, model.Direction(m[1]), [2]float64{iops, bw}, msec/1e3)
		}
		return true
	}
	if m := fioCPU.FindStringSubmatch(s); m != nil {
		user, _ := strconv.ParseFloat(m[1], 64)
		system, _ := strconv.ParseFloat(m[2], 64)
		r.run.step.UserCPU, r.run.step.SystemCPU = user/100*float64(max(1, r.group.jobs)), system/100*float64(max(1, r.group.jobs))
		return true
	}
	if m := fioDepths.FindStringSubmatch(s); m != nil {
		r.levels(m[1])
		return true
	}
	if strings.Contains(s, "issued") {
		if m := fioIssued.FindStringSubmatch(s); m != nil {
			r.run.step.ShortIOs += shorts(m[1])
		}
		return true
	}
	if strings.HasPrefix(s, "Run status group") {
		r.close()
		return true
	}
	return r.flow != nil && r.latency(s)
}

// finer returns the rate and the bandwidth, computed from the amount and the time if fio printed the
// rate with few digits.
func (r *fioText) finer(iops, bw float64, moved string, msec float64) [2]float64 {
	if n, err := amount(moved); err == nil && msec > 0 {
		// Three digits each: the amount is used only if both agree.
		if v := n / msec * 1e3; math.Abs(v/bw-1) < 0.01 && bw < 10<<20 {
			bw = v
		}
	}
	return [2]float64{iops, bw}
}

// rate begins one direction of a group.
func (r *fioText) rate(line int, d model.Direction, v [2]float64, seconds float64) {
	if v[0] <= 0 && v[1] <= 0 {
		return
	}
	r.run.figures = append(r.run.figures, model.Figure{Direction: d, Group: "fio", Line: line, Seconds: seconds, Outcome: true,
		Values: map[model.Metric]float64{model.IOPS: v[0], model.Bandwidth: v[1]}})
	r.flow = &r.run.figures[len(r.run.figures)-1]
	r.unit, r.rank = 0, 0
	r.run.step.Step.Seconds = math.Max(r.run.step.Step.Seconds, seconds)
}

// close ends a group of jobs.
func (r *fioText) close() {
	if r.run == nil {
		return
	}
	w := &r.run.workload
	if w.Direction == "" && len(r.run.figures) > 0 {
		w.Direction = r.run.figures[0].Direction
		if len(r.run.figures) > 1 {
			w.Direction = model.Mixed
		}
	}
	if w.Direction == model.Mixed {
		w.ReadPercent = r.readPercent()
	}
	if w.BlockSize == 0 && len(r.run.figures) > 0 {
		f := r.run.figures[0]
		w.Words = strings.TrimSpace(string(w.Access) + " " + string(w.Direction))
		if iops := f.Values[model.IOPS]; iops > 0 {
			w.Words += ", about " + units.FormatSize(int64(math.Min(f.Values[model.Bandwidth]/iops, 1<<50))) + " each"
		}
	}
	w.Metric = headline(*w)
	if r.group.err != "0" {
		r.run.step.IOErrors = max(1, r.run.step.IOErrors)
	}
	if len(r.run.figures) > 0 {
		r.done = append(r.done, *r.run)
	}
	r.run = nil
}

// readPercent returns the percentage given on the command line, else the actual one, rounded to a
// multiple of ten.
func (r *fioText) readPercent() int {
	if v := r.options.number("rwmixread", 0); v > 0 && v < 100 {
		return v
	}
	if v := r.options.number("rwmixwrite", 0); v > 0 && v < 100 {
		return 100 - v
	}
	var read, all float64
	for _, f := range r.run.figures {
		all += f.Values[model.IOPS]
		if f.Direction == model.Read {
			read += f.Values[model.IOPS]
		}
	}
	if all <= 0 {
		return 50
	}
	return int(math.Min(99, math.Max(1, 10*math.Round(10*read/all))))
}
