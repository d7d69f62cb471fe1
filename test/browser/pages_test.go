package browser

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/loadline/loadline/internal/cli"
	"github.com/loadline/loadline/internal/env"
	"github.com/loadline/loadline/internal/judge/analyze"
	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/budget"
	"github.com/loadline/loadline/internal/model/histogram"
	"github.com/loadline/loadline/internal/show/report/html"
)

// evil is a text that runs as a script if it is treated as HTML.
const evil = `"><img src=x onerror="window.pwned=1"><script>window.pwned=1</script></script><!--`

// pages are the pages to check: their files by name.
type pages struct {
	t     *testing.T
	files map[string]string
	// dirs are the directories of traces, by name.
	dirs map[string]string
	// runs is a folder of run directories, for the library.
	runs string
}

// makePages makes one page of each kind.
func makePages(t *testing.T) *pages {
	t.Helper()
	p := &pages{t: t, files: map[string]string{}, runs: filepath.Join(t.TempDir(), "runs")}
	p.measured("run", "run", "fake:?iops=30000&cv=0.05&latency=0.0002&exponential=1", "--profile", "quick", "--note", "first light")
	p.inLibrary("note", "run", "fake:?iops=30000&cv=0.05&latency=0.0002", "--profile", "quick", "--note", evil)
	p.measured("compare", "compare", "fake:?iops=3000&cv=0.05", "fake:?iops=3600&cv=0.05", "--profile", "quick")
	p.measured("grid", "sweep", "fake:?iops=30000&cv=0.03&bandwidth=400000000&latency=0.0001", "--rw", "randrw")
	p.measured("load", "sweep", "fake:?iops=30000&cv=0.03&exponential=1", "--load")
	p.imported("ranking", "whitepaper.md", 5)
	p.imported("import", "fio-3.7.txt", 0)
	p.command(0, "import", "../../internal/foreign/imported/testdata/kbench.summary", "--into", filepath.Join(p.runs, "undated"))
	p.files["alone"] = filepath.Join(t.TempDir(), "alone.html")
	p.command(0, "report", "../../internal/show/report/reporttest/testdata/comparison.json", "-o", p.files["alone"])
	p.files["reference"] = filepath.Join(t.TempDir(), "reference.html")
	p.command(0, "report", "--reference", "../../docs/medium-nodes.yaml", "-o", p.files["reference"])
	p.written("invalid", spoiled(t, p.files["run"]))
	p.written("volumes", volumes())
	p.written("scale", scaling())
	p.written("evil", hostile())
	p.foreign("imported", "bpftrace-pgbench.txt", 0)
	p.foreign("ranking", "whitepaper.md", 5)
	p.written("evil-ranking", hostileRanking())
	p.written("place", placed())
	p.written("budgets", spent())
	p.written("empty", &model.Report{Schema: model.ReportSchema, Run: model.RunInfo{ID: "none", Status: model.Interrupted, Reason: "the user asked for it", Target: model.Target{Name: "/srv/nothing"}}})
	return p
}

// measured runs a command and adds its page.
func (p *pages) measured(name string, args ...string) {
	p.t.Helper()
	p.inLibrary(name, args...)
	found, err := filepath.Glob(filepath.Join(p.runs, name, "*", "report.html"))
	if err != nil || len(found) != 1 {
		p.t.Fatalf("pages of %s: %v, %v", name, found, err)
	}
	p.files[name] = found[0]
}

// inLibrary runs a command on a fake device, in virtual time.
func (p *pages) inLibrary(name string, args ...string) {
	p.t.Helper()
	p.command(0, append(args, "--quiet", "--seed", "1", "--results", filepath.Join(p.runs, name))...)
}

// imported imports a file of internal/foreign/imported/testdata and adds its page.
func (p *pages) imported(name, file string, code int) {
	p.t.Helper()
	dir := filepath.Join(p.t.TempDir(), name)
	p.command(code, "import", filepath.Join("../../internal/foreign/imported/testdata", file), "--into", dir)
	p.files[name] = filepath.Join(dir, "report.html")
}

