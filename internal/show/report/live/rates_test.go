package live

import (
	"math"
	"testing"

	"github.com/loadline/loadline/internal/model"
)

// The rates of several volumes add up, whichever reported last.
func TestTogether(t *testing.T) {
	for _, c := range []struct {
		metric  model.Metric
		each    map[int]float64
		volumes int
		want    float64
	}{
		{model.IOPS, map[int]float64{0: 1000, 1: 1000, 2: 4000}, 3, 6000},
		{model.IOPS, map[int]float64{0: 1000}, 3, 3000}, // the others have not reported yet
		{model.IOPS, map[int]float64{0: 700}, 1, 700},
		{model.Latency, map[int]float64{0: 0.001, 1: 0.003}, 2, 0.002},
		// One did no I/O in its last second.
		{model.IOPS, map[int]float64{0: 1000, 1: math.NaN(), 2: 2000}, 3, 3000},
		{model.Latency, map[int]float64{0: 0.001, 1: math.NaN()}, 2, 0.001},
		{model.IOPS, map[int]float64{0: math.NaN()}, 1, math.NaN()},
	} {
		if got := together(c.metric, c.each, c.volumes); !(math.Abs(got-c.want) <= 1e-9) && !(math.IsNaN(got) && math.IsNaN(c.want)) {
			t.Errorf("%+v: %v", c, got)
		}
	}
}
