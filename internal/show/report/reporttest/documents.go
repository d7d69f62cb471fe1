// Package reporttest contains documents to render, and compares a renderer's output with a golden
// file. Its assumptions: a renderer that was tested only with well-formed documents does not work. Some
// documents are of real runs (testdata), the others are edge cases: interrupted, empty, invalid, or
// full of text that has a meaning in the format.
package reporttest

import (
	"embed"
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/amplification"
	"github.com/loadline/loadline/internal/model/saturation"
	"github.com/loadline/loadline/internal/show/report/jsonout"
)

//go:embed testdata/*.json
var saved embed.FS

// load reads a document of testdata.
func load(name string) jsonout.Document {
	data, err := saved.ReadFile("testdata/" + name + ".json")
	if err != nil {
		panic(err)
	}
	doc, err := jsonout.Read(data)
	if err != nil {
		panic(fmt.Sprintf("%s.json: %v", name, err))
	}
	return doc
}

// Report returns one of Reports.
func Report(name string) *model.Report { return Reports()[name] }

// Reports returns fresh copies of all reports, by name.
func Reports() map[string]*model.Report {
	return map[string]*model.Report{
		"quick": load("quick").Report, "mixed": load("mixed").Report, "grid": load("grid").Report, "load": load("load").Report,
		"interrupted": interrupted(), "empty": empty(), "invalid": invalid(), "goals": goals(), "hostile": Hostile(Nasty), "scale": scale(),
		"application": application(), "log-apart": logApart(),
	}
}

// Comparisons returns fresh copies of all comparisons, by name.
func Comparisons() map[string]*model.Comparison {
	same := load("comparison").Comparison
	for i := range same.Rows {
		same.Rows[i].Verdict, same.Rows[i].Needed, same.Rows[i].NeededSeconds = model.Same, 0, 0
	}
	same.Findings, same.Method, same.Next = nil, model.Independent, ""
	compared := load("comparison").Comparison
	compared.Budgets = Explanation().Comparisons
	return map[string]*model.Comparison{
		"comparison": compared, "same": same, "hostile": HostileComparison(Nasty), "nothing": {Schema: model.ComparisonSchema},
	}
}

// Durabilities returns fresh copies of all durability tests, by name.
func Durabilities() map[string]*model.Durability {
	lost := load("durability").Durability
	lost.Result, lost.Statement = model.DurabilityLostWrites, "LOST WRITES: 3 acknowledged and flushed writes were gone after cut 1"
	lost.Cuts[0].Lost, lost.Cuts[0].LostBlocks, lost.Cuts[0].Torn = 3, 2, 1
	return map[string]*model.Durability{
		"durability": load("durability").Durability, "lost-writes": lost, "hostile": HostileDurability(Nasty),
		"nothing": {Schema: model.DurabilitySchema, Status: model.Failed, Reason: "the target did not come back"},
	}
}

// interrupted returns a report that lost half of its results.
func interrupted() *model.Report {
	r := load("quick").Report
	r.Results, r.Courses = r.Results[:2], r.Courses[:2]
	r.Results[1].Confidence, r.Results[1].Converged = 0, false
	r.Results[1].Low, r.Results[1].High = r.Results[1].Value, r.Results[1].Value
	r.Run.Status, r.Run.Reason = model.Interrupted, "SIGINT"
	return r
}

// application returns a report on a database, whose transactions have costs. For one workload those
// of the device are unknown.
func application() *model.Report {
	v := func(x float64) *float64 { return &x }
	rate := model.Estimate{Unit: "1/s", Value: 1330, Low: 1150, High: 1530, Confidence: 0.95}
	r := &model.Report{Schema: model.ReportSchema, Run: model.RunInfo{ID: "20260102-030405-database", Started: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC), Status: model.Complete,
		Target: model.Target{Name: "/srv/x", Kind: model.Postgres, Path: "/srv/x"}, MeasuredSeconds: 123,
		Prepare: &model.Preparation{App: &model.AppState{Name: "postgres", Version: "15.18", Scale: 100, Data: 1578369000, Cache: 128 << 20}}}}
	for i, name := range []string{"tpcb-c1", "tpcb-c100"} {
		e := rate
		if i == 0 {
			e = model.Estimate{Unit: "1/s", Value: 161, Low: 120, High: 215, Confidence: 0.95}
		}
		r.Results = append(r.Results, model.Result{Workload: name, Direction: model.Write, Description: "pgbench TPC-B-like", Metric: model.Transactions, Estimate: e,
			Metrics: map[model.Metric]model.Estimate{model.Transactions: e}, Verdict: model.Valid, Converged: true, Seconds: 30, Repeats: 3,
			App: &model.AppResult{Transactions: 4828, Flushes: v(1.006), FlushTime: v(0.00232), Flushing: v(0.4), LogBytes: v(15052), PageImages: v(1.89), Reads: v(1.68),
				HitRate: v(0.94), Reading: v(0.01), DeviceReads: v(0.002), DeviceWrites: v(2.4), DeviceFlushes: v(1), DeviceWritten: v(40000), Checkpoints: v(0), Vacuums: v(0)}})
		r.Run.Workloads = append(r.Run.Workloads, model.Workload{Name: name, Direction: model.Write, Access: model.Random, BlockSize: 8192, Depth: 1 + 99*i,
			Metric: model.Transactions, App: model.AppLoad{Tool: "pgbench", Threads: 1 + 3*i}})
	}
	r.Budgets = budgets()
	// A third number of clients, which no table shows: 1,330 tps with 100 clients and 1,380 tps with 200.
	r.Saturation = []saturation.Curve{{Load: "pgbench TPC-B-like", From: 1, To: 100, Points: []saturation.Point{{Workload: "tpcb-c1", Clients: 1, More: 8.57, Low: 6.09, High: 12.1},
		{Workload: "tpcb-c100", Clients: 100, More: 1.04, Low: 0.92, High: 1.18}, {Workload: "tpcb-c200", Clients: 200, More: 1, Low: 1, High: 1}},
		Says: "the load (pgbench TPC-B-like) saturates somewhere between 1 and 100 clients: with 100 clients, 1.33k tps in all and 75.2 ms each; from 100 to 200 the rate changes by +4 % (-8 % to +18 %); whether the storage is the limit is not known"}}
	r.Results[1].App.DeviceReads, r.Results[1].App.DeviceWrites, r.Results[1].App.DeviceFlushes, r.Results[1].App.DeviceWritten = nil, nil, nil, nil
	return r
}

