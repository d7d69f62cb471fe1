package explain

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/loadline/loadline/internal/judge/stats"
	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/histogram"
	"github.com/loadline/loadline/internal/model/prediction"
	"github.com/loadline/loadline/internal/model/safetext"
	"github.com/loadline/loadline/internal/model/units"
)

// A page of PostgreSQL is 8 KiB. Reads with blocks of 4 to 16 KiB, and flushed writes of up to 1 MiB,
// stand for one page or several. The flush of a commit is of up to four pages, and one like it must have been measured.
const (
	smallestPage, largestPage   = 4 << 10, 16 << 10
	largestCommit, largestFlush = 32 << 10, 1 << 20
)

// storageTimes is what was measured of a storage.
type storageTimes struct {
	flushes []prediction.Flush
	// uneven are the medians of flushes most of which are much shorter than the mean, by their size, if the rate
	// varies too much to tell whether the storage limits it.
	uneven map[int64]float64
	read   *prediction.Reading
	// workloads are those that were used.
	workloads []string
}

// storageTimes reads how long the storage takes to flush the log and to read a page.
func (ev Evidence) storageTimes(reads bool) (s storageTimes, err error) {
	run := &ev.Report.Run
	measure := "loadline run " + safetext.ShellWord(run.Target.InCommand()) + " --profile postgres"
	switch {
	case ev.Recorded.Imported != nil:
		return s, model.RefusedError(run.Directory+" was measured by another tool: how certain its numbers are is not known", "measure the storage: loadline run DIR --profile postgres")
	case run.Target.Kind.Application():
		return s, model.RefusedError(run.Directory+" measured an application, and --from takes a run of the storage by itself", "measure the storage: "+measure)
	case run.Volume.NoFlush:
		return s, model.RefusedError(run.Target.Name+" offers no flush: what a commit waits for there was not measured", "")
	}
	for _, f := range ev.Report.Findings {
		if f.Rule == "buffered" && (f.Severity == model.SeverityWarning || f.Severity == model.SeverityInvalid) {
			return s, model.RefusedError("the numbers of "+run.Directory+" cannot be told from those of the page cache: "+f.Message, "measure a filesystem or device that takes direct I/O")
		}
	}
	s.flushes, s.uneven = ev.flushTimes()
	if len(s.flushes) > 0 && s.flushes[0].Bytes > largestCommit {
		return s, model.RefusedError(fmt.Sprintf("the smallest flush of the log that %s measured is one of %s, and a commit waits for one of 8k to 16k", run.Directory, units.FormatBlock(s.flushes[0].Bytes)), "measure it, in two minutes: "+measure)
	}
	if len(s.flushes) == 0 {
		return s, model.RefusedError(run.Directory+" has no workload that tells how long a commit waits: one job that writes sequentially over space that was written before, an fdatasync after each write, several times", "measure it, in two minutes: "+measure)
	}
	if reads {
		if s.read = ev.readTime(); s.read == nil {
			return s, model.RefusedError(run.Directory+" has no workload that tells how long the read of a page takes: random reads of 4 to 16 KiB, one at a time, several times", "measure it, in two minutes: "+measure)
		}
	}
	for _, f := range s.flushes {
		s.workloads = append(s.workloads, f.Workload)
	}
	if s.read != nil {
		s.workloads = append(s.workloads, s.read.Workload)
	}
	return s, nil
}

