package trust

import (
	"slices"
	"strings"
	"testing"

	"github.com/loadline/loadline/internal/model"
)

// draining makes every other repeat of a workload one that began when writes may not have drained, and
// half as fast; change modifies the record of the others.
func draining(ev *Evidence, change func(*model.StepResult)) {
	early, n := map[int]bool{}, 0
	eachStep(ev, iops.Name, func(s *model.StepResult) {
		if n++; n%2 == 0 {
			early[s.Step.Number] = true
			s.Settling = &model.Settling{Writes: 20000}
		} else if change != nil {
			change(s)
		}
	})
	for i := range ev.Recorded.Samples {
		if m := &ev.Recorded.Samples[i]; early[m.Step] {
			m.Read = &model.Flow{IOs: m.Read.IOs / 2, Bytes: m.Read.Bytes / 2, LatencySum: m.Read.LatencySum, Histogram: m.Read.Histogram}
		}
	}
}

// waited records a wait that made reads twice as fast.
func waited(s *model.StepResult) {
	s.Settling = &model.Settling{Writes: 20000, Waited: 6, Slow: 1000, Rate: 2000, Settled: true}
}

// leaveOut excludes a workload's early repeats from its result, as analysis does.
func leaveOut(ev *Evidence) {
	for i := range ev.Results {
		if r := &ev.Results[i]; r.Workload == iops.Name {
			eachStep(ev, iops.Name, func(s *model.StepResult) {
				if s.Settling.Early() {
					r.LeftOut = append(r.LeftOut, s.Step.Number)
				}
			})
		}
	}
	// The first repeat of the other one began after writes, too.
	eachStep(ev, lat.Name, func(s *model.StepResult) {
		if s.Settling != nil {
			waited(s)
		}
	})
}

// mixes are the rules that see two levels in the series.
var mixes = []string{"modes", "cliff", "burst", "warm-up", "drift", "tail", "bytes", "depth", "merge"}

// cutShort records for every read of a workload a wait that ended too early, or for every other one.
func cutShort(ev *Evidence, workload string, all bool) {
	n := 0
	eachStep(ev, workload, func(s *model.StepResult) {
		if n++; all || n%2 == 0 {
			s.Settling = &model.Settling{Writes: 200000, Waited: 30, Slow: 1000, Rate: 1000, Left: 95}
		}
	})
}

// noFaster records for each repeat of a workload a wait after which reads were as slow as before, as of a cache whose size is
// estimated wrongly.
func noFaster(ev *Evidence, workload string) {
	eachStep(ev, workload, func(s *model.StepResult) {
		s.Settling = &model.Settling{Writes: 20000, Waited: 60, Slow: 2000, Rate: 2000, Settled: true}
	})
}

var settledFaults = []fault{
	{rule: "settled", name: "a wait that made reads no faster, where it did so for others", spoil: func(ev *Evidence) { leaveOut(ev); noFaster(ev, iops.Name) },
		want: []string{"warning rand-read-iops", "note rand-read-lat,rand-read-rate"}, says: "reads ran at 1.00k IOPS instead of 2.00k"},
	{rule: "settled", name: "waits that ended before the storage can have finished", spoil: func(ev *Evidence) { cutShort(ev, iops.Name, true) },
		want: []string{"warning rand-read-iops"}, says: "after 200k I/Os had been written, the storage may have needed another 1 m 35 s or more to finish them (waited "},
	{rule: "settled", name: "the same, and slower than others", spoil: func(ev *Evidence) { draining(ev, nil); cutShort(ev, iops.Name, false) },
		want: []string{"warning rand-read-iops"}, also: mixes, says: "may have needed another 1 m 35 s"},
	{rule: "settled", name: "reads right after writes at half the rate", spoil: func(ev *Evidence) { draining(ev, nil) },
		want: []string{"warning rand-read-iops"}, also: mixes, says: "right after writes ran at 1.00k IOPS and others at 2.00k"},
	{rule: "settled", name: "a wait, and what began before is left out", spoil: func(ev *Evidence) { draining(ev, waited); leaveOut(ev) },
		want: []string{"note rand-read-iops,rand-read-lat,rand-read-rate"}, also: []string{"bytes", "modes", "drift"}, says: "ran at 1.00k IOPS instead of 2.00k; 5 repeats begun before that are left out"},
	{rule: "settled", name: "a wait, and too few repeats after it", spoil: func(ev *Evidence) {
		draining(ev, nil)
		eachStep(ev, lat.Name, func(s *model.StepResult) {
			if s.Settling != nil {
				waited(s)
			}
		})
	}, want: []string{"note rand-read-lat,rand-read-rate", "warning rand-read-iops"}, also: mixes, says: "waited 6"},
	{rule: "settled", name: "an engine that did not look", spoil: func(ev *Evidence) {
		eachStep(ev, "", func(s *model.StepResult) { s.Settling = nil })
	}, want: []string{"not-checked rand-read-lat"}, says: "was not recorded"},
	{rule: "settled", name: "nothing that only reads", spoil: func(ev *Evidence) {
		ev.Results = slices.DeleteFunc(ev.Results, func(r model.Result) bool { return r.Direction == model.Read })
		ev.Baseline = nil
	}, want: []string{"not-checked"}, also: []string{"faster-reads", "faster-writes", "above-disks", "rate", "late", "clock", "cache", "cpu", "depth"}, says: "no workload that only reads"},
}

