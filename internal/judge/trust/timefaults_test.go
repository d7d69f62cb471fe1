package trust

import (
	"math"
	"slices"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/histogram"
)

// shape sets the rate of each second of a workload by its index over all repeats.
func shape(ev *Evidence, workload string, rate func(i int) float64) {
	i := 0
	eachFlow(ev, workload, func(f *model.Flow) {
		v := rate(i)
		i++
		// As many I/Os are in flight as before.
		latency := f.LatencySum / math.Floor(v)
		*f = model.Flow{IOs: uint64(v), Bytes: uint64(v) * 4096, LatencySum: f.LatencySum}
		f.Histogram.Add(histogram.BucketOf(uint64(latency*1e9)), uint64(v))
	})
}

// wiggle is a deterministic noise of about ±1 %.
func wiggle(i int) float64 { return 1 + 0.01*math.Sin(float64(i*i)) }

// unbroken makes one repeat of n seconds of a workload.
func unbroken(ev *Evidence, workload string, n int, rate func(i int) float64) {
	rec := ev.Recorded
	var steps []model.StepResult
	var kept model.StepResult
	dropped := map[int]bool{}
	for _, s := range rec.Run.Steps {
		if s.Step.Workload != workload {
			steps = append(steps, s)
			continue
		}
		if kept.Step.Number == 0 {
			kept = s
		}
		dropped[s.Step.Number] = true
	}
	var samples []model.Sample
	var like model.Sample
	for _, s := range rec.Samples {
		switch {
		case s.Step == kept.Step.Number:
			like = s
		case !dropped[s.Step]:
			samples = append(samples, s)
		}
	}
	kept.Step.Seconds = float64(n)
	kept.Ended = kept.Started + float64(n) + 1
	rec.Run.Steps = append(steps, kept)
	for i := range n {
		s := like
		flow := *like.Read
		s.Read, s.End = &flow, kept.Started+2+float64(i)
		samples = append(samples, s)
	}
	rec.Samples = samples
	shape(ev, workload, rate)
}

// withStalls gives the first repeat of a workload stretches without an answer.
func withStalls(ev *Evidence, workload string, stalls ...model.Stall) {
	for i := range ev.Recorded.Run.Steps {
		if s := &ev.Recorded.Run.Steps[i]; s.Step.Workload == workload {
			s.Stalls = stalls
			return
		}
	}
}

