package text

import (
	"math"
	"time"

	"github.com/loadline/loadline/internal/model"
)

func ptr(v float64) *float64 { return &v }

// latency makes a summary; a percentile of 0 is absent.
func latency(count uint64, mean, p50, p99, p999 float64) *model.LatencySummary {
	l := &model.LatencySummary{Unit: "s", Count: count, Mean: mean, Max: 3 * p99}
	for _, x := range []struct {
		to **float64
		v  float64
	}{{&l.P50, p50}, {&l.P99, p99}, {&l.P999, p999}} {
		if x.v > 0 {
			*x.to = ptr(x.v)
		}
	}
	return l
}

// result makes a converged, valid result with a relative half-width.
func result(w model.Workload, d model.Direction, value, half float64, lat *model.LatencySummary) model.Result {
	m := w.Metric
	if d == model.Sync {
		m = model.Latency
	}
	series := make([]float64, 15)
	for i := range series {
		series[i] = value * (1 + half*math.Sin(float64(i)))
	}
	e := model.Estimate{Unit: m.Unit(), Value: value, Low: value * (1 - half), High: value * (1 + half), Confidence: 0.95}
	return model.Result{
		Workload: w.Name, Direction: d, Metric: m, Estimate: e, Converged: true, Seconds: 15, Repeats: 5,
		Verdict: model.Valid, Findings: []string{}, Latency: lat, Metrics: map[model.Metric]model.Estimate{m: e},
		RepeatValues: series[:5], Series: series, Description: w.Describe(),
	}
}

var (
	randReadIOPS  = model.Workload{Name: "rand-read-iops", Access: model.Random, Direction: model.Read, BlockSize: 4096, Depth: 64, Metric: model.IOPS}
	randWriteIOPS = model.Workload{Name: "rand-write-iops", Access: model.Random, Direction: model.Write, BlockSize: 4096, Depth: 64, Metric: model.IOPS}
	seqReadBW     = model.Workload{Name: "seq-read-bw", Access: model.Sequential, Direction: model.Read, BlockSize: 128 << 10, Depth: 64, Metric: model.Bandwidth}
	randReadLat   = model.Workload{Name: "rand-read-lat", Access: model.Random, Direction: model.Read, BlockSize: 4096, Depth: 1, Metric: model.Latency}
	dbLog         = model.Workload{Name: "db-log", Access: model.Sequential, Direction: model.Write, BlockSize: 8192, Depth: 1, Sync: "fdatasync", Metric: model.IOPS}
	mix           = model.Workload{Name: "mix-70-30", Access: model.Random, Direction: model.Mixed, ReadPercent: 70, BlockSize: 8192, Depth: 16, Metric: model.IOPS}
)

// steady is a run without any problems.
func steady() *model.Report {
	target := model.Target{Name: "/srv/data", Kind: model.Directory, Path: "/srv/data"}
	volume := model.Volume{Target: target, Path: "/srv/data/loadline.dat", Owned: true, Size: 4 << 30, Engine: "io_uring", Direct: true, Prefill: true}
	passed := func(rule string) model.Finding {
		return model.Finding{Rule: rule, Severity: model.SeverityPassed, Message: "fine"}
	}
	return &model.Report{
		Schema: model.ReportSchema,
		Run: model.RunInfo{
			ID: "20260102-030405-data", Started: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC), Status: model.Complete,
			Target: target, Volume: volume, Profile: "standard", MeasuredSeconds: 245,
			Schedule: model.Schedule{Mode: model.Rounds, Ramp: 1, Repeat: 3, MinRounds: 3, MaxTime: 300, Precision: 0.05},
			Prepare:  &model.Preparation{Written: 4 << 30, Seconds: 9.1, Proof: model.Proof{Method: "fiemap", Checked: 4 << 30}},
			Environment: model.Environment{Hostname: "node-b", Kernel: "6.12.9", CPUs: 2, Memory: 8 << 30,
				Storage: model.Storage{Filesystem: "ext4", Device: "vda", Model: "QEMU HARDDISK"}},
			Tools:     map[string]string{"fio": "3.33", "loadline": "0.1.0"},
			Workloads: []model.Workload{randReadIOPS, randWriteIOPS, seqReadBW, randReadLat, dbLog, mix},
			Directory: "loadline-results/20260102-030405-data",
		},
		Results: []model.Result{
			result(randReadIOPS, model.Read, 21432, 0.021, latency(320000, 2.98e-3, 2.74e-3, 7.9e-3, 24.1e-3)),
			result(randWriteIOPS, model.Write, 9980, 0.0004, latency(150000, 6.4e-3, 6.1e-3, 11.2e-3, 18e-3)),
			result(seqReadBW, model.Read, 635<<20, 0.034, latency(76000, 12.6e-3, 11.9e-3, 31e-3, 60e-3)),
			result(randReadLat, model.Read, 402e-6, 0.012, latency(37000, 402e-6, 381e-6, 618e-6, 1.1e-3)),
			result(dbLog, model.Write, 812, 0.041, latency(12000, 41e-6, 38e-6, 88e-6, 210e-6)),
			result(dbLog, model.Sync, 1.19e-3, 0.048, latency(12000, 1.19e-3, 1.1e-3, 3.2e-3, 0)),
			result(mix, model.Read, 7010, 0.03, latency(105000, 1.5e-3, 1.4e-3, 4.1e-3, 9e-3)),
			result(mix, model.Write, 3004, 0.03, latency(45000, 1.8e-3, 1.6e-3, 5.2e-3, 12e-3)),
		},
		Findings: []model.Finding{
			passed("interrupted"), passed("errors"), passed("memory"), passed("sparse"), passed("buffered"),
			passed("size"), passed("depth"), passed("precision"), passed("clock"),
			{Rule: "cpu", Severity: model.SeverityNotChecked, Message: "the CPU's counters were not recorded"},
		},
	}
}

