package fio

import (
	"context"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/loadline/loadline/internal/measure/load"
	"github.com/loadline/loadline/internal/measure/load/loadtest"
	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/test/lab"
)

// fio's engine "null" completes each I/O at once: a million or more a second, faster than any
// storage here. The counts must add up even so.
func TestAMillionPerSecond(t *testing.T) {
	d := realDriver(t)
	lab.UpToThree(t, func() []string { return million(t, d) })
}

// million measures the engine for three seconds, and says which counts do not add up.
func million(t *testing.T, d *Driver) (wrong loadtest.Wrong) {
	t.Helper()
	w := model.Workload{Name: "rand-read-iops", Access: model.Random, Direction: model.Read, BlockSize: 4096, Depth: 64, Jobs: 2}
	v := model.Volume{Target: model.Target{Kind: model.File}, Size: 1 << 30, Engine: "null"}
	var c collected
	r, err := d.Run(context.Background(), model.StartRequest{Step: model.Step{Number: 1, Ramp: 0.5, Seconds: 3}, Workload: w, Volume: v}, load.BeginNow, c.emit)
	if err != nil || r.Error != "" {
		t.Fatalf("Run: %+v, %v", r, err)
	}
	if len(c.samples) < 3 {
		wrong.Note("%d samples", len(c.samples))
	}
	var all model.Flow
	seconds := 0.0
	for i, s := range c.samples {
		f := s.Read
		seconds += s.Seconds
		all.Add(*f)
		// fio reads one counter after the other while they increase, and may be delayed in between:
		// excess bytes in one second are missing from the next.
		if n := float64(f.Histogram.Count()); math.Abs(n/float64(f.IOs)-1) > 0.02 {
			wrong.Note("second %d: %d I/Os, %v in the histogram", i, f.IOs, n)
		}
		if mean := f.LatencySum / float64(f.IOs); !(mean > 0) || mean > 1e-3 {
			wrong.Note("second %d: the mean latency is %v s", i, mean)
		}
	}
	if n, b := float64(all.Histogram.Count()), float64(all.Bytes)/4096; math.Abs(n/float64(all.IOs)-1) > 0.01 || math.Abs(b/float64(all.IOs)-1) > 0.05 {
		wrong.Note("%d I/Os, %v blocks, %v in histograms", all.IOs, b, n)
	}
	t.Logf("%.2f million I/Os per second over %.1f s, p50 %.0f ns", float64(all.IOs)/seconds/1e6, seconds, 1e9*all.Histogram.Percentile(50))
	return wrong
}

// The counts of a day at a million I/Os per second exceed 32 bits, and the mean that fio prints is
// over 86 billion of them: the contribution of a single second can still be derived from it.
func TestADayOfAMillionPerSecond(t *testing.T) {
	const rate, day = 1000000, 86400
	doc := func(second int) []byte {
		// Every other second is twice as slow: 100 µs and 200 µs, in two buckets.
		slow := uint64(second / 2 * rate)
		n := uint64(second * rate)
		mean := (float64(n-slow)*100352 + float64(slow)*200704) / float64(n)
		return fmt.Appendf(nil, `{"jobs": [{"error": 0, "job_runtime": %d, "usr_cpu": 30.0, "sys_cpu": 60.0, "iodepth_level": {"64": 100.0}, "write": {}, "sync": {},
			"read": {"total_ios": %d, "io_bytes": %d, "runtime": %d, "lat_ns": {"min": 90000, "max": 300000, "mean": %f, "N": %d, "bins": {"100352": %d, "200704": %d}}}}]}`,
			1000*second, n, 4096*n, 1000*second, mean, n, n-slow, slow)
	}
	var samples []model.Sample
	s := &series{whole: 1000 * day, jobs: 1, reads: true, now: func() float64 { return day }, emit: func(x model.Sample) { samples = append(samples, x) }}
	for second := day - 10; second <= day; second++ {
		j, err := decode(doc(second))
		if err != nil {
			t.Fatal(err)
		}
		if err := s.add(j); err != nil {
			t.Fatal(err)
		}
	}
	s.finish(true)
	if len(samples) != 11 || !s.complete() {
		t.Fatalf("%d samples of 11, complete %v", len(samples), s.complete())
	}
	for i, x := range samples[1:] {
		want := 100352e-9
		if (day-9+i)%2 == 0 {
			want = 200704e-9
		}
		if x.Read.IOs != rate || x.Read.Bytes != 4096*rate || x.Seconds != 1 || x.Read.Histogram.Count() != rate {
			t.Errorf("second %d: %+v", i, x.Read)
		}
		if mean := x.Read.LatencySum / rate; math.Abs(mean/want-1) > 0.001 {
			t.Errorf("second %d: the mean latency is %v s, want %v", i, mean, want)
		}
		if got := x.Read.Histogram.Percentile(50); math.Abs(got/want-1) > 1.0/64 {
			t.Errorf("second %d: the median is %v s, want %v", i, got, want)
		}
	}
	if text := JobText(model.Workload{Name: "x", Access: model.Random, Direction: model.Read, BlockSize: 4096, RateIOPS: rate}, fileVolume, model.Step{Seconds: day}); !strings.Contains(text, "rate_iops=1000000\n") || !strings.Contains(text, "runtime=86400150ms\n") {
		t.Errorf("the job of a day is\n%s", text)
	}
}
