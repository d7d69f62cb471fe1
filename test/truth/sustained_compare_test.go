package truth

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/test/lab"
)

// honestWrites has the limits of burstingWrites once its burst credit is used up.
var honestWrites = lab.Throttle{Read: lab.Limit{IOPS: 3000}, Write: lab.Limit{IOPS: 500}, Size: 320 << 20}

// A comparison of two devices, one or both of which have burst credits, shows the difference in
// sustained rates, or says that it is unknown: a burst is not a difference.
func TestACreditIsNoDifference(t *testing.T) {
	defer scheduleSubtests(t)()
	for _, c := range []struct {
		name string
		a, b lab.Throttle
		// sides are those with a burst credit.
		sides string
	}{
		{"a burst and its like", burstingWrites, burstingWrites, "AB"},
		{"a burst against an honest device", honestWrites, burstingWrites, "B"},
	} {
		t.Run(c.name, func(t *testing.T) {
			runWithRetry(t, demand{seconds: 180, slots: 2}, func(t testing.TB) {
				a, b := lab.Throttled(t, c.a), lab.Throttled(t, c.b)
				got, code := comparison(t, a.Target(), b.Target(), "--profile", ownFile(t, "own.yaml", fourWorkloads), "--size", "320M", "--max-time", "200s",
					"--destroy-data-on", b.Target(), "--destroy-data-on", a.Target())
				if code != 0 && code != 4 {
					t.Fatalf("exit code %d: %+v", code, got.Findings)
				}
				for _, r := range got.Rows {
					if r.Metric != model.IOPS {
						continue
					}
					truth := 3000.0
					if r.Workload == "writes" {
						truth = 500
					}
					for _, v := range []float64{r.A.Value, r.B.Value} {
						if math.Abs(v/truth-1) > 0.05 && r.Trust == model.Valid {
							t.Errorf("%s: %.0f/s against %.0f/s is %s, where %.0f/s last", r.Workload, r.A.Value, r.B.Value, r.Trust, truth)
						}
					}
					if r.Trust == model.Valid && r.Verdict != model.Same && r.Verdict != model.Unclear {
						t.Errorf("%s: %s by %.2f, where both do the same", r.Workload, r.Verdict, r.Ratio.Value)
					}
				}
				for _, side := range c.sides {
					// What is the same of both sides is said once. On busy processors there may be no time for a second look.
					if !slices.ContainsFunc([]string{"%c: burst: ", "%c: slower without pauses"}, func(words string) bool {
						return told(got.Findings, fmt.Sprintf(words, side)) || c.sides == "AB" && told(got.Findings, "A and "+fmt.Sprintf(words, 'B'))
					}) {
						t.Errorf("the burst of %c is not told of: %+v", side, got.Findings)
					}
				}
			})
		})
	}
}

// In a sweep, the cell with large blocks uses a burst credit for bytes, which refills while the
// others are measured.
func TestASweepTellsWhatLasts(t *testing.T) {
	runWithRetry(t, demand{seconds: 140}, func(t testing.TB) {
		// 250 large reads per second move three times the sustained bandwidth, for 7 s.
		d := lab.Throttled(t, lab.Throttle{Size: 128 << 20,
			Read: lab.Limit{IOPS: 250, BytesPerSecond: 20 << 20, BurstBytes: 80 << 20, BurstSeconds: 4}})
		o := command(t.Context(), t, "sweep", d.Target(), "--depth", "8", "--bs", "4k,16k,64k,256k", "--max-time", "130s", "--format", "json", "--results", t.TempDir())
		if err := json.Unmarshal([]byte(o.stdout), &o.report); err != nil {
			t.Fatalf("exit code %d, %v: %s", o.code, err, o.stdout)
		}
		lasts(t, o, "randread-256k-qd8-j1", 80)
		for _, block := range []string{"4k", "16k"} {
			if r := o.result(t, "randread-"+block+"-qd8-j1"); r.Sustained == nil || r.Sustained.Fallen() {
				t.Errorf("%s: %.0f/s, %+v, though nothing holds it back", block, r.Value, r.Sustained)
			}
		}
		if !o.finding("sustained", model.SeverityNote) {
			t.Errorf("the burst is not told of: %+v", o.report.Findings)
		}
	})
}

// The rates of a load sweep are shares of what the storage sustains, and not of its burst.
func TestALoadSweepOffersWhatLasts(t *testing.T) {
	runWithRetry(t, demand{seconds: 210}, func(t testing.TB) {
		d := lab.Throttled(t, lab.Throttle{Size: 64 << 20, Read: lab.Limit{IOPS: 500, BurstIOPS: 1000, BurstSeconds: 7}})
		o := command(t.Context(), t, "sweep", d.Target(), "--load", "--max-time", "200s", "--format", "json", "--results", t.TempDir())
		if err := json.Unmarshal([]byte(o.stdout), &o.report); err != nil || o.report.Sweep == nil || o.report.Sweep.Capacity == nil {
			t.Fatalf("exit code %d, %v: %s", o.code, err, o.stdout)
		}
		if c := o.report.Sweep.Capacity.Value; math.Abs(c/500-1) > 0.05 {
			t.Errorf("a capacity of %.0f/s, where 500/s last", c)
		}
		for _, p := range o.report.Sweep.Points {
			if p.Offered > 500 {
				t.Errorf("%s offers %.0f/s, where 500/s last", p.Result, p.Offered)
			}
		}
	})
}

// One of three volumes has a burst credit, which refills while fewer are measured: the total
// of all volumes is the sustained rate.
func TestAScaleTellsWhatLasts(t *testing.T) {
	runWithRetry(t, demand{seconds: 110, slots: 2}, func(t testing.TB) {
		args := []string{"scale"}
		for i := range 3 {
			limit := lab.Limit{IOPS: 500}
			if i == 2 {
				limit.BurstIOPS, limit.BurstSeconds = 1500, 10
			}
			args = append(args, lab.Throttled(t, lab.Throttle{Size: 64 << 20, Read: limit}).Target())
		}
		o := command(t.Context(), t, append(args, "--volumes", "1,2,3", "--max-time", "100s", "--format", "json", "--results", t.TempDir())...)
		if err := json.Unmarshal([]byte(o.stdout), &o.report); err != nil || len(o.report.Scales) != 1 {
			t.Fatalf("exit code %d, %v: %s", o.code, err, o.stdout)
		}
		for _, p := range o.report.Scales[0].Points {
			t.Logf("%d volumes: %.0f, %s, each %.0f", p.Volumes, p.Total.Value, p.Verdict, p.Each)
			if want := 500 * float64(p.Volumes); math.Abs(p.Total.Value/want-1) > 0.05 {
				t.Errorf("%d volumes: %.0f in all, where %.0f last", p.Volumes, p.Total.Value, want)
			}
			for _, v := range p.Each {
				if math.Abs(v/500-1) > 0.05 {
					t.Errorf("%d volumes: each %.0f, where 500 last", p.Volumes, p.Each)
				}
			}
		}
		if !o.finding("sustained", model.SeverityNote) {
			t.Errorf("the burst is not told of: %+v", o.report.Findings)
		}
	})
}

// told reports whether a finding has these words.
func told(findings []model.Finding, words string) bool {
	for _, f := range findings {
		if strings.Contains(f.Message, words) {
			return true
		}
	}
	return false
}
