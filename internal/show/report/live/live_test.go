package live

import (
	"bytes"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/histogram"
	"github.com/loadline/loadline/internal/show/report/reporttest"
	"github.com/loadline/loadline/internal/show/report/term"
)

// run returns a short run as reported by the engine: probe, prefill, proof, three repeats of which
// the last one fails.
func run() []model.Update {
	randRead := &model.Workload{Name: "rand-read-iops", Access: model.Random, Direction: model.Read, BlockSize: 4096, Depth: 64, Metric: model.IOPS}
	randLat := &model.Workload{Name: "rand-write-lat", Access: model.Random, Direction: model.Write, BlockSize: 4096, Depth: 1, Metric: model.Latency}
	flow := func(ios uint64, latency float64) *model.Flow {
		f := &model.Flow{IOs: ios, Bytes: ios * 4096, LatencySum: float64(ios) * latency}
		f.Histogram.Add(histogram.BucketOf(uint64(latency*1e9)), ios-ios/50)
		f.Histogram.Add(histogram.BucketOf(uint64(4*latency*1e9)), ios/50)
		return f
	}
	judged := func(w *model.Workload, value, half, confidence float64) *model.Judgement {
		return &model.Judgement{Workload: w.Name, Metric: w.Metric, Repeats: 1,
			Estimate: model.Estimate{Value: value, Low: value * (1 - half), High: value * (1 + half), Confidence: confidence}}
	}
	progress := func(phase model.Phase, done, total, rate float64) *model.Progress {
		return &model.Progress{Phase: phase, Done: done, Total: total, Rate: rate}
	}
	first := &model.Step{Number: 1, Round: 1, Workload: randRead.Name, Ramp: 1, Seconds: 2}
	second := &model.Step{Number: 2, Round: 1, Workload: randLat.Name, Ramp: 1, Seconds: 2}
	third := &model.Step{Number: 3, Round: 2, Workload: randRead.Name, Ramp: 1, Seconds: 2}
	const gib = 1 << 30
	updates := []model.Update{
		// The measurement begins after the probe, and later than that: the plan is shown, and perhaps confirmed.
		{Unplanned: true, Progress: progress("probe", 0, 3, 0)},
		{Unplanned: true, Progress: &model.Progress{Phase: model.PhaseProbe, Done: 3, Total: 3, Seconds: 3.6}},
		{Elapsed: 2, Left: 40, Progress: progress("prefill", 0, 4*gib, 0)},
		{Elapsed: 6, Left: 36, Progress: progress("prefill", 2*gib, 4*gib, 450<<20)},
		{Elapsed: 11.1, Left: 30, Progress: progress("prefill", 4*gib, 4*gib, 450<<20)},
		{Elapsed: 11.1, Left: 30, Progress: progress("verify", 0, 4*gib, 0)},
		{Elapsed: 11.2, Left: 30, Progress: progress("verify", 4*gib, 4*gib, 0)},
		{Elapsed: 11.2, Left: 9, Step: first, Workload: randRead, Steps: 3},
		{Elapsed: 11.9, Left: 9, Progress: progress("ramp", 0.7, 1, 0)},
		{Elapsed: 13.2, Left: 8, Sample: &model.Sample{Step: 1, End: 13.2, Seconds: 1, Read: flow(21400, 2.9e-3)}},
		{Elapsed: 14.2, Left: 7, Sample: &model.Sample{Step: 1, End: 14.2, Seconds: 1, Read: flow(20900, 3.0e-3)}},
		{Elapsed: 14.3, Left: 6, Result: &model.StepResult{Step: *first}, Judgement: judged(randRead, 21150, 0, 0)},
		{Elapsed: 14.3, Left: 6, Step: second, Workload: randLat, Steps: 3},
		{Elapsed: 16.3, Left: 5, Sample: &model.Sample{Step: 2, End: 16.3, Seconds: 1, Write: flow(300, 3.3e-3)}},
		{Elapsed: 17.3, Left: 4, Result: &model.StepResult{Step: *second}, Judgement: judged(randLat, 3.31e-3, 0.061, 0.95)},
		{Elapsed: 17.3, Left: 3, Step: third, Workload: randRead, Steps: 3},
		{Elapsed: 18, Left: 2, Result: &model.StepResult{Step: *third, Error: "fio ended with \x1b[31mInput/output error"},
			Message: "rand-read-iops is given up after a failed repeat: fio ended with \x1b[31mInput/output error"},
	}
	// Three repeats are certain for both workloads together, and then as many as necessary.
	for i := range updates {
		updates[i].Workloads = 2
		if updates[i].Elapsed >= 17.3 {
			updates[i].Converged = 1
		}
	}
	return updates
}