// Reads that are as fast as those after the storage has finished do not suffer, however much it may still write.
func TestReadsAsFastAsOthersAreNotAccused(t *testing.T) {
	ev := sound()
	cutShort(&ev, iops.Name, false)
	for _, f := range checkSettled(ev) {
		if f.Severity != model.SeverityPassed {
			t.Errorf("%s %v: %s", f.Severity, f.Results, f.Message)
		}
	}
}

// A cache that drains for longer than its size was estimated halves all of a workload's repeats alike.
func TestReadsThatNoWaitMadeFasterAreNamed(t *testing.T) {
	ev := sound()
	leaveOut(&ev)
	noFaster(&ev, iops.Name)
	for _, f := range checkSettled(ev) {
		if slices.Contains(f.Results, iops.Name) {
			if f.Severity != model.SeverityWarning || !strings.HasSuffix(f.Message, "those of rand-read-iops were never faster, so it may have been writing during all of their repeats") {
				t.Errorf("%s: %s", f.Severity, f.Message)
			}
		}
	}
}

// rising records a wait of one workload that ended too early and yet doubled the rate of reads.
func rising(ev *Evidence, workload string) {
	eachStep(ev, workload, func(s *model.StepResult) {
		s.Settling = &model.Settling{Writes: 20000, Waited: 67, Slow: 1000, Rate: 2000, Left: 30}
	})
}

// A wait that doubles the rate of reads shows a draining cache, however it ended: others that no wait made faster may have
// been slow all the time.
func TestAWaitThatDoublesReadsShowsADrainingCache(t *testing.T) {
	ev := sound()
	rising(&ev, lat.Name)
	eachStep(&ev, iops.Name, func(s *model.StepResult) { s.Settling = &model.Settling{Writes: 20000} })
	if f := settledFinding(t, ev, iops.Name); f.Severity != model.SeverityWarning || !strings.Contains(f.Message, "reads ran at 1.00k IOPS instead of 2.00k; those of rand-read-iops were never faster") {
		t.Errorf("%s: %s", f.Severity, f.Message)
	}
	eachStep(&ev, lat.Name, func(s *model.StepResult) { s.Settling.Rate = 1500 })
	if f := settledFinding(t, ev, iops.Name); f.Severity != model.SeverityPassed {
		t.Errorf("reads half as fast again, which noise does: %s: %s", f.Severity, f.Message)
	}
}

// What a long repeat of reads fell to is no sustained rate where a cache was seen to drain.
func TestALongRepeatThatFellBesideADrainingCache(t *testing.T) {
	ev := sound()
	rising(&ev, lat.Name)
	ev.Results = slices.Clone(ev.Results)
	for i := range ev.Results {
		if r := &ev.Results[i]; r.Workload == iops.Name {
			r.Sustained = &model.Sustained{State: model.Fell, Looked: iops.Name, Rate: r.Metrics[model.IOPS].Value / 2}
		}
	}
	if f := settledFinding(t, ev, iops.Name); f.Severity != model.SeverityWarning || !strings.Contains(f.Message, "reads of rand-read-iops were slower in their long repeat than in a short one") {
		t.Errorf("%s: %s", f.Severity, f.Message)
	}
	eachStep(&ev, lat.Name, func(s *model.StepResult) { s.Settling = nil })
	if f := settledFinding(t, ev, iops.Name); f.Severity != model.SeverityPassed {
		t.Errorf("a burst credit: %s: %s", f.Severity, f.Message)
	}
}