// find replaces a rule's finding and applies its severity to the rule's results.
func find(r *model.Report, f model.Finding) {
	kept := r.Findings[:0]
	for _, old := range r.Findings {
		if old.Rule != f.Rule || old.Severity == model.SeverityInvalid {
			kept = append(kept, old)
		}
	}
	r.Findings = append(kept, f)
	for i := range r.Results {
		res := &r.Results[i]
		hit := len(f.Results) == 0
		for _, name := range f.Results {
			hit = hit || name == res.Workload
		}
		switch {
		case hit && f.Severity == model.SeverityInvalid:
			res.Verdict = model.Invalid
		case hit && f.Severity == model.SeverityWarning && res.Verdict == model.Valid:
			res.Verdict = model.Suspect
		}
	}
}

// noisy has results that did not converge, one of them with a drop.
func noisy() *model.Report {
	r := steady()
	w := &r.Results[1]
	w.Converged, w.Low, w.High = false, w.Value*0.81, w.Value*1.23
	for i := range w.Series {
		w.Series[i] = 12000
		if i > 8 {
			w.Series[i] = 6000
		}
	}
	r.Results[3].Converged, r.Results[3].High = false, r.Results[3].Value*1.08
	find(r, model.Finding{Rule: "precision", Severity: model.SeverityWarning, Results: []string{"rand-write-iops"},
		Message: "not converged: the interval is ±23 % where ±5 % was asked for",
		Next:    "loadline run /srv/data --only=rand-write-iops --max-time 600s"})
	r.Findings = append(r.Findings, model.Finding{Rule: "precision", Severity: model.SeverityNote, Results: []string{"rand-read-lat"},
		Message: "not converged: the interval is ±8 %, but ±5 % was requested",
		Next:    "loadline run /srv/data --only=rand-read-lat --max-time 600s"})
	return r
}

// sparse has reads of holes.
func sparse() *model.Report {
	r := steady()
	for _, i := range []int{0, 2, 3} {
		r.Results[i].Value *= 26.4
		r.Results[i].Low *= 26.4
		r.Results[i].High *= 26.4
	}
	r.Results[0].Latency = latency(9, 1e-6, 0, 0, 0)
	find(r, model.Finding{Rule: "sparse", Severity: model.SeverityInvalid, Results: []string{"rand-read-iops", "seq-read-bw", "rand-read-lat", "mix-70-30"},
		Message: "read holes: 3.9 GiB of 4 GiB were never written (fiemap), and reading those needs no disk",
		Next:    "let Loadline fill the volume: name a directory, or for a device or file add --destroy-data-on"})
	find(r, model.Finding{Rule: "size", Severity: model.SeverityWarning, Results: []string{"seq-read-bw"},
		Message: "may re-read: 4 GiB is less than 25 s at 16.4 GiB/s (seq-read-bw), so a cache below may have answered; the rule asks for 410 GiB",
		Next:    "loadline run /srv/data --size 410GiB"})
	return r
}

// buffered has a finding that applies to every number.
func buffered() *model.Report {
	r := steady()
	r.Run.Volume.Direct = false
	r.Run.Note = "after the firmware update"
	find(r, model.Finding{Rule: "buffered", Severity: model.SeverityWarning,
		Message: "buffered: direct I/O was refused (Invalid argument), so these numbers are partly the page cache's",
		Next:    "measure a filesystem or device that takes O_DIRECT"})
	return r
}

// interrupted lost some of its workloads.
func interrupted() *model.Report {
	r := steady()
	r.Results = r.Results[:3]
	for i := range r.Results {
		r.Results[i].Repeats = 1 + i%2
	}
	r.Results[2].Confidence, r.Results[2].Converged = 0, false
	r.Results[2].Low, r.Results[2].High = r.Results[2].Value, r.Results[2].Value
	r.Run.Status, r.Run.Reason, r.Run.MeasuredSeconds = model.Interrupted, "SIGINT", 21
	find(r, model.Finding{Rule: "interrupted", Severity: model.SeverityWarning,
		Message: "partial: the run was interrupted (SIGINT); 5 of at least 18 repeats were made", Next: "loadline run /srv/data"})
	find(r, model.Finding{Rule: "errors", Severity: model.SeverityInvalid, Results: []string{"rand-read-lat"},
		Message: "incomplete: 1 of 1 repeats of rand-read-lat went wrong: fio ended with \x1b[31mInput/output error\x1b[0m",
		Next:    "fix the cause, then loadline run /srv/data --only=rand-read-lat"})
	return r
}
