package fio

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/histogram"
)

// play feeds recorded output to a series and returns its samples and last job.
func play(t *testing.T, s *series, data []byte, asPlanned bool) ([]model.Sample, *job) {
	t.Helper()
	var out []model.Sample
	s.emit = func(x model.Sample) { out = append(out, x) }
	s.now = func() float64 { return 0 }
	docs, _, _ := cut(data, func() int { return 4096 })
	var last *job
	for _, d := range docs {
		j, err := decode([]byte(d))
		if err != nil {
			t.Fatal(err)
		}
		if err := s.add(j); err != nil {
			t.Fatal(err)
		}
		last = j
	}
	s.finish(asPlanned)
	return out, last
}

func TestSeriesRecorded(t *testing.T) {
	type row struct {
		Seconds                  float64
		Reads, Writes, Syncs     uint64
		ReadBytes, ReadLatencies uint64
	}
	for name, c := range map[string]struct {
		file      string
		series    series
		asPlanned bool
		want      []row
		complete  bool
		short     uint64
		failures  uint64
	}{
		// The first document falls into the ramp, the fifth counts the end.
		"ramp, two jobs, flushes": {
			file: "ramp-mixed-sync.json", series: series{whole: 3000, jobs: 2, reads: true, writes: true}, asPlanned: true,
			want: []row{
				{1.115 + floored, 45, 44, 87, 180224, 45},
				{1, 40, 40, 80, 163840, 40},
				{1, 39, 40, 80, 163840, 40},
			}, complete: true,
		},
		// The step is longer than fio ran: the final document closes the gap.
		"missed tick": {
			file: "ramp-mixed-sync.json", series: series{whole: 3300, jobs: 2, reads: true, writes: true}, asPlanned: true,
			want: []row{
				{1.115 + floored, 45, 44, 87, 180224, 45},
				{1, 40, 40, 80, 163840, 40},
				{1, 39, 40, 80, 163840, 40},
				{0.037, 2, 2, 4, 12288, 2},
			}, complete: true,
		},
		"EIO in the third second": {
			file: "nbd-eio.json", series: series{whole: 5000, jobs: 1, reads: true},
			want: []row{{Seconds: 0.894 + floored, Reads: 46, ReadBytes: 184320, ReadLatencies: 45}, {Seconds: 0.999, Reads: 50, ReadBytes: 204800, ReadLatencies: 50}},
			// fio reports the error but does not count it.
			failures: 1,
		},
		"interrupted in the third second": {
			file: "sigint.json", series: series{whole: 5000, jobs: 1, writes: true},
			want: []row{{Seconds: 0.889 + floored, Writes: 179}, {Seconds: 0.999, Writes: 200}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			samples, last := play(t, &c.series, fixture(t, c.file), c.asPlanned)
			var got []row
			for _, s := range samples {
				r := row{Seconds: s.Seconds}
				if s.Read != nil {
					r.Reads, r.ReadBytes, r.ReadLatencies = s.Read.IOs, s.Read.Bytes, s.Read.Histogram.Count()
				}
				if s.Write != nil {
					r.Writes = s.Write.IOs
				}
				if s.Sync != nil {
					r.Syncs = s.Sync.IOs
				}
				got = append(got, r)
			}
			if d := cmp.Diff(c.want, got); d != "" {
				t.Error(d)
			}
			if c.series.complete() != c.complete {
				t.Errorf("complete is %v", c.series.complete())
			}
			if last.short() != c.short || last.failures() != c.failures {
				t.Errorf("short %d, failures %d", last.short(), last.failures())
			}
		})
	}
}

// The sums of the samples' latencies must give the mean that fio prints at the end.
func TestSeriesMeans(t *testing.T) {
	s := &series{whole: 3300, jobs: 2, reads: true, writes: true}
	samples, last := play(t, s, fixture(t, "ramp-mixed-sync.json"), true)
	var read, sync model.Flow
	for _, x := range samples {
		read.Add(*x.Read)
		sync.Add(*x.Sync)
	}
	for name, c := range map[string]struct {
		flow model.Flow
		want latency
	}{"read": {read, last.Read.Latency}, "sync": {sync, last.Sync.Latency}} {
		mean := c.flow.LatencySum / float64(c.flow.IOs) * 1e9
		if math.Abs(mean/c.want.Mean-1) > 0.01 {
			t.Errorf("%s: mean %.0f ns, fio says %.0f", name, mean, c.want.Mean)
		}
		if h := c.flow.Histogram.Mean() * 1e9; math.Abs(h/c.want.Mean-1) > 0.01 {
			t.Errorf("%s: mean of the histogram %.0f ns, fio says %.0f", name, h, c.want.Mean)
		}
		if c.flow.Max != c.want.Max/1e9 {
			t.Errorf("%s: max %v, fio says %v", name, c.flow.Max, c.want.Max)
		}
	}
}

