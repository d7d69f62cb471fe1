package truth

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/loadline/loadline/internal/judge/stats"
	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/test/lab"
)

// On a device of 100 I/Os per second the quick profile has some 200 I/Os in each repeat: its
// rate is as accurate as a faster device's, and percentiles that need more than 600 I/Os are not printed. A queue of
// 64 takes 0.64 s to turn over, and so long every I/O in it waits.
func TestHundredIOPS(t *testing.T) { runWithRetry(t, demand{seconds: 100}, hundredIOPS) }

func hundredIOPS(t testing.TB) {
	t.Helper()
	const iops = 100
	d := lab.Throttled(t, lab.Throttle{IOPS: iops, Size: 64 << 20})
	stalls := watchStalls(t)
	o := measure(t.Context(), t, d.Target(), "--profile", "quick", "--size", fmt.Sprint(d.Size), "--destroy-data-on", d.Target())
	known := []string{"size", "cpu", "precision"}
	if n := stalls(); n > 0 {
		t.Logf("this machine stood still %d times", n)
		known = append(known, "tail")
	}
	// On a machine with busy processors latencies are invalid, but rates are not affected.
	if o.code != 0 && !o.finding("cpu", model.SeverityInvalid) {
		t.Errorf("exit code %d", o.code)
	}
	for _, r := range o.report.Results {
		rate, ok := r.Metrics[model.IOPS]
		if !ok || rate.Value < 0.95*iops || rate.Value > 1.05*iops {
			t.Errorf("%s: %v, the device is set to %d", r.Workload, rate, iops)
		}
		if waits := r.Metrics[model.Latency].Value; strings.Contains(r.Description, "qd64") && math.Abs(waits/(64.0/iops)-1) > 0.02 {
			t.Errorf("%s: 64 I/Os in flight wait for %.3f s each, by Little's law for 0.64 s", r.Workload, waits)
		}
		if !(r.Low > 0) || !(r.High > r.Low) || r.Confidence != stats.Confidence {
			t.Errorf("%s: %+v", r.Workload, r.Estimate)
		}
		for _, rule := range r.Findings {
			// 64 MiB are few for 25 s of 128k blocks, and latencies have wide intervals while other tests
			// run.
			if !slices.Contains(known, rule) {
				t.Errorf("%s is flagged by rule %s", r.Workload, rule)
			}
		}
		if r.Latency == nil || r.Latency.P50 == nil || !(*r.Latency.P50 > 0) {
			t.Fatalf("%s: no median of its latencies: %+v", r.Workload, r.Latency)
		}
		l := r.Latency
		for p, shown := range map[float64]*float64{90: l.P90, 99: l.P99, 99.9: l.P999, 99.99: l.P9999} {
			if shown != nil && float64(l.Count) < stats.PercentileNeeds(p) {
				t.Errorf("%s: p%v of %d I/Os is %v", r.Workload, p, l.Count, *shown)
			}
		}
		if l.Count > 1000 || l.P999 != nil {
			t.Errorf("%s: %d I/Os of about 600 were counted, p99.9 %v", r.Workload, l.Count, l.P999)
		}
	}
	if len(o.report.Results) != 6 {
		t.Errorf("%d results", len(o.report.Results))
	}
}

// Jobs leave the ramp one after the other, and fio waits for each before it counts. On a slow device both are a large part of a
// short repeat.
func TestManyJobsOnASlowDevice(t *testing.T) {
	runWithRetry(t, demand{seconds: 60}, func(t testing.TB) {
		t.Helper()
		const iops = 300
		d := lab.Throttled(t, lab.Throttle{IOPS: iops, Size: 64 << 20})
		own := ownFile(t, "own.yaml", "name: own\nrepeat_time: 2s\nworkloads:\n"+
			"  - {name: eight, access: rand, direction: read, block_size: 4k, jobs: 8, metric: iops}\n"+
			"  - {name: many, access: rand, direction: read, block_size: 4k, jobs: 64, metric: iops}\n"+
			"  - {name: deep, access: rand, direction: read, block_size: 4k, jobs: 4, depth: 8, metric: iops}\n")
		o := measure(t.Context(), t, d.Target(), "--profile", own, "--max-time", "50s", "--size", fmt.Sprint(d.Size))
		if len(o.report.Results) != 3 {
			t.Fatalf("%d results, exit code %d: %s", len(o.report.Results), o.code, o.stderr)
		}
		for _, r := range o.report.Results {
			if rate := r.Metrics[model.IOPS].Value; rate < 0.97*iops || rate > 1.03*iops {
				t.Errorf("%s: %.1f IOPS, the device is set to %d", r.Workload, rate, iops)
			}
		}
	})
}
