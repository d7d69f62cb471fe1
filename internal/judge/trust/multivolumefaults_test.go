package trust

import (
	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/histogram"
)

// three is a workload on three volumes at once.
var three = model.Workload{Name: "rand-read-iops-x3", Access: model.Random, Direction: model.Read, BlockSize: 4096, Depth: 64, Volumes: 3, Metric: model.IOPS}

// soundMultiVolume is a sound run with an additional workload on three volumes at once: on two devices,
// the second of which is shared by two volumes.
func soundMultiVolume() Evidence {
	ev := sound()
	rec := ev.Recorded
	rec.Plan.Experiment.Scale = &model.ScaleRequest{Volumes: []int{3}, Workload: iops.Name}
	rec.Plan.Workloads = append(rec.Plan.Workloads, three)
	for range 3 {
		rec.Plan.Volumes = append(rec.Plan.Volumes, rec.Plan.Volume)
	}
	const rate = 2000.0
	last := len(rec.Plan.Steps)
	for repeat := range soundRepeats {
		step := model.Step{Number: last + repeat + 1, Round: repeat + 1, Workload: three.Name, Ramp: 1, Seconds: 3}
		rec.Plan.Steps = append(rec.Plan.Steps, step)
		began := 5 * float64(step.Number)
		for worker := range 3 {
			n, device := uint64(2*rate), "vda"
			counted := n
			if worker > 0 {
				device, counted = "vdb", 2*n
			}
			rec.Run.Steps = append(rec.Run.Steps, model.StepResult{
				Step: step, Worker: worker, Started: began, Ended: began + 4.2, Held: true, DepthLevels: map[string]float64{">=64": 1}, UserCPU: 0.05, SystemCPU: 0.1,
				Counters: &model.Counters{
					Seconds: 4, Idle: 0.5, IOWait: 0.4, Device: device, DeviceReads: 2 * counted, DeviceRead: 2 * counted * 4096,
					Link:   &model.Link{Name: "eth0", Received: 4 << 20, Speed: 125e6},
					Window: &model.Window{Seconds: 2, DeviceReads: counted, DeviceRead: counted * 4096, ClientReads: n, ClientRead: n * 4096},
				},
			})
			for second := range 3 {
				latency := 64 / rate
				flow := &model.Flow{IOs: uint64(rate), Bytes: uint64(rate * 4096), LatencySum: 64}
				flow.Histogram.Add(histogram.BucketOf(uint64(latency*1e9)), uint64(rate))
				rec.Samples = append(rec.Samples, model.Sample{Step: step.Number, Worker: worker, Seconds: 1, End: began + 2 + float64(second) + .05*float64(worker), Read: flow})
			}
		}
	}
	for worker := range 3 {
		c := model.Clock{Worker: worker, Offset: .2 * float64(worker), Error: 1e-3}
		rec.Run.Beside.Clocks = append(rec.Run.Beside.Clocks, c, c)
	}
	r := ev.Results[0]
	r.Workload, r.Estimate = three.Name, estimate(model.IOPS, 3*rate, 0.02)
	r.Metrics = map[model.Metric]model.Estimate{
		model.IOPS: r.Estimate, model.Bandwidth: estimate(model.Bandwidth, 3*rate*4096, 0.02), model.Latency: ev.Results[0].Metrics[model.Latency], model.P50: ev.Results[0].Metrics[model.P50],
	}
	ev.Results = append(ev.Results, r)
	ev.Baseline.Results = append(ev.Baseline.Results, r)
	return ev
}

// eachSample changes the samples of one of the three workers.
func eachSample(ev *Evidence, worker int, change func(*model.Sample)) {
	numbers := map[int]bool{}
	for _, s := range ev.steps(three.Name) {
		numbers[s.Step.Number] = true
	}
	for i := range ev.Recorded.Samples {
		if s := &ev.Recorded.Samples[i]; numbers[s.Step] && s.Worker == worker {
			change(s)
		}
	}
}

