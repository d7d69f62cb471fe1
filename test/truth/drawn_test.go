package truth

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/test/lab"
)

// drawnDevices is how many devices are drawn with LOADLINE_LONG=1, and fewDrawn those of them
// that are always tested: one of each kind of burst credit.
const drawnDevices = 20

var fewDrawn = []uint64{3, 4, 5, 6}

// drawn is a device whose sustained rates are known.
type drawn struct {
	lab.Throttle
	// cache, if its IOPS are set, is a disk behind a write-back cache, in place of the limits.
	cache lab.Backlog
	// reads and writes are the sustained rates of 4 KiB I/Os, in 1/s, and large that of
	// 64 KiB writes.
	reads, writes, large float64
}

// cached are the draws that are write-back caches. They would otherwise be thirds of a limit for both directions,
// of mirrors and of a limit for each, which have no state that could mislead. TestReadsBesideADrainingCache
// always tests such a cache; these are drawn with LOADLINE_LONG=1.
var cached = []uint64{14, 15, 16}

// drawCache draws a disk behind a write-back cache that a few seconds of writes fill: reads are those of the disk,
// and writes are as fast as it drains.
func drawCache(seed uint64) drawn {
	r := rand.New(rand.NewPCG(seed, 20261122))
	disk := 500 + r.IntN(1001)
	rate := float64(disk)
	return drawn{cache: lab.Backlog{IOPS: rate, Cache: disk * (4 + r.IntN(30)), Size: 400 << 20}, reads: rate, writes: rate, large: rate}
}

// draw draws a device: a limit, a burst credit of some seconds on reads, on writes, or on both, a
// write-back cache, or mirrors.
func draw(seed uint64) drawn {
	if slices.Contains(cached, seed) {
		return drawCache(seed)
	}
	r := rand.New(rand.NewPCG(seed, 20261122))
	between := func(low, high int64) int64 { return low + r.Int64N(high-low+1) }
	base, times, seconds := between(300, 800), between(2, 5), between(2, 9)
	d := drawn{Throttle: lab.Throttle{Size: 400 << 20}}
	credit := lab.Limit{IOPS: base, BurstIOPS: times * base, BurstSeconds: seconds}
	steady := lab.Limit{IOPS: between(800, 3000)}
	switch seed % 7 {
	case 0:
		d.IOPS = steady.IOPS
		d.reads, d.writes = float64(steady.IOPS), float64(steady.IOPS)
	case 1:
		d.IOPS, d.Mirrors = 2*steady.IOPS, int(between(2, 3))
		d.reads, d.writes = float64(d.IOPS), float64(d.IOPS)/float64(d.Mirrors)
	case 2:
		d.Read, d.Write = steady, lab.Limit{IOPS: base}
		d.reads, d.writes = float64(steady.IOPS), float64(base)
	case 3:
		d.Read, d.Write = steady, credit
		d.reads, d.writes = float64(steady.IOPS), float64(base)
	case 4:
		d.Read, d.Write = credit, steady
		d.reads, d.writes = float64(base), float64(steady.IOPS)
	case 5:
		d.IOPS, d.BurstIOPS, d.BurstSeconds = base, times*base, seconds
		d.reads, d.writes = float64(base), float64(base)
	case 6:
		bandwidth := between(10, 16) << 20
		d.Read, d.Write = steady, lab.Limit{BytesPerSecond: bandwidth, BurstBytes: between(2, 4) * bandwidth, BurstSeconds: seconds}
		d.reads, d.writes, d.large = float64(steady.IOPS), float64(bandwidth)/4096, float64(bandwidth)/65536
	}
	if d.large == 0 {
		d.large = d.writes
	}
	return d
}

const drawnProfile = `name: own
workloads:
  - {name: writes, access: rand, direction: write, block_size: 4k, depth: 32, metric: iops}
  - {name: large-writes, access: seq, direction: write, block_size: 64k, depth: 16, metric: iops}
  - {name: reads, access: rand, direction: read, block_size: 4k, depth: 32, metric: iops}
  - {name: deep-reads, access: rand, direction: read, block_size: 4k, depth: 64, metric: iops}
`

// Whatever device is drawn: a number that is called valid is within 5 % of the sustained rate.
func TestDrawnDevices(t *testing.T) {
	lab.Need(t, "fio")
	defer scheduleSubtests(t)()
	seeds := fewDrawn
	ways := [][]string{{"--max-time", "3m"}}
	if os.Getenv("LOADLINE_LONG") != "" {
		seeds = nil
		for seed := range uint64(drawnDevices) {
			seeds = append(seeds, seed)
		}
		ways = append(ways, []string{"--time", "20s"})
	}
	for _, seed := range seeds {
		for _, way := range ways {
			d := draw(seed)
			t.Run(fmt.Sprint(seed, way), func(t *testing.T) {
				runWithRetry(t, demand{seconds: 120, slots: 2}, func(t testing.TB) { d.measure(t, way) })
			})
		}
	}
}

// start starts the device.
func (d drawn) start(t testing.TB) lab.Device {
	if d.cache.IOPS > 0 {
		return lab.Backlogged(t, d.cache)
	}
	return lab.Throttled(t, d.Throttle)
}

// measure compares a run with the sustained rates, and with LOADLINE_LONG=1 logs what plain fio measures in a
// minute.
func (d drawn) measure(t testing.TB, way []string) {
	device := d.start(t)
	o := measure(t.Context(), t, device.Target(), append([]string{"--profile", ownFile(t, "own.yaml", drawnProfile), "--size", fmt.Sprint(device.Size),
		"--destroy-data-on", device.Target()}, way...)...)
	for _, c := range []struct {
		workload, pattern string
		block             int64
		truth             float64
	}{{"writes", "randwrite", 4096, d.writes}, {"large-writes", "write", 65536, d.large}, {"reads", "randread", 4096, d.reads}, {"deep-reads", "", 0, d.reads}} {
		believed(t, o, c.workload, model.IOPS, c.truth)
		r := o.result(t, c.workload)
		line := fmt.Sprintf("%s %v: %s %.0f/s (%+.1f %%) %s %v, true %.0f/s", device.Name, way, c.workload, r.Metrics[model.IOPS].Value,
			100*(r.Metrics[model.IOPS].Value/c.truth-1), r.Verdict, r.Findings, c.truth)
		if os.Getenv("LOADLINE_LONG") != "" && c.pattern != "" && way[0] != "--time" {
			m := lab.Fio(t, device, lab.Job{Pattern: c.pattern, BlockSize: c.block, Depth: 32, Ramp: time.Second, Time: time.Minute})
			line += fmt.Sprintf(", fio in a minute %.0f/s (%+.1f %%)", m.IOPS, 100*math.Abs(m.IOPS/c.truth-1))
		}
		t.Log(line)
	}
}