// logApart returns a report on a database whose log has a volume of its own, on another device than
// the data.
func logApart() *model.Report {
	r := application()
	v := func(x float64) *float64 { return &x }
	r.Run.Volume = model.Volume{Target: r.Run.Target, Engine: "pgbench", Size: 1500 << 20,
		Log: &model.Volume{Target: model.Target{Name: "/log", Kind: model.Directory, Path: "/log"}, Size: 3 << 29}}
	r.Run.Environment.Storage = model.Storage{Filesystem: "ext4", Device: "sdb"}
	r.Run.Environment.LogStorage = &model.Storage{Filesystem: "xfs", Device: "nvme0n1"}
	a := r.Results[0].App
	a.DeviceFlushes, a.LogDeviceReads, a.LogDeviceWrites, a.LogDeviceFlushes, a.LogDeviceWritten = v(0.002), v(0), v(1.02), v(1.006), v(16000)
	r.Budgets = nil
	return r
}

func empty() *model.Report {
	return &model.Report{Schema: model.ReportSchema, Run: model.RunInfo{ID: "20260102-030405-empty", Status: model.Failed, Reason: "fio could not be started"}}
}

// invalid returns a report with a number that must not be used, one without a value, and one
// without percentiles.
func invalid() *model.Report {
	r := load("quick").Report
	r.Results[0].Verdict, r.Results[0].Findings = model.Invalid, []string{"sparse"}
	r.Results[1].Value, r.Results[1].Low, r.Results[1].High = math.NaN(), math.NaN(), math.Inf(1)
	r.Results[2].Latency, r.Results[2].Series = nil, nil
	r.Results[3].Latency.P50, r.Results[3].Latency.P99 = nil, nil
	r.Results[3].Series = []float64{1, math.NaN(), math.Inf(1)}
	for m := range r.Results[3].Metrics {
		r.Results[3].Metrics[m] = model.Estimate{Unit: m.Unit(), Value: math.NaN(), Low: math.NaN(), High: math.NaN()}
	}
	r.Findings = append(r.Findings, model.Finding{Rule: "sparse", Severity: model.SeverityInvalid, Results: []string{r.Results[0].Workload},
		Message: "read holes: 3.9 GiB of 4 GiB were never written (fiemap), and reading those needs no disk", Evidence: map[string]any{"unwritten": 4187593114.0},
		Next: "let Loadline fill the volume: name a directory, or for a device or file add --destroy-data-on"})
	return r
}

func goals() *model.Report {
	r := load("quick").Report
	e := r.Results[0].Estimate
	goal := func(text string, o model.Outcome, message, next string) model.Goal {
		return model.Goal{Text: text, Workload: r.Results[0].Workload, Direction: model.Read, Metric: model.IOPS, Above: true, Bound: 1e5, Estimate: e, Outcome: o, Message: message, Next: next}
	}
	r.Goals = []model.Goal{
		goal("rand-read-iops iops > 100k", model.Met, "the whole interval lies above 100k IOPS", ""),
		goal("rand-read-iops iops > 10M", model.Missed, "the whole interval lies below 10.0M IOPS", ""),
		goal("rand-read-lat p99 < 42us", model.Undecided, "the bound lies within the interval", "loadline run /srv/data --precision 1%"),
	}
	return r
}