var multiVolumeFaults = []fault{
	{rule: "sync", name: "one begins two seconds later", spoil: func(ev *Evidence) {
		eachSample(ev, 2, func(s *model.Sample) { s.End += 1.9 })
	}, want: []string{"invalid rand-read-iops-x3"}, says: "started up to 2.00 s apart", also: []string{"modes"}},
	{rule: "sync", name: "within a second", spoil: func(ev *Evidence) {
		eachSample(ev, 2, func(s *model.Sample) { s.End += .8 })
	}},
	{rule: "sync", name: "clocks that are hardly known", spoil: func(ev *Evidence) {
		ev.Recorded.Run.Beside.Clocks[0].Error = .6
	}, want: []string{"not-checked rand-read-iops-x3"}, says: "±1.20 s"},
	{rule: "sync", name: "a clock that was set meanwhile", spoil: func(ev *Evidence) {
		ev.Recorded.Run.Beside.Clocks[1].Offset = 3
	}, want: []string{"not-checked rand-read-iops-x3"}},
	{rule: "sync", name: "clocks that nobody asked", spoil: func(ev *Evidence) {
		ev.Recorded.Run.Beside.Clocks = nil
	}, want: []string{"not-checked rand-read-iops-x3"}},
	{rule: "sync", name: "a volume that was never measured", spoil: func(ev *Evidence) {
		eachSample(ev, 1, func(s *model.Sample) { s.Seconds = 0 })
	}, want: []string{"not-checked rand-read-iops-x3"}, also: []string{"fairness", "depth", "drift"}},

	{rule: "sum", name: "a total of rates that were not there together", spoil: func(ev *Evidence) {
		r := &ev.Results[len(ev.Results)-1]
		r.Metrics[model.Bandwidth] = estimate(model.Bandwidth, 1.08*6000*4096, 0.02)
	}, want: []string{"invalid rand-read-iops-x3"}, says: "their devices counted 23.4 MiB/s"},
	{rule: "sum", name: "a device that each of its users counts is there once", spoil: func(ev *Evidence) {
		eachStep(ev, three.Name, func(s *model.StepResult) { s.Counters.Device = "vdb" })
	}, want: []string{"invalid rand-read-iops-x3"}, also: []string{"bytes", "sparse"}},
	{rule: "sum", name: "within 3 %", spoil: func(ev *Evidence) {
		r := &ev.Results[len(ev.Results)-1]
		r.Metrics[model.Bandwidth] = estimate(model.Bandwidth, 1.02*6000*4096, 0)
	}},
	{rule: "sum", name: "nothing counted", spoil: func(ev *Evidence) {
		eachStep(ev, three.Name, func(s *model.StepResult) { s.Counters.Window = nil })
	}, want: []string{"not-checked rand-read-iops-x3"}, also: []string{"bytes", "merge", "foreign"}},
	{rule: "sum", name: "no device", spoil: func(ev *Evidence) {
		ev.Recorded.Environment.Storage.Device = ""
	}, want: []string{"not-checked"}, also: []string{"bytes", "merge", "foreign"}},

	{rule: "fairness", name: "one volume gets a tenth", spoil: func(ev *Evidence) {
		eachSample(ev, 1, func(s *model.Sample) { s.Read.IOs /= 10 })
	}, want: []string{"warning rand-read-iops-x3"}, also: []string{"depth"}, says: "number 2 got 200 IOPS and number 1 got 2.00k IOPS"},
	{rule: "fairness", name: "one volume gets four fifths", spoil: func(ev *Evidence) {
		eachSample(ev, 1, func(s *model.Sample) { s.Read.IOs = s.Read.IOs * 4 / 5 })
	}},

	{rule: "network", name: "a full card", spoil: func(ev *Evidence) {
		eachStep(ev, three.Name, func(s *model.StepResult) {
			if s.Worker == 1 {
				s.Counters.Link = &model.Link{Name: "eth1", Sent: 460e6, Received: 9, Speed: 125e6}
			}
		})
	}, want: []string{"warning rand-read-iops-x3"}, says: "eth1 was 92 % full"},
	{rule: "network", name: "no card", spoil: func(ev *Evidence) {
		eachStep(ev, three.Name, func(s *model.StepResult) { s.Counters.Link = nil })
	}, want: []string{"not-checked rand-read-iops-x3"}},

	{rule: "rate", name: "volumes that get half of their rate", spoil: func(ev *Evidence) {
		w := three
		w.RateIOPS = 4000
		setWorkload(ev, w)
	}, want: []string{"warning rand-read-iops-x3"}, says: "6.00k of the requested 12.0k", multiVolume: true},
	{rule: "size", name: "volumes hold more together", spoil: func(ev *Evidence) {
		r := &ev.Results[len(ev.Results)-1]
		r.Metrics[model.Bandwidth] = estimate(model.Bandwidth, 400<<20, 0)
		for i := range ev.Recorded.Plan.Volumes {
			ev.Recorded.Plan.Volumes[i].Owned = true
		}
	}, also: []string{"sum"}, multiVolume: true},
	{rule: "size", name: "volumes that are one hold its size", spoil: func(ev *Evidence) {
		r := &ev.Results[len(ev.Results)-1]
		r.Metrics[model.Bandwidth] = estimate(model.Bandwidth, 400<<20, 0)
	}, want: []string{"warning rand-read-iops-x3"}, also: []string{"sum"}, says: "10 GiB", multiVolume: true},
}
