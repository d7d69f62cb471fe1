package truth

import (
	"math"
	"testing"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/test/lab"
)

// fourWorkloads are one that writes and three that read, as in a custom profile: while
// the others are measured, a burst credit for writes has time to refill.
const fourWorkloads = `name: own
workloads:
  - {name: writes, access: rand, direction: write, block_size: 4k, depth: 32, metric: iops}
  - {name: reads, access: rand, direction: read, block_size: 4k, depth: 32, metric: iops}
  - {name: other-reads, access: seq, direction: read, block_size: 4k, depth: 32, metric: iops}
  - {name: deep-reads, access: rand, direction: read, block_size: 4k, depth: 64, metric: iops}
`

// burstingWrites does 2,000 writes per second for six seconds, and then 500.
var burstingWrites = lab.Throttle{Read: lab.Limit{IOPS: 3000}, Write: lab.Limit{IOPS: 500, BurstIOPS: 2000, BurstSeconds: 6}, Size: 320 << 20}

// Short repeats with pauses between them never see the end of a burst credit that refills
// meanwhile. The published rate is still the sustained one.
func TestACreditThatRefillsBetweenRepeats(t *testing.T) {
	runWithRetry(t, demand{seconds: 110}, func(t testing.TB) {
		d, excuseStolen := lab.Throttled(t, burstingWrites), watchSteal(t)
		o := measure(t.Context(), t, d.Target(), "--profile", ownFile(t, "own.yaml", fourWorkloads), "--size", "320M", "--destroy-data-on", d.Target(), "--max-time", "2m")
		excuseStolen(o)
		lasts(t, o, "writes", 500)
		for _, name := range []string{"reads", "other-reads", "deep-reads"} {
			lasts(t, o, name, 3000)
			if r := o.result(t, name); r.Verdict != model.Valid {
				t.Errorf("%s: verdict %s %v, though nothing is wrong with reads", name, r.Verdict, r.Findings)
			}
		}
		if !o.finding("sustained", model.SeverityNote) {
			t.Errorf("the burst is not told of: %+v", o.report.Findings)
		}
	})
}

// The same with the profile that takes the least time.
func TestACreditIsSeenByQuick(t *testing.T) {
	runWithRetry(t, demand{seconds: 110}, func(t testing.TB) {
		d := lab.Throttled(t, burstingWrites)
		o := measure(t.Context(), t, d.Target(), "--profile", "quick", "--size", "320M", "--destroy-data-on", d.Target())
		lasts(t, o, "rand-write-iops", 500)
		lasts(t, o, "rand-read-iops", 3000)
		believed(t, o, "seq-write-bw", model.IOPS, 500)
		believed(t, o, "rand-write-lat", model.IOPS, 500)
	})
}

// lasts compares the rate of a workload with the sustained rate.
func lasts(t testing.TB, o outcome, workload string, rate float64) {
	t.Helper()
	if r := o.result(t, workload); math.Abs(r.Metrics[model.IOPS].Value/rate-1) > 0.05 {
		t.Errorf("%s: %.0f/s (%s), where %.0f/s last", workload, r.Metrics[model.IOPS].Value, r.Verdict, rate)
	}
}

// believed fails if a figure is far from the truth but called valid.
func believed(t testing.TB, o outcome, workload string, m model.Metric, truth float64) {
	t.Helper()
	if r := o.result(t, workload); math.Abs(r.Metrics[m].Value/truth-1) > 0.05 && r.Verdict == model.Valid {
		t.Errorf("%s: %s of %.4g is %s, where %.4g is true", workload, m, r.Metrics[m].Value, r.Verdict, truth)
	}
}