// If a flush is in the latency histogram but not yet in N when fio writes its document, it is
// counted once and with its latency.
func TestSeriesCountsEachFlushOnce(t *testing.T) {
	flushed := func(ms int64, n, inBins uint64) *job {
		j := made(ms, n)
		j.Sync = j.Read
		j.Sync.IOs, j.Sync.Latency.N = 0, n
		j.Sync.Latency.Bins = bins{}
		j.Sync.Latency.Bins.histogram.Add(histogram.BucketOf(1e6), inBins)
		j.Sync.Latency.Bins.count = inBins
		return j
	}
	s := &series{whole: 3000, jobs: 1, reads: true}
	x, err := s.between(flushed(1000, 10, 10), flushed(2000, 19, 20))
	if err != nil || x.Sync == nil || x.Sync.IOs != 10 || x.Sync.Histogram.Count() != 10 || math.Abs(x.Sync.LatencySum-10e-3) > 1e-9 {
		t.Errorf("%+v, %v", x.Sync, err)
	}
}

// made returns a job's state after the given time with reads of 1 ms each.
func made(ms int64, ios uint64) *job {
	j := &job{JobRuntime: ms, Read: direction{IOs: ios, Bytes: ios * 4096, Runtime: ms}}
	if ios == 0 {
		// fio reports no time for a direction before its first I/O.
		j.Read.Runtime = 0
		return j
	}
	j.Read.Latency = latency{N: ios, Mean: 1e6, Max: 1e6}
	j.Read.Latency.Bins.histogram.Add(histogram.BucketOf(1e6), ios)
	j.Read.Latency.Bins.count = ios
	return j
}

func TestSeriesOddTurns(t *testing.T) {
	ramp := func(ms int64, ios uint64) *job {
		j := made(ms, ios)
		j.Read.Latency = latency{}
		return j
	}
	for name, c := range map[string]struct {
		docs []*job
		want []float64
		ios  []uint64
		fail bool
	}{
		"plain":                    {docs: []*job{made(1000, 10), made(2000, 30), made(3000, 60), made(3150, 70)}, want: []float64{1 + floored, 1, 1}, ios: []uint64{10, 20, 30}},
		"ramp counted":             {docs: []*job{ramp(900, 500), made(1000, 10), made(2000, 30), made(3000, 60)}, want: []float64{1 + floored, 1, 1}, ios: []uint64{10, 20, 30}},
		"silent ramp":              {docs: []*job{made(1900, 0), made(1000, 10), made(2000, 30), made(3000, 60)}, want: []float64{1 + floored, 1, 1}, ios: []uint64{10, 20, 30}},
		"storage silent at first":  {docs: []*job{made(1000, 0), made(2000, 30), made(3000, 60)}, want: []float64{1 + floored, 1, 1}, ios: []uint64{0, 30, 30}},
		"storage silent then":      {docs: []*job{made(1000, 10), made(2000, 10), made(3000, 60)}, want: []float64{1 + floored, 1, 1}, ios: []uint64{10, 0, 50}},
		"nothing at all":           {docs: []*job{made(1000, 0), made(2000, 0), made(3000, 0)}, want: []float64{1 + floored, 1, 1}, ios: []uint64{0, 0, 0}},
		"a tick missed":            {docs: []*job{made(1000, 10), made(3000, 60), made(3150, 70)}, want: []float64{1 + floored, 2}, ios: []uint64{10, 50}},
		"the last tick missed":     {docs: []*job{made(1000, 10), made(2000, 30), made(3150, 70)}, want: []float64{1 + floored, 1, 1.15}, ios: []uint64{10, 20, 40}},
		"the same tick twice":      {docs: []*job{made(1000, 10), made(1000, 10), made(2000, 30), made(3000, 60)}, want: []float64{1 + floored, 1, 1}, ios: []uint64{10, 20, 30}},
		"backwards in mid-step":    {docs: []*job{made(1000, 10), made(2000, 5)}, fail: true},
		"time backwards in a step": {docs: []*job{made(1000, 10), made(500, 20)}, fail: true},
	} {
		t.Run(name, func(t *testing.T) {
			var got []float64
			var ios []uint64
			s := &series{whole: 3000, jobs: 1, reads: true, now: func() float64 { return 0 }, emit: func(x model.Sample) {
				got = append(got, x.Seconds)
				ios = append(ios, x.Read.IOs)
				if x.Read.IOs > 0 && math.Abs(x.Read.LatencySum/float64(x.Read.IOs)-1e-3) > 1e-9 {
					t.Errorf("mean latency %v", x.Read.LatencySum/float64(x.Read.IOs))
				}
			}}
			var err error
			for _, d := range c.docs {
				if err = s.add(d); err != nil {
					break
				}
			}
			if (err != nil) != c.fail {
				t.Fatalf("error %v", err)
			}
			if c.fail {
				return
			}
			s.finish(true)
			if d := cmp.Diff(c.want, got); d != "" {
				t.Error(d)
			}
			if d := cmp.Diff(c.ios, ios); d != "" {
				t.Error(d)
			}
			if !s.complete() {
				t.Error("not complete")
			}
		})
	}
}

