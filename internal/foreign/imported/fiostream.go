package imported

import (
	"cmp"
	"fmt"
	"math"

	"github.com/loadline/loadline/internal/model"
)

// takeStream converts a stream of cumulative documents into samples: the differences between
// consecutive ones. Documents of the ramp are left out, and so is the last one after a signal, which
// counts I/Os that were still in flight.
func takeStream(docs []fioDocument, runs []run, interrupted bool, p *Part) {
	to := len(docs)
	if interrupted {
		to--
	}
	for r := range runs {
		name := runs[r].workload.Name
		var clock float64
		for i := range to {
			b := jobsOf(docs[i], runs[r].member)
			a := make([]fioJob, len(b))
			if i > 0 {
				a = jobsOf(docs[i-1], runs[r].member)
			}
			if len(a) != len(b) {
				continue
			}
			s := model.Sample{}
			broken := false
			s.Read, broken = between(a, b, func(j *fioJob) *fioFlow { return &j.Read }, &s.Seconds)
			var bad bool
			s.Write, bad = between(a, b, func(j *fioJob) *fioFlow { return &j.Write }, &s.Seconds)
			if broken || bad {
				p.remark(model.SeverityWarning, []string{name}, fmt.Sprintf("the stream of %s goes backwards in document %d: its seconds were not taken", name, i+1))
				runs[r].samples = nil
				break
			}
			// fio's clock is in ms; a fraction of an interval at the end is not counted.
			if s.Seconds < 0.5 || s.Read == nil && s.Write == nil && !idleInterval(&s, runs[r].samples) {
				continue
			}
			clock += s.Seconds
			s.End = clock
			runs[r].samples = append(runs[r].samples, s)
		}
		if len(runs[r].samples) < 2 {
			runs[r].samples = nil
		}
	}
}

// idleInterval completes the sample of an interval in which no I/O was done, between others in which some were:
// it counts, with no I/O in the directions of the one before. It reports whether there is one before.
func idleInterval(s *model.Sample, before []model.Sample) bool {
	if len(before) == 0 {
		return false
	}
	last := before[len(before)-1]
	if last.Read != nil {
		s.Read = &model.Flow{}
	}
	if last.Write != nil {
		s.Write = &model.Flow{}
	}
	return true
}

// jobsOf returns the jobs with this index in a document; nil if it has fewer.
func jobsOf(d fioDocument, member int) []fioJob {
	if all := sameJobs(d.Jobs); member < len(all) {
		return all[member]
	}
	return nil
}

// between returns the I/O in one direction between two states of the same jobs; nil if there was none.
// It sets seconds to the longest time that a job ran between them.
func between(a, b []fioJob, of func(*fioJob) *fioFlow, seconds *float64) (flow *model.Flow, broken bool) {
	var f model.Flow
	for i := range a {
		x, y := of(&a[i]), of(&b[i])
		if y.ramping() {
			return nil, false
		}
		if x.ramping() {
			x = &fioFlow{}
		}
		ios, bytes := y.IOs-x.IOs, cmp.Or(y.Bytes, y.KBytes*1024)-cmp.Or(x.Bytes, x.KBytes*1024)
		if !(ios >= 0) || !(bytes >= 0) || ios > 1<<53 || bytes > 1<<62 {
			return nil, true
		}
		// fio counts the time of a direction only once it has done an I/O in it.
		*seconds = math.Max(*seconds, (y.Runtime-x.Runtime)/1e3)
		if ios == 0 {
			continue
		}
		nx, ny := cmp.Or(x.LatNS.N, x.IOs), cmp.Or(y.LatNS.N, y.IOs)
		latency := (y.LatNS.Mean*ny - x.LatNS.Mean*nx) / 1e9
		f.IOs += uint64(ios)
		f.Bytes += uint64(bytes)
		f.LatencySum += math.Max(0, finite(latency))
		f.Max = math.Max(f.Max, finite(y.LatNS.Max)/1e9)
		hy, okY := histogramOf(either(y.LatNS.Bins, y.ClatNS.Bins), 1e-9)
		hx, okX := histogramOf(either(x.LatNS.Bins, x.ClatNS.Bins), 1e-9)
		switch {
		case okY && okX:
			d, err := hy.Minus(hx)
			if err != nil {
				return nil, true
			}
			f.Histogram.Merge(d)
		case okY:
			f.Histogram.Merge(hy)
		}
	}
	if f.IOs == 0 {
		return nil, false
	}
	return &f, false
}
