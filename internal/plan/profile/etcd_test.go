package profile

import (
	"slices"
	"strings"
	"testing"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/modeltest"
)

// withPsync is a directory on which fio's psync works, with 4 KiB sectors, which do not matter for
// appending.
func withPsync() model.ProbeResult {
	probe := ample()
	probe.Engines = []string{"io_uring", "psync"}
	probe.Environment.Storage.LogicalBlock = 4096
	return probe
}

func TestEtcdIsALogWithAGoal(t *testing.T) {
	p := builtin(t, "etcd")
	plan := build(t, model.Experiment{}, p, directory, withPsync())
	if plan.Volume.Size != gib || plan.Volume.Engine != "psync" || !strings.Contains(plan.Volume.SizeReason, "as the profile says") {
		t.Errorf("%+v", plan.Volume)
	}
	if !slices.Equal(plan.Experiment.Goals, p.Goals) {
		t.Errorf("goals %q", plan.Experiment.Goals)
	}
	for _, s := range plan.Steps {
		if s.Offset != 0 {
			t.Errorf("repeat %d begins at %v of the space that was never written", s.Number, s.Offset)
		}
	}
	own := build(t, model.Experiment{Goals: []string{"wal-fdatasync iops > 5"}, Size: 64 * mib}, p, directory, withPsync())
	if len(own.Experiment.Goals) != 1 || own.Experiment.Goals[0] != "wal-fdatasync iops > 5" || own.Volume.Size != 64*mib {
		t.Errorf("%q, %d", own.Experiment.Goals, own.Volume.Size)
	}
	slow := withPsync()
	slow.WriteBandwidth = 20 * mib
	if plan := build(t, model.Experiment{}, p, directory, slow); plan.Volume.Size != 600*mib {
		t.Errorf("%d bytes are written before on a slow disk", plan.Volume.Size)
	}
}

// The goal applies to the target, which is B.
func TestEtcdsGoalIsOfOneSide(t *testing.T) {
	exp := model.Experiment{Seed: 7}
	plans, err := Pair([2]model.Experiment{exp, exp}, builtin(t, "etcd"), [2]model.Target{directory, otherDirectory}, [2]model.ProbeResult{withPsync(), withPsync()})
	if err != nil || len(plans[0].Experiment.Goals) != 0 || len(plans[1].Experiment.Goals) != 1 {
		t.Errorf("%q, %q, %v", plans[0].Experiment.Goals, plans[1].Experiment.Goals, err)
	}
}

func TestALogIsWrittenToAFile(t *testing.T) {
	probe := withPsync()
	probe.MakesFile = false
	for _, kind := range []model.TargetKind{model.BlockDevice, model.File, model.NBD} {
		_, err := Build(model.Experiment{Seed: 7, DestroyDataOn: "/x"}, builtin(t, "etcd"), model.Target{Name: "/x", Path: "/x", Kind: kind}, probe)
		if e := modeltest.Refused(t, err); !strings.Contains(e.Message+e.Hint, "name a directory") && !strings.Contains(e.Message, "psync") {
			t.Errorf("%s: %v", kind, e)
		}
	}
}

// Another workload would only read blocks that were never written.
func TestALogIsMeasuredAlone(t *testing.T) {
	p := builtin(t, "etcd")
	p.Workloads = append(p.Workloads, builtin(t, "kbench", "seq-read-bw").Workloads...)
	if e := modeltest.Refused(t, Check(p)); !strings.Contains(e.Message, "seq-read-bw would find nothing else") || !strings.Contains(e.Hint, "--only wal-fdatasync, and --only seq-read-bw") {
		t.Errorf("%s; %s", e.Message, e.Hint)
	}
}

func TestWhatCannotBeAppended(t *testing.T) {
	for _, spoil := range []func(*model.Workload){
		func(w *model.Workload) { w.Sync = "" },
		func(w *model.Workload) { w.Access = model.Random },
		func(w *model.Workload) { w.Direction = model.Mixed; w.ReadPercent = 50 },
		func(w *model.Workload) { w.Jobs = 2 },
	} {
		p := builtin(t, "etcd")
		spoil(&p.Workloads[0])
		if e := modeltest.Refused(t, Check(p)); !strings.Contains(e.Message, "appends") {
			t.Error(e.Message)
		}
	}
}
