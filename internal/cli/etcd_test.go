package cli

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/loadline/loadline/internal/ask/spec"
	"github.com/loadline/loadline/internal/env"
	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/apps"
	"github.com/loadline/loadline/internal/plan/profile"
	"github.com/loadline/loadline/test/lab"
)

// A disk whose flushes take 40 ms or more is too slow for etcd, whatever else it does, and
// the measured time of a flush is the planted one.
func TestTheEtcdProfileKnowsASlowFlush(t *testing.T) {
	t.Parallel()
	lab.Need(t, "fio", "gcc")
	lab.Lock(t)
	e := env.OS()
	e.Command = lab.SlowFlush(t, e.Command, 40*time.Millisecond)
	// The flushes of a neighbour that fills the machine's disk are added to it.
	lab.UpToThree(t, func() []string { return slowForEtcd(t, e) })
}

// slowForEtcd measures the etcd profile where a flush takes 40 ms, and returns what is wrong with its answer.
func slowForEtcd(t *testing.T, e *env.Env) (wrong []string) {
	t.Helper()
	note := func(format string, args ...any) { wrong = append(wrong, fmt.Sprintf(format, args...)) }
	code, r := reportIn(t, e, "run", t.TempDir(), "--profile", "etcd", "--size", "64M", "--repeat", "5", "--max-time", "30s", "--precision", "20%",
		"--results", t.TempDir(), "--format", "json")
	if code != exitGoal || len(r.Goals) != 1 || r.Goals[0].Outcome != model.Missed || !strings.Contains(r.Goals[0].Message, "too slow for etcd") {
		note("exit code %d: %+v", code, r.Goals)
	}
	for _, res := range r.Results {
		if res.Direction != model.Sync {
			continue
		}
		if p50 := res.Metrics[model.P50].Value; p50 < 0.040 || p50 > 0.08 {
			note("the median of flushes that take 40 ms is %v", p50)
		}
		return wrong
	}
	note("there is no result for the flushes: %+v", r.Results)
	return wrong
}

// The goals of profiles have the syntax of --goal, and that for etcd's log is etcd's bound.
func TestTheGoalsOfProfilesAreGoals(t *testing.T) {
	for _, name := range profile.Names() {
		p, err := profile.Lookup(name)
		if err != nil {
			t.Fatal(err)
		}
		goals, err := spec.ParseGoals(p.Goals, p.Workloads)
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if name == "etcd" && (len(goals) != 1 || goals[0].Direction != model.Sync || goals[0].Metric != model.P99 || goals[0].Above || goals[0].Bound != apps.EtcdFlush) {
			t.Errorf("%+v", goals)
		}
	}
}
