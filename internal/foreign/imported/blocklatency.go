package imported

import (
	"fmt"
	"math"
	"regexp"
	"strings"

	"github.com/loadline/loadline/internal/model"
)

var formatBlockLatency = Format{
	Name:    "block-latency",
	Title:   "a latency histogram of biolatency or bpftrace",
	Example: "     usecs               : count     distribution\n       256 -> 511        : 4        |        |\nor  @usecs:\n    [256, 512)            42 |        |",
	words:   []string{": count     distribution", "Tracing block device I/O", "@usecs", "|@@@"},
	read:    readBlockLatency,
}

var (
	bioHead    = regexp.MustCompile(`^\s*(nsecs|usecs|msecs|secs)\s*: count\s+distribution`)
	bioRow     = regexp.MustCompile(`^\s*(\d+) -> (\d+)\s*: (\d+)\s*\|`)
	bioDisk    = regexp.MustCompile(`^\s*(?:disk|flags) = '?([^'\s]+)'?`)
	bioAverage = regexp.MustCompile(`^\s*avg = (\d+) (\w+), total: (\d+) (\w+), count: (\d+)`)
	bpfHead    = regexp.MustCompile(`^@(\w*)(?:\[([^\]]*)\])?:\s*$`)
	bpfRow     = regexp.MustCompile(`^\[(\d+[KMGT]?)(?:, (\d+[KMGT]?)\)|\])\s+(\d+)\s*\|`)
	// What is outside of the range of lhist().
	bpfOutside = regexp.MustCompile(`^(?:\[\d+[KMGT]?, \.\.\.\)|\(\.\.\., \d+[KMGT]?[)\]])\s+(\d+)\s*\|`)
	bpfTotal   = regexp.MustCompile(`^@total_latency_ns: (\d+)`)
	bpfCount   = regexp.MustCompile(`^@io_count: (\d+)`)
	// If a histogram was already read, another script's maps begin here.
	bpfMap = regexp.MustCompile(`^@\w+(?:\[[^\]]*\])?: \d+`)
	// What was traced: a disk named in the command, or a process for which the script filters.
	bioCommand = regexp.MustCompile(`\bbiolatency\b.*\s-d\s*([\w-]+)`)
	bpfProcess = regexp.MustCompile(`^@\w*pid: \d+`)
	// parameter matches a parameter of a load in a document ("clients=10").
	parameter = regexp.MustCompile(`\b([a-z]+) ?= ?(\d+)\b`)
)

// blockReader reads one histogram after the other.
type blockReader struct {
	p     *Part
	unit  float64
	name  string
	label string
	line  int
	// disk is the disk named in the command; process is set if a single process was traced.
	disk    string
	process bool
	d       distribution
	// seconds is the duration of the traced test, as stated in the document before a histogram
	// ("time=30"); 0 is unknown.
	seconds float64
	// total (seconds) and count are the sums printed by the tool itself.
	total, count float64
	// outside is the number of I/Os beyond the first and the last bucket.
	outside float64
}

func readBlockLatency(t *text, p *Part) (last int, err error) {
	r := &blockReader{p: p}
	for i, l := range t.lines {
		line := t.at(i)
		if len(r.d.buckets) > 0 && bpfMap.MatchString(l) {
			r.close()
		}
		switch {
		case bioCommand.MatchString(l):
			r.close()
			r.disk = bioCommand.FindStringSubmatch(l)[1]
		case bpfProcess.MatchString(l):
			r.process = true
		case bioDisk.MatchString(l):
			r.close()
			r.name = bioDisk.FindStringSubmatch(l)[1]
			last = line
		case bioHead.MatchString(l):
			r.open(t, i, bioHead.FindStringSubmatch(l)[1])
			last = line
		case bpfHead.MatchString(l):
			m := bpfHead.FindStringSubmatch(l)
			r.open(t, i, m[1])
			if m[2] != "" {
				r.name = m[2]
			}
			if r.unit == 0 {
				continue
			}
			last = line
		case bioRow.MatchString(l):
			m := bioRow.FindStringSubmatch(l)
			// The upper bound is the last whole unit in the bucket.
			r.row(m[1], m[2], 1, m[3])
			last = line
		case bpfRow.MatchString(l):
			m := bpfRow.FindStringSubmatch(l)
			if m[2] == "" {
				r.row(m[1], m[1], 1, m[3])
			} else {
				r.row(m[1], m[2], 0, m[3])
			}
			last = line
		case bpfOutside.MatchString(l):
			n, _ := number(bpfOutside.FindStringSubmatch(l)[1])
			r.outside += n
			last = line
		case bioAverage.MatchString(l):
			m := bioAverage.FindStringSubmatch(l)
			if unit, err := timeUnit(m[4]); err == nil {
				total, err1 := number(m[3])
				count, err2 := number(m[5])
				if err1 == nil && err2 == nil {
					r.total, r.count = total*unit, count
				}
			}
			last = line
		case bpfTotal.MatchString(l):
			total, err := number(bpfTotal.FindStringSubmatch(l)[1])
			if err == nil {
				r.total = total * 1e-9
			}
		case bpfCount.MatchString(l):
			r.count, _ = number(bpfCount.FindStringSubmatch(l)[1])
		}
	}
	r.close()
	return last, nil
}

