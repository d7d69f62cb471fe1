// Package asked says how PostgreSQL is asked for and planned: its loads, the room that its data take, its
// flags and its words. It is apart from the load tool because the program in pods links that and no more.
package asked

import (
	"github.com/loadline/loadline/internal/measure/load/postgres"
	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/apps"
	"github.com/loadline/loadline/internal/plan/application"
	"github.com/loadline/loadline/internal/plan/profile"
)

// Application is PostgreSQL as it is asked for and planned: its loads, its data and its flags.
var Application = application.Application{
	App:      apps.Postgres,
	Profiles: []func() profile.Profile{standard, quick, small, big, connecting, whitepaper}, Make: own, CheckOptions: postgres.CheckOptions,
	Data: profile.Data{
		Choose: chooseData, Seconds: readySeconds, Room: dataRoom, LogRoom: logRoom,
		Claim: func(ask model.AppRequest) int64 { return room(ask, ask.Log != "") },
	},
	Pods: &application.Pods{Image: postgres.Image, Programs: "PostgreSQL's server and pgbench", Foreseen: postgres.Foreseen},
	Flags: []application.Flag{
		{Name: "load", Usage: "instead: transactions of this `KIND`: tpcb, simple (one update) or select", Load: true, To: func(r *model.AppRequest) any { return &r.Ask.Load }},
		{Name: "script", Usage: "instead: transactions of this pgbench script `FILE`", Load: true, File: true, To: func(r *model.AppRequest) any { return &r.Ask.Script }},
		application.Clients("numbers of clients, such as 1,16 (default with --load: 16)"),
		{Name: "threads", Usage: "threads of pgbench (default: one for each client, at most 4)", Load: true, Least: 1, Most: mostThreads, To: func(r *model.AppRequest) any { return &r.Ask.Threads }},
		{Name: "connect", Usage: "open a connection for each transaction", Load: true, To: func(r *model.AppRequest) any { return &r.Ask.Connect }},
		application.Rate("transactions"),
		application.LatencyLimit("transactions"),
		{Name: "pgbench", Usage: "pass pgbench this `OPTION`, as one word: --pgbench --protocol=prepared (repeatable)", To: func(r *model.AppRequest) any { return &r.Ask.Options }},
		{Name: "fit", Usage: "size of the data: cached (in memory, the default) or disk (twice the memory)", To: func(r *model.AppRequest) any { return &r.Fit }},
		{Name: "scale", Usage: "pgbench's scale instead (about 15 MiB per unit)", Least: 1, Most: mostScale, To: func(r *model.AppRequest) any { return &r.Scale }},
		application.Settings("set this server setting, as `NAME=VALUE` (repeatable)"),
		{Name: "wal", Usage: "keep the log (pg_wal) in this `PLACE`, on a separate volume (a DIR; sc:CLASS or pvc:CLAIM if the data are on one)", To: func(r *model.AppRequest) any { return &r.Log }},
		{Name: "client-node", Usage: "Kubernetes: run pgbench in its own pod, on this `NODE`, on any other than the server's (other) or on the server's (same) (default: in the server's pod)",
			To: func(r *model.AppRequest) any { return &r.Client }},
	},
	BaselineFlags: []application.Flag{
		{Name: "baseline-wal", Usage: "keep the baseline's log in this `PLACE` (default: with its data)", To: func(r *model.AppRequest) any { return &r.BaselineLog }},
		{Name: "baseline-client-node", Usage: "the same for the baseline's pgbench (default: in its server's pod)", To: func(r *model.AppRequest) any { return &r.BaselineClient }},
	},
	Help: help,
}

// The most that the flags take: more than anybody needs, and little enough that nothing that is computed
// from it overflows.
const (
	mostThreads = 10000
	mostScale   = 1000000
)
