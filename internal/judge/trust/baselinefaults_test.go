package trust

import "github.com/loadline/loadline/internal/model"

// told lets the storage system report the number of replicas instead of the user.
func told(ev *Evidence, replicas int) {
	ev.Recorded.Plan.Experiment.Replicas = 0
	ev.Recorded.Environment.Cluster = &model.Cluster{Backing: &model.Backing{Adapter: "longhorn", Replicas: replicas}}
	ev.Recorded.Run.Beside.Copies = []model.Copies{{Count: replicas, Of: replicas}}
}

// limited makes the baseline a disk of 500 I/Os per second at any depth, several of which answer one
// reader faster than one.
func limited(ev *Evidence) {
	setMetric(ev.Baseline.Results, iops.Name, model.IOPS, 500, 0.02)
	setMetric(ev.Results, iops.Name, model.IOPS, 1450, 0.02)
	setMetric(ev.Baseline.Results, iops.Name, model.Bandwidth, 500*4096, 0.02)
	setMetric(ev.Results, iops.Name, model.Bandwidth, 1450*4096, 0.02)
	setMetric(ev.Results, lat.Name, model.P50, 120e-6, 0.02)
}

var baselineFaults = []fault{
	{rule: "faster-reads", name: "with known replicas", spoil: func(ev *Evidence) {
		setMetric(ev.Results, lat.Name, model.P50, 120e-6, 0.02)
	}, want: []string{"invalid rand-read-lat"}, says: "a read takes 120 µs, and on /srv/local it takes 2.00 ms"},
	{rule: "faster-reads", name: "with unknown replicas", spoil: func(ev *Evidence) {
		setMetric(ev.Results, lat.Name, model.P50, 120e-6, 0.02)
		ev.Recorded.Plan.Experiment.Replicas = 0
	}, want: []string{"warning rand-read-lat"}, also: []string{"above-disks"}, says: "faster than its disk"},
	{rule: "faster-reads", name: "than a disk with a cap", spoil: func(ev *Evidence) {
		setMetric(ev.Results, lat.Name, model.P50, 120e-6, 0.02)
		ev.Baseline.Cap.IOPS = 500
	}, want: []string{"warning rand-read-lat"}},
	{rule: "faster-reads", name: "with replicas that the storage system tells", spoil: func(ev *Evidence) {
		setMetric(ev.Results, lat.Name, model.P50, 120e-6, 0.02)
		told(ev, 3)
	}, want: []string{"invalid rand-read-lat"}},
	{rule: "faster-reads", name: "three replicas of a disk that is limited in its rate", spoil: func(ev *Evidence) {
		limited(ev)
		setMetric(ev.Results, lat.Name, model.IOPS, 1450, 0.02)
		told(ev, 3)
	}, want: []string{"note rand-read-lat"}, says: "rate is limited (500 IOPS, even at greater depth), and 3 replicas share the load"},
	{rule: "faster-reads", name: "four times one of three limited disks", spoil: func(ev *Evidence) {
		limited(ev)
		setMetric(ev.Results, lat.Name, model.IOPS, 2000, 0.02)
	}, want: []string{"invalid rand-read-lat"}, also: []string{"above-disks"}},
	{rule: "faster-reads", name: "one replica on a limited disk", spoil: func(ev *Evidence) {
		limited(ev)
		ev.Recorded.Plan.Experiment.Replicas = 1
	}, want: []string{"invalid rand-read-lat"}, also: []string{"above-disks"}},
	{rule: "faster-reads", name: "no deeper read to compare with", spoil: func(ev *Evidence) {
		setMetric(ev.Results, lat.Name, model.P50, 120e-6, 0.02)
		setResult(ev.Baseline.Results, iops.Name, func(r *model.Result) { r.Verdict = model.Invalid })
	}, want: []string{"warning rand-read-lat"}, also: []string{"above-disks"}, says: "rate of its disks is limited, and 3 replicas share the load"},
	{rule: "faster-reads", name: "from the nearest head of a mirror of this machine", spoil: func(ev *Evidence) {
		setMetric(ev.Results, lat.Name, model.P50, 1.2e-3, 0.02)
		ev.Recorded.Environment.Storage.Device, ev.Recorded.Environment.Storage.DeviceChain = "md0", []string{"md0", "sda", "sdb"}
		ev.Recorded.Plan.Experiment.Replicas = 1
	}, want: []string{"warning rand-read-lat"}, says: "or it has several disks (md0), of which the nearest or fastest answers"},
	{rule: "faster-reads", name: "from a logical volume on one disk", spoil: func(ev *Evidence) {
		setMetric(ev.Results, lat.Name, model.P50, 1.2e-3, 0.02)
		ev.Recorded.Environment.Storage.DeviceChain = []string{"dm-0", "sda2", "sda"}
		ev.Recorded.Plan.Experiment.Replicas = 1
	}, want: []string{"invalid rand-read-lat"}},
	{rule: "faster-reads", name: "from a logical volume on two disks", spoil: func(ev *Evidence) {
		setMetric(ev.Results, lat.Name, model.P50, 1.2e-3, 0.02)
		ev.Recorded.Environment.Storage.DeviceChain = []string{"dm-0", "sda2", "sda", "sdb"}
		ev.Recorded.Plan.Experiment.Replicas = 1
	}, want: []string{"warning rand-read-lat"}},
	{rule: "faster-reads", name: "from the nearest of three replicas", spoil: func(ev *Evidence) {
		setMetric(ev.Results, lat.Name, model.P50, 0.8e-3, 0.02)
	}, want: []string{"warning rand-read-lat"}, says: "or of 3 replicas the one whose disk is nearest answers"},
	{rule: "faster-reads", name: "nearer than any of three replicas can be", spoil: func(ev *Evidence) {
		setMetric(ev.Results, lat.Name, model.P50, 0.5e-3, 0.02)
	}, want: []string{"invalid rand-read-lat"}},
	{rule: "faster-reads", name: "of replicas on disks without heads", spoil: func(ev *Evidence) {
		setMetric(ev.Results, lat.Name, model.P50, 0.8e-3, 0.02)
		no := false
		ev.Baseline.Storage.Rotational = &no
	}, want: []string{"invalid rand-read-lat"}},
	{rule: "faster-reads", name: "of a single replica", spoil: func(ev *Evidence) {
		setMetric(ev.Results, lat.Name, model.P50, 1.2e-3, 0.02)
		ev.Recorded.Plan.Experiment.Replicas = 1
	}, want: []string{"invalid rand-read-lat"}},
	{rule: "faster-reads", name: "by the mean where the median is hidden", spoil: func(ev *Evidence) {
		setResult(ev.Results, lat.Name, func(r *model.Result) { delete(r.Metrics, model.P50) })
		setMetric(ev.Results, lat.Name, model.Latency, 0.5e-3, 0.02)
	}, want: []string{"invalid rand-read-lat"}},
	{rule: "faster-reads", name: "within 5 %", spoil: func(ev *Evidence) {
		setMetric(ev.Results, lat.Name, model.P50, 1.91e-3, 0.001)
		setMetric(ev.Baseline.Results, lat.Name, model.P50, 2e-3, 0.001)
	}},
	{rule: "faster-reads", name: "only the middles are apart", spoil: func(ev *Evidence) {
		setMetric(ev.Results, lat.Name, model.P50, 1.8e-3, 0.05)
		setMetric(ev.Baseline.Results, lat.Name, model.P50, 2e-3, 0.05)
	}},
	{rule: "faster-reads", name: "the baseline is invalid", spoil: func(ev *Evidence) {
		setMetric(ev.Results, lat.Name, model.P50, 120e-6, 0.02)
		setResult(ev.Baseline.Results, lat.Name, func(r *model.Result) { r.Verdict = model.Invalid })
	}, want: []string{"not-checked rand-read-lat"}, also: []string{"above-disks"}},
	{rule: "faster-reads", name: "no baseline", spoil: func(ev *Evidence) { ev.Baseline = nil },
		want: []string{"not-checked"}, also: []string{"faster-writes", "above-disks"}},

	{rule: "faster-writes", name: "more of them", spoil: func(ev *Evidence) {
		setMetric(ev.Results, write.Name, model.IOPS, 4000, 0.05)
	}, want: []string{"invalid rand-write-iops"}, says: "durability unproven: writes of rand-write-iops beat /srv/local (iops 4.00k IOPS against 2.00k IOPS)"},
	{rule: "faster-writes", name: "only the tail", spoil: func(ev *Evidence) {
		setMetric(ev.Results, write.Name, model.P99, 1e-3, 0.05)
		setMetric(ev.Baseline.Results, write.Name, model.P99, 2e-3, 0.05)
	}, want: []string{"invalid rand-write-iops"}, says: "p99"},
	{rule: "faster-writes", name: "the flushes", spoil: func(ev *Evidence) {
		for _, results := range []*[]model.Result{&ev.Results, &ev.Baseline.Results} {
			flush := (*results)[1]
			flush.Direction, flush.Metrics = model.Sync, map[model.Metric]model.Estimate{model.Latency: estimate(model.Latency, 1e-3, 0.05)}
			*results = append(*results, flush)
		}
		ev.Results[4].Metrics[model.Latency] = estimate(model.Latency, 1e-5, 0.05)
	}, want: []string{"invalid rand-write-iops"}, says: "flushes of"},
	{rule: "faster-writes", name: "proven durable", spoil: func(ev *Evidence) {
		setMetric(ev.Results, write.Name, model.IOPS, 4000, 0.05)
		ev.Recorded.Durability = []model.Durability{{
			Target: ev.Recorded.Plan.Volume.Target, Result: model.DurabilityClean, Cuts: []model.Cut{{Kind: model.CutCommand, Noticed: true}},
		}}
	}, want: []string{"note rand-write-iops"}, says: "it probably has a persistent cache"},
	{rule: "faster-writes", name: "intervals touch", spoil: func(ev *Evidence) {
		setMetric(ev.Results, write.Name, model.IOPS, 2300, 0.1)
	}},

	{rule: "above-disks", name: "four times one of three", spoil: func(ev *Evidence) {
		setMetric(ev.Results, iops.Name, model.IOPS, 8000, 0.02)
		setMetric(ev.Results, iops.Name, model.Bandwidth, 8000*4096, 0.02)
	}, want: []string{"warning rand-read-iops"}, says: "8.00k IOPS, where 3 × /srv/local give 6.12k IOPS at most"},
	{rule: "above-disks", name: "three times one of three", spoil: func(ev *Evidence) {
		setMetric(ev.Results, iops.Name, model.IOPS, 6100, 0.02)
	}},
	{rule: "above-disks", name: "four times one of three that the storage system tells", spoil: func(ev *Evidence) {
		setMetric(ev.Results, iops.Name, model.IOPS, 8000, 0.02)
		told(ev, 3)
	}, want: []string{"warning rand-read-iops"}, says: "where 3 × /srv/local"},
	{rule: "above-disks", name: "no more than one of an unknown number", spoil: func(ev *Evidence) { ev.Recorded.Plan.Experiment.Replicas = 0 }},
	{rule: "above-disks", name: "twelve times one of an unknown number", spoil: func(ev *Evidence) {
		ev.Recorded.Plan.Experiment.Replicas = 0
		setMetric(ev.Results, iops.Name, model.IOPS, 24000, 0.02)
	}, want: []string{"note rand-read-iops"}, says: "24.0k IOPS take at least 11 disks like /srv/local: if there are fewer, a cache answered part of the reads"},
}