// flushTimes are the workloads that do what PostgreSQL does with its log: one process writes, and
// flushes, over space that was written before. Appending to reserved space also waits for the
// filesystem to record that, which PostgreSQL's log does not, because it is filled when it is created.
// uneven is storageTimes.uneven.
func (ev Evidence) flushTimes() (list []prediction.Flush, uneven map[int64]float64) {
	uneven = map[int64]float64{}
	for _, w := range ev.Recorded.Plan.Workloads {
		if w.Direction != model.Write || w.Access != model.Sequential || w.Sync == "" || w.Append || w.Depth != 1 || w.JobCount() != 1 || w.BlockSize > largestFlush || ev.withoutBudget(w) != "" {
			continue
		}
		f, ok := ev.flow(w)
		if !ok {
			continue
		}
		if t, ok := ev.timed(w, f.latency+f.flushes*f.flush); ok && !slices.ContainsFunc(list, func(o prediction.Flush) bool { return o.Bytes == t.Bytes }) {
			x := prediction.Flush{Time: t, Processor: ev.besideTool(w, f.rate)}
			if median := ev.unlimited(w, t.Estimate); median > 0 && t.HalfWidth() <= limitedSpread {
				x.Unlimited = median
			} else if median > 0 {
				uneven[t.Bytes] = median
			}
			list = append(list, x)
		}
	}
	slices.SortFunc(list, func(a, b prediction.Flush) int { return cmp.Compare(a.Bytes, b.Bytes) })
	return list, uneven
}

const (
	// limitedShare and limitedSpread tell storage that limits the rate: an I/O that is not held back takes less than
	// that share of the mean, because the others wait for long, and yet the rate is the same all
	// the time, to that relative half-width of its interval.
	limitedShare  = 0.7
	limitedSpread = 0.03
	// leastFast is the least share of I/Os that are not held back.
	leastFast = 0.1
)

// unlimited is the time of a write with its flush that does not wait for the storage's limit on the rate, if it
// has one; 0 if it has none. A throttle lets I/Os through at once until the allowance of a tenth of a second or so
// is used up, and then holds the next one back: so the mean of one I/O after the other is the limit's,
// and the storage's is the median of those that are not held back.
func (ev Evidence) unlimited(w model.Workload, mean model.Estimate) float64 {
	sum := 0.0
	results := ev.results(w.Name)
	for _, d := range []model.Direction{w.Direction, model.Sync} {
		r, there := results[d]
		if !there || r.Latency == nil || r.Latency.P50 == nil {
			return 0
		}
		usual, h := *r.Latency.P50, ev.latencies(w.Name, d)
		if fast, _ := h.Divide(h.Mean()); fast.Count() > 0 && float64(fast.Count()) >= leastFast*float64(h.Count()) && fast.Percentile(90) < limitedShare*h.Mean() {
			usual = fast.Percentile(50)
		}
		sum += usual
	}
	if sum >= limitedShare*mean.Value {
		return 0
	}
	return sum
}

// latencies are those of a workload's I/Os in one direction, in the repeats that count.
func (ev Evidence) latencies(workload string, d model.Direction) (h histogram.Histogram) {
	counts := map[int]bool{}
	for _, s := range ev.steps(workload) {
		counts[s.Step.Number] = true
	}
	for i := range ev.Recorded.Samples {
		if m := &ev.Recorded.Samples[i]; counts[m.Step] {
			if f := m.Flow(d); f != nil {
				h.Merge(f.Histogram)
			}
		}
	}
	return h
}

// besideTool is how long processors are busy for each I/O of a workload besides the load tool and Loadline, in seconds:
// with the kernel's threads, and with the storage's own programs where they are on this machine. What is
// busy without load does not count. 0 if it was not counted, if the run had not all processors, or if it is
// not certainly more than other programs' work that comes and goes.
func (ev Evidence) besideTool(w model.Workload, rate float64) float64 {
	idle := ev.Recorded.Run.Beside.Idle
	if idle == nil || rate <= 0 || ev.limitedProcessors() {
		return 0
	}
	cpus := float64(ev.Recorded.Environment.CPUs)
	var busy []float64
	for _, s := range ev.steps(w.Name) {
		if c := s.Counters; c != nil {
			own := s.UserCPU + s.SystemCPU
			if c.OwnCPU > 0 && c.Seconds > 0 {
				own = math.Max(own, c.OwnCPU/c.Seconds)
			}
			busy = append(busy, cpus*(busyShare(c)-busyShare(idle))-own)
		}
	}
	if len(busy) < 2 {
		return 0
	}
	if mean := stats.Mean(busy); mean > math.Max(certainShare*cpus, certainSpread*stats.StdDev(busy)) {
		return mean / rate
	}
	return 0
}

