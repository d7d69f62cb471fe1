package explain

import (
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/amplification"
	"github.com/loadline/loadline/internal/model/iotrace"
)

var (
	replicated = amplification.Behind{Reads: 1, Writes: 6, Of: "3 replicas × 2 writes (data, revision counter)", Disks: []amplification.Disk{
		{Node: "a", Path: "/lh", Device: "a/sda"}, {Node: "b", Path: "/lh", Device: "b/sda"}, {Node: "c", Path: "/lh", Device: "c/sdb"}}}
	oneWrite = model.Workload{Name: "write", Access: model.Random, Direction: model.Write, BlockSize: 4096, Depth: 16}
)

// replicas is a run of a workload with two repeats, from 21 to 31 and from 41 to 51, of 100 operations a second on
// each of two volumes. The record of the disks begins 4.5 s before the run; each of three does n I/Os in each of its
// seconds while the load is on, and idle in the others.
func replicas(w model.Workload, d model.Direction, n func(second int) uint64, idle uint64) Evidence {
	ev := measured(w)
	behind := replicated
	ev.Recorded.Run.Beside.Behind = &behind
	ev.Disks = &Disks{Began: time.Unix(995, 500e6)}
	for step := 1; step <= 2; step++ {
		for worker := range 2 {
			ev.Recorded.Run.Steps = append(ev.Recorded.Run.Steps, model.StepResult{Step: model.Step{Number: step, Workload: w.Name, Ramp: 1, Seconds: 10}, Worker: worker, Started: 20 * float64(step)})
			for s := range 10 {
				x := model.Sample{Step: step, Worker: worker, End: 20*float64(step) + 2 + float64(s), Seconds: 1}
				f := &model.Flow{IOs: 100, Bytes: 409600}
				if d == model.Read {
					x.Read = f
				} else {
					x.Write = f
				}
				ev.Recorded.Samples = append(ev.Recorded.Samples, x)
			}
		}
	}
	for end := 1; end <= 60; end++ {
		at := float64(end) - 4.5
		ios := idle
		if at > 20.9 && at < 31.6 || at > 40.9 && at < 51.6 {
			ios = n(end)
		}
		for _, name := range []string{"a/sda", "b/sda", "c/sdb"} {
			// Writes among the reads, and flushes among the writes, are not of the workload's direction.
			for op, count := range map[iotrace.Operation]uint64{iotrace.Operation(d): ios, iotrace.Flush: 7} {
				if count > 0 {
					ev.Disks.Samples = append(ev.Disks.Samples, iotrace.Sample{End: float64(end), Seconds: 1, Device: name, Operation: op, Flow: model.Flow{IOs: count}})
				}
			}
		}
	}
	return ev
}

func onlyRatio(t *testing.T, ev Evidence, w model.Workload) amplification.Ratio {
	t.Helper()
	list := ev.Amplification(w)
	if len(list) != 1 {
		t.Fatalf("%+v", list)
	}
	return list[0]
}

