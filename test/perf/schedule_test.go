package perf

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/test/lab"
)

const (
	scheduleIOPS      = 3000
	scheduleBandwidth = 125 << 20
	// kbenchVisit is what Kbench spends on each workload: 5 s and 20 s.
	kbenchVisit = 25
)

// kbenchAspects are Kbench's three executions of fio, in its order.
var kbenchAspects = []struct {
	suffix, block string
	depth         int
	metric        model.Metric
	// truth is what the device is set to, in base units: 4 KiB blocks run into the
	// limit on IOPS, 128 KiB blocks into the one on bytes, and one I/O in flight
	// takes as long as the limit makes it wait, 1/IOPS. fio's own turn between two
	// I/Os is in that time too, so both schedules see a little less.
	truth float64
	what  string
}{
	{"iops", "4K", 64, model.IOPS, scheduleIOPS, "3,000/s: the limit on IOPS"},
	{"bw", "128k", 64, model.Bandwidth, scheduleBandwidth, "125 MiB/s: the limit on bytes"},
	{"lat", "4k", 1, model.Latency, 1.0 / scheduleIOPS, "333.3 µs: 1/IOPS at depth 1"},
}

// bareAspect runs the four jobs of one of Kbench's aspects as Kbench does (one
// fio, one job after the other, 5 s of ramp and 20 s each) and returns the means
// that Kbench reports, by workload, and the time that it took.
func bareAspect(b *testing.B, d lab.Device, aspect int) (map[string]float64, float64) {
	b.Helper()
	a := kbenchAspects[aspect]
	text := fmt.Sprintf("[global]\nioengine=nbd\nuri=%s\nsize=%d\nbs=%s\niodepth=%d\nrandrepeat=0\nverify=0\ndirect=1\n"+
		"time_based=1\nramp_time=5s\nruntime=20s\nnumjobs=1\n", d.URI, d.Size, a.block, a.depth)
	for _, access := range []string{"rand", "seq"} {
		for _, direction := range []string{"read", "write"} {
			text += fmt.Sprintf("[%s-%s-%s]\nrw=%s%s\nstonewall=1\n", access, direction, a.suffix, strings.TrimPrefix(access, "seq"), direction)
		}
	}
	type direction struct {
		IOPS    float64 `json:"iops_mean"`
		KiB     float64 `json:"bw_mean"`
		Latency struct {
			Mean float64 `json:"mean"`
		} `json:"lat_ns"`
	}
	var doc struct {
		Jobs []struct {
			Name        string `json:"jobname"`
			Read, Write direction
		} `json:"jobs"`
	}
	start := time.Now()
	bareFio(b, text, &doc)
	took := time.Since(start).Seconds()
	if len(doc.Jobs) != 4 {
		b.Fatalf("fio printed %d results for four jobs", len(doc.Jobs))
	}
	values := map[string]float64{}
	for _, j := range doc.Jobs {
		way := j.Read
		if strings.Contains(j.Name, "-write-") {
			way = j.Write
		}
		values[j.Name] = map[model.Metric]float64{
			model.IOPS: way.IOPS, model.Bandwidth: way.KiB * 1024, model.Latency: way.Latency.Mean / 1e9}[a.metric]
	}
	return values, took
}

// BenchmarkKbenchSchedule compares what the twelve workloads of Kbench cost and
// how far off they are, by Loadline at ±5 % and by Kbench's own schedule, on a
// device whose answers are known. The two take turns: Loadline measures all
// twelve between the aspects of Kbench, so twice.
func BenchmarkKbenchSchedule(b *testing.B) {
	for range b.N {
		d := lab.Throttled(b, lab.Throttle{IOPS: scheduleIOPS, BytesPerSecond: scheduleBandwidth})
		bare := map[string]float64{}
		var bareSeconds, measuring, whole float64
		var reports []model.Report
		for aspect := range kbenchAspects {
			if aspect > 0 {
				start := time.Now()
				r := measured(b, d.Target(), "--profile", "kbench", "--size", fmt.Sprint(d.Size), "--destroy-data-on", d.Target())
				whole += time.Since(start).Seconds() / 2
				measuring += r.Run.MeasuredSeconds / 2
				reports = append(reports, r)
			}
			values, took := bareAspect(b, d, aspect)
			bareSeconds += took
			for name, v := range values {
				bare[name] = v
			}
		}
		printSchedules(reports, bare)
		fmt.Printf("\nmeasuring: Loadline %.1f s (with probes, prefill and proof %.1f s), Kbench's schedule %.1f s (12 × %d s = %d s): ratio %.2f (goal ≤ 0.50)\n\n",
			measuring, whole, bareSeconds, kbenchVisit, 12*kbenchVisit, measuring/bareSeconds)
		b.ReportMetric(measuring/bareSeconds, "time-ratio")
	}
}

// printSchedules prints the error of both, row by row. Loadline's is the mean
// size of the error of its runs, which is what one run may expect; so one run of
// each is compared.
func printSchedules(reports []model.Report, bare map[string]float64) {
	t := columns()
	fmt.Fprintf(t, "\n%s, 12 workloads\ttruth\tLoadline\t\t± 95 %%\tseconds\terror\tKbench\terror\t\n", "3,000 IOPS and 125 MiB/s")
	var ours, theirs, worstOurs, worstTheirs float64
	for i, r := range reports[0].Results {
		a := kbenchAspects[i/4]
		var size float64
		var values, errors []string
		for _, report := range reports {
			v := report.Results[i].Value
			off := v/a.truth - 1
			size += math.Abs(off) / float64(len(reports))
			values, errors = append(values, model.FormatMetric(a.metric, v)), append(errors, fmt.Sprintf("%+.2f %%", 100*off))
		}
		off := bare[r.Workload]/a.truth - 1
		ours, theirs = ours+size/12, theirs+math.Abs(off)/12
		worstOurs, worstTheirs = max(worstOurs, size), max(worstTheirs, math.Abs(off))
		fmt.Fprintf(t, "%s\t%s\t%s\t\t%.2f %%\t%.0f\t%s\t%s\t%+.2f %%\t\n", r.Workload, model.FormatMetric(a.metric, a.truth),
			strings.Join(values, ", "), 100*r.HalfWidth(), r.Seconds, strings.Join(errors, ", "), model.FormatMetric(a.metric, bare[r.Workload]), 100*off)
	}
	fmt.Fprintf(t, "mean size of the error\t\t\t\t\t\t%.2f %%\t\t%.2f %%\t\n", 100*ours, 100*theirs)
	fmt.Fprintf(t, "largest\t\t\t\t\t\t%.2f %%\t\t%.2f %%\t\n", 100*worstOurs, 100*worstTheirs)
	t.Flush()
	for _, a := range kbenchAspects {
		fmt.Printf("truth of the *-%s rows: %s\n", a.suffix, a.what)
	}
}
