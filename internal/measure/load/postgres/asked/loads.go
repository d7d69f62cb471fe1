package asked

import (
	"fmt"
	"slices"
	"strings"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/apps"
	"github.com/loadline/loadline/internal/model/units"
	"github.com/loadline/loadline/internal/plan/application"
	"github.com/loadline/loadline/internal/plan/profile"
)

// builtins are pgbench's built-in loads, by the names that users type.
var builtins = []struct {
	name, option, words string
	writes              bool
}{
	{"tpcb", "--builtin=tpcb-like", "TPC-B-like", true},
	{"simple", "--builtin=simple-update", "one update", true},
	{"select", "--builtin=select-only", "one select", false},
}

const (
	// usualThreads is the default number of pgbench's threads: one for each client up to this many, so
	// that the load is the same on every machine.
	usualThreads = 4
	// A repeat covers a few seconds of the time after a checkpoint, during which full-page images are
	// logged. ramp covers the start of pgbench and of its connections. Times are in seconds.
	repeat, ramp = 10.0, 2.0
)

// loadOf is one load with the given number of clients.
func loadOf(load string, clients int) model.Workload {
	i := slices.IndexFunc(builtins, func(l struct {
		name, option, words string
		writes              bool
	}) bool {
		return l.name == load
	})
	l := builtins[i]
	w := model.Workload{
		Name: fmt.Sprintf("%s-c%d", l.name, clients), Access: model.Random, Direction: model.Read, BlockSize: 8 << 10, Depth: clients,
		Metric: model.Transactions, App: model.AppLoad{Tool: apps.Postgres.Tool, Threads: min(clients, usualThreads), Options: l.option},
	}
	if l.writes {
		w.Direction = model.Write
	}
	w.Words = "pgbench " + l.words + ", " + w.App.Describe(w)
	return w
}

// profileOf is a profile of one load with several numbers of clients.
func profileOf(name, title, load string, clients ...int) profile.Profile {
	p := profile.Profile{Name: name, Title: title, Repeat: repeat, Ramp: ramp}
	for _, c := range clients {
		p.Workloads = append(p.Workloads, loadOf(load, c))
	}
	return p
}

func standard() profile.Profile {
	return profileOf("standard", "TPC-B-like with 1, 4, 16 and 64 clients: where it saturates", "tpcb", 1, 4, 16, 64)
}

func quick() profile.Profile {
	p := profileOf("quick", "1 and 16 clients, in two minutes, to ±10 %", "tpcb", 1, 16)
	p.Repeat, p.MaxTime, p.Precision = 8, 100, 0.1
	return p
}

func small() profile.Profile {
	return profileOf("small", "1 client: what a single commit costs", "tpcb", 1)
}

func big() profile.Profile {
	return profileOf("big", "100 clients on 4 threads, as published tests have it", "tpcb", 100)
}

// connecting is a load that opens a connection for each transaction, using one thread: published
// comparisons include it, and it actually measures a single process that opens connections one after
// the other.
func connecting() profile.Profile {
	p := profileOf("connect", "10 clients that connect for each select, by one thread in turn", "select", 10)
	w := &p.Workloads[0]
	w.Name, w.App.Threads, w.App.Reconnect = "connect-c10", 1, true
	w.Words = "pgbench one select, " + w.App.Describe(*w)
	return p
}

// whitepaper has the settings used in published comparisons of storage systems: 1 client × 10
// transactions, 100 clients on 4 threads × 10,000, both at scale 400, and 10 clients that connect for
// each select (published at scale 250, but a run has one database, so at 400 here too). Each is measured for a
// fixed time, not a number of transactions, and the
// report says what that number of transactions could have shown.
func whitepaper() profile.Profile {
	p := profileOf("whitepaper", "as published comparisons have it: 1 client, 100 clients on 4 threads, 10 that connect; scale 400", "tpcb", 1, 100)
	p.MaxTime = 480
	p.Workloads[0].App.Published = 10
	p.Workloads[1].App.Published = 100 * 10_000
	p.Workloads = append(p.Workloads, connecting().Workloads...)
	for i := range p.Workloads {
		p.Workloads[i].App.PublishedScale = 400
	}
	return p
}

// own returns a profile for the load that the user specified.
func own(a application.Ask) (profile.Profile, error) {
	p := profile.Profile{Name: "own", Title: "what was asked for", Repeat: repeat, Ramp: ramp}
	if err := application.Check(a); err != nil {
		return p, err
	}
	load := a.Load
	if load == "" {
		load = "tpcb"
	}
	var names []string
	for _, l := range builtins {
		names = append(names, l.name)
	}
	if !slices.Contains(names, load) {
		return p, model.RefusedError(fmt.Sprintf("--load %q is not known", load), "choose one of "+strings.Join(names, ", ")+", or name a script of your own: --script FILE.sql")
	}
	if a.Script != "" && a.Load != "" {
		return p, model.RefusedError("--load and --script both say what a transaction is", "give one of them")
	}
	if a.Script != "" && !hasSQL(a.Script) {
		return p, model.RefusedError("the script contains no SQL, so it would not load the server", "write what a transaction does, such as SELECT 1;")
	}
	clients := a.Clients
	if len(clients) == 0 {
		clients = []int{16}
	}
	for _, c := range clients {
		w := loadOf(load, c)
		kind := w.Words[len("pgbench "):strings.IndexByte(w.Words, ',')]
		if a.Script != "" {
			// It is unknown whether a script writes; one that is declared to write may still only read.
			w.App.Script, w.App.Options, w.Direction = a.Script, "", model.Write
			w.Name, kind = fmt.Sprintf("script-c%d", c), "own script"
		}
		if a.Threads > 0 {
			w.App.Threads = min(a.Threads, c)
		}
		w.App.Reconnect, w.App.Limit = a.Connect, a.Limit
		if a.Connect {
			w.Name += "-connect"
		}
		if a.Rate > 0 {
			w.OpenLoop, w.RateIOPS, w.Metric = true, a.Rate, model.Latency
			w.Name += "-rate" + units.TrimZeros(fmt.Sprintf("%.3f", a.Rate))
		}
		options := append(w.App.OptionList(), a.Options...)
		w.App.Options = strings.Join(options, "\n")
		w.Words = "pgbench " + kind + ", " + w.App.Describe(w)
		if len(a.Options) > 0 {
			w.Words += ", " + strings.Join(a.Options, " ")
		}
		p.Workloads = append(p.Workloads, w)
	}
	return p, nil
}