const (
	// certainShare of all processors, and certainSpread standard deviations between repeats, are what the
	// storage's own work must exceed.
	certainShare  = 0.02
	certainSpread = 3.0
)

// limitedProcessors reports whether a cgroup allows a run less than all processors of its machine.
func (ev Evidence) limitedProcessors() bool {
	env := &ev.Recorded.Environment
	return env.CgroupCPU > 0 && env.CgroupCPU < float64(env.CPUs)
}

// busyShare is the share of the time that the machine's processors were busy.
func busyShare(c *model.Counters) float64 { return math.Max(0, 1-c.Idle-c.IOWait-c.Steal) }

// timed is a time of a workload with one I/O in flight: seconds is the mean of all repeats, of which the
// result is that of the median repeat, because a first one right after the file was written, or one while other
// programs used the disk, may take much longer. Its relative interval is that of the rate. ok
// is false if there is none.
func (ev Evidence) timed(w model.Workload, seconds float64) (t prediction.Time, ok bool) {
	result := ev.results(w.Name)[w.Direction]
	rate := result.Metrics[model.IOPS]
	if rate.Confidence == 0 || rate.Value <= 0 || rate.Low <= 0 || seconds <= 0 {
		return t, false
	}
	usual := seconds
	if len(result.RepeatValues) >= 3 {
		if median, mean := stats.Median(result.RepeatValues), stats.Mean(result.RepeatValues); median > 0 && mean > 0 {
			switch result.Metric {
			case model.IOPS, model.Bandwidth:
				usual *= mean / median
			case model.Latency:
				usual *= median / mean
			}
		}
	}
	return prediction.Time{Workload: w.Name, Bytes: w.BlockSize, Estimate: model.Estimate{Unit: "s", Value: usual,
		Low: min(usual, seconds*rate.Value/rate.High), High: max(usual, seconds*rate.Value/rate.Low), Confidence: rate.Confidence}}, true
}

// readTime is the workload that reads most like PostgreSQL reads pages, with the size nearest to 8 KiB,
// and how many such reads are served at once, by Little's law at the deepest queue of that size.
func (ev Evidence) readTime() (best *prediction.Reading) {
	for _, w := range ev.pageReads() {
		f, ok := ev.flow(w)
		if !ok || w.Depth*w.JobCount() != 1 {
			continue
		}
		t, ok := ev.timed(w, f.latency)
		if ok && (best == nil || farFromPage(t.Bytes) < farFromPage(best.Bytes)) {
			best = &prediction.Reading{Time: t}
		}
	}
	if best == nil {
		return nil
	}
	for _, w := range ev.pageReads() {
		if f, ok := ev.flow(w); ok && w.BlockSize == best.Bytes && w.Depth*w.JobCount() > 1 {
			// Deeper queues serve no fewer.
			best.Concurrency = max(best.Concurrency, 1, int(math.Round(f.rate*best.Value)))
		}
	}
	return best
}

// pageReads are the workloads of random reads about as large as a page.
func (ev Evidence) pageReads() (list []model.Workload) {
	for _, w := range ev.Recorded.Plan.Workloads {
		if w.Direction == model.Read && w.Access == model.Random && w.BlockSize >= smallestPage && w.BlockSize <= largestPage && ev.withoutBudget(w) == "" {
			list = append(list, w)
		}
	}
	return list
}

// farFromPage is the size relative to a page, as the absolute value of a logarithm.
func farFromPage(bytes int64) float64 { return math.Abs(math.Log2(float64(bytes) / page)) }

// flushOf is how long a flush of a number of bytes of log takes, which are written in whole pages:
// between two measured sizes it is interpolated linearly, beyond the largest extrapolated through the
// last two, and below the smallest equal to that one. A larger flush takes no less. Value selects the
// estimate, one of its bounds, or another time.
func flushOf(times []prediction.Flush, value func(prediction.Flush) float64) func(bytes float64) float64 {
	sizes, seconds := make([]float64, len(times)), make([]float64, len(times))
	for i, t := range times {
		sizes[i], seconds[i] = float64(t.Bytes), value(t)
		if i > 0 {
			seconds[i] = max(seconds[i], seconds[i-1])
		}
	}
	return func(bytes float64) float64 {
		bytes = page * math.Ceil(bytes/page)
		if len(sizes) == 1 || bytes <= sizes[0] {
			return seconds[0]
		}
		i := 1
		for i < len(sizes)-1 && sizes[i] < bytes {
			i++
		}
		return seconds[i-1] + (seconds[i]-seconds[i-1])*(bytes-sizes[i-1])/(sizes[i]-sizes[i-1])
	}
}

