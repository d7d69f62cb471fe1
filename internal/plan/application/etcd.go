package application

import (
	"fmt"
	"strings"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/units"
	"github.com/loadline/loadline/internal/plan/profile"
)

// etcd is etcd, loaded by Loadline's own client.
var etcd = Application{
	Kind: model.Etcd, Profiles: []func() profile.Profile{etcdStandard, etcdQuick, etcdSmall}, Make: etcdMake,
}

// The ramp of a repeat covers the first puts of each connection. Times are in seconds.
const etcdRepeat, etcdRamp = 5.0, 1.0

// etcdWorkload does puts with the given number of clients, each waiting for its answer. The server
// flushes its log once per batch of them.
func etcdWorkload(clients int) model.Workload {
	w := model.Workload{
		Name: fmt.Sprintf("put-c%d", clients), Access: model.Sequential, Direction: model.Write, BlockSize: 2300, Depth: clients,
		Metric: model.Transactions, App: model.AppLoad{Tool: "etcd", Threads: 1},
	}
	w.Words = "etcd puts, " + w.App.Describe(w)
	return w
}

// etcdProfile does puts with several numbers of clients. Its goal applies to the first: with one client
// each put is flushed separately.
func etcdProfile(name, title string, clients ...int) profile.Profile {
	p := profile.Profile{Name: name, Title: title, Repeat: etcdRepeat, Ramp: etcdRamp, Goals: []string{etcdGoal(fmt.Sprintf("put-c%d", clients[0]))}}
	for _, c := range clients {
		p.Workloads = append(p.Workloads, etcdWorkload(c))
	}
	return p
}

// etcdGoal is etcd's disk requirement, model.EtcdFlush, for the flushes under a load.
func etcdGoal(workload string) string {
	return fmt.Sprintf("%s sync p99 < %.0fms", workload, model.EtcdFlush*1e3)
}

func etcdStandard() profile.Profile {
	return etcdProfile("standard", "puts with 1, 8 and 64 clients: what one waits for, and how many share a flush", 1, 8, 64)
}

func etcdQuick() profile.Profile {
	p := etcdProfile("quick", "puts with 1 and 16 clients, in a minute and a half, to ±10 %", 1, 16)
	p.MaxTime, p.Precision = 90, 0.1
	return p
}

func etcdSmall() profile.Profile {
	return etcdProfile("small", "1 client: what a single put costs", 1)
}

// etcdMake returns a profile for the load that the user specified.
func etcdMake(a Ask) (profile.Profile, error) {
	p := profile.Profile{Name: "own", Title: "what was asked for", Repeat: etcdRepeat, Ramp: etcdRamp}
	if err := check(a); err != nil {
		return p, err
	}
	if a.Load != "" || a.Script != "" || a.Threads > 0 || a.Connect {
		return p, model.RefusedError("the load of etcd is puts, and has neither kinds nor scripts nor threads", "say --clients, --rate and --value-size")
	}
	clients := a.Clients
	if len(clients) == 0 {
		clients = []int{16}
	}
	for _, c := range clients {
		w := etcdWorkload(c)
		w.App.Limit = a.Limit
		if a.Rate > 0 {
			w.OpenLoop, w.RateIOPS, w.Metric = true, a.Rate, model.Latency
			w.Name += "-rate" + units.TrimZeros(fmt.Sprintf("%.3f", a.Rate))
		}
		w.App.Options = strings.Join(a.Options, "\n")
		w.Words = "etcd puts, " + w.App.Describe(w)
		if len(a.Options) > 0 {
			w.Words += ", " + strings.Join(a.Options, " ")
		}
		p.Workloads = append(p.Workloads, w)
	}
	p.Goals = []string{etcdGoal(p.Workloads[0].Name)}
	return p, nil
}