// command runs loadline inside this process and checks its exit code.
func (p *pages) command(want int, args ...string) {
	p.t.Helper()
	var stderr bytes.Buffer
	world := env.OS()
	world.Args, world.Stdin, world.Stdout, world.Stderr = args, strings.NewReader(""), io.Discard, &stderr
	if code := cli.Run(context.Background(), world); code != want {
		p.t.Fatalf("loadline %s: exit code %d, want %d\n%s", strings.Join(args, " "), code, want, stderr.String())
	}
}

// written makes a page of a hand-made report.
func (p *pages) written(name string, r *model.Report) {
	p.t.Helper()
	var doc bytes.Buffer
	if err := html.Render(&doc, r); err != nil {
		p.t.Fatal(err)
	}
	p.files[name] = filepath.Join(p.t.TempDir(), name+".html")
	if err := os.WriteFile(p.files[name], doc.Bytes(), 0o600); err != nil {
		p.t.Fatal(err)
	}
}

// placed returns a report of "." on a virtual disk, with an asymmetric interval.
func placed() *model.Report {
	turning := true
	target := model.Target{Name: ".", Kind: model.Directory, Path: "/srv/data"}
	r := &model.Report{Schema: model.ReportSchema, Run: model.RunInfo{ID: "place", Status: model.Complete, Target: target, Volume: model.Volume{Target: target},
		Command:     []string{"loadline", "run", ".", "--profile", "quick"},
		Environment: model.Environment{Hostname: "db1", Virtualization: "kvm", Storage: model.Storage{Filesystem: "ext4", Device: "vda", DeviceSize: 40 << 30, Rotational: &turning}}}}
	wide := model.Estimate{Unit: "1/s", Value: 900, Low: 500, High: 1500, Confidence: 0.95}
	r.Results = []model.Result{{Workload: "rand-read-iops", Direction: model.Read, Metric: model.IOPS, Estimate: wide, Verdict: model.Valid, Converged: true, Metrics: map[model.Metric]model.Estimate{model.IOPS: wide}}}
	goal := model.Goal{Text: "rand-read-iops iops > 1k", Workload: "rand-read-iops", Direction: model.Read, Metric: model.IOPS, Above: true, Bound: 1000, Estimate: wide,
		Outcome: model.Undecided, Message: "900/s [500/s, 1.50k/s] contains the bound", Next: "loadline run . --only rand-read-iops --repeat 90 --max-time 6m   # at most 6 m 00 s"}
	r.Goals = []model.Goal{goal}
	return r
}

// spoiled returns the report beside a page, with numbers that are not valid.
func spoiled(t *testing.T, page string) *model.Report {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(filepath.Dir(page), "report.json"))
	if err != nil {
		t.Fatal(err)
	}
	var r model.Report
	if err := json.Unmarshal(text, &r); err != nil {
		t.Fatal(err)
	}
	say := func(i int, v model.Verdict, f model.Finding) {
		f.Results = []string{r.Results[i].Workload}
		r.Results[i].Verdict, r.Results[i].Findings = v, append(r.Results[i].Findings, f.Rule)
		r.Findings = append([]model.Finding{f}, r.Findings...)
	}
	say(0, model.Invalid, model.Finding{Rule: "sparse", Severity: model.SeverityInvalid, Message: "38 % of what was read had never been written: the storage answered without looking.", Next: "loadline run /srv --size 4GiB"})
	say(2, model.Suspect, model.Finding{Rule: "drift", Severity: model.SeverityWarning, Message: "The rate fell by 19 % within a repeat, in 3 of 3 repeats: a burst credit or a cache."})
	r.Run.Note = evil
	return &r
}