// blocks returns a comparison of two blocks as reported by the engine, the second one with a
// failure on one side.
func blocks() []model.Update {
	w := &model.Workload{Name: "rand-read-iops", Access: model.Random, Direction: model.Read, BlockSize: 4096, Depth: 64, Metric: model.IOPS}
	step := func(number, block, place int) *model.Step {
		return &model.Step{Number: number, Round: block, Block: block, Place: place, Workload: w.Name, Ramp: 1, Seconds: 2}
	}
	sample := func(side model.Side, at float64, ios uint64) model.Update {
		return model.Update{Side: side, Elapsed: at, Left: 20 - at, Sample: &model.Sample{End: at, Seconds: 1, Read: &model.Flow{IOs: ios}}}
	}
	known := &model.Contrast{Workload: w.Name, Metric: model.P99, Blocks: 2, Precise: true,
		Ratio: model.Estimate{Value: 0.979, Low: 0.95, High: 1.01, Confidence: 0.95}}
	return []model.Update{
		{Side: model.SideA, Elapsed: 0, Left: 20, Progress: &model.Progress{Phase: model.PhasePrefill, Done: 1 << 30, Total: 1 << 30}},
		{Side: model.SideB, Elapsed: 0, Left: 20, Step: step(1, 1, 1), Workload: w, Steps: 4},
		sample(model.SideB, 2, 20000),
		{Side: model.SideB, Elapsed: 3, Left: 17, Result: &model.StepResult{Step: *step(1, 1, 1)}},
		{Side: model.SideA, Elapsed: 3, Left: 17, Step: step(1, 1, 2), Workload: w, Steps: 4},
		sample(model.SideA, 5, 21000),
		{Side: model.SideA, Elapsed: 6, Left: 14, Result: &model.StepResult{Step: *step(1, 1, 2)}, Contrast: &model.Contrast{Blocks: 1}},
		{Side: model.SideA, Elapsed: 6, Left: 14, Step: step(2, 2, 1), Workload: w, Steps: 4},
		sample(model.SideA, 8, 21100),
		{Side: model.SideA, Elapsed: 9, Left: 11, Result: &model.StepResult{Step: *step(2, 2, 1)}},
		{Side: model.SideB, Elapsed: 9, Left: 11, Step: step(2, 2, 2), Workload: w, Steps: 4},
		sample(model.SideB, 11, 20800),
		{Side: model.SideB, Elapsed: 12, Left: 8, Result: &model.StepResult{Step: *step(2, 2, 2)}, Contrast: known},
	}
}

func show(o Options, updates []model.Update) []byte {
	var b bytes.Buffer
	l := New(&b, o)
	for _, u := range updates {
		l.Observe(u)
	}
	l.Close()
	l.Close()
	return b.Bytes()
}