// TestTheEndOfTheRampIsNoSample: a document taken while fio ends the ramp has the new counts but
// the old time.
func TestTheEndOfTheRampIsNoSample(t *testing.T) {
	made := func(ms int64, ios uint64) *job {
		return &job{Read: direction{IOs: ios, Bytes: ios * 4096, Runtime: ms, Latency: latency{N: ios, Mean: 1e6}}}
	}
	now := 0.0
	var got []float64
	s := &series{whole: 3000, ramp: 1, jobs: 1, reads: true, now: func() float64 { return now }, emit: func(x model.Sample) { got = append(got, x.Seconds) }}
	for _, d := range []struct {
		at float64
		*job
	}{{1.01, made(967, 1)}, {2.02, made(1004, 20)}, {3.02, made(2000, 40)}, {4.02, made(3001, 60)}} {
		now = d.at
		if err := s.add(d.job); err != nil {
			t.Fatal(err)
		}
	}
	s.finish(true)
	if diff := cmp.Diff([]float64{1.004 + floored, .996, 1.001}, got); diff != "" {
		t.Error(diff)
	}
}

// The I/Os of the first document are counted after its time is read, as the recorded documents of a device of 3,000 IOPS
// show: 3,003 I/Os, and the bytes of 2,999, after 999 ms.
func TestTheFirstSecondEndsWhenItsIOsWereCounted(t *testing.T) {
	made := func(ms int64, ios, timed uint64) *job {
		j := made(ms, ios)
		j.Read.Bytes = timed * 4096
		return j
	}
	for name, c := range map[string]struct {
		docs        []*job
		jobs, block int64
		seconds     float64
		bytes       uint64
	}{
		"a steady device":     {[]*job{made(999, 3003, 2999), made(1999, 6002, 5998)}, 1, 4096, 0.9995 * 3003 / 2999.5, 3003 * 4096},
		"no I/O late":         {[]*job{made(999, 2999, 2999), made(1999, 6002, 5998)}, 1, 4096, 0.9995, 2999 * 4096},
		"blocks of any size":  {[]*job{made(999, 3003, 2999), made(1999, 6002, 5998)}, 1, 0, 0.9995, 2999 * 4096},
		"bytes counted later": {[]*job{made(999, 2999, 3003), made(1999, 6002, 5998)}, 1, 4096, 0.9995, 3003 * 4096},
		"slow storage":        {[]*job{made(999, 6, 5), made(1999, 11, 10)}, 1, 4096, 0.9995 * 6 / 5.5, 6 * 4096},
		"slower storage":      {[]*job{made(999, 4, 2), made(1999, 6, 4)}, 1, 4096, 0.9995 * 4 / 2.5, 4 * 4096},
		"after a stall":       {[]*job{made(999, 65, 1), made(1999, 165, 165)}, 1, 4096, 0.9995, 4096},
		"nothing at its time": {[]*job{made(999, 2, 0), made(1999, 6, 6)}, 1, 4096, 0.9995, 0},
		// 300 and 100 IOPS: one I/O of each job is counted when it is issued, and one while fio waits for the job.
		"many jobs":      {[]*job{made(999, 363, 235), made(1999, 663, 535)}, 64, 4096, 0.9995 * 363 / 298.5, 363 * 4096},
		"many slow jobs": {[]*job{made(999, 163, 35), made(1999, 263, 135)}, 64, 4096, 0.9995 * 163 / 98.5, 163 * 4096},
	} {
		t.Run(name, func(t *testing.T) {
			var got []model.Sample
			s := &series{whole: 2000, jobs: int(c.jobs), flight: int(c.jobs), reads: true, block: c.block, now: func() float64 { return 0 }, emit: func(x model.Sample) { got = append(got, x) }}
			for _, d := range c.docs {
				if err := s.add(d); err != nil {
					t.Fatal(err)
				}
			}
			s.finish(true)
			first, second := got[0], got[1]
			if math.Abs(first.Seconds-c.seconds) > 1e-12 || first.Read.Bytes != c.bytes || first.Read.IOs != c.docs[0].Read.IOs {
				t.Errorf("%d I/Os and %d bytes in %g s, want %d bytes in %g s", first.Read.IOs, first.Read.Bytes, first.Seconds, c.bytes, c.seconds)
			}
			if second.Seconds != 1 || second.Read.Bytes != c.docs[1].Read.Bytes-c.docs[0].Read.Bytes {
				t.Errorf("the second second became %+v", second)
			}
		})
	}
}

