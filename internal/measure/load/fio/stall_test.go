package fio

import (
	"math"
	"testing"
	"time"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/histogram"
)

// doc is a status document of reads: its time, the number of 1 ms I/Os and of long ones.
type doc struct {
	// at is when the document arrives, in seconds; ms is the time that it reports.
	at   float64
	ms   int64
	ios  uint64
	long uint64
	took float64
	// quiet is the silence before it, state the state of fio's processes during it.
	quiet float64
	state byte
}

func (d doc) job() *job {
	j := &job{JobRuntime: d.ms}
	j.Read = direction{IOs: d.ios + d.long, Bytes: 4096 * (d.ios + d.long), Runtime: d.ms}
	j.Read.Latency = latency{N: d.ios + d.long, Max: 1e6, Mean: 1e6}
	j.Read.Latency.Bins.histogram.Add(histogram.BucketOf(1e6), d.ios)
	if d.ios+d.long == 0 {
		j.Read.Runtime = 0
	}
	if d.long > 0 {
		j.Read.Latency.Max = d.took * 1e9
		j.Read.Latency.Mean = (float64(d.ios)*1e6 + float64(d.long)*d.took*1e9) / float64(d.ios+d.long)
		j.Read.Latency.Bins.histogram.Add(histogram.BucketOf(uint64(d.took*1e9)), d.long)
	}
	return j
}