var timeFaults = []fault{
	{rule: "stall", name: "of the storage", says: "the storage stopped answering for 13.4 s", spoil: func(ev *Evidence) {
		withStalls(ev, "rand-read-iops", model.Stall{Begin: 2, Seconds: 13.4}, model.Stall{Begin: 16, Seconds: 2.5})
	}, want: []string{"warning rand-read-iops"}},
	{rule: "stall", name: "begun in the ramp, so that the latencies of the repeat are longer than it", says: "so it affects only the largest latencies, not the rate", spoil: func(ev *Evidence) {
		withStalls(ev, "rand-read-iops", model.Stall{Begin: 0.5, Seconds: 13.4})
		eachFlow(ev, "rand-read-iops", func(f *model.Flow) {
			if f == ev.Recorded.Samples[0].Read {
				f.LatencySum += 64 * 13.4
			}
		})
	}, want: []string{"warning rand-read-iops"}},
	{rule: "stall", name: "of the load generator", says: "the storage is not the cause", spoil: func(ev *Evidence) {
		withStalls(ev, "rand-read-iops", model.Stall{Begin: 2, Seconds: 13.4, Cause: model.StallSuspended})
	}, want: []string{"warning rand-read-iops"}},
	{rule: "stall", name: "between slow I/Os", spoil: func(ev *Evidence) {
		slow := 2.1
		ev.Results[2].Latency = &model.LatencySummary{P50: &slow, P99: &slow}
		withStalls(ev, "rand-read-lat", model.Stall{Begin: 2, Seconds: 2.2})
	}, also: []string{"clock"}},
	{rule: "stall", name: "in a record that does not tell", spoil: func(ev *Evidence) {
		s := &ev.Recorded.Samples[0]
		s.Seconds = 9
	}, also: []string{"burst", "tail", "modes", "drift", "precision", "warm-up", "cliff", "depth"}, want: []string{"not-checked rand-read-iops"}},
	{rule: "burst", name: "between repeats", spoil: func(ev *Evidence) {
		shape(ev, iops.Name, func(i int) float64 {
			if i < 9 {
				return 6000 * wiggle(i)
			}
			return 2000 * wiggle(i)
		})
	}, want: []string{"warning rand-read-iops"}, says: "fell from"},
	{rule: "burst", name: "within a repeat", spoil: func(ev *Evidence) {
		shape(ev, iops.Name, func(i int) float64 {
			switch {
			case i < 10:
				return 6000 * wiggle(i)
			case i == 10:
				return 3300
			}
			return 2000 * wiggle(i)
		})
	}, want: []string{"warning rand-read-iops"}},
	{rule: "burst", name: "in one repeat", spoil: func(ev *Evidence) {
		unbroken(ev, iops.Name, 100, func(i int) float64 {
			if i < 30 {
				return 3000 * wiggle(i)
			}
			return 300 * wiggle(i)
		})
	}, want: []string{"warning rand-read-iops"}, says: "some 80."},
	{rule: "burst", name: "a moment's standstill at the limit", spoil: func(ev *Evidence) {
		// As measured: what one second lacks was counted in the previous one.
		measured := []float64{1503, 1501, 1500, 1498, 1500, 1501, 1501, 1498, 1351, 300, 300, 300, 301, 299,
			300, 300, 300, 300, 301, 299, 300, 300, 300, 325, 276, 299, 300, 300}
		unbroken(ev, iops.Name, len(measured), func(i int) float64 { return measured[i] })
	}, want: []string{"warning rand-read-iops"}, also: []string{"drift"}},
	{rule: "burst", name: "in a repeat of 20 s", spoil: func(ev *Evidence) {
		unbroken(ev, iops.Name, 20, func(i int) float64 {
			if i < 7 {
				return 2000 * wiggle(i)
			}
			return 500 * wiggle(i)
		})
	}, want: []string{"warning rand-read-iops"}, also: []string{"drift"}, says: "to 498 IOPS after 7 s"},
	{rule: "burst", name: "in the last seconds of 20", spoil: func(ev *Evidence) {
		unbroken(ev, iops.Name, 20, func(i int) float64 {
			if i < 18 {
				return 2000 * wiggle(i)
			}
			return 500 * wiggle(i)
		})
	}, want: []string{"warning rand-read-iops"}, also: []string{"drift", "modes", "tail"}, says: "to 499 IOPS after 18 s"},
	{rule: "sustained", name: "it fell", spoil: func(ev *Evidence) {
		ev.Results[0].Sustained = &model.Sustained{State: model.Fell, Looked: iops.Name, Step: 1, Rate: 2000, Bandwidth: 2000 * 4096,
			Burst: &model.Burst{Rate: 6000, Bandwidth: 6000 * 4096, Seconds: 5, IOs: 20000, Bytes: 20000 * 4096, Refill: 10}}
	}, want: []string{"note rand-read-iops"}, also: []string{"warm-up", "burst", "cliff", "tail", "modes", "drift"},
		says: "burst: rand-read-iops does 6.00k IOPS for 20.0k I/Os or more and then 2.00k IOPS, which is the result"},
	{rule: "sustained", name: "it fell to no level", spoil: func(ev *Evidence) {
		ev.Results[0].Sustained = &model.Sustained{State: model.FellUnsteady, Looked: iops.Name, Step: 1, Rate: 2000, Bandwidth: 2000 * 4096,
			Burst: &model.Burst{Rate: 6000, Bandwidth: 6000 * 4096}}
	}, want: []string{"warning rand-read-iops"}, also: []string{"warm-up", "burst", "cliff", "tail", "modes", "drift"}},
	{rule: "sustained", name: "another one fell, and this one was not looked at", spoil: func(ev *Evidence) {
		ev.Results[2].Sustained = &model.Sustained{State: model.Doubtful, Looked: iops.Name, Rate: 300, Bandwidth: 300 * 4096, Burst: &model.Burst{Rate: 3000, Seconds: 8}}
	}, want: []string{"warning rand-read-lat"}, says: "not tested without pauses: rand-read-iops fell to 300 IOPS"},
	{rule: "sustained", name: "another one may have fallen, and this one was not looked at", spoil: func(ev *Evidence) {
		ev.Results[2].Sustained = &model.Sustained{State: model.Doubtful, Looked: iops.Name, Rate: 300, Bandwidth: 300 * 4096}
	}, want: []string{"warning rand-read-lat"}, says: "not tested without pauses: rand-read-iops was slower in a long repeat, and whether that lasts is not known"},
	{rule: "sustained", name: "another one was tested too early, and this one was not looked at", spoil: func(ev *Evidence) {
		ev.Results[2].Sustained = &model.Sustained{State: model.Doubtful, Before: "rand-write-iops", Looked: iops.Name, Rate: 3000, Bandwidth: 3000 * 4096}
	}, want: []string{"warning rand-read-lat"},
		says: "tested too early: rand-read-iops held 3.00k IOPS without pauses, but after that rand-write-iops fell; rand-read-lat, which may use the same burst credits, was measured only with pauses"},
	{rule: "sustained", name: "it was tested after a pause", spoil: func(ev *Evidence) {
		ev.Results[1].Sustained = &model.Sustained{State: model.Fell, Looked: "rand-write-iops", Step: 1, Rate: 500, Bandwidth: 500 * 4096}
		ev.Results[0].Sustained = &model.Sustained{State: model.Doubtful, Before: "rand-write-iops", Looked: iops.Name, Step: 3, Rate: 3000, Bandwidth: 3000 * 4096}
	}, want: []string{"warning rand-read-iops"},
		says: "tested after a pause: rand-read-iops held 3.00k IOPS without pauses, but rand-write-iops had fallen before the pause, and both may use the same burst credits"},
	{rule: "sustained", name: "its own long repeat was slower and decides nothing", spoil: func(ev *Evidence) {
		ev.Results[0].Sustained = &model.Sustained{State: model.Doubtful, Looked: iops.Name, Step: 1, Rate: 300, Bandwidth: 300 * 4096}
	}, want: []string{"warning rand-read-iops"}, says: "rand-read-iops did 300 IOPS in a repeat without a pause, less than in its other repeats, and which of the two rates is sustained is not known"},
	{rule: "sustained", name: "the last seconds of its own long repeat were slower", spoil: func(ev *Evidence) {
		ev.Results[0].Sustained = &model.Sustained{State: model.Doubtful, AtEnd: true, Looked: iops.Name, Step: 1, Rate: 2000, Bandwidth: 2000 * 4096}
	}, want: []string{"warning rand-read-iops"}, says: "a long repeat of rand-read-iops was slower in its last seconds, and whether that lasts is not known"},
	{rule: "sustained", name: "a slow period", spoil: func(ev *Evidence) {
		for i := range ev.Results {
			if s := ev.Results[i].Sustained; s != nil && s.Looked == iops.Name {
				s.SlowSeconds, s.SlowRate = 7, 1500
			}
		}
	}, want: []string{"warning rand-read-iops"}, says: "slow period: for 7 s, rand-read-iops did only 1.50k IOPS"},
	{rule: "sustained", name: "a slow period of another one", spoil: func(ev *Evidence) {
		slow := *ev.Results[0].Sustained
		slow.SlowSeconds, slow.SlowRate = 7, 1500
		ev.Results[2].Sustained = &slow
	}, want: []string{"not-checked rand-read-lat"}, says: "of rand-read-iops, had a slow period"},
	{rule: "sustained", name: "another one fell, to more than this one does", spoil: func(ev *Evidence) {
		ev.Results[2].Sustained.State = model.Below
	}},
	{rule: "sustained", name: "nothing was looked at", spoil: func(ev *Evidence) {
		for i := range ev.Results {
			ev.Results[i].Sustained = nil
		}
	}, want: []string{"not-checked rand-read-iops,rand-write-iops,rand-read-lat,rand-read-rate"}, says: "burst credits of more than 6.00k I/Os (rand-read-iops for 3 s)"},
	{rule: "sustained", name: "more bytes than what was looked at, and the others not at all", spoil: func(ev *Evidence) {
		ev.Results[0].Sustained.BytesUnseen = true
		for i := range ev.Results[1:] {
			ev.Results[i+1].Sustained = nil
		}
	}, want: []string{"not-checked rand-read-iops", "not-checked rand-write-iops,rand-read-lat,rand-read-rate"}, says: "burst credits"},
	{rule: "sustained", name: "more bytes than what was looked at", spoil: func(ev *Evidence) {
		ev.Results[0].Sustained.BytesUnseen = true
	}, want: []string{"not-checked rand-read-iops"}, says: "credits that count bytes and last longer than a repeat (3 s)"},
	{rule: "warm-up", name: "half of the time", spoil: func(ev *Evidence) {
		ev.Recorded.Plan.Schedule.Mode = model.Steady
		unbroken(ev, iops.Name, 140, func(i int) float64 {
			if i < 70 {
				return 2000 * wiggle(i) * (0.1 + 0.9*float64(i)/70)
			}
			return 2000 * wiggle(i)
		})
	}, want: []string{"note rand-read-iops"}, also: []string{"tail", "sustained", "precision"}, says: "the first 1 m 10 s"},
	{rule: "warm-up", name: "a slow first repeat", spoil: func(ev *Evidence) {
		shape(ev, iops.Name, func(i int) float64 {
			if i < 6 {
				return 1000 * wiggle(i)
			}
			return 2000 * wiggle(i)
		})
	}, want: []string{"warning rand-read-iops"}, says: "warm-up: rand-read-iops ran at 1.00k IOPS"},
	{rule: "warm-up", name: "in one repeat", spoil: func(ev *Evidence) {
		unbroken(ev, iops.Name, 120, func(i int) float64 { return 2000 * wiggle(i) * (1 - 0.8*math.Exp(-float64(i)/8)) })
	}, want: []string{"warning rand-read-iops"}, also: []string{"tail"}, says: "is included in the number"},
	{rule: "warm-up", name: "left out until steady", spoil: func(ev *Evidence) {
		ev.Recorded.Plan.Schedule.Mode = model.Steady
		unbroken(ev, iops.Name, 120, func(i int) float64 { return 2000 * wiggle(i) * (1 - 0.8*math.Exp(-float64(i)/8)) })
	}, want: []string{"note rand-read-iops"}, also: []string{"tail", "sustained", "precision"}, says: "are excluded"},
	{rule: "precision", name: "seconds that vary in one repeat", spoil: func(ev *Evidence) {
		ev.Recorded.Plan.Schedule.Mode = model.Fixed
		unbroken(ev, iops.Name, 120, func(i int) float64 { return 2000 * wiggle(i) })
	}, want: []string{"note rand-read-iops"}, also: []string{"sustained"}, says: "one repeat: the interval (±2% at most)"},
	{rule: "precision", name: "a throttle in one repeat", spoil: func(ev *Evidence) {
		ev.Recorded.Plan.Schedule.Mode = model.Fixed
		unbroken(ev, iops.Name, 120, func(i int) float64 { return 2000 * (1 + 0.001*float64(i%2)) })
	}, also: []string{"sustained"}},
	{rule: "warm-up", name: "in a repeat of 20 s", spoil: func(ev *Evidence) {
		unbroken(ev, iops.Name, 20, func(i int) float64 {
			if i < 7 {
				return 1000 * wiggle(i)
			}
			return 2000 * wiggle(i)
		})
	}, want: []string{"warning rand-read-iops"}, also: []string{"drift"}, says: "for the first 10 s and then at 2.00k IOPS, and the slow start is included"},
	{rule: "warm-up", name: "in the first seconds of 20", spoil: func(ev *Evidence) {
		unbroken(ev, iops.Name, 20, func(i int) float64 {
			if i < 2 {
				return 1000 * wiggle(i)
			}
			return 2000 * (1 + 4*(wiggle(i)-1))
		})
	}, want: []string{"warning rand-read-iops"}, also: []string{"drift", "tail", "modes"}, says: "IOPS for the first 2 s"},
	{rule: "warm-up", name: "two seconds slower by a fifth are noise", spoil: func(ev *Evidence) {
		unbroken(ev, iops.Name, 20, func(i int) float64 {
			if i < 2 {
				return 1600 * wiggle(i)
			}
			return 2000 * (1 + 4*(wiggle(i)-1))
		})
	}, also: []string{"drift"}},
	{rule: "cliff", name: "in a repeat of 20 s", spoil: func(ev *Evidence) {
		unbroken(ev, iops.Name, 20, func(i int) float64 {
			if i < 13 {
				return 1000 * wiggle(i)
			}
			return 2000 * wiggle(i)
		})
	}, want: []string{"warning rand-read-iops"}, also: []string{"drift"}, says: "IOPS after 13 s"},
	{rule: "cliff", name: "a fall to an unsteady level in a repeat of 20 s", spoil: func(ev *Evidence) {
		unbroken(ev, iops.Name, 20, func(i int) float64 {
			if i < 10 {
				return 4000 * wiggle(i)
			}
			return 1000 * (1 + 12*(wiggle(i)-1))
		})
	}, want: []string{"warning rand-read-iops"}, also: []string{"drift"}, says: "after 10 s"},
	{rule: "cliff", name: "a rise in the last seconds of 20", spoil: func(ev *Evidence) {
		unbroken(ev, iops.Name, 20, func(i int) float64 {
			if i < 17 {
				return 1000 * (1 + 3*(wiggle(i)-1))
			}
			return 2000 * wiggle(i)
		})
	}, want: []string{"warning rand-read-iops"}, also: []string{"drift", "modes", "tail"}, says: "IOPS after 17 s"},
	{rule: "cliff", name: "a rise late", spoil: func(ev *Evidence) {
		unbroken(ev, iops.Name, 100, func(i int) float64 {
			if i < 70 {
				return 2000 * wiggle(i)
			}
			return 2600 * wiggle(i)
		})
	}, want: []string{"warning rand-read-iops"}, says: "cliff: rand-read-iops changed from 2.00k IOPS to 2.60k IOPS after 1 m 10 s"},
	{rule: "cliff", name: "a fall to an unsteady level", spoil: func(ev *Evidence) {
		unbroken(ev, iops.Name, 100, func(i int) float64 {
			if i < 50 {
				return 4000 * wiggle(i)
			}
			return 1000 * (1 + 12*(wiggle(i)-1))
		})
	}, want: []string{"warning rand-read-iops"}, says: "780 MiB"},
	{rule: "cliff", name: "8 % are none", spoil: func(ev *Evidence) {
		shape(ev, iops.Name, func(i int) float64 {
			if i < 12 {
				return 2000 * wiggle(i)
			}
			return 1840 * wiggle(i)
		})
	}, also: []string{"drift"}},
	{rule: "cliff", name: "two repeats", spoil: func(ev *Evidence) {
		steps := ev.Recorded.Run.Steps
		for _, s := range steps[2:10] {
			ev.Recorded.Samples = slices.DeleteFunc(ev.Recorded.Samples, func(x model.Sample) bool { return x.Step == s.Step.Number })
		}
		ev.Recorded.Run.Steps = append(steps[:2:2], steps[10:]...)
	}, want: []string{"not-checked rand-read-iops"}, also: []string{"interrupted", "warm-up", "burst", "modes", "drift"}},
	{rule: "modes", name: "every few seconds", spoil: func(ev *Evidence) {
		unbroken(ev, iops.Name, 120, func(i int) float64 {
			if math.Sin(float64(i*i*i)) > 0 {
				return 2000 * wiggle(i)
			}
			return 1500 * wiggle(i)
		})
	}, want: []string{"warning rand-read-iops"}, says: "jumps between 1.50k IOPS and 2.00k IOPS"},
	{rule: "modes", name: "8 % apart", spoil: func(ev *Evidence) {
		unbroken(ev, iops.Name, 120, func(i int) float64 {
			if math.Sin(float64(i*i*i)) > 0 {
				return 2000 * wiggle(i)
			}
			return 1860 * wiggle(i)
		})
	}},
	{rule: "drift", name: "over the repeats", spoil: func(ev *Evidence) {
		shape(ev, iops.Name, func(i int) float64 { return 2000 * (1 - 0.008*float64(i)) })
	}, want: []string{"warning rand-read-iops"}, says: "% slower from beginning to end"},
	{rule: "drift", name: "in one repeat", spoil: func(ev *Evidence) {
		unbroken(ev, iops.Name, 200, func(i int) float64 { return 2000 * wiggle(i) * (1 + 0.0005*float64(i)) })
	}, want: []string{"warning rand-read-iops"}, says: "% faster from beginning to end"},
	{rule: "drift", name: "steep, which a step in the middle also describes", spoil: func(ev *Evidence) {
		unbroken(ev, iops.Name, 60, func(i int) float64 { return 2000 * wiggle(i) * (1 - 0.008*float64(i)) })
	}, want: []string{"warning rand-read-iops"}, says: "% slower from beginning to end"},
	{rule: "drift", name: "in a repeat that is hardly long enough, with a credit of one second", spoil: func(ev *Evidence) {
		unbroken(ev, iops.Name, 42, func(i int) float64 {
			if i == 0 {
				return 2080
			}
			return 2000 * wiggle(i) * (1 - 0.01*float64(i))
		})
	}, want: []string{"warning rand-read-iops"}, says: "% slower from beginning to end"},
	{rule: "drift", name: "or noise of eight repeats that wanders", spoil: func(ev *Evidence) {
		shape(ev, iops.Name, func(i int) float64 { return 2000 * (1 - 0.03*math.Sin(float64(i)/30*2*math.Pi)) })
	}, want: []string{"not-checked rand-read-iops"}},
	{rule: "drift", name: "4 % are none", spoil: func(ev *Evidence) {
		shape(ev, iops.Name, func(i int) float64 { return 2000 * (1 - 0.0018*float64(i)) })
	}},
	{rule: "tail", name: "two slow seconds of 30", spoil: func(ev *Evidence) {
		i := 0
		eachFlow(ev, iops.Name, func(f *model.Flow) {
			if i++; i == 5 || i == 17 {
				f.Histogram = histogram.Histogram{}
				f.Histogram.Add(histogram.BucketOf(32e6), f.IOs-800)
				f.Histogram.Add(histogram.BucketOf(320e6), 800)
			}
		})
	}, want: []string{"note rand-read-iops"}, says: "is due to about 2 of 30 seconds, without which it is 32."},
	{rule: "tail", name: "and the p99 is the headline", spoil: func(ev *Evidence) {
		setResult(ev.Results, iops.Name, func(r *model.Result) { r.Metric = model.P99 })
		i := 0
		eachFlow(ev, iops.Name, func(f *model.Flow) {
			if i++; i == 5 {
				f.Histogram.Add(histogram.BucketOf(320e6), f.IOs)
			}
		})
	}, want: []string{"warning rand-read-iops"}, also: []string{"cap"}},
	{rule: "tail", name: "only beyond p99.9", spoil: func(ev *Evidence) {
		far := 0.3
		setResult(ev.Results, iops.Name, func(r *model.Result) { r.Latency.P999 = &far })
		i := 0
		eachFlow(ev, iops.Name, func(f *model.Flow) {
			if i++; i == 5 {
				f.Histogram.Add(histogram.BucketOf(320e6), 100)
			}
		})
	}, want: []string{"note rand-read-iops"}, says: "the p99.9 of"},
	{rule: "tail", name: "slow I/Os in every second", spoil: func(ev *Evidence) {
		eachFlow(ev, iops.Name, func(f *model.Flow) { f.Histogram.Add(histogram.BucketOf(320e6), 60) })
	}},
	{rule: "tail", name: "too few for a p99", spoil: func(ev *Evidence) {
		setResult(ev.Results, lat.Name, func(r *model.Result) { r.Latency.P99 = nil })
	}, want: []string{"not-checked rand-read-lat"}},
}
