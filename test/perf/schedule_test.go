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
	// scheduleSize (bytes) is written in 25 s, which shows the sustained write rate; the
	// volume that Kbench asks for, 30 GiB, takes four minutes.
	scheduleSize = 3 << 30
	// kbenchRepeat is the time of Kbench for each workload: 5 s and 20 s.
	kbenchRepeat = 25
)

// kbenchAspects are Kbench's three executions of fio, in its order.
var kbenchAspects = []struct {
	suffix, block string
	depth         int
	metric        model.Metric
	// truth is the device's setting, in base units.
	truth float64
	what  string
}{
	{"iops", "4K", 64, model.IOPS, scheduleIOPS, "the limit on IOPS, which 4 KiB blocks run into"},
	{"bw", "128k", 64, model.Bandwidth, scheduleBandwidth, "the limit on bytes, which 128 KiB blocks run into"},
	{"lat", "4k", 1, model.Latency, 1.0 / scheduleIOPS, "1/IOPS at depth 1, less what fio itself needs from one I/O to the next: so the rate is shown too"},
}

// means are the results of Kbench's schedule for a workload: the mean that Kbench
// reports, and the IOPS.
type means struct{ headline, iops float64 }

// bareAspect runs the four jobs of one of Kbench's aspects as Kbench does (one
// fio, one job after the other, 5 s of ramp and 20 s each) and returns the means
// that Kbench reports, by workload, and the time that it took.
func bareAspect(b *testing.B, d lab.Device, aspect int) (map[string]means, float64) {
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
	bareFio(b, anywhere, text, &doc)
	took := time.Since(start).Seconds()
	if len(doc.Jobs) != 4 {
		b.Fatalf("fio printed %d results for four jobs", len(doc.Jobs))
	}
	values := map[string]means{}
	for _, j := range doc.Jobs {
		way := j.Read
		if strings.Contains(j.Name, "-write-") {
			way = j.Write
		}
		headline := map[model.Metric]float64{
			model.IOPS: way.IOPS, model.Bandwidth: way.KiB * 1024, model.Latency: way.Latency.Mean / 1e9}[a.metric]
		values[j.Name] = means{headline, way.IOPS}
	}
	return values, took
}

// BenchmarkKbenchSchedule compares the cost and the errors of the twelve workloads of
// Kbench, by Loadline at ±5 % and by Kbench's own schedule, on a
// device whose answers are known. The two take turns: Loadline measures all
// twelve between the aspects of Kbench, so twice.
func BenchmarkKbenchSchedule(b *testing.B) {
	for range b.N {
		d := lab.Throttled(b, lab.Throttle{IOPS: scheduleIOPS, BytesPerSecond: scheduleBandwidth, Size: scheduleSize})
		bare := map[string]means{}
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
			measuring, whole, bareSeconds, kbenchRepeat, 12*kbenchRepeat, measuring/bareSeconds)
		b.ReportMetric(measuring/bareSeconds, "time-ratio")
	}
}

// scheduleRow is one metric of one workload by both, in base units.
type scheduleRow struct {
	name   string
	metric model.Metric
	truth  float64
	ours   []model.Estimate
	bare   float64
}

// size returns the mean absolute error of Loadline's runs, which is the expected error of one
// run, and the absolute error of Kbench's schedule, which is run once.
func (r scheduleRow) size() (ours, bare float64) {
	for _, e := range r.ours {
		ours += math.Abs(e.Value/r.truth-1) / float64(len(r.ours))
	}
	return ours, math.Abs(r.bare/r.truth - 1)
}

// printSchedules prints the errors of both, row by row, and summarizes them twice: for
// the headlines, and with the rate of those at depth 1 instead of their latency.
func printSchedules(reports []model.Report, bare map[string]means) {
	var headlines, rates []scheduleRow
	for i, r := range reports[0].Results {
		a, k := kbenchAspects[i/4], bare[r.Workload]
		headline := scheduleRow{name: r.Workload, metric: a.metric, truth: a.truth, bare: k.headline}
		rate := scheduleRow{name: r.Workload + ", its rate", metric: model.IOPS, truth: scheduleIOPS, bare: k.iops}
		for _, report := range reports {
			headline.ours = append(headline.ours, report.Results[i].Estimate)
			rate.ours = append(rate.ours, report.Results[i].Metrics[model.IOPS])
		}
		if headlines = append(headlines, headline); a.metric == model.Latency {
			rates = append(rates, rate)
		}
	}
	t := columns()
	fmt.Fprintf(t, "\n3,000 IOPS and 125 MiB/s\ttruth\tLoadline, twice\t± 95 %%\terror\tKbench\terror\t\n")
	for _, row := range append(append([]scheduleRow{}, headlines...), rates...) {
		var values, halves, errors []string
		for _, e := range row.ours {
			values = append(values, row.metric.Format(e.Value))
			halves = append(halves, fmt.Sprintf("%.2f %%", 100*e.HalfWidth()))
			errors = append(errors, fmt.Sprintf("%+.2f %%", 100*(e.Value/row.truth-1)))
		}
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\t%s\t%+.2f %%\t\n", row.name, row.metric.Format(row.truth), strings.Join(values, ", "),
			strings.Join(halves, ", "), strings.Join(errors, ", "), row.metric.Format(row.bare), 100*(row.bare/row.truth-1))
	}
	for _, sum := range []struct {
		name string
		rows []scheduleRow
	}{
		{"size of error, mean (largest)", headlines},
		{"… with rates for latencies", append(append([]scheduleRow{}, headlines[:8]...), rates...)},
	} {
		var ours, theirs, worstOurs, worstTheirs float64
		for _, row := range sum.rows {
			a, b := row.size()
			ours, theirs = ours+a/float64(len(sum.rows)), theirs+b/float64(len(sum.rows))
			worstOurs, worstTheirs = max(worstOurs, a), max(worstTheirs, b)
		}
		fmt.Fprintf(t, "%s\t\t\t\t%.3f %% (%.2f %%)\t\t%.3f %% (%.2f %%)\t\n", sum.name, 100*ours, 100*worstOurs, 100*theirs, 100*worstTheirs)
	}
	t.Flush()
	for _, a := range kbenchAspects {
		fmt.Printf("truth of the *-%s rows: %s\n", a.suffix, a.what)
	}
}
