package etcd

import (
	"strings"
	"testing"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/plan/application"
)

func TestAskedLoads(t *testing.T) {
	p, err := asked(application.Ask{Clients: []int{2, 8}, Rate: 100, Limit: .1, Options: []string{"--val-size=1024"}})
	if err != nil || len(p.Workloads) != 2 || len(p.Goals) != 1 || p.Goals[0] != "put-c2-rate100 sync p99 < 10ms" {
		t.Fatalf("%+v %v", p, err)
	}
	w := p.Workloads[1]
	if w.Name != "put-c8-rate100" || !w.OpenLoop || w.RateIOPS != 100 || w.Metric != model.Latency || w.App.Options != "--val-size=1024" || w.App.Limit != .1 || w.App.Tool != "etcd" {
		t.Errorf("%+v", w)
	}
	for _, bad := range []application.Ask{{Load: "tpcb"}, {Script: "x"}, {Threads: 2}, {Connect: true}, {Clients: []int{0}}, {Limit: 1}} {
		if _, err := asked(bad); err == nil {
			t.Errorf("%+v was taken", bad)
		}
	}
	if _, err := chooseData(nil, nil, model.Target{Name: "/x"}, model.ProbeResult{Capacity: 100 << 20}); err == nil || !strings.Contains(err.Error(), "takes 272 MiB to begin with") {
		t.Errorf("%v", err)
	}
	// What is left before the load is stopped comes on top.
	large := model.ProbeResult{Capacity: 271 << 20, Environment: model.Environment{Storage: model.Storage{Used: 90 << 30, Free: 10 << 30}}}
	if _, err := chooseData(nil, nil, model.Target{Name: "/x"}, large); err == nil || !strings.Contains(err.Error(), "takes 272 MiB to begin with") {
		t.Errorf("%v", err)
	}
	large.Capacity = 272 << 20
	if _, err := chooseData(nil, nil, model.Target{Name: "/x"}, large); err != nil {
		t.Error(err)
	}
}