// Writes that a cache absorbed throughout are faster than the storage, which the drain after them shows; what they fell to is not.
func TestWritesThatOnlyACacheTookAreNamed(t *testing.T) {
	ev := sound()
	leaveOut(&ev)
	eachStep(&ev, iops.Name, func(s *model.StepResult) {
		s.Settling = &model.Settling{Writes: 20000, Waited: 30, Slow: 50, Rate: 100, Settled: true}
	})
	said, upTo := "absorbed: ", 0.0
	writes := func(state model.SustainedState, reads float64) (named []string) {
		ev.Results = slices.Clone(ev.Results)
		for i := range ev.Results {
			switch r := &ev.Results[i]; r.Direction {
			case model.Write:
				r.Sustained = &model.Sustained{State: state}
			case model.Read:
				r.Metrics = map[model.Metric]model.Estimate{model.IOPS: {Value: reads}}
				if upTo > 0 {
					r.Metrics[model.IOPS] = model.Estimate{Value: reads, Low: reads / 2, High: upTo, Confidence: 0.95}
				}
			}
		}
		for _, f := range checkSettled(ev) {
			if strings.HasPrefix(f.Message, said) {
				named = f.Results
			}
		}
		return named
	}
	if named := writes(model.Held, 100); len(named) == 0 || slices.Contains(named, iops.Name) {
		t.Errorf("rates that held: %v", named)
	}
	if named := writes(model.Below, 100); len(named) > 0 {
		t.Errorf("rates below what another workload fell to are called absorbed: %v", named)
	}
	said = "perhaps absorbed: "
	if named := writes(model.Below, 100); len(named) == 0 {
		t.Error("rates that are below what another workload fell to are not named")
	}
	said, upTo = "absorbed: ", 1e6
	if named := writes(model.Held, 100); len(named) > 0 {
		t.Errorf("faster than reads that are not known well enough: %v", named)
	}
	upTo = 0
	if named := writes(model.Fell, 100); len(named) > 0 {
		t.Errorf("rates that fell: %v", named)
	}
	eachStep(&ev, iops.Name, func(s *model.StepResult) { s.Settling.Slow, s.Settling.Rate = 1e6, 2e6 })
	if named := writes(model.Held, 1e6); len(named) > 0 {
		t.Errorf("slower than the reads: %v", named)
	}
}

// Where reads may have been slow beside earlier writes, those that are faster than they are may have been absorbed.
func TestWritesThatACacheMayHaveTakenAreNamed(t *testing.T) {
	log := write
	log.BlockSize, log.Depth = 8192, 1
	for _, c := range []struct {
		reads float64
		named bool
		// writes are like reads of the run, or, as those of a log, like none.
		writes model.Workload
	}{{100, true, write}, {1e6, false, write}, {100, true, log}, {1e6, false, log}} {
		ev := sound()
		setWorkload(&ev, c.writes)
		cutShort(&ev, iops.Name, true)
		ev.Results = slices.Clone(ev.Results)
		for i := range ev.Results {
			if r := &ev.Results[i]; r.Direction == model.Read {
				r.Metrics = map[model.Metric]model.Estimate{model.IOPS: {Value: c.reads}}
			}
		}
		named := slices.ContainsFunc(checkSettled(ev), func(f model.Finding) bool {
			return f.Severity == model.SeverityWarning && strings.HasPrefix(f.Message, "perhaps absorbed: ")
		})
		if named != c.named {
			t.Errorf("reads at %g/s, writes of %d: named %t", c.reads, c.writes.BlockSize, named)
		}
	}
}

// What a wait seems to show may be noise where repeats of reads vary as much without writes: then it is said so, and no writes
// are said to have been absorbed.
func TestNoiseIsNotCalledADrainingCache(t *testing.T) {
	for _, c := range []struct {
		name, says, of string
		varies         float64
	}{
		{"steady reads", "for the storage to finish earlier writes", "absorbed: ", 0.05},
		{"noise", "either the storage was still writing, or this is its noise", "perhaps absorbed: ", 0.4},
	} {
		ev := sound()
		leaveOut(&ev)
		noFaster(&ev, lat.Name)
		eachStep(&ev, iops.Name, waited)
		for i := range ev.Recorded.Samples {
			if m := &ev.Recorded.Samples[i]; m.Read != nil && m.Step%2 == 0 {
				f := *m.Read
				f.IOs = uint64(float64(f.IOs) * (1 - c.varies))
				m.Read = &f
			}
		}
		ev.Results = slices.Clone(ev.Results)
		for i := range ev.Results {
			if r := &ev.Results[i]; r.Direction == model.Read {
				r.Metrics = map[model.Metric]model.Estimate{model.IOPS: {Value: 1}}
			}
		}
		said := ""
		for _, f := range checkSettled(ev) {
			said += f.Message + "\n"
		}
		if !strings.Contains(said, c.says) || !strings.Contains("\n"+said, "\n"+c.of) {
			t.Errorf("%s:\n%s", c.name, said)
		}
	}
}