func TestLive(t *testing.T) {
	for name, o := range map[string]Options{
		"terminal-120":        {Interactive: true, Unicode: true, Width: 120},
		"terminal-120-colour": {Interactive: true, Unicode: true, Color: true, Width: 120},
		"terminal-80":         {Interactive: true, Unicode: true, Width: 80},
		"terminal-40-ascii":   {Interactive: true, Width: 40},
		"log":                 {Unicode: true, Color: true, Width: 80},
		"log-ascii":           {Width: 80},
		"quiet":               {Unicode: true, Quiet: true},
		"compare-terminal":    {Interactive: true, Unicode: true, Width: 100},
		"compare-log":         {Unicode: true, Width: 80},
	} {
		t.Run(name, func(t *testing.T) {
			updates := run()
			if strings.HasPrefix(name, "compare-") {
				updates = blocks()
			}
			reporttest.Golden(t, name+".golden", show(o, updates))
		})
	}
}

var sequence = regexp.MustCompile("\x1b\\[[0-9;?]*[A-Za-z]")

// TestNoStatusLineWraps: a line of the full width would wrap on some terminals, and a wrapped line
// cannot be erased.
func TestNoStatusLineWraps(t *testing.T) {
	for width := 10; width <= 130; width++ {
		out := string(show(Options{Interactive: true, Unicode: true, Color: true, Width: width}, run()))
		for _, line := range strings.FieldsFunc(sequence.ReplaceAllString(out, ""), func(r rune) bool { return r == '\r' || r == '\n' }) {
			if strings.Contains(line, "given up") {
				continue // a message is not redrawn and may wrap
			}
			if n := term.Columns(line); n >= width {
				t.Fatalf("width %d: %d columns: %q", width, n, line)
			}
		}
	}
}

func TestALogHasNoControlCharacters(t *testing.T) {
	for _, o := range []Options{{Color: true, Unicode: true}, {}, {Quiet: true}} {
		if out := show(o, run()); bytes.ContainsAny(out, "\r\x1b\x07") {
			t.Errorf("%+v: %q", o, out)
		}
	}
}

func TestTheCursorComesBack(t *testing.T) {
	out := show(Options{Interactive: true, Unicode: true, Width: 80}, run())
	if hidden, shown := bytes.Count(out, []byte(term.HideCursor)), bytes.Count(out, []byte(term.ShowCursor)); hidden != 1 || shown != 1 {
		t.Errorf("the cursor was hidden %d times and shown %d times", hidden, shown)
	}
	if !bytes.HasSuffix(out, []byte(term.EraseLine+term.ShowCursor)) {
		t.Errorf("the status line was not erased: …%q", out[len(out)-40:])
	}
	if out := show(Options{Interactive: true, Quiet: true}, run()[:3]); len(out) != 0 {
		t.Errorf("quiet, yet %q", out)
	}
}

// TestManyTellers is for the race detector, and checks updates after Close.
func TestManyTellers(t *testing.T) {
	var b bytes.Buffer
	l := New(&b, Options{Interactive: true, Unicode: true, Width: 80})
	var tellers sync.WaitGroup
	for range 4 {
		tellers.Go(func() {
			for _, u := range run() {
				l.Observe(u)
			}
		})
	}
	tellers.Wait()
	l.Close()
	n := b.Len()
	l.Observe(run()[7])
	if b.Len() != n {
		t.Error("something was shown after Close")
	}
}

