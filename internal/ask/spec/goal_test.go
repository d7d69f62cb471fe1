package spec

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/modeltest"
)

var goalWorkloads = []model.Workload{
	{Name: "rand-read-iops", Direction: model.Read}, {Name: "mix", Direction: model.Mixed}, {Name: "log", Direction: model.Write, Sync: "fdatasync"},
	{Name: "tpcb-c16", Direction: model.Write, App: model.AppLoad{Tool: "pgbench"}}, {Name: "put-c1", Direction: model.Write, App: model.AppLoad{Tool: string(model.Etcd)}},
}

func TestParseGoal(t *testing.T) {
	for text, want := range map[string]model.Goal{
		"rand-read-iops iops > 60k":       {Workload: "rand-read-iops", Direction: model.Read, Metric: model.IOPS, Above: true, Bound: 60000},
		"rand-read-iops IOPS>=1.2M/s":     {Workload: "rand-read-iops", Direction: model.Read, Metric: model.IOPS, Above: true, Bound: 1.2e6},
		"rand-read-iops p99<5ms":          {Workload: "rand-read-iops", Direction: model.Read, Metric: model.P99, Bound: 5e-3},
		"rand-read-iops p99.9 <= 200 µs":  {Workload: "rand-read-iops", Direction: model.Read, Metric: model.P999, Bound: 2e-4},
		"rand-read-iops bw > 500MiB/s":    {Workload: "rand-read-iops", Direction: model.Read, Metric: model.Bandwidth, Above: true, Bound: 500 << 20},
		"mix write  lat <\t1s":            {Workload: "mix", Direction: model.Write, Metric: model.Latency, Bound: 1},
		"log sync p50 < 900us":            {Workload: "log", Direction: model.Sync, Metric: model.P50, Bound: 9e-4},
		"log iops > 800":                  {Workload: "log", Direction: model.Write, Metric: model.IOPS, Above: true, Bound: 800},
		"tpcb-c16 tps > 500":              {Workload: "tpcb-c16", Direction: model.Write, Metric: model.Transactions, Above: true, Bound: 500},
		"put-c1 sync p99 < 10ms":          {Workload: "put-c1", Direction: model.Sync, Metric: model.P99, Bound: 0.01},
		"rand-read-iops read latency < 1": {},
	} {
		got, err := ParseGoal(text, goalWorkloads)
		if want.Workload == "" {
			if err == nil {
				t.Errorf("%q was accepted as %+v", text, got)
			}
			continue
		}
		want.Text = strings.Join(strings.Fields(text), " ")
		if diff := cmp.Diff(want, got, cmpopts.EquateApprox(1e-12, 0)); diff != "" || err != nil {
			t.Errorf("%q: %v\n%s", text, err, diff)
		}
	}
}

func TestGoalsAreRefusedWithASentence(t *testing.T) {
	for text, want := range map[string]string{
		"":                               "a > or < is missing",
		"rand-read-iops iops = 5":        "a > or < is missing",
		"iops > 5":                       "a workload and a metric must stand before the >",
		"a b c d > 5":                    "a workload and a metric must stand before the >",
		"rand-raed-iops iops > 5":        `no workload "rand-raed-iops"; did you mean "rand-read-iops"?`,
		"rand-read-iops iop > 5":         `no metric "iop"; did you mean "iops"?`,
		"rand-read-iops tps > 5":         `no metric "tps"`,
		"tpcb-c16 iops > 5":              `no metric "iops"`,
		"mix iops > 5":                   "mix reads and writes: say which",
		"mix sync iops > 5":              `mix has no direction "sync": it has read and write`,
		"rand-read-iops write iops > 5":  `no direction "write"`,
		"log sync bw > 5M":               "a flush moves no bytes",
		"rand-read-iops iops > many":     `"many" is not a rate`,
		"rand-read-iops iops > -5":       `"-5" is not a rate`,
		"rand-read-iops iops > NaN":      `"NaN" is not a rate`,
		"rand-read-iops iops > 1 > 2":    `"1 > 2" is not a rate`,
		"rand-read-iops bw > fast":       `"fast" is not a bandwidth`,
		"rand-read-iops p99 < 5":         `"5" is not a duration`,
		"rand-read-iops p99 < -5ms":      `"-5ms" is not a duration`,
		"rand-read-iops p99 < 0":         `"0" is not a duration`,
		"rand-read-iops bandwidth > 0":   `"0" is not a bandwidth`,
		"rand-read-iops iops > 5 potato": `"5 potato" is not a rate`,
	} {
		_, err := ParseGoal(text, goalWorkloads)
		if e := modeltest.Refused(t, err); !strings.Contains(e.Message, want) || e.Hint == "" {
			t.Errorf("%q: %q (next: %q), want %q", text, e.Message, e.Hint, want)
		}
	}
}

func TestNoGoalMakesItPanic(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		_, _ = ParseGoal(rapid.String().Draw(t, "text"), goalWorkloads)
		_, _ = ParseGoal("rand-read-iops p99 <"+rapid.String().Draw(t, "bound"), goalWorkloads)
	})
}