// A mix reads beside what a cache writes back as well: it is named if a cache was seen to drain and none of its repeats waited,
// or if their waits ended too early, and nothing is said of it otherwise.
func TestAMixBesideADrainingCacheIsNamed(t *testing.T) {
	for _, c := range []struct {
		name, says string
		mix        model.Settling
		drains     bool
	}{
		{"no cache", "", model.Settling{Writes: 20000}, false},
		{"a cache, and no wait of its own", "too few repeats of rand-write-iops were made after that", model.Settling{Writes: 20000}, true},
		{"a wait that was too short", "may have needed another 1 m 35 s or more", model.Settling{Writes: 20000, Waited: 30, Slow: 1000, Rate: 1000, Left: 95}, false},
		{"waits", "ran at 1.00k IOPS instead of 2.00k", model.Settling{Writes: 20000, Waited: 6, Slow: 1000, Rate: 2000, Settled: true}, true},
	} {
		ev := sound()
		mix := write
		mix.Direction, mix.ReadPercent = model.Mixed, 70
		setWorkload(&ev, mix)
		for i := range ev.Recorded.Samples {
			if m := &ev.Recorded.Samples[i]; m.Write != nil && m.Read == nil {
				m.Read = m.Write
			}
		}
		if c.drains {
			leaveOut(&ev)
		}
		eachStep(&ev, mix.Name, func(s *model.StepResult) { s.Settling = &c.mix })
		said := ""
		for _, f := range checkSettled(ev) {
			if slices.Contains(f.Results, mix.Name) && !strings.HasPrefix(f.Message, "absorbed") && !strings.HasPrefix(f.Message, "perhaps absorbed") {
				said += f.Message
			}
		}
		if (said == "") != (c.says == "") || !strings.Contains(said, c.says) {
			t.Errorf("%s: %q", c.name, said)
		}
	}
}

// A mix that began right after writes, without a wait, is named where a wait before other reads had to end too early.
func TestAMixWithoutAWaitIsNamedWhereReadsMayBeSlow(t *testing.T) {
	for _, cut := range []bool{true, false} {
		ev := sound()
		mix := write
		mix.Direction, mix.ReadPercent = model.Mixed, 70
		setWorkload(&ev, mix)
		eachStep(&ev, mix.Name, func(s *model.StepResult) { s.Settling = &model.Settling{Writes: 20000} })
		if cut {
			cutShort(&ev, iops.Name, true)
		}
		named := slices.ContainsFunc(checkSettled(ev), func(f model.Finding) bool {
			return f.Severity == model.SeverityWarning && slices.Contains(f.Results, mix.Name) && strings.HasPrefix(f.Message, "perhaps not settled: ")
		})
		if named != cut {
			t.Errorf("another wait was cut short: %t, named %t", cut, named)
		}
	}
}

// onlyWrites leaves the workloads that write, whose repeats vary by 1 %, and says how reads after the last of them went: in the
// end at a share of the rate of the writes.
func onlyWrites(last model.Settling, share float64) Evidence {
	ev := sound()
	ev.Baseline = nil
	ev.Results = slices.DeleteFunc(slices.Clone(ev.Results), func(r model.Result) bool { return r.Direction == model.Read })
	rates := map[string]float64{}
	for i := range ev.Results {
		r := &ev.Results[i]
		v := r.Metrics[model.IOPS].Value
		rates[r.Workload], r.RepeatValues = share*v, []float64{v, 1.01 * v, v, 0.99 * v, v}
	}
	ev.Recorded.Run.Beside.ReadsAfter, ev.Recorded.Run.Beside.ReadRates = &last, rates
	return ev
}