// The display shows what is left, not what was once planned: repeats beyond the certain ones, how
// many workloads need more, and no remaining time of zero.
func TestProgressTellsWhatIsLeft(t *testing.T) {
	w := &model.Workload{Name: "rand-read-iops", BlockSize: 4096, Depth: 64, Metric: model.IOPS}
	step := &model.Step{Number: 43, Round: 4, Workload: w.Name, Ramp: 1, Seconds: 2}
	before := slices.Repeat([]model.Update{{Step: &model.Step{Workload: w.Name}, Workload: w, Steps: 42, Workloads: 14}}, 42)
	updates := append(before, []model.Update{
		{Elapsed: 200, Left: 0.3, Step: step, Workload: w, Steps: 42, Workloads: 14, Converged: 9},
		{Elapsed: 201, Left: 0, Sample: &model.Sample{End: 201, Seconds: 1, Read: &model.Flow{IOs: 21000}}, Workloads: 14, Converged: 9},
		{Elapsed: 202, Left: 0, Result: &model.StepResult{Step: *step}, Workloads: 14, Converged: 10},
	}...)
	line := string(show(Options{Interactive: true, Unicode: true, Width: 120}, updates))
	for _, want := range []string{"repeat 43 rand-read-iops", "5 of 14 not converged", "eta 1 s", "4 of 14 not converged"} {
		if !strings.Contains(line, want) {
			t.Errorf("%q is not in %q", want, line)
		}
	}
	if wide := (model.Estimate{Value: 2e4, Low: 0.1, High: 5.66e9, Confidence: 0.95}); wide.Telling() || !(model.Estimate{Value: 2e4, Low: 1e4, High: 4e4, Confidence: 0.95}).Telling() {
		t.Error("an interval that tells nothing is told")
	}
	if strings.Contains(line, "eta 0 s") {
		t.Errorf("a time that is over is told: %q", line)
	}
	if log, want := string(show(Options{Unicode: true}, updates)), "repeat 43, 4 of 14 not yet converged: rand-read-iops 21.0k IOPS (no interval yet)\n"; log != want {
		t.Errorf("the log is %q, want %q", log, want)
	}
}

// The first number of a run is how fast its data is written: a log gets it after some seconds, and
// at intervals from then on.
func TestALongPrefillIsToldWhileItWrites(t *testing.T) {
	const gib = 1 << 30
	var updates []model.Update
	for s := range 61 {
		updates = append(updates, model.Update{Elapsed: 2 + float64(s), Left: 100,
			Progress: &model.Progress{Phase: model.PhasePrefill, Done: float64(s) * gib / 4, Total: 15 * gib, Rate: gib / 4}})
	}
	updates = append(updates, model.Update{Elapsed: 63, Progress: &model.Progress{Phase: model.PhaseCleanUp}},
		model.Update{Elapsed: 63.2, Progress: &model.Progress{Phase: model.PhaseAnalysis}}, model.Update{Elapsed: 65.2, Progress: &model.Progress{Phase: model.PhaseEnd}})
	want := "prefill 1.25 GiB of 15 GiB, 256 MiB/s, about 55 s more\nprefill 8.75 GiB of 15 GiB, 256 MiB/s, about 25 s more\nprefill 15 GiB in 1 m 01 s (252 MiB/s)\nanalysis in 2.0 s\n"
	if got := string(show(Options{Unicode: true}, updates)); got != want {
		t.Errorf("the log is %q, want %q", got, want)
	}
}

// The time limit of a prefill ends it, whatever the rate promises: that is what is shown.
func TestAPrefillEndsAtItsTimeLimit(t *testing.T) {
	const gib = 1 << 30
	at := func(done, limit float64) []model.Update {
		p := &model.Progress{Phase: model.PhasePrefill, Total: 20 * gib, Rate: gib / 2, Limit: 33}
		first := *p
		p.Done, p.Limit = done*gib, limit
		return []model.Update{{Left: 60, Progress: &first}, {Elapsed: 10, Left: 50, Progress: p}}
	}
	for want, updates := range map[string][]model.Update{
		"prefill 5 GiB of 20 GiB, 512 MiB/s; its time limit ends it in about 23 s, at about 16.5 GiB\n": at(5, 23),
		"prefill 15 GiB of 20 GiB, 512 MiB/s, about 10 s more\n":                                        at(15, 23),
		"prefill 5 GiB of 20 GiB, 512 MiB/s, about 30 s more\n":                                         at(5, 0),
	} {
		if got := string(show(Options{Unicode: true}, updates)); !strings.HasPrefix(got, want) {
			t.Errorf("the log is %q, want %q", got, want)
		}
	}
	for width, want := range map[int]string{80: "5 GiB of 20 GiB     512 MiB/s   limit in 23 s  eta 50 s", 60: "limit in 23 s"} {
		out := string(show(Options{Interactive: true, Unicode: true, Width: width}, at(5, 23)))
		if !strings.Contains(out, want) {
			t.Errorf("at %d columns %q, want %q", width, out, want)
		}
	}
	if out := string(show(Options{Interactive: true, Unicode: true, Width: 80}, at(15, 23))); strings.Contains(out[strings.LastIndex(out, "15 GiB"):], "limit") {
		t.Errorf("a limit that is not reached is shown: %q", out)
	}
}