// scale returns a report on up to sixteen volumes, the last point of which is unfair.
func scale() *model.Report {
	r := empty()
	r.Run.Status, r.Run.Reason, r.Run.Target.Name, r.Run.Started = model.Complete, "", "sc:replicated", time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	about := func(v float64, unit string) model.Estimate {
		return model.Estimate{Unit: unit, Value: v, Low: 0.95 * v, High: 1.05 * v, Confidence: 0.95}
	}
	s := model.Scale{Workload: "rand-read", Direction: model.Read, Metric: model.IOPS}
	for _, n := range []int{1, 2, 4, 8, 16} {
		total := min(11900*float64(n), 50e3)
		p99 := about(2e-3*float64(n), "s")
		p := model.ScalePoint{Volumes: n, Nodes: 3, Total: about(total, "1/s"), PerVolume: about(total/float64(n), "1/s"), Fairness: 0.99, P99: &p99, Verdict: model.Valid}
		if n == 16 {
			p.Fairness, p.Verdict, p.P99 = 0.71, model.Suspect, nil
		}
		s.Points = append(s.Points, p)
	}
	capacity := about(50e3, "1/s")
	s.Points[0].Result = "rand-read-v1"
	s.Points[0].Amplification = &amplification.Ratio{Direction: "read", Operation: "read", Value: 1.01, Low: 0.99, High: 1.03, Confidence: 0.95, Expected: 1, Of: "each block is read from one replica",
		Operations: 11900, Disks: 12019, Seconds: 20, Devices: []string{"node1/sda", "node2/sda"}}
	s.Points[0].Amplification.Conclude()
	s.Laws = []model.Law{{Kind: model.SaturationLaw, First: about(11900, "1/s"), Capacity: &capacity, Knee: 4.2, Error: 0.013, Chosen: true}}
	r.Scales = []model.Scale{s}
	return r
}

// Nasty has a meaning in every format: HTML, Markdown, tables, CSV, a terminal, a mention, an issue
// number, a formula.
const Nasty = "=|x`y`|</td></details><script>alert(1)</script>\n# @everyone #12 [a](http://b.example) ![](c) **d** _e_ ~f~ \\| $g$ \"h\",\r\n```\n<!-- --> \x1b[31m\u202e東京 🎉 &amp; www.i.example j@k.example"

// Hostile returns a report in which every string that comes from outside is text.
func Hostile(text string) *model.Report {
	r := load("quick").Report
	run := &r.Run
	old := r.Results[0].Workload
	run.ID, run.Note, run.Reason, run.Profile, run.Directory, run.Status = text, text, text, text, text, model.Failed
	run.Target.Name, run.Target.Path, run.Volume.Target.Name, run.Volume.Path, run.Volume.Engine, run.Volume.SizeReason = text, text, text, text, text, text
	run.Command = []string{"loadline", "run", text}
	run.Environment.Hostname, run.Environment.Kernel, run.Environment.CPUModel = text, text, text
	run.Environment.Storage.Filesystem, run.Environment.Storage.Device, run.Environment.Storage.Model = text, text, text
	run.Tools = map[string]string{"fio": text}
	r.Results[0].Workload, r.Results[0].Description, run.Workloads[0].Name = text, text, text
	run.Jobs = map[string]string{text: text + "\n" + strings.Repeat("`", 7) + "\n</details>\n" + text, "two": "[two]\nrw=read\n"}
	for i := range r.Findings {
		f := &r.Findings[i]
		f.Message, f.Next = text, text
		for k, name := range f.Results {
			if name == old {
				f.Results[k] = text
			}
		}
	}
	r.Goals = []model.Goal{{Text: text, Workload: text, Message: text, Next: text, Outcome: model.Missed}}
	r.Courses, r.Budgets = nil, hostileBudgets(text)
	return r
}

// HostileComparison is Hostile for a comparison.
func HostileComparison(text string) *model.Comparison {
	c := load("comparison").Comparison
	c.A, c.B = Hostile(text).Run, Hostile(text).Run
	c.ID, c.Directory, c.Next = text, text, text
	c.Common = []model.Trait{{Name: "fio", Value: text}, {Name: text, Value: text}}
	c.Differences = []model.Difference{{Name: text, A: text, B: text, NotComparable: true}}
	for i := range c.Rows {
		c.Rows[i].Workload, c.Rows[i].Description = text, text
	}
	c.Budgets = hostileSides(text)
	c.Findings = []model.Finding{{Rule: "not-comparable", Severity: model.SeverityWarning, Message: text, Next: text}}
	return c
}

// HostileDurability is Hostile for a durability test.
func HostileDurability(text string) *model.Durability {
	d := load("durability").Durability
	d.ID, d.Target.Name, d.Target.Path, d.Path, d.Reason, d.Statement, d.Proves, d.Directory, d.Status = text, text, text, text, text, text, text, text, model.Failed
	d.Environment.Storage.Device = text
	d.Command = []string{"loadline", text}
	for i := range d.Cuts {
		d.Cuts[i].What, d.Cuts[i].Words, d.Cuts[i].Examples = text, text, []string{text}
	}
	for i := range d.Findings {
		d.Findings[i].Message, d.Findings[i].Next = text, text
	}
	return d
}