// A run that only writes shows by the reads at its end whether a cache took the writes.
func TestReadsAfterTheLastWritesShowACache(t *testing.T) {
	for _, c := range []struct {
		name     string
		last     model.Settling
		share    float64
		severity model.Severity
		says     string
	}{
		{"a cache that drained", model.Settling{Writes: 1, Waited: 20, Slow: 50, Rate: 100, Settled: true}, 0.5, model.SeverityWarning, "absorbed: a cache took the writes of"},
		{"a cache that drains for longer", model.Settling{Writes: 1, Waited: 60, Slow: 50, Rate: 100, Left: 30}, 0.5, model.SeverityWarning, "absorbed: a cache took the writes of"},
		{"a cache that hides how long it drains", model.Settling{Writes: 1, Waited: 60, Slow: 100, Rate: 100, Left: 90}, 0.3, model.SeverityWarning, "perhaps absorbed: "},
		{"one that is taken to have drained", model.Settling{Writes: 1, Waited: 60, Slow: 100, Rate: 100, Settled: true}, 0.3, model.SeverityWarning, "(reads ran at only 100 IOPS)"},
		{"no cache", model.Settling{Writes: 1, Settled: true}, 0.9, model.SeverityPassed, "could read as many I/Os after the last writes"},
		{"a full cache, whose drain leaves reads half of the disk", model.Settling{Writes: 1, Waited: 60, Slow: 100, Rate: 100, Left: 90}, 0.5, model.SeverityNotChecked, "were not seen to become faster"},
		{"none that could be compared", model.Settling{Writes: 1, Settled: true}, 0, model.SeverityNotChecked, "no reads of its kind"},
	} {
		found := false
		list := checkSettled(onlyWrites(c.last, c.share))
		for _, f := range list {
			found = found || f.Severity == c.severity && strings.Contains(f.Message, c.says)
			if f.Severity == model.SeverityWarning && (c.severity != model.SeverityWarning || !strings.Contains(f.Message, c.says) || c.says[0] == 'a' && strings.HasPrefix(f.Message, "perhaps")) {
				t.Errorf("%s: accused: %s", c.name, f.Message)
			}
		}
		if !found {
			t.Errorf("%s: %+v", c.name, list)
		}
		// A goal asks for this.
		for _, w := range onlyWrites(c.last, c.share).Results {
			if mark := MayNotLast(list, w.Workload); (mark != nil) != (c.severity == model.SeverityWarning) {
				t.Errorf("%s: %s may not last: %+v", c.name, w.Workload, mark)
			}
		}
	}
}

// Writes whose repeats vary so much that their interval reaches down to the reads after them are not said to be as fast as these: they
// are named if they were much faster in the mean and reads became faster, as behind a cache that took some of them.
func TestWritesThatVaryAreNotSaidToBeNoFasterThanReads(t *testing.T) {
	drained := model.Settling{Writes: 1, Waited: 20, Slow: 50, Rate: 100, Settled: true}
	for name, c := range map[string]struct {
		last     model.Settling
		share    float64 // of the writes' mean, which reads reach
		severity model.Severity
		says     string
	}{
		"much faster":   {drained, 0.55, model.SeverityWarning, "perhaps absorbed: "},
		"a bit faster":  {drained, 0.85, model.SeverityNotChecked, "too wide to tell"},
		"no faster":     {drained, 1.1, model.SeverityPassed, "could read as many I/Os"},
		"nothing waits": {model.Settling{Writes: 1, Settled: true}, 0.55, model.SeverityPassed, "could read as many I/Os"},
	} {
		ev := onlyWrites(c.last, c.share)
		for i := range ev.Results {
			r := &ev.Results[i]
			e := r.Metrics[model.IOPS]
			e.Low, e.High, e.Confidence = 0.4*e.Value, 2.5*e.Value, 0.95
			r.Metrics[model.IOPS], r.RepeatValues = e, []float64{1.2 * e.Value, 1.2 * e.Value, 0.6 * e.Value, 0.9 * e.Value, 1.1 * e.Value}
		}
		list := checkSettled(ev)
		if !slices.ContainsFunc(list, func(f model.Finding) bool {
			return f.Severity == c.severity && strings.Contains(f.Message, c.says)
		}) {
			t.Errorf("%s: %+v", name, list)
		}
	}
}

