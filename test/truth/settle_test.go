package truth

import (
	"math"
	"testing"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/test/lab"
)

// readsBesideWrites are profiles of one device: reads of 1,000 per second, whatever else is
// measured.
var readsBesideWrites = map[string]string{
	"one of each": "name: own\nworkloads:\n" +
		"  - {name: reads, access: rand, direction: read, block_size: 4k, depth: 16, metric: iops}\n" +
		"  - {name: writes, access: rand, direction: write, block_size: 4k, depth: 64, metric: iops}\n",
	"more writes than reads": "name: own\nworkloads:\n" +
		"  - {name: writes, access: rand, direction: write, block_size: 4k, depth: 64, metric: iops}\n" +
		"  - {name: large, access: seq, direction: write, block_size: 128k, depth: 16, metric: bandwidth}\n" +
		"  - {name: reads, access: rand, direction: read, block_size: 4k, depth: 16, metric: iops}\n",
}

// A disk that still writes what its cache took reads at half its speed. That speed is not
// the answer to how fast it reads.
func TestReadsBesideWritesAreThoseOfASettledDisk(t *testing.T) {
	defer parts(t)()
	for name, profile := range readsBesideWrites {
		t.Run(name, func(t *testing.T) {
			join(t, guest{seconds: 120})
			device := lab.Backlogged(t, lab.Backlog{IOPS: 1000, Cache: 20000, Size: 128 << 20})
			o := measure(t.Context(), t, device.Target(), "--profile", ownFile(t, "own.yaml", profile), "--max-time", "40s",
				"--destroy-data-on", device.Target())
			settledOrSuspect(t, o.result(t, "reads"), 1000)
		})
	}
}

// settledOrSuspect fails for a number that is off by more than 5 % and believed.
func settledOrSuspect(t *testing.T, r model.Result, truth float64) {
	t.Helper()
	t.Logf("%s: %.0f/s (%.0f to %.0f), %s %v, visits %.0f", r.Workload, r.Value, r.Low, r.High, r.Verdict, r.Findings, r.Visits)
	if r.Verdict == model.Valid && math.Abs(r.Value/truth-1) > 0.05 {
		t.Errorf("%s are said to be %.0f/s, valid, where %.0f/s are true", r.Workload, r.Value, truth)
	}
}
