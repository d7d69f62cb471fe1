package trust

import "github.com/loadline/loadline/internal/model"

// eachWindow changes what client and device counted of one workload ("" is all).
func eachWindow(ev *Evidence, workload string, change func(*model.Window)) {
	eachStep(ev, workload, func(s *model.StepResult) { change(s.Counters.Window) })
}

// setResult changes a result of one workload.
func setResult(results []model.Result, workload string, change func(*model.Result)) {
	for i := range results {
		if results[i].Workload == workload {
			change(&results[i])
		}
	}
}

// setMetric changes one metric of a workload's results.
func setMetric(results []model.Result, workload string, m model.Metric, v, half float64) {
	setResult(results, workload, func(r *model.Result) { r.Metrics[m] = estimate(m, v, half) })
}

// noDeviceBelow makes the target a volume across a socket.
func noDeviceBelow(ev *Evidence) {
	ev.Recorded.Environment.Storage.Device = ""
	ev.Recorded.Run.Beside.Idle.Device = ""
}

var machineFaults = []fault{
	{rule: "merge", name: "a tenth of the reads", spoil: func(ev *Evidence) {
		eachStep(ev, iops.Name, func(s *model.StepResult) { s.Counters.ReadMerges = s.Counters.DeviceReads / 9 })
	}, want: []string{"note rand-read-iops"}, says: "merged 10 % of the I/Os"},
	{rule: "merge", name: "merges of the other direction are somebody else's", spoil: func(ev *Evidence) {
		eachStep(ev, iops.Name, func(s *model.StepResult) { s.Counters.WriteMerges = 100000 })
	}},
	{rule: "merge", name: "5 % is allowed", spoil: func(ev *Evidence) {
		eachStep(ev, iops.Name, func(s *model.StepResult) { s.Counters.ReadMerges = s.Counters.DeviceReads / 20 })
	}},
	{rule: "merge", name: "no device", spoil: noDeviceBelow, want: []string{"not-checked"}, also: []string{"bytes", "foreign"}},
	{rule: "merge", name: "a device that counted nothing", spoil: func(ev *Evidence) {
		eachStep(ev, lat.Name, func(s *model.StepResult) { s.Counters.DeviceReads = 0 })
	}, want: []string{"not-checked rand-read-lat"}},

	{rule: "bytes", name: "each write twice", spoil: func(ev *Evidence) {
		eachWindow(ev, write.Name, func(w *model.Window) { w.DeviceWritten *= 2; w.DeviceWrites *= 2 })
	}, want: []string{"warning rand-write-iops"}, says: "I/O amplification ×2.00: vda wrote 2.00 times the bytes"},
	{rule: "bytes", name: "each write and each read more than once", spoil: func(ev *Evidence) {
		eachWindow(ev, write.Name, func(w *model.Window) { w.DeviceWritten *= 2; w.DeviceWrites *= 2 })
		eachWindow(ev, iops.Name, func(w *model.Window) { w.DeviceRead *= 3; w.DeviceReads *= 3 })
	}, want: []string{"warning rand-read-iops,rand-write-iops"}, says: "I/O amplification ×2.00 to ×3.00: vda moved 2.00 to 3.00 times the bytes of these 2 workloads", also: []string{"foreign"}},
	{rule: "bytes", name: "a journal behind each flush", spoil: func(ev *Evidence) {
		flush := write
		flush.Sync = "fdatasync"
		setWorkload(ev, flush)
		eachWindow(ev, write.Name, func(w *model.Window) { w.DeviceWritten += w.DeviceWritten / 2 })
	}, want: []string{"note rand-write-iops"}, says: "each flush also writes"},
	{rule: "bytes", name: "writes that stay in a cache", spoil: func(ev *Evidence) {
		eachWindow(ev, write.Name, func(w *model.Window) { w.DeviceWritten /= 2 })
	}, want: []string{"warning rand-write-iops"}, says: "wrote only 50 % of the bytes"},
	{rule: "bytes", name: "4 % is allowed", spoil: func(ev *Evidence) {
		eachWindow(ev, write.Name, func(w *model.Window) { w.DeviceWritten += w.DeviceWritten / 25 })
	}},
	{rule: "bytes", name: "a mixed workload's writes", spoil: func(ev *Evidence) {
		mix := write
		mix.Direction, mix.ReadPercent = model.Mixed, 50
		setWorkload(ev, mix)
		eachWindow(ev, write.Name, func(w *model.Window) {
			w.ClientRead, w.DeviceRead, w.DeviceWritten = w.ClientWritten, w.ClientWritten, 3*w.ClientWritten
		})
	}, want: []string{"warning rand-write-iops"}, also: []string{"merge", "settled"}, says: "×3.00"},
	{rule: "bytes", name: "no window", spoil: func(ev *Evidence) {
		eachStep(ev, write.Name, func(s *model.StepResult) { s.Counters.Window = nil })
	}, want: []string{"not-checked rand-write-iops"}, also: []string{"foreign"}, says: "at least 2 s"},
	{rule: "bytes", name: "next to nothing was moved", spoil: func(ev *Evidence) {
		eachWindow(ev, lat.Name, func(w *model.Window) { w.ClientRead, w.DeviceRead = 4096, 8192 })
	}, want: []string{"not-checked rand-read-lat"}, also: []string{"foreign"}},

	{rule: "sparse", name: "reads that the device did not see", spoil: func(ev *Evidence) {
		eachWindow(ev, iops.Name, func(w *model.Window) { w.DeviceRead /= 50 })
	}, want: []string{"invalid rand-read-iops"}, also: []string{"bytes"}, says: "the device served only 2 %"},

	{rule: "foreign", name: "before", spoil: func(ev *Evidence) {
		c := ev.Recorded.Run.Beside.Idle
		c.DeviceWrites, c.DeviceWritten = 250, 250*4096
	}, want: []string{"warning rand-read-iops,rand-write-iops,rand-read-lat,rand-read-rate"}, says: "others used vda before it was measured"},
	{rule: "foreign", name: "few but large", spoil: func(ev *Evidence) {
		c := ev.Recorded.Run.Beside.Idle
		c.DeviceWrites, c.DeviceWritten = 20, 20<<20
	}, want: []string{"warning rand-read-iops,rand-write-iops,rand-read-lat,rand-read-rate"}},
	{rule: "foreign", name: "writes during reads", spoil: func(ev *Evidence) {
		eachWindow(ev, iops.Name, func(w *model.Window) { w.DeviceWrites, w.DeviceWritten = 800, 800*4096 })
	}, want: []string{"warning rand-read-iops"}, says: "others used vda while it was measured"},
	{rule: "foreign", name: "reads during writes", spoil: func(ev *Evidence) {
		eachWindow(ev, write.Name, func(w *model.Window) { w.DeviceReads, w.DeviceRead = 800, 800*4096 })
	}, want: []string{"warning rand-write-iops"}},
	{rule: "foreign", name: "a journal's commit", spoil: func(ev *Evidence) {
		eachWindow(ev, iops.Name, func(w *model.Window) { w.DeviceWrites, w.DeviceWritten = 10, 40*4096 })
	}},
	{rule: "foreign", name: "no idle second", spoil: func(ev *Evidence) { ev.Recorded.Run.Beside.Idle = nil },
		want: []string{"not-checked rand-read-iops,rand-write-iops,rand-read-lat,rand-read-rate"}},

	{rule: "rate", name: "half of it", spoil: func(ev *Evidence) {
		w := rated
		w.RateIOPS = 1000
		setWorkload(ev, w)
	}, want: []string{"warning rand-read-rate"}, says: "500 of the requested 1.00k"},
	{rule: "rate", name: "half of a bandwidth", spoil: func(ev *Evidence) {
		w := rated
		w.RateIOPS, w.RateBandwidth = 0, 1000*4096
		setWorkload(ev, w)
	}, want: []string{"warning rand-read-rate"}, says: "500 of the requested 1.00k"},
	{rule: "rate", name: "a fifth more than asked", spoil: func(ev *Evidence) {
		w := rated
		w.RateIOPS = 415
		setWorkload(ev, w)
	}, want: []string{"warning rand-read-rate"}, says: "too much load: 500 were done, but 415 were requested"},
	{rule: "rate", name: "the interval reaches it", spoil: func(ev *Evidence) {
		w := rated
		w.RateIOPS = 515
		setWorkload(ev, w)
	}},
	{rule: "rate", name: "the lesser half of a mix", spoil: func(ev *Evidence) { ratedMix(ev, 214) }, also: []string{"faster-writes", "settled"}},
	{rule: "rate", name: "as many writes as reads of a mix of fewer", spoil: func(ev *Evidence) { ratedMix(ev, 500) },
		also: []string{"faster-writes", "settled"}, want: []string{"warning rand-read-rate"}, says: "another mix: 500 per second of the less frequent direction were done, but 214 belong to the requested 70 % of reads"},
	{rule: "rate", name: "no workload has one", spoil: func(ev *Evidence) {
		w := rated
		w.RateIOPS = 0
		setWorkload(ev, w)
	}, want: []string{"not-checked"}},

	{rule: "late", name: "an eighth of the latency", spoil: func(ev *Evidence) {
		eachStep(ev, rated.Name, func(s *model.StepResult) { s.Late = .25e-3 })
	}, want: []string{"warning rand-read-rate"}, says: "of rand-read-rate 250 µs too late on average, which is 13 %"},
	{rule: "late", name: "a thousandth of it", spoil: func(ev *Evidence) {
		eachStep(ev, rated.Name, func(s *model.StepResult) { s.Late = 2e-6 })
	}},
	{rule: "late", name: "a closed loop is never late", spoil: func(ev *Evidence) {
		eachStep(ev, iops.Name, func(s *model.StepResult) { s.Late = 1 })
	}},
	{rule: "late", name: "failed repeats do not count", spoil: func(ev *Evidence) {
		eachStep(ev, rated.Name, func(s *model.StepResult) { s.Late, s.Error = 1, "killed" })
	}, want: []string{"not-checked rand-read-rate"}, also: []string{"errors", "tail", "warm-up", "burst", "cliff", "modes", "drift", "cpu", "client", "bytes", "merge", "foreign", "settled"}},
	{rule: "late", name: "no open loop", spoil: func(ev *Evidence) {
		w := rated
		w.OpenLoop = false
		setWorkload(ev, w)
	}, want: []string{"not-checked"}},

	{rule: "cap", name: "at the limit", spoil: func(ev *Evidence) {
		ev.Recorded.Plan.Experiment.Cap = model.Cap{IOPS: 2000}
		setMetric(ev.Results, iops.Name, model.IOPS, 1995, 0.01)
		setMetric(ev.Results, write.Name, model.IOPS, 1800, 0.01)
	}, want: []string{"note rand-read-iops"}, says: "this is the limit: rand-read-iops is the provisioned iops 2.00k IOPS"},
	{rule: "cap", name: "the bandwidth", spoil: func(ev *Evidence) {
		ev.Recorded.Plan.Experiment.Cap = model.Cap{Bandwidth: 2000 * 4096}
	}, want: []string{"note rand-read-iops", "note rand-write-iops"}},
	{rule: "cap", name: "too wide to tell", spoil: func(ev *Evidence) {
		ev.Recorded.Plan.Experiment.Cap = model.Cap{IOPS: 2000}
		setMetric(ev.Results, iops.Name, model.IOPS, 2000, 0.04)
		setMetric(ev.Results, write.Name, model.IOPS, 2000, 0.04)
	}},
	{rule: "cap", name: "beyond", spoil: func(ev *Evidence) {
		ev.Recorded.Plan.Experiment.Cap = model.Cap{IOPS: 1500}
		sequential := write
		sequential.Access = model.Sequential
		setWorkload(ev, sequential)
	}, want: []string{"warning rand-read-iops", "note rand-write-iops"}, says: "more than the provisioned iops 1.50k IOPS"},
	{rule: "cap", name: "both directions together", spoil: func(ev *Evidence) {
		ev.Recorded.Plan.Experiment.Cap = model.Cap{IOPS: 2500}
		other := ev.Results[2]
		other.Workload, other.Direction = iops.Name, model.Write
		ev.Results = append(ev.Results, other)
	}, want: []string{"note rand-read-iops"}, also: []string{"faster-writes"}},
	{rule: "cap", name: "none declared", spoil: func(ev *Evidence) { ev.Recorded.Plan.Experiment.Cap = model.Cap{} },
		want: []string{"not-checked"}},

	{rule: "client", name: "its own thread is full", spoil: func(ev *Evidence) {
		eachStep(ev, iops.Name, func(s *model.StepResult) { s.UserCPU, s.SystemCPU = 0.4, 0.55 })
	}, want: []string{"invalid rand-read-iops"}, says: "used 95 % of its core"},
	{rule: "client", name: "four jobs share the work", spoil: func(ev *Evidence) {
		w := lat
		w.Jobs = 4
		setWorkload(ev, w)
		eachFlow(ev, lat.Name, func(f *model.Flow) { f.LatencySum *= 4 })
		eachStep(ev, lat.Name, func(s *model.StepResult) { s.UserCPU, s.SystemCPU = 0.4, 0.55 })
		ev.Recorded.Run.Beside.Ceilings = []model.Ceiling{{Workload: lat.Name, IOPS: 1e6}}
	}, also: []string{"faster-reads"}},
	{rule: "client", name: "a busy core, and a high ceiling", spoil: func(ev *Evidence) {
		eachStep(ev, iops.Name, func(s *model.StepResult) { s.SystemCPU, s.Counters.BusiestCPU = 0.5, 1 })
		ev.Recorded.Run.Beside.Ceilings = []model.Ceiling{{Workload: iops.Name, IOPS: 400000}}
	}},
	{rule: "client", name: "a busy core, and no ceiling", spoil: func(ev *Evidence) {
		eachStep(ev, iops.Name, func(s *model.StepResult) { s.SystemCPU, s.Counters.BusiestCPU = 0.5, 1 })
	}, want: []string{"not-checked rand-read-iops"}},
	{rule: "client", name: "a busy core of the storage", spoil: func(ev *Evidence) {
		eachStep(ev, iops.Name, func(s *model.StepResult) { s.Counters.BusiestCPU = 1 })
	}},
	{rule: "client", name: "a low ceiling", spoil: func(ev *Evidence) {
		eachStep(ev, iops.Name, func(s *model.StepResult) { s.SystemCPU = 0.4 })
		ev.Recorded.Run.Beside.Ceilings = []model.Ceiling{{Workload: iops.Name, IOPS: 3900}}
	}, want: []string{"invalid rand-read-iops"}, says: "reaches 3.90k IOPS, less than twice"},
	{rule: "client", name: "a high ceiling", spoil: func(ev *Evidence) {
		eachStep(ev, iops.Name, func(s *model.StepResult) { s.SystemCPU = 0.4 })
		ev.Recorded.Run.Beside.Ceilings = []model.Ceiling{{Workload: iops.Name, IOPS: 400000}}
	}},
	{rule: "client", name: "no ceiling although busy", spoil: func(ev *Evidence) {
		eachStep(ev, iops.Name, func(s *model.StepResult) { s.SystemCPU = 0.4 })
	}, want: []string{"not-checked rand-read-iops"}},
	{rule: "client", name: "one odd repeat", spoil: func(ev *Evidence) { ev.Recorded.Run.Steps[0].SystemCPU = 0.99 }},

	{rule: "cache", name: "a step", spoil: func(ev *Evidence) {
		ev.Recorded.Run.Beside.Cache = []model.CachePoint{
			{Size: 1 << 30, Rates: []float64{1990, 2000, 2010}}, {Size: 256 << 20, Rates: []float64{50000, 51000, 49000}},
			{Size: 4 << 30, Rates: []float64{1980, 2000, 2010}},
		}
	}, want: []string{"warning rand-read-iops,rand-read-lat,rand-read-rate"}, says: "cached below 1 GiB: random reads within 256 MiB run at 50.0k IOPS"},
	{rule: "cache", name: "a step within the noise", spoil: func(ev *Evidence) {
		ev.Recorded.Run.Beside.Cache[0].Rates = []float64{2000, 3000, 2500}
	}},
	{rule: "cache", name: "not asked for", spoil: func(ev *Evidence) { ev.Recorded.Run.Beside.Cache = nil },
		want: []string{"not-checked"}, says: "--check-cache"},
	{rule: "cache", name: "a failed part", spoil: func(ev *Evidence) { ev.Recorded.Run.Beside.Cache[1].Error = "Input/output error" },
		want: []string{"not-checked"}, says: "reading within 4 GiB failed"},
	{rule: "cache", name: "one part only", spoil: func(ev *Evidence) { ev.Recorded.Run.Beside.Cache = ev.Recorded.Run.Beside.Cache[:1] },
		want: []string{"not-checked"}},
}

// ratedMix makes a mix of 70 % reads, at most 500 of them a second, of the workload with a rate, which did that many writes a second.
func ratedMix(ev *Evidence, writes float64) {
	w := rated
	w.Direction, w.ReadPercent, w.RateIOPS = model.Mixed, 70, 500
	setWorkload(ev, w)
	other := ev.Results[3]
	other.Direction, other.Metrics = model.Write, map[model.Metric]model.Estimate{model.IOPS: estimate(model.IOPS, writes, 0.01)}
	ev.Results = append(ev.Results, other)
}