// Six writes of the disks for each of the clients', over the same seconds of all repeats.
func TestWritesOfReplicas(t *testing.T) {
	ev := replicas(oneWrite, model.Write, func(int) uint64 { return 400 }, 2)
	r := onlyRatio(t, ev, oneWrite)
	near(t, "amplification", r.Value, 6)
	near(t, "disks", r.Disks, 1200)
	near(t, "clients", r.Operations, 200)
	near(t, "idle", *r.Idle, 6)
	if r.Low > 6 || r.High < 6 || r.High-r.Low > 0.01 || r.Confidence != 0.95 || r.Expected != 6 || r.Seconds < 16 || r.Seconds > 20 || len(r.Devices) != 3 {
		t.Errorf("%+v", r)
	}
	const says = "the disks with the replicas do 6.00 writes for each write (6.00 to 6.00), counted on a/sda, b/sda, c/sdb; 6 expected: 3 replicas × 2 writes (data, revision counter); before the run, without load, they did 6 IOPS"
	if r.Says != says || r.Times() != "6×" || r.OfExpected() != "6× of 6" || r.Rates() != "1.20k IOPS on 3 disks for 200 IOPS" {
		t.Errorf("%s\n%s, %s, %s", r.Says, r.Times(), r.OfExpected(), r.Rates())
	}
	// The budget and the point of a scale have the same number.
	ev.did("write", model.Write, 200, 5e-3)
	if b := only(t, ev); len(b.Amplification) != 1 || b.Amplification[0].Value != r.Value {
		t.Errorf("%+v", b.Amplification)
	}
	scales := []model.Scale{{Direction: model.Write, Points: []model.ScalePoint{{Result: "write"}, {Result: "unknown"}}}, {Direction: model.Read, Points: []model.ScalePoint{{Result: "write"}}}}
	Amplify(ev, scales)
	if p := scales[0].Points; p[0].Amplification == nil || p[0].Amplification.Value != r.Value || p[1].Amplification != nil || scales[1].Points[0].Amplification != nil {
		t.Errorf("%+v", scales)
	}
}

// An interval is as wide as the seconds vary; what else uses the disks is a caveat.
func TestAmplificationVaries(t *testing.T) {
	r := onlyRatio(t, replicas(oneWrite, model.Write, func(s int) uint64 { return 380 + 40*uint64(s%2) }, 100), oneWrite)
	if math.Abs(r.Value-6) > 0.1 || r.High-r.Low < 0.05 || r.High-r.Low > 1 || r.Low > 6 || r.High < 6 {
		t.Errorf("%+v", r)
	}
	if !strings.Contains(r.Says, "before the run, without load, they did 300 IOPS, 25 % of the total, which are counted with it") {
		t.Error(r.Says)
	}
}

// Reads from a cache are no reads of the disks: silent seconds count.
func TestReadsThatDoNotReachTheDisks(t *testing.T) {
	r := onlyRatio(t, replicas(oneRead, model.Read, func(int) uint64 { return 0 }, 0), oneRead)
	if r.NotCounted != "" || r.Value != 0 || r.Expected != 1 || r.Seconds < 16 {
		t.Errorf("%+v", r)
	}
	ev := replicas(oneRead, model.Read, func(s int) uint64 {
		if s > 40 {
			return 0
		}
		return 60
	}, 0)
	ev.Disks.Samples = slices.DeleteFunc(ev.Disks.Samples, func(s iotrace.Sample) bool { return s.Operation == iotrace.Flush })
	if r = onlyRatio(t, ev, oneRead); r.Value < 0.4 || r.Value > 0.5 {
		t.Errorf("the second repeat reads from a cache, and the amplification is %+v", r)
	}
}

// Without a number there is a reason, and nothing is expected.
func TestAmplificationThatWasNotCounted(t *testing.T) {
	for want, spoil := range map[string]func(*Evidence){
		"":                                      func(ev *Evidence) { ev.Recorded.Run.Beside.Behind = nil },
		"a right is missing":                    func(ev *Evidence) { ev.Recorded.Run.Beside.Behind.NotCounted = "a right is missing" },
		"the record of the disks' counters is":  func(ev *Evidence) { ev.Disks = nil },
		"a tracer was lost":                     func(ev *Evidence) { ev.Disks.Incomplete = "a tracer was lost" },
		"when the run's seconds began":          func(ev *Evidence) { ev.Recorded.Run.Clock = time.Time{} },
		"counted together for too short a time": func(ev *Evidence) { ev.Recorded.Samples = ev.Recorded.Samples[:2] },
	} {
		ev := replicas(oneWrite, model.Write, func(int) uint64 { return 400 }, 0)
		spoil(&ev)
		list := ev.Amplification(oneWrite)
		if want == "" {
			if len(list) > 0 {
				t.Errorf("nobody has asked, and there is %+v", list)
			}
			continue
		}
		if len(list) != 1 || !strings.Contains(list[0].NotCounted, want) || list[0].Value != 0 || list[0].Expected != 0 || list[0].Times() != "not counted" ||
			!strings.Contains(list[0].Says, "I/O amplification (writes) was not counted: ") {
			t.Errorf("%s: %+v", want, list)
		}
	}
}