// Stalled storage keeps fio from printing, and the next document carries the time at which it was
// due. The seconds without I/O are seconds of the repeat.
func TestSecondsWithoutIOAreSecondsOfTheRepeat(t *testing.T) {
	for name, c := range map[string]struct {
		jobs, flight int
		docs         []doc
		// want is the number of I/Os in each sample, length that of the repeat in s.
		want   []uint64
		length float64
		stalls []model.Stall
	}{
		"in the midst": {1, 4, []doc{
			{at: 1, ms: 1000, ios: 1000}, {at: 2, ms: 2000, ios: 2000},
			{at: 7.5, ms: 3000, ios: 2500, long: 4, took: 5.01, quiet: 5.5, state: 'S'},
			{at: 8, ms: 8000, ios: 3000, long: 4, took: 5.01}, {at: 9, ms: 9000, ios: 4000, long: 4, took: 5.01}, {at: 10, ms: 10000, ios: 5000, long: 4, took: 5.01},
		}, []uint64{1000, 1000, 500, 0, 0, 0, 0, 4, 1500, 1000}, 10, []model.Stall{{Begin: 2.49, Seconds: 5.01}}},
		"up to the end": {4, 4, []doc{
			{at: 1, ms: 1000, ios: 1000}, {at: 14.5, ms: 2000, ios: 1400, long: 4, took: 13.1, quiet: 13.5, state: 'D'},
			{at: 14.51, ms: 14510, ios: 1400, long: 4, took: 13.1},
		}, []uint64{1000, 400, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 4}, 14.51, []model.Stall{{Begin: 1.4, Seconds: 13.1}}},
		"longer than a histogram tells": {4, 4, []doc{
			{at: 1, ms: 1000, ios: 1000}, {at: 61.5, ms: 2000, ios: 1500, long: 4, took: 60, quiet: 60.5, state: 'S'},
			{at: 62, ms: 62000, ios: 2000, long: 4, took: 60},
		}, append(append([]uint64{1000, 1000}, make([]uint64, 59)...), 4), 62, []model.Stall{{Begin: 1.5, Seconds: 60}}},
		"one job of four is passed over": {4, 4, []doc{
			{at: 1, ms: 1000, ios: 1000}, {at: 6.5, ms: 2000, ios: 6500, long: 1, took: 5, quiet: 5.5, state: 'S'},
			{at: 7, ms: 7000, ios: 7000, long: 1, took: 5},
		}, []uint64{1000, 6001}, 7, nil},
		"fio is suspended": {1, 4, []doc{
			{at: 1, ms: 1000, ios: 1000}, {at: 6.5, ms: 2000, ios: 1500, long: 4, took: 5, quiet: 5.5, state: 'T'},
			{at: 8, ms: 8000, ios: 3000, long: 4, took: 5},
		}, []uint64{1000, 500, 0, 0, 0, 0, 4, 1500}, 8, []model.Stall{{Begin: 1.5, Seconds: 5, Cause: model.StallSuspended}}},
		"we were late, and not fio": {1, 4, []doc{
			{at: 1, ms: 1000, ios: 1000}, {at: 4, ms: 2000, ios: 2000, quiet: 3, state: 'S'}, {at: 4, ms: 3000, ios: 3000}, {at: 4, ms: 4000, ios: 4000},
		}, []uint64{1000, 1000, 1000, 1000}, 4, nil},
		"while fio connects": {1, 4, []doc{
			{at: 1, ms: 900}, {at: 2, ms: 1900}, {at: 3, ms: 2900}, {at: 4, ms: 3900}, {at: 5, ms: 4900}, {at: 6, ms: 5900}, {at: 7, ms: 1000, ios: 1000}, {at: 8, ms: 2000, ios: 2000},
		}, []uint64{1000, 1000}, 2, []model.Stall{{Begin: 0, Seconds: 6}}},
		"slow storage": {1, 64, []doc{
			{at: 1, ms: 1000, long: 20, took: 3}, {at: 2, ms: 2000, long: 40, took: 3}, {at: 3, ms: 3000, long: 60, took: 3},
		}, []uint64{20, 20, 20}, 3, nil},
		"fio polls on, and prints": {1, 1, []doc{
			{at: 1, ms: 1000, ios: 1000}, {at: 2, ms: 2000, ios: 1500}, {at: 3, ms: 3000, ios: 1500}, {at: 4, ms: 4000, ios: 1500}, {at: 5, ms: 5000, ios: 1700, long: 1, took: 3.3},
		}, []uint64{1000, 500, 0, 0, 201}, 5, []model.Stall{{Begin: 2, Seconds: 3}}},
	} {
		t.Run(name, func(t *testing.T) {
			var now float64
			var samples []model.Sample
			last := c.docs[len(c.docs)-1]
			s := &series{whole: int64(1000 * c.length), jobs: c.jobs, flight: c.flight, reads: true,
				now: func() float64 { return now }, emit: func(x model.Sample) { samples = append(samples, x) }}
			if name == "up to the end" {
				s.whole = 3000
			}
			for _, d := range c.docs {
				now = d.at
				if d.quiet > 0 {
					q := silence{length: time.Duration(d.quiet * float64(time.Second))}
					q.check([]byte{'S', d.state}, checkInterval)
					s.silent(q)
				}
				if err := s.add(d.job()); err != nil {
					t.Fatal(err)
				}
			}
			s.finish(true)
			var got []uint64
			var total model.Flow
			var seconds float64
			for _, x := range samples {
				got = append(got, x.Read.IOs)
				total.Add(*x.Read)
				seconds += x.Seconds
			}
			if len(got) != len(c.want) {
				t.Fatalf("%v, want %v", got, c.want)
			}
			for i := range got {
				if got[i] != c.want[i] {
					t.Fatalf("%v, want %v", got, c.want)
				}
			}
			// fio's final totals are the reference for the sums.
			whole := last.job().Read
			if total.IOs != whole.IOs || total.Bytes != whole.Bytes || math.Abs(seconds-floored-float64(whole.Runtime)/1000) > 1e-9 || total.Histogram.Count() != whole.Latency.N {
				t.Errorf("%d I/Os, %d bytes and %d latencies in %g s, and fio says %+v", total.IOs, total.Bytes, total.Histogram.Count(), seconds, whole)
			}
			if mean := total.LatencySum / float64(total.IOs); math.Abs(mean/(whole.Latency.Mean/1e9)-1) > 0.02 || total.Max != whole.Latency.Max/1e9 {
				t.Errorf("mean %g s, max %g s, and fio says %+v", mean, total.Max, whole.Latency)
			}
			if len(s.stalls) != len(c.stalls) {
				t.Fatalf("%+v, want %+v", s.stalls, c.stalls)
			}
			for i, x := range s.stalls {
				if w := c.stalls[i]; math.Abs(x.Begin-w.Begin) > 0.02 || math.Abs(x.Seconds-w.Seconds) > 0.02 || x.Cause != w.Cause {
					t.Errorf("%+v, want %+v", x, w)
				}
			}
		})
	}
}