// hostile returns a report in which every text is hostile.
func hostile() *model.Report {
	target := model.Target{Name: evil, Kind: model.Directory, Path: evil}
	r := &model.Report{
		Schema: model.ReportSchema,
		Run: model.RunInfo{ID: evil, Status: model.Interrupted, Reason: evil, Note: evil, Target: target, Command: []string{"loadline", "run", evil}, Profile: evil,
			Volume: model.Volume{Target: target, Path: evil, Engine: evil}, Tools: map[string]string{evil: evil}, Jobs: map[string]string{evil: evil}, Directory: evil,
			Environment: model.Environment{Hostname: evil, Kernel: evil}},
		Findings: []model.Finding{{Rule: evil, Severity: model.SeverityWarning, Message: evil, Next: evil, Results: []string{evil}}},
		Goals:    []model.Goal{{Text: evil, Workload: evil, Direction: model.Read, Metric: model.IOPS, Outcome: model.Missed, Message: evil, Next: evil}},
		Scales:   []model.Scale{growing(evil)},
		Budgets:  hostileBudgets(),
	}
	for _, d := range []model.Direction{model.Read, model.Write} {
		r.Results = append(r.Results, model.Result{Workload: evil, Direction: d, Metric: model.IOPS, Estimate: sure(1000), Verdict: model.Suspect, Findings: []string{evil},
			Description: evil, RepeatValues: []float64{990, 1010}, Series: []float64{990, 1010}, Metrics: map[model.Metric]model.Estimate{model.IOPS: sure(1000)}})
		r.Courses = append(r.Courses, model.Course{Workload: evil, Direction: d, Workers: 1, Thinned: 1,
			Points: model.Points{At: []float64{1, 2, 3}, Seconds: []float64{1, 1, 1}, IOPS: []float64{990, 1010, 1000}, Bandwidth: []float64{4e6, 4e6, 4e6},
				Mean: []float64{1e-3, 1e-3, 1e-3}, P50: []float64{1e-3, 1e-3, 1e-3}, P99: []float64{2e-3, 2e-3, 2e-3}, P999: []float64{0, 0, 0}, Span: []int{0, 0, 0}},
			Spans: []model.Span{{Round: 1, End: 3, Error: evil}}})
	}
	c := model.Comparison{Schema: model.ComparisonSchema, A: r.Run, B: r.Run, Method: model.Independent, Common: []model.Trait{{Name: evil, Value: evil}},
		Differences: []model.Difference{{Name: evil, A: evil, B: evil, NotComparable: true}}, Findings: r.Findings,
		Rows: []model.Row{{Workload: evil, Direction: model.Read, Metric: model.IOPS, A: sure(1000), B: sure(1100), Ratio: sure(1.1), Verdict: model.Better, Trust: model.Valid, Margin: 0.05}}}
	c.Budgets = []budget.Comparison{{A: evil, B: evil, Ratio: 1, Changes: []budget.Change{{Part: budget.Flush, Name: evil, Of: 1}}, Says: []string{evil},
		Equal: &budget.Equal{Law: evil, Assumes: []string{evil}}}}
	r.Comparison = &c
	return r
}

// sure returns an estimate with an interval of ± 3 %.
func sure(v float64) model.Estimate {
	return model.Estimate{Unit: "1/s", Value: v, Low: v * 0.97, High: v * 1.03, Confidence: 0.95}
}

// volumes returns the report of 51 volumes that read and write for 15 minutes.
func volumes() *model.Report {
	const count, seconds = 51, 900
	r := rand.New(rand.NewPCG(1, 2))
	w := model.Workload{Name: "mixed-iops", Access: model.Random, Direction: model.Mixed, ReadPercent: 70, BlockSize: 4096, Depth: 16, Metric: model.IOPS}
	step := model.Step{Number: 1, Round: 1, Workload: w.Name, Ramp: 5}
	rec := &model.Recorded{}
	rec.Plan.Workloads, rec.Plan.Steps = []model.Workload{w}, []model.Step{step}
	rec.Plan.Schedule = model.Schedule{Mode: model.Fixed, Ramp: 5, Repeat: seconds}
	rec.Run.Steps = []model.StepResult{{Step: step, Started: 0, Ended: seconds + 5.2}}
	// Samples share their flows, because only the sums matter.
	var flows [2][40]*model.Flow
	for d := range flows {
		for i := range flows[d] {
			flows[d][i] = busySecond(r, []float64{0.4e6, 1.5e6}[d])
		}
	}
	for s := range seconds {
		for worker := range count {
			rec.Samples = append(rec.Samples, model.Sample{Step: 1, Worker: worker, Seconds: 1, End: 6 + float64(s) + 0.002*float64(worker),
				Read: flows[0][r.IntN(40)], Write: flows[1][r.IntN(40)]})
		}
	}
	report := &model.Report{Schema: model.ReportSchema, Results: analyze.Results(rec), Courses: analyze.Courses(rec)}
	report.Run = model.RunInfo{ID: "volumes", Status: model.Complete, Target: model.Target{Name: "sc:longhorn", Kind: "storageclass"}, Workloads: rec.Plan.Workloads, Schedule: rec.Plan.Schedule, MeasuredSeconds: seconds}
	each := make([]float64, count)
	for i := range each {
		each[i] = 4000 * (1 + 0.1*r.NormFloat64())
	}
	s := model.Scale{Workload: w.Name, Direction: model.Mixed, Metric: model.IOPS,
		Points: []model.ScalePoint{{Volumes: count, Nodes: 3, Total: sure(4000 * count), PerVolume: sure(4000), Each: each, Fairness: 0.99, Verdict: model.Valid}}}
	report.Scales = []model.Scale{s}
	return report
}

