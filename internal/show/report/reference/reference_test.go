package reference

import (
	"strings"
	"testing"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/study"
)

// If nothing was measured, every chapter is there and says that it was not measured; no sentence is
// made up.
func TestWhatNobodyMeasuredSaysSo(t *testing.T) {
	r := Build(&study.Study{Name: "nothing"}, nil, nil)
	silent := map[string]bool{"cluster-specification": true, "questions-and-answers": true, "how-many-nodes-does-a-need-take": true}
	seen := map[string]bool{}
	for _, c := range r.Chapters {
		if seen[c.ID] {
			t.Errorf("%s is there twice", c.ID)
		}
		seen[c.ID] = true
		if silent[c.ID] {
			continue
		}
		if c.Missing == "" || len(c.Parts) > 0 {
			t.Errorf("%s: missing %q, and %d parts", c.Title, c.Missing, len(c.Parts))
		}
	}
	for _, id := range []string{"nodes", "network", "disks", "storage-system", "workload-design", "read-performance", "write-performance", "limits", "control-plane", "largest-volume"} {
		if !seen[id] {
			t.Errorf("there is no chapter %s", id)
		}
	}
	if seen["contradictions-in-the-source"] {
		t.Error("contradictions are listed, but there is no source")
	}
}

// A run of one volume yields its result with interval and verdict, and a note that nothing is known
// about more volumes.
func TestARunOfOneVolume(t *testing.T) {
	run := &model.Report{Run: model.RunInfo{Target: model.Target{Name: "/data"}, Environment: model.Environment{CPUs: 4, Memory: 8 << 30, Kernel: "6.1"}},
		Results: []model.Result{{Estimate: model.Estimate{Unit: "1/s", Value: 3000, Low: 2990, High: 3010, Confidence: 0.95}, Workload: "rand-read-iops",
			Direction: model.Read, Metric: model.IOPS, Converged: true, Verdict: model.Valid, Description: "random read, 4k"}}}
	r := Build(&study.Study{Name: "one"}, []*model.Report{run, run}, []string{"run"})
	text := flat(r)
	for _, want := range []string{"/data", "3.00k IOPS", "2.99k IOPS – 3.01k IOPS", "valid", "4 CPUs, 8 GiB", "loadline scale", "2,990 IOPS – 3,010 IOPS"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not said in\n%s", want, text)
		}
	}
	for _, c := range r.Chapters {
		if c.ID == "read-performance" && c.Missing != "" || c.ID == "write-performance" && c.Missing == "" {
			t.Errorf("%s: %q", c.ID, c.Missing)
		}
	}
}

// A point that no law covers is in the table without a residual, and one with a limit says whether
// the system sustained it.
func TestPointsBesideTheLaw(t *testing.T) {
	s := model.Scale{Workload: "rand-read-iops", Direction: model.Read, Access: model.Random, BlockSize: 4096, Metric: model.IOPS}
	point := func(n, nodes int, total, offered float64, v model.Verdict) {
		s.Points = append(s.Points, model.ScalePoint{Volumes: n, Nodes: nodes, Offered: offered, Verdict: v,
			Total: model.Estimate{Value: total}, PerVolume: model.Estimate{Value: total / float64(n)}})
	}
	point(12, 3, 3000, 0, model.Valid)
	point(1, 3, 1000, 0, model.Valid)
	point(3, 3, 2970, 0, model.Suspect)
	point(6, 3, 9999, 0, model.Invalid)
	point(6, 6, 6000, 0, model.Valid)
	point(20, 3, 2000, 100, model.Valid)
	point(20, 3, 2800, 200, model.Valid)
	s.Laws = []model.Law{{Kind: model.SaturationLaw, Chosen: true, First: model.Estimate{Value: 1000}, Capacity: &model.Estimate{Value: 3000}, Knee: 3,
		Residuals: []float64{0.001, -0.01, 0.002}}}
	r := Build(&study.Study{Scales: []study.Scale{{Scale: study.PublishedScale{Scale: s}, Limit: &study.Limit{}}}}, nil, nil)
	text := flat(r)
	for _, want := range []string{"1|3|none|1,000 IOPS|1,000 IOPS|+0.1 %|valid", "3|3|none|990 IOPS|2,970 IOPS|-1.0 %|suspect", "12|3|none|250 IOPS|3,000 IOPS|+0.2 %|valid",
		"6|3|none|1,666 IOPS|9,999 IOPS|–|invalid", "6|6|none|1,000 IOPS|6,000 IOPS|–|valid", "the system carries 2,000 IOPS", "the system was full below 4,000 IOPS"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in\n%s", want, text)
		}
	}
}

// flat returns all text of a document.
func flat(r study.Reference) string {
	var b strings.Builder
	for _, c := range r.Chapters {
		b.WriteString(c.Title + "\n" + c.Missing + "\n")
		for _, p := range c.Parts {
			b.WriteString(p.Text + "\n" + strings.Join(p.Items, "\n") + "\n")
			if p.Table != nil {
				for _, row := range p.Table.Rows {
					b.WriteString(strings.Join(row, "|") + "\n")
				}
			}
		}
	}
	return b.String()
}
