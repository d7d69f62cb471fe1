package etcd

import (
	"fmt"
	"strings"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/apps"
	"github.com/loadline/loadline/internal/model/units"
	"github.com/loadline/loadline/internal/plan/application"
	"github.com/loadline/loadline/internal/plan/profile"
)

// The ramp of a repeat covers the first puts of each connection. Times are in seconds.
const repeat, ramp = 5.0, 1.0

// putsBy does puts with the given number of clients, each waiting for its answer. The server
// flushes its log once per batch of them.
func putsBy(clients int) model.Workload {
	w := model.Workload{
		Name: fmt.Sprintf("put-c%d", clients), Access: model.Sequential, Direction: model.Write, BlockSize: 2300, Depth: clients,
		Metric: model.Transactions, App: model.AppLoad{Tool: apps.Etcd.Tool, Threads: 1},
	}
	w.Words = "etcd puts, " + w.App.Describe(w)
	return w
}

// profileOf does puts with several numbers of clients. Its goal applies to the first: with one client
// each put is flushed separately.
func profileOf(name, title string, clients ...int) profile.Profile {
	p := profile.Profile{Name: name, Title: title, Repeat: repeat, Ramp: ramp, Goals: []string{flushGoal(fmt.Sprintf("put-c%d", clients[0]))}}
	for _, c := range clients {
		p.Workloads = append(p.Workloads, putsBy(c))
	}
	return p
}

// flushGoal is etcd's disk requirement, apps.EtcdFlush, for the flushes under a load.
func flushGoal(workload string) string {
	return fmt.Sprintf("%s sync p99 < %.0fms", workload, apps.EtcdFlush*1e3)
}

func standard() profile.Profile {
	return profileOf("standard", "puts with 1, 8 and 64 clients: what one waits for, and how many share a flush", 1, 8, 64)
}

func quick() profile.Profile {
	p := profileOf("quick", "puts with 1 and 16 clients, in a minute and a half, to ±10 %", 1, 16)
	p.MaxTime, p.Precision = 90, 0.1
	return p
}

func small() profile.Profile {
	return profileOf("small", "1 client: what a single put costs", 1)
}

// asked returns a profile for the load that the user specified.
func asked(a application.Ask) (profile.Profile, error) {
	p := profile.Profile{Name: "own", Title: "what was asked for", Repeat: repeat, Ramp: ramp}
	if err := application.Check(a); err != nil {
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
		w := putsBy(c)
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
	p.Goals = []string{flushGoal(p.Workloads[0].Name)}
	return p, nil
}
