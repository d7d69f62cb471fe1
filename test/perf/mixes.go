package perf

import (
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"strings"
	"time"

	"github.com/loadline/loadline/internal/judge/capacity"
	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/hardware"
	"github.com/loadline/loadline/internal/model/sizing"
	"github.com/loadline/loadline/internal/model/study"
	"github.com/loadline/loadline/test/lab"
)

const (
	// mixesPerCase are measured on each device, after its four pure workloads.
	mixesPerCase = 2
	// mixVolumes load the device at once, each with one I/O in flight. Pure workloads
	// are measured with 1 and three more numbers up to that.
	mixVolumes = 12
	mixDelay   = 2 * time.Millisecond
	// mixReads is the largest rate of reads of a drawn device, in 1/s: mixVolumes times one I/O in 2 ms are
	// 6,000, less what fio and the mirrors need, and a device that is never saturated tells no capacity.
	mixReads = 4800.0
	// bulk is the block size of the pure workloads whose bandwidth is measured: the
	// largest of the mixes, as smaller blocks would not show the bandwidth of larger ones.
	bulk = 64 << 10
)

// MixDevice is one drawn device: its settings are the truth.
type MixDevice struct {
	iops, bandwidth float64 // caps in 1/s and bytes/s; 0 is none
	mirrors         int
}

// DrawMixDevice draws the i-th case: a cap on I/Os, on bandwidth or both, below
// one to three mirrors.
func DrawMixDevice(r *rand.Rand, i int) MixDevice {
	c := MixDevice{mirrors: 1 + i/3%3}
	if i%3 != 1 {
		// Each mirror adds its own cap for reads.
		c.iops = math.Round(1200 + min(1600, mixReads/float64(c.mirrors)-1200)*r.Float64())
	}
	switch i % 3 {
	case 1:
		c.bandwidth = math.Round((9 + 5*r.Float64()) * (1 << 20))
	case 2:
		// Blocks of 7 to 16 KiB reach both caps.
		c.bandwidth = math.Round(c.iops * (7 + 9*r.Float64()) * 1024)
	}
	return c
}

// Name describes the caps and the mirrors.
func (c MixDevice) Name() string {
	var words []string
	if c.iops > 0 {
		words = append(words, fmt.Sprintf("%.0f IOPS", c.iops))
	}
	if c.bandwidth > 0 {
		words = append(words, fmt.Sprintf("%.1f MiB/s", c.bandwidth/(1<<20)))
	}
	return strings.Join(append(words, fmt.Sprintf("%d mirrors", c.mirrors)), ", ")
}

// uses returns the share of each cap that so many reads and writes per second of these sizes use,
// according to the settings.
func (c MixDevice) uses(reads, readBlock, writes, writeBlock float64) (operations, bytes float64) {
	copies := float64(c.mirrors)
	if c.iops > 0 {
		operations = (reads + copies*writes) / c.iops
	}
	if c.bandwidth > 0 {
		bytes = (reads*readBlock + copies*writes*writeBlock) / c.bandwidth
	}
	return operations, bytes
}

// named reports whether a resource is the bottleneck according to the settings; if both are
// within 5 %, either is right.
func named(r hardware.Resource, operations, bytes float64) bool {
	switch r {
	case hardware.LimitDiskIOPS, hardware.LimitOperations:
		return operations > 0.95*bytes
	case hardware.LimitDiskBandwidth, hardware.LimitBytes:
		return bytes > 0.95*operations
	}
	return false
}

// MixJudgement is the result of one case.
type MixJudgement struct {
	Worst            float64 // |ln(predicted / measured)|, the largest
	Asked, Right     int     // limits named, and numbers of copies inferred
	Mixes, WithinTen int
	Short            float64 // the most by which the device fell short of its settings
}

// Good reports whether everything was predicted and named correctly.
func (j MixJudgement) Good() bool { return j.WithinTen == j.Mixes && j.Right == j.Asked }

