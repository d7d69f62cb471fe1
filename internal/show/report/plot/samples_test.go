package plot

import (
	"math"

	"github.com/loadline/loadline/internal/model"
)

func about(v, half float64, unit string) model.Estimate {
	return model.Estimate{Unit: unit, Value: v, Low: v * (1 - half), High: v * (1 + half), Confidence: 0.95}
}

func latency(v float64) *model.Estimate {
	e := about(v, 0.1, "s")
	return &e
}

// load is a load sweep with a knee at 80 % of 20,000/s.
func load() *model.Sweep {
	capacity := about(20e3, 0.02, "1/s")
	s := &model.Sweep{Kind: model.SweepLoad, Base: "rand-read", Capacity: &capacity,
		Knee: &model.Knee{Offered: 16e3, Fraction: 0.8, P99: 0.9e-3, Beyond: true, Why: "above it p99 more than doubles"}}
	for _, f := range []float64{0.2, 0.4, 0.6, 0.7, 0.8, 0.9, 0.95, 1.05} {
		p50, p99, got := 200e-6/(1.08-min(f, 1.05)), 450e-6/(1.1-min(f, 1.05)), min(f, 1)*20e3
		s.Points = append(s.Points, model.SweepPoint{Result: "x", Direction: model.Read, Depth: 64, Jobs: 1, BlockSize: 4096, Offered: f * 20e3, Fraction: f,
			IOPS: about(got, 0.01, "1/s"), Bandwidth: about(got*4096, 0.01, "B/s"), P50: latency(p50), P99: latency(p99), Verdict: model.Valid})
	}
	return s
}

// gridSweep is a grid of five depths and four block sizes on a device of 20,000/s
// and 800 MiB/s.
func gridSweep() *model.Sweep {
	s := &model.Sweep{Kind: model.SweepGrid, Base: "rand-read"}
	for _, size := range []int64{4 << 10, 16 << 10, 64 << 10, 1 << 20} {
		for _, depth := range []int{1, 4, 16, 64} {
			most := min(20e3, 800<<20/float64(size))
			rate := most * float64(depth) / (float64(depth) + 6)
			p := model.SweepPoint{Direction: model.Read, Depth: depth, Jobs: 1, BlockSize: size, IOPS: about(rate, 0.02, "1/s"),
				Bandwidth: about(rate*float64(size), 0.02, "B/s"), Mean: latency(float64(depth) / rate), P99: latency(3 * float64(depth) / rate), Verdict: model.Valid}
			switch {
			case depth == 64 && size == 4<<10:
				p.Verdict = model.Suspect
			case depth == 1 && size == 1<<20:
				p.Verdict = model.Invalid
			case depth == 1 && size == 64<<10:
				p.P99 = nil
			}
			s.Points = append(s.Points, p)
		}
	}
	return s
}

// volumes is a device that is saturated by eight volumes, with its law.
func volumes() *model.Scale {
	s := &model.Scale{Workload: "rand-read", Direction: model.Read, Metric: model.IOPS}
	law := func(n float64) float64 { return min(n*11.9e3, 90e3) }
	for i, n := range []int{1, 2, 4, 8, 16, 24, 32} {
		v := law(float64(n)) * (1 + 0.02*math.Sin(float64(3*i)))
		s.Points = append(s.Points, model.ScalePoint{Volumes: n, Total: about(v, 0.05, "1/s"), PerVolume: about(v/float64(n), 0.05, "1/s"), Verdict: model.Valid})
	}
	chosen := model.Law{Kind: model.SaturationLaw, Knee: 90.0 / 11.9, Chosen: true, First: about(11.9e3, 0.02, "1/s")}
	for n := 1; n <= 48; n++ {
		v := law(float64(n))
		chosen.Band = append(chosen.Band, model.BandPoint{Volumes: float64(n), Value: v, Low: 0.9 * v, High: 1.1 * v, Extrapolated: n > 32})
	}
	s.Laws = []model.Law{chosen, {Kind: model.AmdahlLaw}}
	return s
}
