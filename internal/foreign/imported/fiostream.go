package imported

import (
	"cmp"
	"fmt"
	"math"
	"strings"

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
		// idle are intervals without I/O that no other has followed yet.
		var idle []model.Sample
		take := func(list []model.Sample) {
			for _, s := range list {
				clock += s.Seconds
				s.End = clock
				runs[r].samples = append(runs[r].samples, s)
			}
		}
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
			var ran durations
			broken := false
			s.Read, broken = between(a, b, func(j *fioJob) *fioFlow { return &j.Read }, &ran)
			var bad bool
			s.Write, bad = between(a, b, func(j *fioJob) *fioFlow { return &j.Write }, &ran)
			s.Seconds = cmp.Or(ran.busy, ran.idle)
			if broken || bad {
				p.remark(model.SeverityWarning, []string{name}, fmt.Sprintf("the stream of %s goes backwards in document %d: its seconds were not taken", name, i+1))
				runs[r].samples, idle = nil, nil
				break
			}
			// fio's clock is in ms; a fraction of an interval at the end is not counted.
			if s.Seconds < 0.5 {
				continue
			}
			if s.Read == nil && s.Write == nil {
				if idleInterval(&s, runs[r].samples) {
					idle = append(idle, s)
				}
				continue
			}
			take(append(idle, s))
			idle = nil
		}
		if len(docs) > 0 && endsTime(docs[0].Version) {
			take(idle)
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

// endsTime reports whether a version of fio stops counting the time of a job when the job ends. Before 3.30, it went on in
// the documents of a status interval, so that a job that has ended looks like one that waits for an I/O
// (https://github.com/axboe/fio/pull/1377).
func endsTime(version string) bool {
	var major, minor int
	_, err := fmt.Sscanf(strings.TrimPrefix(version, "fio-"), "%d.%d", &major, &minor)
	return err == nil && (major > 3 || major == 3 && minor >= 30)
}

// jobsOf returns the jobs with this index in a document; nil if it has fewer.
func jobsOf(d fioDocument, member int) []fioJob {
	if all := sameJobs(d.Jobs); member < len(all) {
		return all[member]
	}
	return nil
}

// durations are the longest times that a job ran between two states, in seconds: of those that did I/O in
// it, and of the others, which may have ended before.
type durations struct{ busy, idle float64 }

// between returns the I/O in one direction between two states of the same jobs; nil if there was none.
// It adds to ran how long they ran between them.
func between(a, b []fioJob, of func(*fioJob) *fioFlow, ran *durations) (flow *model.Flow, broken bool) {
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
		seconds := (y.Runtime - x.Runtime) / 1e3
		if ios == 0 {
			ran.idle = math.Max(ran.idle, seconds)
			continue
		}
		ran.busy = math.Max(ran.busy, seconds)
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
