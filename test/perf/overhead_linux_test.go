package perf

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/loadline/loadline/internal/env"
	"github.com/loadline/loadline/internal/measure/engine"
	"github.com/loadline/loadline/internal/measure/place/local"
	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/units"
	"github.com/loadline/loadline/test/lab"
)

// overheadPairs is the number of pairs of Loadline and plain fio. A single pair says
// little: the speed of a device in memory depends on how free the processors are.
const overheadPairs = 40

// onOneCPU pins a process and its children to processor 0 by taskset(1). Where the
// scheduler happens to place fio and the kernel's own thread makes more difference
// than anything that is compared here; and on one processor, what Loadline uses
// is certainly taken from fio.
func onOneCPU(program string, args ...string) []string {
	return append([]string{"taskset", "--cpu-list", "0", program}, args...)
}

// bareIOPS runs fio alone on the job text and returns its IOPS.
func bareIOPS(b *testing.B, job string) float64 {
	b.Helper()
	var doc struct {
		Jobs []struct {
			Read struct {
				IOPS float64 `json:"iops"`
			} `json:"read"`
		} `json:"jobs"`
	}
	bareFio(b, onOneCPU, job, &doc)
	if len(doc.Jobs) != 1 {
		b.Fatalf("fio printed %d results for one job", len(doc.Jobs))
	}
	return doc.Jobs[0].Read.IOPS
}

// worker starts a command as a worker in a separate process, so that it can run
// one repeat after another without probing in between.
func worker(b *testing.B, command ...string) *engine.Worker {
	b.Helper()
	link, err := local.Child(b.Context(), env.OS(), command[0], command[1:]...)
	if err != nil {
		b.Fatal(err)
	}
	w, err := engine.Connect(b.Context(), link)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { w.Close() })
	return w
}

// repeat runs one repeat and returns its IOPS and its job text.
func repeat(b *testing.B, w *engine.Worker, r model.StartRequest) (iops float64, job string) {
	b.Helper()
	var ios, seconds float64
	result, err := w.Start(b.Context(), r, func(ev model.Event) {
		switch {
		case ev.Sample != nil:
			ios, seconds = ios+float64(ev.Sample.Read.IOs), seconds+ev.Sample.Seconds
		case ev.Raw != nil && strings.HasSuffix(ev.Raw.Name, ".fio"):
			job = string(ev.Raw.Data)
		}
	})
	if err != nil {
		b.Fatal(err)
	}
	if result.Error != "" {
		b.Fatalf("a repeat failed: %s", result.Error)
	}
	return ios / seconds, job
}

// BenchmarkAgainstFio compares repeats of Loadline with plain fio on exactly the
// same job text, in pairs of random order on the fastest device available, and
// then measures what the process of a whole run costs during half
// a minute of measuring.
func BenchmarkAgainstFio(b *testing.B) {
	lab.Need(b, "taskset")
	for range b.N {
		loadline, dev := program(b), lab.LoopOnMemory(b, 256<<20)
		long := watch(b, loadline, "run", dev, "--profile", "kbench", "--only", "rand-read-iops", "--precision", "0.5%", "--max-time", "40s")
		request := model.StartRequest{Step: model.Step{Number: 1, Round: 1, Workload: "rand-read-iops", Ramp: 0.5, Seconds: 2},
			Workload: long.Run.Workloads[0], Volume: long.Run.Volume}
		agent := worker(b, onOneCPU(loadline, "agent", "--run-id", "perf")...)
		if _, err := agent.Probe(b.Context(), model.ProbeRequest{Target: long.Run.Volume.Target}, nil); err != nil {
			b.Fatal(err)
		}
		_, job := repeat(b, agent, request)
		// In a run fio gets the device as an open descriptor; alone it needs its name.
		job = regexp.MustCompile(`(?m)^filename=.*$`).ReplaceAllString(job, "filename="+dev)
		var ours, bare, ratios []float64
		for range overheadPairs {
			var iops, fio float64
			order := []func(){func() { iops, _ = repeat(b, agent, request) }, func() { fio = bareIOPS(b, job) }}
			rand.Shuffle(2, func(i, j int) { order[i], order[j] = order[j], order[i] })
			order[0]()
			order[1]()
			ours, bare, ratios = append(ours, iops), append(bare, fio), append(ratios, iops/fio)
		}
		ratio, low, high := logMean(ratios)
		core := 100 * long.CPU / long.Wall
		t := columns()
		fmt.Fprintf(t, "\n%s, %d pairs of 2 s\tlowest\tmedian\thighest\t\n", request.Workload.Describe(), overheadPairs)
		for _, row := range []struct {
			name   string
			values []float64
			format func(float64) string
		}{
			{"Loadline, IOPS", ours, units.FormatRate}, {"bare fio, IOPS", bare, units.FormatRate},
			{"ratio", ratios, func(v float64) string { return fmt.Sprintf("%.3f", v) }},
		} {
			slices.Sort(row.values)
			fmt.Fprintf(t, "%s\t%s\t%s\t%s\t\n", row.name, row.format(row.values[0]), row.format(row.values[len(row.values)/2]), row.format(row.values[len(row.values)-1]))
		}
		t.Flush()
		fmt.Printf("IOPS, Loadline / bare fio: %.4f (95 %%: %.4f to %.4f; goal ≥ 0.99)\n", ratio, low, high)
		fmt.Printf("our own process: %.2f %% of one core over %.0f s and %d repeats (goal < 2 %%), %.1f MB at most (goal < 50 MB)\n\n",
			core, long.Wall, long.Results[0].Repeats, float64(long.Peak)/1e6)
		b.ReportMetric(ratio, "IOPS-ratio")
		b.ReportMetric(core, "%core")
	}
}