// Nothing is expected of what may be split, of what a transaction needs, and of volumes that differ.
func TestWhatIsExpectedOfDisks(t *testing.T) {
	large := oneWrite
	large.BlockSize = 1 << 20
	job := model.Workload{Name: "write", Direction: model.Mixed, BlockSize: 4096, Job: "[x]"}
	load := model.Workload{Name: "write", Direction: model.Write, BlockSize: 8192, App: model.AppLoad{Tool: "pgbench"}}
	for what, w := range map[string]model.Workload{"large blocks": large, "a job": job, "transactions": load} {
		list := replicas(w, model.Write, func(int) uint64 { return 400 }, 0).Amplification(w)
		for _, r := range list {
			if r.Expected != 0 || r.NotCounted == "" && !strings.Contains(r.Says, "what to expect is unknown: "+r.Of) {
				t.Errorf("%s: %+v", what, r)
			}
		}
		if w.Loads() && (len(list) != 2 || list[1].Operation != "transaction" || list[0].Value != 0 || math.Abs(list[1].Value-6) > 1e-9) {
			t.Errorf("%s: %+v", what, list)
		}
	}
}

// Samples that are years apart, as in a damaged record, are not gone through second by second.
func TestAmplificationOfADamagedRecord(t *testing.T) {
	ev := replicas(oneRead, model.Read, func(int) uint64 { return 60 }, 0)
	for i := range ev.Recorded.Samples {
		if s := &ev.Recorded.Samples[i]; s.End == 31 || s.End == 51 {
			s.End = 1e9
		}
	}
	if r := onlyRatio(t, ev, oneRead); !(r.Value >= 0 && r.Seconds > 1e9) {
		t.Errorf("%+v", r)
	}
}

// A replica that is lost, or rebuilt, during the run: the number would say something else.
func TestReplicasThatCameOrWent(t *testing.T) {
	for _, c := range []struct {
		counts []int
		want   bool
	}{{nil, false}, {[]int{3, 2, 3, 2}, false}, {[]int{3, 2, 2}, true}, {[]int{3, 2, 3, 1}, true}} {
		ev := replicas(oneWrite, model.Write, func(int) uint64 { return 400 }, 0)
		for i, n := range c.counts {
			ev.Recorded.Run.Beside.Copies = append(ev.Recorded.Run.Beside.Copies, model.Copies{Worker: i % 2, Count: n})
		}
		if r := ev.Amplification(oneWrite)[0]; (r.NotCounted != "") != c.want {
			t.Errorf("%v: %+v", c.counts, r)
		}
	}
}

// Where the volume's own filesystem writes as well, the disks are counted, and nothing is expected of them.
func TestNothingIsExpectedBesideAFilesystemsWrites(t *testing.T) {
	for name, c := range map[string]struct {
		change   func(*model.Workload, *model.Environment)
		expected float64
	}{
		"plain writes": {func(*model.Workload, *model.Environment) {}, 6},
		"flushes":      {func(w *model.Workload, _ *model.Environment) { w.Sync = "fdatasync" }, 0},
		"a log":        {func(w *model.Workload, _ *model.Environment) { w.Append = true }, 0},
		"a shared volume": {func(_ *model.Workload, e *model.Environment) {
			e.Cluster = &model.Cluster{Access: []string{"ReadWriteMany"}}
		}, 0},
	} {
		w := oneWrite
		ev := replicas(w, model.Write, func(int) uint64 { return 400 }, 0)
		c.change(&w, &ev.Recorded.Environment)
		if r := ev.Amplification(w)[0]; r.NotCounted != "" || r.Expected != c.expected || r.Value < 5.9 || r.Value > 6.1 {
			t.Errorf("%s: %+v", name, r)
		}
	}
}
