package e2e

import (
	"fmt"
	"testing"
)

// testScale loads up to nine volumes on three disks of 1,000 I/Os per second each, so
// every total is known: a thousand for each disk that has a volume.
func testScale(t *testing.T) {
	truth := map[int]float64{1: 1000, 2: 2000, 3: 3000, 6: 3000, 9: 3000}
	ns := namespace(t, "scale", "restricted")
	o := run(t, ns, "scale", "sc:csi?size=192Mi", "--volumes", "1,2,3,6,9", "--repeat", "2", "--max-time", "44s", "--quiet", "--format", "json")
	points := totals(t, o)
	for n, want := range truth {
		p, there := points[n]
		switch {
		case !there:
			t.Errorf("no total for %d volumes", n)
		case p.Nodes != 3:
			t.Errorf("%d volumes of a run on %d nodes", n, p.Nodes)
		default:
			p.is(t, want)
		}
	}
	nothingLeft(t, ns)

	// With one node less, the total is a third less.
	kubectl(t, "label", "node", "node1", "node2", "pair=yes")
	o = run(t, ns, "scale", "sc:csi?size=192Mi", "--volumes", "4", "--node-selector", "pair=yes", "--max-time", "12s", "--quiet", "--format", "json")
	for n, p := range totals(t, o) {
		if n != 4 || p.Nodes != 2 {
			t.Errorf("%d volumes on %d nodes", n, p.Nodes)
		}
		p.is(t, 2000)
	}
	nothingLeft(t, ns)
}

// point is what the tests read of N volumes at once.
type point struct {
	Volumes, Nodes int
	Total          struct{ Estimate float64 }
	Verdict        string
	Amplification  *amplification
}

// amplification is how many I/Os the disks behind a volume did for each I/O of the client.
type amplification struct {
	Estimate, Low, High, Expected float64
	Disks                         float64 `json:"disks_rate"`
	Devices                       []string
	NotCounted                    string `json:"not_counted"`
	Says                          string
}

// is fails unless the total is true within 3 %, see carries.
func (p point) is(t *testing.T, truth float64) {
	t.Helper()
	words := fmt.Sprintf("%d volumes: %.0f in all where the disks carry %.0f (%s)", p.Volumes, p.Total.Estimate, truth, p.Verdict)
	switch got := p.Total.Estimate; {
	case got > 1.03*truth || got < 0.97*truth && p.Verdict == "valid":
		t.Error(words)
	default:
		t.Log(words)
	}
}

func totals(t *testing.T, o outcome) map[int]point {
	t.Helper()
	var r struct{ Scales []struct{ Points []point } }
	decode(t, o, &r)
	if o.code != 0 && o.code != 5 || len(r.Scales) == 0 {
		t.Fatalf("exit code %d, %d scales: %s", o.code, len(r.Scales), o.stderr)
	}
	points := map[int]point{}
	for _, p := range r.Scales[0].Points {
		points[p.Volumes] = p
	}
	return points
}
