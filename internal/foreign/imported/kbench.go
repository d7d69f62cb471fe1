package imported

import (
	"fmt"
	"math"
	"regexp"
	"strings"

	"github.com/loadline/loadline/internal/model"
)

var formatKbench = Format{
	Name:    "kbench",
	Title:   "Kbench's summary",
	Example: "FIO Benchmark Summary … IOPS (Read/Write) … Random: 89,777 / 83,867",
	words:   []string{"FIO Benchmark Summary", "CPU Idleness", "(Read/Write)"},
	read:    readKbench,
}

// aspect is one of the three things that Kbench measures.
type aspect struct {
	suffix string
	metric model.Metric
	block  int64
	depth  int
	// scale converts its figures into base units.
	scale float64
}

var aspects = map[string]aspect{
	"iops":      {"iops", model.IOPS, 4 << 10, 64, 1},
	"bandwidth": {"bw", model.Bandwidth, 128 << 10, 64, 1024},
	"latency":   {"lat", model.Latency, 4 << 10, 1, 1e-9},
}

var (
	kbenchHead   = regexp.MustCompile(`^\s*FIO Benchmark Summary\s*$`)
	kbenchField  = regexp.MustCompile(`(?i)^\s*(for|size|mode|quick mode|cpu idleness profiling):\s*(.*?)\s*$`)
	kbenchAspect = regexp.MustCompile(`(?i)^\s*(iops|bandwidth|latency)(?: in ([\w/]+))? \(Read/Write\):?\s*$`)
	kbenchRow    = regexp.MustCompile(`(?i)^\s*(random|sequential):\s*(.*?)\s*$`)
	kbenchIdle   = regexp.MustCompile(`(?i)^\s*cpu idleness:\s*(.*?)\s*$`)
)

// kbenchReader reads the three blocks of a summary.
type kbenchReader struct {
	aspect *aspect
	scale  float64
	quick  bool
	runs   []run
	// block is the index at which the runs of the current aspect begin.
	block int
	empty []string
}

func readKbench(t *text, p *Part) (int, error) {
	last, in := 0, false
	r := &kbenchReader{}
	for i, l := range t.lines {
		switch {
		case kbenchHead.MatchString(l):
			in, last = true, t.at(i)
		case !in:
		case kbenchField.MatchString(l):
			m := kbenchField.FindStringSubmatch(l)
			r.field(p, strings.ToLower(m[1]), m[2])
			last = t.at(i)
		case kbenchAspect.MatchString(l):
			r.begin(kbenchAspect.FindStringSubmatch(l))
			last = t.at(i)
		case kbenchRow.MatchString(l) && r.aspect != nil:
			m := kbenchRow.FindStringSubmatch(l)
			read, wrote, ok := strings.Cut(m[2], " / ")
			if !ok {
				continue
			}
			r.row(t.at(i), m[1], read, wrote)
			last = t.at(i)
		case kbenchIdle.MatchString(l) && r.aspect != nil:
			r.idle(kbenchIdle.FindStringSubmatch(l)[1])
			last = t.at(i)
		}
	}
	r.finish(p)
	return last, nil
}

// field parses a line of the head.
func (r *kbenchReader) field(p *Part, key, value string) {
	switch key {
	case "size":
		p.volume.Size = fioSize(value)
	case "mode":
		r.quick = value == "quick"
	case "quick mode":
		r.quick = strings.EqualFold(value, "enabled")
	}
}

// begin begins the block of an aspect; m holds its name and, in newer versions, its unit.
func (r *kbenchReader) begin(m []string) {
	a := aspects[strings.ToLower(m[1])]
	r.aspect, r.scale, r.block = &a, a.scale, len(r.runs)
	switch {
	case a.metric == model.Bandwidth && m[2] != "":
		if v, err := bandwidth("1" + m[2]); err == nil {
			r.scale = v
		}
	case a.metric == model.Latency && m[2] != "":
		if v, err := timeUnit(m[2]); err == nil {
			r.scale = v
		}
	}
}

