package browser

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/loadline/loadline/internal/measure/store"
	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/histogram"
	"github.com/loadline/loadline/internal/model/iotrace"
)

// traced saves a trace and has report make its page.
func (p *pages) traced(name, words string) {
	p.t.Helper()
	dir := p.watched(filepath.Join(p.runs, name), "20261122-120000-"+name, words)
	p.files[name], p.dirs[name] = filepath.Join(p.t.TempDir(), name+".html"), dir
	p.command(0, "report", dir, "-o", p.files[name])
	// The library shows the JSON of the same trace.
	p.command(0, "analyze", dir, "--format", "json", "-o", filepath.Join(p.t.TempDir(), "trace.json"))
}

// beside measures, and saves a trace with the run as --trace does.
func (p *pages) beside(name, words string) {
	p.t.Helper()
	p.measured(name, "run", "fake:?iops=30000&cv=0.05&latency=0.0002&exponential=1", "--profile", "quick")
	run := filepath.Dir(p.files[name])
	p.dirs[name] = run
	p.command(0, "analyze", p.watched(run, store.TraceDir, words), "--format", "json", "-o", filepath.Join(p.t.TempDir(), "trace.json"))
	p.command(0, "analyze", run, "--format", "json", "-o", filepath.Join(p.t.TempDir(), "again.json"))
}

// watched saves a trace of 40 seconds as parent/id, in which a database writes and flushes, and a
// backup reads during half of them. Every text from outside is words, unless that is empty.
func (p *pages) watched(parent, id, words string) string {
	p.t.Helper()
	said := func(s string) string {
		if words != "" {
			return words
		}
		return s
	}
	unseen := 0.021
	disk := said("vda")
	run := iotrace.Run{ID: id, Started: time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC), Status: model.Running, Method: iotrace.ByBPF, Seconds: 40,
		Command: []string{"loadline", "trace", said("/srv/data"), "--time", "40s"}, Request: iotrace.Request{Target: said("/srv/data"), Devices: []string{disk}}, Labels: model.Labels{"host": said("blue")},
		Limitations: []string{said("who made a request that no scheduler got")}, Environment: model.Environment{Hostname: said("db1"), Kernel: said("6.18.5")},
		Devices: []iotrace.Device{{Name: disk, Number: "254:0", Unseen: &unseen, Unmatched: 3, Counters: &iotrace.Counters{Reads: 41000, Writes: 160000, Flushes: 40000, BusySeconds: 31.4567, WeightedSeconds: 44.123456},
			Operations: map[iotrace.Operation]iotrace.Counts{iotrace.Read: {Done: 40000}}}}}
	if id == store.TraceDir && words != "" {
		run.Method = iotrace.ByPerf // only traces of one method are compared, and this is another
	}
	w, err := store.CreateTrace(parent, id, time.Now, run)
	if err != nil {
		p.t.Fatal(err)
	}
	db, backup := iotrace.Originator{PID: 4711, Command: said("postgres"), Cgroup: said("/kubepods/burstable/pod8f1c/9a31b2")}, iotrace.Originator{PID: 4712, Command: said("pg_dump"), Cgroup: said("/user.slice")}
	for second := range 40 {
		at := func(op iotrace.Operation, size int64, who iotrace.Originator, n uint64, ns float64) iotrace.Sample {
			s := iotrace.Sample{End: float64(second + 1), Seconds: 1, Device: disk, Operation: op, Size: size, Originator: who, Flow: model.Flow{IOs: n, Bytes: n * uint64(size)}, Wait: float64(n) * 3.7e-6}
			for i := range n {
				// Latencies vary from half to four times, in a repeating pattern.
				took := ns * (0.5 + 3.5*float64((i*7919+uint64(second)*31)%1000)/1000*float64(i%7)/7)
				s.Flow.Histogram.Add(histogram.BucketOf(uint64(took)), 1)
				s.Flow.LatencySum += took / 1e9
				s.Flow.Max = max(s.Flow.Max, took/1e9)
			}
			return s
		}
		samples := []iotrace.Sample{at(iotrace.Write, 4096, db, 1800+uint64(second*7%40), 210e3), at(iotrace.Write, 8192, db, 300, 340e3), at(iotrace.Flush, 0, db, 900+uint64(second%5), 1.1e6), at(iotrace.Flush, 0, iotrace.Originator{}, 40, 1.1e6)}
		if second >= 20 {
			samples = append(samples, at(iotrace.Read, 131072, backup, 1000, 700e3*(1+float64(second%4))))
		}
		if err := w.Second(samples); err != nil {
			p.t.Fatal(err)
		}
	}
	run.Status = model.Complete
	if err := w.Finish(run); err != nil {
		p.t.Fatal(err)
	}
	return w.Dir()
}

func TestTraceInABrowser(t *testing.T) {
	t.Parallel()
	chromium, out := eyes(t, "trace")
	p := &pages{t: t, files: map[string]string{}, dirs: map[string]string{}, runs: filepath.Join(t.TempDir(), "runs")}
	p.traced("trace", "")
	p.traced("evil-trace", evil)
	p.files["traced"] = filepath.Join(t.TempDir(), "traced.html")
	p.command(0, "compare", p.dirs["trace"], p.dirs["evil-trace"], "--fail-on", "none", "-o", p.files["traced"])
	p.beside("beside", "")
	p.beside("evil-beside", evil)
	p.files["beside-compared"] = filepath.Join(t.TempDir(), "beside-compared.html")
	p.command(0, "report", p.dirs["beside"], p.dirs["evil-beside"], "-o", p.files["beside-compared"])
	drive(t, "trace.mjs", task{Chromium: chromium, Pages: p.files, Library: library(t, p.runs), Out: out})
}