// sizesOf formats the sizes of which flushes were measured: "8k and 64k".
func sizesOf(times []prediction.Flush) string {
	words := ""
	for i, t := range times {
		switch {
		case i > 0 && i == len(times)-1:
			words += " and "
		case i > 0:
			words += ", "
		}
		words += units.FormatBlock(t.Bytes)
	}
	return words
}

// inherited are the rules' findings on the numbers that were used, and the worst verdict on them.
func (ev Evidence) inherited(workloads []string) (verdict model.Verdict, list []model.Finding) {
	verdict = model.Valid
	for _, name := range workloads {
		for _, r := range ev.results(name) {
			if r.Verdict == model.Invalid || r.Verdict == model.Suspect && verdict == model.Valid {
				verdict = r.Verdict
			}
		}
	}
	for _, f := range ev.Report.Findings {
		ours := len(f.Results) == 0 || slices.ContainsFunc(f.Results, func(name string) bool { return slices.Contains(workloads, name) })
		if ours && (f.Severity == model.SeverityInvalid || f.Severity == model.SeverityWarning) {
			list = append(list, f)
		}
	}
	return verdict, list
}

// disturbing are the rules that find that something else changed what an application's transaction costs. What other rules
// find in its rate (not converged, full processors) is part of the prediction.
var disturbing = []string{"cpu", "others", "foreign", "clients", "errors"}

// disturbed are the warnings of those rules for an application's workloads. Stolen time is none where the repeats
// that are used had little of it.
func (ev Evidence) disturbed(workloads []string) (list []model.Finding) {
	_, all := ev.inherited(workloads)
	for _, f := range all {
		_, steals := f.Evidence["steal"]
		if slices.Contains(disturbing, f.Rule) && !(steals && ev.undisturbed && !ev.anyStolen(f.Results)) {
			list = append(list, f)
		}
	}
	return list
}

// anyStolen reports whether the hypervisor took processors away in a repeat of these workloads that is used.
func (ev Evidence) anyStolen(workloads []string) bool {
	return slices.ContainsFunc(workloads, func(name string) bool { return slices.ContainsFunc(ev.steps(name), stolen) })
}

// machine is the machine that measured a run, and the workloads of it that were used.
func (ev Evidence) machine(workloads []string) prediction.Run {
	info, env := &ev.Report.Run, &ev.Recorded.Environment
	return prediction.Run{ID: info.ID, Target: info.Target.Place(), Directory: info.Directory, Workloads: workloads, Processors: processorsOf(env), Model: env.CPUModel}
}

// mostProcessors is more than any machine has (the kernel is built for 8192 at most); a number beyond is none.
const mostProcessors = 1 << 16

// processorsOf is the number of processors that a machine allows a process, which a limit may make a fraction; 0 if it
// is not known.
func processorsOf(env *model.Environment) float64 {
	switch {
	case env.CPUs < 1 || env.CPUs > mostProcessors:
		return 0
	case env.CgroupCPU > 0 && env.CgroupCPU < float64(env.CPUs):
		return env.CgroupCPU
	}
	return float64(env.CPUs)
}

// processors describes them: "2 processors (AMD EPYC 7B13)".
func processors(r prediction.Run) string {
	words := numberOfProcessors(r.Processors)
	if r.Model != "" {
		words += " (" + r.Model + ")"
	}
	return words
}

// numberOfProcessors is "1 processor" or "1.5 processors".
func numberOfProcessors(n float64) string {
	switch {
	case n == 1:
		return "1 processor"
	case n < 1000:
		return strconv.FormatFloat(n, 'g', 3, 64) + " processors"
	}
	return units.FormatNumber(n) + " processors"
}