// row parses the figures of reads and writes.
func (r *kbenchReader) row(line int, access, read, wrote string) {
	for d, s := range map[model.Direction]string{model.Read: read, model.Write: wrote} {
		w := r.aspect.workload(access, d)
		v, ok := r.value(s)
		if !ok {
			r.empty = append(r.empty, w.Name)
			continue
		}
		r.runs = append(r.runs, r.run(line, w, v))
	}
}

// value parses "512,205", "512,205 KiB/sec" or "114,095 ns". Kbench prints zero and null for what it
// did not measure.
func (r *kbenchReader) value(s string) (float64, bool) {
	digits, unit := cut(s)
	v, err := plain(digits)
	if err != nil || v == 0 {
		return 0, false
	}
	if unit == "" {
		return v * r.scale, true
	}
	switch r.aspect.metric {
	case model.Bandwidth:
		v, err = bandwidth(s)
	case model.Latency:
		v, err = span(s)
	default:
		v, err = number(s)
	}
	return v, err == nil
}

// run returns one of Kbench's twelve jobs as a run.
func (r *kbenchReader) run(line int, w model.Workload, v float64) run {
	seconds, ramp := 20.0, 5.0
	if r.quick {
		seconds, ramp = 5, 1
	}
	f := model.Figure{Direction: w.Direction, Group: "fio", Line: line, Seconds: seconds, Values: map[model.Metric]float64{w.Metric: v}}
	out := run{workload: w, figures: []model.Figure{f}}
	out.step.Step.Seconds, out.step.Step.Ramp = seconds, ramp
	return out
}

// workload returns Kbench's job for the aspect: "rand-read-iops".
func (a aspect) workload(access string, d model.Direction) model.Workload {
	w := model.Workload{Access: model.Random, Direction: d, BlockSize: a.block, Depth: a.depth, Metric: a.metric}
	if strings.EqualFold(access, "sequential") {
		w.Access = model.Sequential
	}
	w.Name = fmt.Sprintf("%s-%s-%s", w.Access, d, a.suffix)
	return w
}

// idle records the CPU's idle fraction for the current aspect.
func (r *kbenchReader) idle(s string) {
	v, err := plain(strings.TrimSuffix(strings.TrimSpace(s), "%"))
	if err != nil || v > 100 {
		return
	}
	for i := r.block; i < len(r.runs); i++ {
		step := &r.runs[i].step
		step.Counters = &model.Counters{Seconds: step.Step.Seconds, Idle: v / 100, BusiestCPU: 1 - v/100}
	}
}

// finish adds the runs, in Kbench's order.
func (r *kbenchReader) finish(p *Part) {
	if len(r.runs) == 0 {
		return
	}
	sortRuns(r.runs)
	for _, run := range r.runs {
		p.add(run)
	}
	if len(r.empty) > 0 {
		p.remark(model.SeverityNote, nil, "left out: "+strings.Join(r.empty, ", ")+" (the summary says 0 or null, which Kbench prints for what it did not measure, and for single modes whose number is only in the JSON files)")
	}
	p.profile = "kbench"
	p.volume.Engine, p.volume.Direct = "libaio", true
}

// sortRuns sorts reads before writes, because maps are unordered.
func sortRuns(runs []run) {
	for i := 1; i < len(runs); i++ {
		for k := i; k > 0 && runs[k].figures[0].Line == runs[k-1].figures[0].Line && runs[k].workload.Direction < runs[k-1].workload.Direction; k-- {
			runs[k], runs[k-1] = runs[k-1], runs[k]
		}
	}
}

// near reports whether two numbers agree within 0.5 % of the larger, or within least.
func near(a, b, least float64) bool {
	return math.Abs(a-b) <= math.Max(least, 0.005*math.Max(math.Abs(a), math.Abs(b)))
}
