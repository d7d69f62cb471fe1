package etcd

import (
	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/apps"
	"github.com/loadline/loadline/internal/plan/application"
	"github.com/loadline/loadline/internal/plan/profile"
)

// Application is etcd as it is asked for and planned: its loads, its data and its flags.
var Application = application.Application{
	App:      apps.Etcd,
	Profiles: []func() profile.Profile{standard, quick, small}, Make: asked, CheckOptions: CheckOptions,
	Data: profile.Data{
		Choose:  chooseData,
		Seconds: func(model.Volume) float64 { return startSeconds },
		Room:    func(_ model.AppRequest, v model.Volume) int64 { return v.Size },
	},
	Flags: []application.Flag{
		application.Clients("instead: numbers of clients, such as 1,16 (default with --rate: 16)"),
		application.Rate("puts"),
		application.LatencyLimit("puts"),
		{Name: "value-size", Usage: "bytes of each value (default: 2200)", Option: valueOption, Least: 1, Most: mostValue, Such: defaultValue},
		{Name: "etcd", Usage: "the etcd program to run, at this `PATH` (default: the one on PATH)", To: func(r *model.AppRequest) any { return &r.Program }},
		application.Settings("give etcd this flag, as `NAME=VALUE` (repeatable)"),
	},
	Help: application.Help{
		Targets: "DIR", Target: "one DIR",
		Short: "Measure puts to an etcd in a directory",
		Long: `Creates a temporary etcd in the directory with the program installed on this machine, sends
puts to it, and removes it, even after ^C (after kill -9, run loadline cleanup DIR).
Started by root, it runs as the user etcd, or nobody. It listens only on sockets in a
directory that no other user can enter.

Each number of clients is measured several times in random order until its 95 % interval is
as narrow as --precision or --max-time is over. Next to the puts per second are etcd's own
counts per put: flushes of its log and their time, log bytes, I/Os of the device. The
goal is etcd's recommendation: 99 % of the flushes of its log take less than 10 ms.

--clients or --rate define a load of your own instead of a profile. With --rate, puts are
due at random times (an open loop), and their latencies count from then; those that
--latency-limit skips are counted in the percentiles, as slower than the limit.

With --hosts etcd runs in the directory on that host, which needs loadline and etcd.

Not supported yet: an existing etcd, members on several machines, Kubernetes (sc:, pvc:).`,
		Examples: `  loadline app etcd /var/lib/x --profile quick
  loadline app etcd /var/lib/x --clients 1,8,64 --etcd ~/bin/etcd`,
		CompareExamples: `  loadline compare app etcd /srv/old /srv/new --profile small`,
		Baseline:        "also measure an etcd in this `DIR`, interleaved, and compare with it",
		PlanLong: `Takes the flags of app etcd and prints the plan, as plan does for run, and the settings
that etcd would be given.`,
		PlanExamples: `  loadline plan app etcd /var/lib/x --set snapshot-count=100000`,
	},
}