// Other output must be on a line of its own, not after the status.
func TestClearMakesRoom(t *testing.T) {
	var b bytes.Buffer
	l := New(&b, Options{Interactive: true, Unicode: true, Width: 80})
	probe := model.Update{Unplanned: true, Progress: &model.Progress{Phase: "probe", Done: 1, Total: 3}}
	l.Observe(probe)
	l.Clear()
	if !bytes.HasSuffix(b.Bytes(), []byte(term.EraseLine)) {
		t.Errorf("the line is not erased: %q", b.Bytes())
	}
	b.Reset()
	l.Observe(probe)
	if !bytes.Contains(b.Bytes(), []byte("probe")) {
		t.Errorf("the next update does not draw it again: %q", b.Bytes())
	}
}

// Of an application, a terminal of 80 columns shows transactions, their latency, and flushes; a log
// has the flushes of each repeat.
func TestAnApplicationsFlushesAreTold(t *testing.T) {
	w := &model.Workload{Name: "tpcb-c16", BlockSize: 8192, Depth: 16, Metric: model.Transactions, App: model.AppLoad{Tool: "pgbench"}}
	step := &model.Step{Number: 4, Round: 2, Workload: w.Name, Ramp: 1, Seconds: 8}
	flow := &model.Flow{IOs: 1200, LatencySum: 16}
	flow.Histogram.Add(histogram.BucketOf(13e6), 1200)
	flushes := 4800.0
	updates := []model.Update{
		{Elapsed: 60, Left: 30, Step: step, Workload: w, Steps: 6, Workloads: 2},
		{Elapsed: 61, Left: 30, Progress: &model.Progress{Phase: model.PhaseMeasure, Flushes: 598.7}, Workloads: 2},
		{Elapsed: 62, Left: 29, Sample: &model.Sample{End: 62, Seconds: 1, Write: flow}, Workloads: 2},
		{Elapsed: 69, Left: 20, Result: &model.StepResult{Step: *step, App: &model.AppCounts{Flushes: &flushes, Seconds: 8}}, Workloads: 2},
		{Elapsed: 70, Left: 20, Step: step, Workload: w, Steps: 6, Workloads: 2},
	}
	lines := strings.Split(sequence.ReplaceAllString(string(show(Options{Interactive: true, Unicode: true, Width: 80}, updates)), "\n"), "\n")
	has := func(words ...string) bool {
		for _, line := range lines {
			found := true
			for _, word := range words {
				found = found && strings.Contains(line, word)
			}
			if found {
				return true
			}
		}
		return false
	}
	if !has("repeat 1", "tpcb-c16", "1.20k tps", "p99 13", "599 flushes/s", "eta 29 s") || has("8k qd16") {
		t.Errorf("%q", lines)
	}
	// The next repeat begins without a rate.
	if last := lines[len(lines)-2]; strings.Contains(last, "flushes") {
		t.Errorf("%q", last)
	}
	if log, want := string(show(Options{Unicode: true}, updates)), "repeat 1 of at least 6, 2 of 2 not yet converged, at least about 20 s left: tpcb-c16 1.20k tps (no interval yet), 600 flushes/s\n"; log != want {
		t.Errorf("the log is %q, want %q", log, want)
	}
}