// Writes without reads of their kind after them are named where a cache took others and they are faster than what was read,
// and not checked where there is no cache.
func TestUntestedWritesBesideThoseOfACache(t *testing.T) {
	other := write
	other.Name, other.BlockSize = "rand-write-bw", 131072
	for _, c := range []struct {
		name  string
		last  model.Settling
		share float64
		named bool
	}{
		{"a cache", model.Settling{Writes: 1, Waited: 20, Slow: 50, Rate: 100, Settled: true}, 0.5, true},
		{"no cache", model.Settling{Writes: 1, Settled: true}, 0.9, false},
	} {
		ev := onlyWrites(c.last, c.share)
		again := ev.Results[0]
		again.Workload = other.Name
		ev.Results, ev.Recorded.Plan.Workloads = append(ev.Results, again), append(slices.Clone(ev.Recorded.Plan.Workloads), other)
		named, missed := false, false
		for _, f := range checkSettled(ev) {
			if slices.Contains(f.Results, other.Name) {
				named = named || f.Severity == model.SeverityWarning && strings.HasPrefix(f.Message, "perhaps absorbed: ")
				missed = missed || f.Severity == model.SeverityNotChecked && strings.Contains(f.Message, "no reads of its kind")
			}
		}
		if named != c.named || missed == c.named {
			t.Errorf("%s: named %t, not checked %t", c.name, named, missed)
		}
	}
}

// The rate after a fall is that of the storage, whether or not reads after it are as fast.
func TestReadsAfterSayNothingOfWhatFell(t *testing.T) {
	ev := onlyWrites(model.Settling{Writes: 1, Waited: 60, Slow: 100, Rate: 100, Left: 90}, 0.2)
	for i := range ev.Results {
		ev.Results[i].Sustained = &model.Sustained{State: model.Fell}
	}
	if list := checkSettled(ev); len(list) != 1 || list[0].Severity != model.SeverityNotChecked || !strings.Contains(list[0].Message, "the result is the rate after that") {
		t.Errorf("%+v", list)
	}
}

// What two single probes seem to show of a run of one repeat may be noise, and a steady rate that a cache takes is not found
// out by measuring until it is steady.
func TestOneRepeatProvesNoCache(t *testing.T) {
	ev := onlyWrites(model.Settling{Writes: 1, Waited: 20, Slow: 50, Rate: 100, Settled: true}, 0.5)
	ev.Recorded.Plan.Schedule.Mode = model.Steady
	for i := range ev.Results {
		ev.Results[i].RepeatValues = ev.Results[i].RepeatValues[:1]
	}
	list := checkSettled(ev)
	if len(list) != 1 || !strings.HasPrefix(list[0].Message, "perhaps absorbed: ") || !strings.Contains(list[0].Next, "--time 30m") && !strings.Contains(list[0].Next, "--time=30m") {
		t.Errorf("%+v", list)
	}
}

// Reads of no one workload show a small loss right after writes that all of them show together; a loss that some have and
// others gain is noise.
func TestASmallLossIsSeenInAllWorkloadsTogether(t *testing.T) {
	losses := func(signs ...float64) (each, together bool) {
		groups, pooled := map[string]repeatsAfter{}, spread{}
		for i, sign := range signs {
			g := repeatsAfter{late: []float64{94, 106, 94, 106}}
			for _, v := range g.late {
				g.early = append(g.early, v*(1-0.08*sign))
			}
			groups[string(rune('a'+i))] = g
			pooled.add(g.early)
			pooled.add(g.late)
		}
		for _, g := range groups {
			each = each || pooled.slower(g, len(groups))
		}
		return each, pooled.together(groups)
	}
	if each, together := losses(1, 1, 1, 1, 1, 1); each || !together {
		t.Errorf("the same loss: seen in one %t, in all %t", each, together)
	}
	if each, together := losses(1, -1, 1, -1, 1, -1); each || together {
		t.Errorf("noise: seen in one %t, in all %t", each, together)
	}
	if _, together := losses(5, 5, 5, -0.1); together {
		t.Error("others speak for a workload that lost nothing")
	}
}

// settledFinding returns what the rule says of a workload.
func settledFinding(t *testing.T, ev Evidence, workload string) model.Finding {
	t.Helper()
	for _, f := range checkSettled(ev) {
		if slices.Contains(f.Results, workload) {
			return f
		}
	}
	t.Fatalf("nothing is said of %s: %+v", workload, checkSettled(ev))
	return model.Finding{}
}

// Reads that one of their own waits has made faster are not said to have stayed slow, however fast earlier repeats were.
func TestReadsThatAWaitMadeFasterAreNotAccused(t *testing.T) {
	ev := sound()
	leaveOut(&ev)
	n := 0
	eachStep(&ev, iops.Name, func(s *model.StepResult) {
		if waited(s); n == 0 {
			s.Settling = &model.Settling{Writes: 20000}
		}
		n++
	})
	if g := ev.afterWrites(iops.Name); g.neverFaster() || len(g.early) == 0 {
		t.Errorf("%+v", g)
	}
}