// open begins a histogram; what bpftrace prints before it (its other maps) is kept.
func (r *blockReader) open(t *text, i int, unit string) {
	name := r.name
	if len(r.d.buckets) > 0 || r.outside > 0 {
		r.close()
		name = r.name
	}
	r.name, r.line, r.label = name, t.at(i), t.label(i)
	r.unit = unitOf(unit)
}

// unitOf returns the unit given in the head of a histogram or in the name of a bpftrace map ("usecs",
// "latency_us"); 0 if there is none.
func unitOf(name string) float64 {
	parts := strings.Split(strings.ToLower(name), "_")
	if v, err := timeUnit(parts[len(parts)-1]); err == nil {
		return v
	}
	return 0
}

// row adds a bucket from low to high units; past is added to high.
func (r *blockReader) row(low, high string, past float64, count string) {
	from, err1 := powers(low)
	to, err2 := powers(high)
	n, err3 := number(count)
	if err1 != nil || err2 != nil || err3 != nil || to+past <= from {
		return
	}
	unit := r.unit
	if unit == 0 {
		unit = math.NaN()
	}
	// The middle on the logarithmic scale; for the first bucket the arithmetic middle.
	at := math.Sqrt(from * (to + past))
	if from == 0 {
		at = (to + past) / 2
	}
	r.d.add(bucket{from: from * unit, to: (to + past) * unit, at: at * unit, count: n})
}

// powers parses "256", "4K", "1M": K is 1024 in bpftrace's histograms.
func powers(s string) (float64, error) {
	i := strings.IndexAny(s, "KMGT")
	if i < 0 {
		return number(s)
	}
	v, err := number(s[:i])
	return v * math.Pow(1024, float64(strings.IndexByte("KMGT", s[i])+1)), err
}

// close emits the histogram.
func (r *blockReader) close() {
	d, total, count, outside := r.d, r.total, r.count, r.outside
	r.d, r.outside = distribution{}, 0
	if d.total == 0 && outside == 0 {
		return
	}
	name, words, traced := "block-latency", "block I/O as traced below the filesystem", "disk"
	if r.process {
		name, words, traced = name+"-process", "block I/O of one process as traced below the filesystem", "process"
	}
	if s := slug(r.name); s != "" {
		name += "-" + s
	}
	for _, m := range parameter.FindAllStringSubmatch(r.label, -1) {
		switch m[1] {
		case "clients":
			name += "-c" + m[2]
		case "time":
			// The traces that follow in the section belong to the same test.
			r.seconds, _ = number(m[2])
		}
	}
	var params []string
	if r.disk != "" {
		params = append(params, slug(r.disk))
	}
	r.total, r.count, r.name, r.disk, r.process = 0, 0, "", "", false
	if r.unit == 0 {
		r.p.remark(model.SeverityNote, nil, fmt.Sprintf("the histogram at line %d does not say its unit of time (usecs, nsecs …): it is left out", r.line))
		return
	}
	if outside > 0 {
		r.p.remark(model.SeverityWarning, nil, fmt.Sprintf("%.0f of %.0f I/Os are outside of the range of the histogram at line %d, so its percentiles would be wrong: it is left out; hist() has no such range", outside, outside+d.total, r.line))
		return
	}
	w := model.Workload{Name: name, Direction: model.Mixed, Metric: model.P50, Words: words}
	f := model.Figure{Direction: model.Mixed, Group: "block", Line: r.line, Seconds: r.seconds, Traced: traced, Values: map[model.Metric]float64{}}
	d.fill(&f)
	f.Latency.Mean = d.mean()
	// The tool's own sums are exact, if they are for the same I/Os: then their mean is possible given
	// the buckets.
	unlike := false
	if total > 0 && count > 0 && near(count, d.total, 0) {
		if unlike = !d.allows(total / count); !unlike {
			f.Latency.Mean = total / count
		}
	}
	f.Values[model.Latency] = f.Latency.Mean
	for _, k := range d.buckets {
		f.Latency.Max = k.to
	}
	name = r.p.add(run{label: r.label, params: params, workload: w, figures: []model.Figure{f}})
	if unlike {
		r.p.remark(model.SeverityWarning, []string{name}, fmt.Sprintf("the sum of latencies beside the histogram at line %d puts their mean outside of its buckets, so one of the two is of other I/Os: the histogram's is taken", r.line))
	}
	r.p.remark(model.SeverityNote, []string{name}, "coarse: the histogram's buckets are a factor of 2 wide, so a percentile is the middle of its bucket and may be off by ×1.4 either way, and so may be a mean that the tool does not print itself")
}
