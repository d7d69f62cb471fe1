package truth

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/test/lab"
)

// honestWrites does what burstingWrites does when its credit is used up.
var honestWrites = lab.Throttle{Read: lab.Limit{IOPS: 3000}, Write: lab.Limit{IOPS: 500}, Size: 320 << 20}

// Of two devices of which one or both have burst credits a comparison tells what lasts, or
// that it does not know: a burst is not the difference between them.
func TestACreditIsNoDifference(t *testing.T) {
	defer scheduleSubtests(t)()
	for _, c := range []struct {
		name string
		a, b lab.Throttle
		// sides tell which have a credit.
		sides string
	}{
		{"a burst and its like", burstingWrites, burstingWrites, "AB"},
		{"a burst against an honest device", honestWrites, burstingWrites, "B"},
	} {
		t.Run(c.name, func(t *testing.T) {
			runWithRetry(t, demand{seconds: 180, slots: 2}, func(t testing.TB) {
				a, b := lab.Throttled(t, c.a), lab.Throttled(t, c.b)
				got, code := comparison(t, a.Target(), b.Target(), "--profile", ownFile(t, "own.yaml", fourWorkloads), "--size", "320M", "--max-time", "170s",
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
					if !told(got.Findings, fmt.Sprintf("%c: burst: ", side)) {
						t.Errorf("the burst of %c is not told of: %+v", side, got.Findings)
					}
				}
			})
		})
	}
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