// A log says what is left, and a change has no interval while that tells nothing.
func TestALogSaysWhatIsLeft(t *testing.T) {
	step := model.Step{Number: 7, Workload: "a", Block: 2}
	work := &model.Workload{Name: "a", Metric: model.IOPS}
	for _, c := range []struct {
		update model.Update
		want   string
	}{
		{model.Update{Left: 40, Steps: 16, Workloads: 2}, "repeat 1 of at least 16, 2 of 2 not yet converged, at least about 40 s left: a 100 IOPS (no interval yet)"},
		{model.Update{Left: 40, Steps: 16, Workloads: 2, Converged: 2}, "repeat 1 of at least 16, all converged, about 40 s left: a 100 IOPS (no interval yet)"},
		{model.Update{Left: 40, Steps: 16}, "repeat 1 of 16, about 40 s left: a 100 IOPS (no interval yet)"},
		{model.Update{Side: model.SideB, Left: 40, Steps: 16, Workloads: 2, Contrast: &model.Contrast{Metric: model.P99, Ratio: model.Estimate{Value: 1.013, Low: 0.0031, High: 333, Confidence: 0.95}}},
			"repeat 1 of at least 16, 2 of 2 not yet precise enough, at least about 40 s left: a B, block 2 100 IOPS; p99 change +1.3% (no interval yet)"},
		{model.Update{Left: 40, Steps: 16, Workloads: 2, Judgement: &model.Judgement{Metric: model.IOPS, Estimate: model.Estimate{Value: 100, Low: 98, High: 102, Confidence: 0.95}, Precise: true, Observed: 42, ObserveFor: 63}},
			"repeat 1 of at least 16, 2 of 2 not yet converged, at least about 40 s left: a 100 IOPS ±2.0%, observed for 42 s of 1 m 03 s"},
	} {
		s := &state{}
		begin, second := c.update, c.update
		begin.Step, begin.Workload, begin.Contrast, begin.Judgement = &step, work, nil, nil
		second.Sample, second.Contrast, second.Judgement = &model.Sample{Seconds: 1, Read: &model.Flow{IOs: 100}}, nil, nil
		s.take(begin)
		s.take(second)
		c.update.Result = &model.StepResult{Step: step}
		if got := s.take(c.update); len(got) != 1 || got[0] != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}

// A repeat that was interrupted before its first sample has no value, nor one of zero.
func TestARepeatWithoutASampleHasNoValue(t *testing.T) {
	s := &state{}
	step := model.Step{Number: 1, Workload: "a"}
	s.take(model.Update{Step: &step, Workload: &model.Workload{Name: "a", Metric: model.P99}, Steps: 16})
	for _, j := range []*model.Judgement{nil, {Metric: model.P99}} {
		if got := s.stepLine(&model.StepResult{Step: step}, j, nil); !strings.HasSuffix(got, "a nothing measured") {
			t.Errorf("%q", got)
		}
	}
}

// A narrow terminal shows the time left to the last.
func TestANarrowTerminalKeepsTheTimeLeft(t *testing.T) {
	w := &model.Workload{Name: "rand-write-iops", BlockSize: 4096, Depth: 64, Metric: model.IOPS}
	step := &model.Step{Number: 16, Workload: w.Name}
	for _, side := range []model.Side{"", model.SideA} {
		line := string(show(Options{Interactive: true, Unicode: true, Width: 60}, []model.Update{{Side: side, Elapsed: 100, Left: 250, Step: step, Workload: w, Steps: 16, Workloads: 2}}))
		if !strings.Contains(line, "eta 5 m") {
			t.Errorf("%q", line)
		}
	}
}

// Quiet hides what is said of progress, and nothing else.
func TestQuietHidesRemarksOnProgress(t *testing.T) {
	updates := []model.Update{
		{Message: "waiting for the storage", Progress: &model.Progress{Phase: model.PhaseSettle, Total: 9}},
		{Message: "the node is gone"},
	}
	if got := string(show(Options{Quiet: true}, updates)); strings.Contains(got, "waiting") || !strings.Contains(got, "the node is gone") {
		t.Errorf("%q", got)
	}
}