// busySecond returns a second of I/Os with latencies around ns nanoseconds.
func busySecond(r *rand.Rand, ns float64) *model.Flow {
	f := &model.Flow{}
	speed := 1 + 0.05*r.NormFloat64()
	for z := -3.0; z < 4; z += 0.1 {
		at := ns / speed * math.Exp(0.5*z+0.01*r.Float64())
		n := uint64(2 + 100*math.Exp(-z*z/2))
		f.Histogram.Add(histogram.BucketOf(uint64(at)), n)
		f.IOs += n
		f.LatencySum += float64(n) * at / 1e9
	}
	f.Bytes, f.Max = 4096*f.IOs, f.Histogram.Max()
	return f
}

// scaling returns a report of 1 to 51 volumes that saturate, with two laws.
func scaling() *model.Report {
	return &model.Report{Schema: model.ReportSchema, Run: model.RunInfo{ID: "scale", Status: model.Complete, Target: model.Target{Name: "sc:longhorn", Kind: "storageclass"}},
		Scales: []model.Scale{growing("rand-write-iops")}}
}

// growing returns min(N · 4,000, 90,000) with some noise.
func growing(name string) model.Scale {
	law := func(n float64) float64 { return min(4000*n, 90e3) }
	usl := func(n float64) float64 { return 4200 * n / (1 + 0.03*(n-1) + 0.0001*n*(n-1)) }
	s := model.Scale{Workload: name, Direction: model.Write, Metric: model.IOPS}
	saturation := model.Law{Kind: model.SaturationLaw, First: sure(4000), Knee: 22.5, Error: 0.021, Chosen: true}
	capacity := sure(90e3)
	saturation.Capacity = &capacity
	other := model.Law{Kind: model.USLLaw, First: sure(4200), Alpha: 0.03, Beta: 0.0001, Error: 0.08}
	for i, n := range []int{1, 3, 6, 12, 18, 24, 36, 51} {
		total := law(float64(n)) * (1 + 0.02*math.Sin(float64(7*i)))
		p := model.ScalePoint{Volumes: n, Nodes: 3, Total: sure(total), PerVolume: sure(total / float64(n)), Fairness: 0.98, Verdict: model.Valid}
		for v := range n {
			p.Each = append(p.Each, total/float64(n)*(1+0.15*math.Sin(float64(v*v))))
		}
		mean, p99 := sure(16*float64(n)/total), sure(60*float64(n)/total)
		p.Mean, p.P99 = &mean, &p99
		if n == 36 {
			p.Verdict = model.Suspect
		}
		s.Points = append(s.Points, p)
		saturation.Residuals = append(saturation.Residuals, math.Log(total/law(float64(n))))
		other.Residuals = append(other.Residuals, math.Log(total/usl(float64(n))))
	}
	for n := 1.0; n <= 64; n += 0.5 {
		saturation.Band = append(saturation.Band, model.BandPoint{Volumes: n, Value: law(n), Low: law(n) * 0.93, High: law(n) * 1.07, Extrapolated: n > 51})
	}
	s.Laws = []model.Law{saturation, other}
	return s
}

// weights checks that each page is small enough for e-mail.
func (p *pages) weights(t *testing.T) {
	for name, file := range p.files {
		info, err := os.Stat(file)
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("%s: %d kB", name, info.Size()/1000)
		if info.Size() > 1_500_000 {
			t.Errorf("the page %s weighs %d bytes", name, info.Size())
		}
	}
}