// Recorded from 64 jobs on a device of 300 IOPS: at the last document half of them have run for their two seconds and issue no more.
func TestTheLastSecondEndsWithItsJobs(t *testing.T) {
	first, last := made(1210, 427), made(2210, 704)
	first.Read.Bytes, last.Read.Bytes = 300*4096, 600*4096
	var whole model.Flow
	var seconds float64
	s := &series{whole: 2000, jobs: 64, flight: 64, reads: true, block: 4096, now: func() float64 { return 0 }, emit: func(x model.Sample) {
		whole.Add(*x.Read)
		seconds += x.Seconds
		if rate := float64(x.Read.IOs) / x.Seconds; math.Abs(rate-300) > 1 {
			t.Errorf("%g IOPS", rate)
		}
	}}
	for _, d := range []*job{first, last} {
		if err := s.add(d); err != nil {
			t.Fatal(err)
		}
	}
	s.finish(true)
	if whole.IOs != 704 || whole.Bytes != 704*4096 || math.Abs(704/seconds-300) > 1 {
		t.Errorf("%d I/Os and %d bytes in %g s", whole.IOs, whole.Bytes, seconds)
	}
}

// A first second that waits for the next document is measured: counters that go backwards after it are a failure.
func TestCountersGoBackwardsAfterASecondThatWaits(t *testing.T) {
	first := made(999, 163)
	first.Read.Bytes = 35 * 4096
	s := &series{whole: 3000, jobs: 64, flight: 64, reads: true, block: 4096, now: func() float64 { return 0 }, emit: func(model.Sample) {}}
	if err := s.add(first); err != nil || !s.waits() {
		t.Fatalf("waits %v, %v", s.waits(), err)
	}
	if err := s.add(made(1999, 20)); err == nil {
		t.Error("no error")
	}
}

// Of a single second, the document after which has the final counts, nothing shows how much was late, unless it is little.
func TestTheOnlySecondIsAlignedIfLittleIsLate(t *testing.T) {
	for name, c := range map[string]struct {
		ios, timed uint64
		seconds    float64
	}{
		"a steady device": {3003, 2999, 0.9995 * 3003 / 2999.5},
		"after a stall":   {65, 1, 0.9995},
	} {
		first, last := made(999, c.ios), made(1004, c.ios+1)
		first.Read.Bytes = c.timed * 4096
		var got []float64
		s := &series{whole: 1000, jobs: 1, flight: 1, reads: true, block: 4096, now: func() float64 { return 0 }, emit: func(x model.Sample) { got = append(got, x.Seconds) }}
		for _, d := range []*job{first, last} {
			if err := s.add(d); err != nil {
				t.Fatal(err)
			}
		}
		s.finish(true)
		if len(got) != 1 || math.Abs(got[0]-c.seconds) > 1e-12 {
			t.Errorf("%s: %g s, want %g", name, got, c.seconds)
		}
	}
}