// Judge trains on pure workloads, predicts mixes that it has not seen, and measures
// them. It writes a line for each to w.
func (c MixDevice) Judge(t lab.T, r *rand.Rand, w io.Writer) (j MixJudgement) {
	d := lab.Throttled(t, lab.Throttle{IOPS: int64(c.iops), BytesPerSecond: int64(c.bandwidth), Mirrors: c.mirrors, Delay: mixDelay, Size: 64 << 20})
	points := &study.Published{Name: "pure workloads", System: hardware.System{Nodes: 1}}
	for _, direction := range []model.Direction{model.Read, model.Write} {
		points.Scales = append(points.Scales, pure(t, d, direction, 4<<10, model.IOPS), pure(t, d, direction, bulk, model.Bandwidth))
	}
	// The disks are specified; the tool has to infer the number of copies.
	told := *points
	told.System.Disk = hardware.DiskSpec{IOPS: c.iops, Bandwidth: c.bandwidth}
	st, err := capacity.Study(&told)
	if err != nil {
		t.Fatalf("%s: %v", c.Name(), err)
	}
	name := func(what string, resource hardware.Resource, operations, bytes float64) {
		j.Asked++
		verdict := "NO"
		if named(resource, operations, bytes) {
			j.Right++
			verdict = "yes"
		}
		fmt.Fprintf(w, "%s\t%s\t\t\t\t%s\t%s\t\n", c.Name(), what, resource, verdict)
	}
	for _, s := range st.Scales {
		reads, writes := 1.0, 0.0
		if s.Scale.Direction == model.Write {
			reads, writes = 0, 1
		}
		block := float64(s.Scale.BlockSize)
		operations, bytes := c.uses(reads, block, writes, block)
		last := s.Scale.Points[len(s.Scale.Points)-1].Total.Value
		if s.Scale.Metric == model.Bandwidth {
			last /= block
		}
		j.Short = max(j.Short, 1-last*max(operations, bytes))
		fmt.Fprintf(w, "%s\t%s: as set, with %d volumes\t%.0f\t%.0f\t%+.1f %%\t\t\t\n", c.Name(), s.Scale.Workload, mixVolumes, 1/max(operations, bytes), last,
			100*(1/max(operations, bytes)/last-1))
		name(s.Scale.Workload, s.Limit.Binding, operations, bytes)
		if s.Scale.Direction == model.Write {
			j.Asked++
			if copies := max(1, s.Limit.Copies); copies == c.mirrors {
				j.Right++
			} else {
				fmt.Fprintf(w, "%s\t%s\t\t\t\t%d copies\tNO\t\n", c.Name(), s.Scale.Workload, copies)
			}
		}
	}
	blocks := []int64{4 << 10, 8 << 10, 16 << 10, 64 << 10}
	for range mixesPerCase {
		share := math.Round(20+60*r.Float64()) / 100
		readBlock, writeBlock := blocks[r.IntN(len(blocks))], blocks[r.IntN(len(blocks))]
		m := lab.Fio(t, d, lab.Job{Pattern: "randrw", Jobs: mixVolumes, Time: 2 * time.Second, Options: []string{
			fmt.Sprintf("--rwmixread=%.0f", 100*share), fmt.Sprintf("--bs=%d,%d", readBlock, writeBlock)}})
		// fio draws each I/O at random, so the prediction is for the mix that fio made.
		share = float64(m.Reads) / float64(m.Total)
		expected, binding, err := capacity.Mix(points, []sizing.Flow{
			{Access: model.Random, Direction: model.Read, BlockSize: readBlock, Rate: share},
			{Access: model.Random, Direction: model.Write, BlockSize: writeBlock, Rate: 1 - share},
		}, 1)
		if err != nil {
			t.Fatalf("%s: the mix cannot be predicted: %v", c.Name(), err)
		}
		predicted := expected.Value
		miss := math.Log(predicted / m.IOPS)
		j.Worst = max(j.Worst, math.Abs(miss))
		j.Mixes++
		if math.Abs(miss) < math.Log(1.1) {
			j.WithinTen++
		}
		operations, bytes := c.uses(m.IOPS*share, float64(readBlock), m.IOPS*(1-share), float64(writeBlock))
		j.Short = max(j.Short, 1-max(operations, bytes))
		what := fmt.Sprintf("%.0f %% reads of %dk, writes of %dk", 100*share, readBlock>>10, writeBlock>>10)
		fmt.Fprintf(w, "%s\t%s\t%.0f\t%.0f\t%+.1f %%\t\t\t\n", c.Name(), what, predicted, m.IOPS, 100*(predicted/m.IOPS-1))
		// If only one cap is set, I/Os and bytes are equivalent.
		if c.iops > 0 && c.bandwidth > 0 {
			name(what, binding, operations, bytes)
		}
	}
	return j
}

// pure measures one workload on several numbers of volumes.
func pure(t lab.T, d lab.Device, direction model.Direction, block int64, metric model.Metric) study.PublishedScale {
	s := study.PublishedScale{Scale: model.Scale{Workload: fmt.Sprintf("rand-%s-%dk", direction, block>>10), Access: model.Random, Direction: direction,
		BlockSize: block, Depth: 1, Metric: metric}}
	for _, n := range []int{1, 9, 11, mixVolumes} {
		m := lab.Fio(t, d, lab.Job{Pattern: "rand" + string(direction), BlockSize: block, Jobs: n, Ramp: 500 * time.Millisecond, Time: 1500 * time.Millisecond})
		v := m.IOPS
		if metric == model.Bandwidth {
			v = m.BytesPerSecond
		}
		s.Points = append(s.Points, model.ScalePoint{Volumes: n, Nodes: 1, Total: model.Estimate{Unit: metric.Unit(), Value: v, Low: v, High: v}})
	}
	return s
}