// A first interval that ends with a stall ends when its document came, so it is not made longer by what was counted late.
func TestAStalledFirstIntervalKeepsItsTime(t *testing.T) {
	late := made(4600, 635)
	late.Read.Bytes = 600 * 4096
	var seconds float64
	s := &series{whole: 6000, jobs: 1, flight: 64, block: 4096, reads: true, now: func() float64 { return 4.6 }, emit: func(x model.Sample) { seconds += x.Seconds }}
	s.length = 4
	if err := s.close(late, 4600); err != nil {
		t.Fatal(err)
	}
	s.finish(true)
	if math.Abs(seconds-4.6-floored) > 1e-9 {
		t.Errorf("%g s", seconds)
	}
}

func TestOnlyWhatKeepsItsNumberInFlightIsAligned(t *testing.T) {
	for name, c := range map[string]struct {
		w    model.Workload
		want int64
	}{
		"closed loop":       {model.Workload{BlockSize: 4096, Depth: 8}, 4096},
		"a rate":            {model.Workload{BlockSize: 4096, Depth: 8, RateIOPS: 100}, 0},
		"a rate of bytes":   {model.Workload{BlockSize: 4096, Depth: 8, RateBandwidth: 1e6}, 0},
		"an open loop":      {model.Workload{BlockSize: 4096, Depth: 8, OpenLoop: true, RateIOPS: 100}, 0},
		"a user's own file": {model.Workload{BlockSize: 4096, Job: "rw=randread"}, 0},
	} {
		if got := blockSize(c.w); got != c.want {
			t.Errorf("%s: %d, want %d", name, got, c.want)
		}
	}
}

func TestBinsRefuseRubbish(t *testing.T) {
	for _, in := range []string{`{"1":}`, `{"1" : -2}`, `[1,2]`, `{"a":1}`, `"x"`, `{"1" : {"2" : 3}, "5" : 1.5}`} {
		var b bins
		if err := b.UnmarshalJSON([]byte(in)); err == nil && b.count > 0 {
			t.Errorf("%s gives %d latencies", in, b.count)
		}
	}
	var b bins
	if err := b.UnmarshalJSON([]byte("{\n \"1000\" : 3,\n \"2000\" : 4 }")); err != nil || b.count != 7 || b.histogram.Count() != 7 {
		t.Errorf("%v, %d", err, b.count)
	}
	if err := b.UnmarshalJSON([]byte("{ }")); err != nil || b.count != 0 {
		t.Errorf("empty: %v, %d", err, b.count)
	}
}

func TestLevelsAddUpToOne(t *testing.T) {
	_, last := play(t, &series{whole: 3000, jobs: 2}, fixture(t, "ramp-mixed-sync.json"), true)
	var sum float64
	for _, v := range last.levels() {
		sum += v
	}
	if math.Abs(sum-1) > 1e-9 || last.levels()["2"] < 0.7 {
		t.Errorf("%v add up to %v", last.levels(), sum)
	}
	user, system := last.cores()
	if want := 2 * last.UserCPU / 100; math.Abs(user-want) > 1e-12 || system <= 0 {
		t.Errorf("two jobs use %v + %v cores, want %v", user, system, want)
	}
}

func TestSubmissionIsAPartOfTheLatency(t *testing.T) {
	_, last := play(t, &series{whole: 3000, jobs: 2}, fixture(t, "ramp-mixed-sync.json"), true)
	got := last.submission()
	for d, x := range map[model.Direction]direction{model.Read: last.Read, model.Write: last.Write} {
		if got[d] <= 0 || got[d] >= x.Latency.Mean/1e9 {
			t.Errorf("%s: %v s of %v s were the submission", d, got[d], x.Latency.Mean/1e9)
		}
	}
	// fio's psync: the call that submits an I/O also waits for it.
	for _, text := range []string{`{"jobs":[{"read":{"total_ios":9,"slat_ns":{"mean":0,"N":0},"lat_ns":{"N":9,"mean":5000}}}]}`, `{"jobs":[{"read":{"total_ios":9}}]}`} {
		j, err := decode([]byte(text))
		if err != nil || j.submission() != nil {
			t.Errorf("%v, %v", j.submission(), err)
		}
	}
}

// BenchmarkDocument measures the cost of one second of a run.
func BenchmarkDocument(b *testing.B) {
	docs, _, _ := cut(fixture(b, "ramp-mixed-sync.json"), func() int { return 1 << 20 })
	data := []byte(docs[3])
	b.SetBytes(int64(len(data)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := decode(data); err != nil {
			b.Fatal(err)
		}
	}
}
