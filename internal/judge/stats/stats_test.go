package stats_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/loadline/loadline/internal/judge/stats"
)

func near(got, want, tolerance float64) bool { return math.Abs(got-want) <= tolerance }

func TestMeanVarianceSlope(t *testing.T) {
	y := []float64{2, 4, 4, 4, 5, 5, 7, 9}
	if got := stats.Mean(y); got != 5 {
		t.Errorf("mean %v, want 5", got)
	}
	if got := stats.Variance(y); !near(got, 32.0/7, 1e-12) {
		t.Errorf("variance %v, want %v", got, 32.0/7)
	}
	if got := stats.Slope([]float64{3, 5, 7, 9}); !near(got, 2, 1e-12) {
		t.Errorf("slope %v, want 2", got)
	}
	if got := stats.Slope([]float64{3}); got != 0 {
		t.Errorf("the slope of one value is %v, want 0", got)
	}
	if !math.IsNaN(stats.StdDev([]float64{1})) {
		t.Error("one value has a standard deviation")
	}
}

func TestStudentTIsThatOfTheTables(t *testing.T) {
	for _, c := range []struct{ df, want float64 }{
		{1, 12.706}, {2, 4.303}, {3, 3.182}, {10, 2.228}, {30, 2.042}, {1e6, 1.960},
	} {
		if got := stats.StudentT(c.df); !near(got, c.want, 5e-4) {
			t.Errorf("t(%v) = %v, want %v", c.df, got, c.want)
		}
	}
	if got := stats.StudentT(2.5); got >= stats.StudentT(2) || got <= stats.StudentT(3) {
		t.Errorf("t(2.5) = %v does not lie between its neighbours", got)
	}
	if !math.IsInf(stats.StudentT(0), 1) {
		t.Error("no degree of freedom gives a finite quantile")
	}
}

func TestPercentileNeeds(t *testing.T) {
	for p, want := range map[float64]float64{50: 6, 90: 36, 99: 367, 99.9: 3687, 99.99: 36887} {
		if got := stats.PercentileNeeds(p); got != want {
			t.Errorf("p%v needs %v values, want %v", p, got, want)
		}
	}
}

// autoregression is a series with lag-1 correlation phi around 100.
func autoregression(n int, phi, sd float64, seed uint64) []float64 {
	r := rand.New(rand.NewPCG(seed, 1))
	y, x := make([]float64, n), r.NormFloat64()
	for i := range y {
		x = phi*x + math.Sqrt(1-phi*phi)*r.NormFloat64()
		y[i] = 100 + sd*x
	}
	return y
}

func TestCorrelationIsFoundWithCaution(t *testing.T) {
	for _, phi := range []float64{0, 0.5, 0.9} {
		got := stats.Correlation(autoregression(4000, phi, 5, 7))
		if got < phi-0.01 || got > phi+0.05 {
			t.Errorf("correlation %v found as %v", phi, got)
		}
	}
	if got := stats.Correlation([]float64{1, 1, 1, 1}); got != 0 {
		t.Errorf("a constant has correlation %v, want 0", got)
	}
	if got := stats.Correlation([]float64{1}, []float64{2}, []float64{1}, []float64{3}); got != 0.97 {
		t.Errorf("values without neighbours have correlation %v, want the bound 0.97", got)
	}
	// Values on either side of a pause between stretches are not neighbours.
	var apart [][]float64
	var joined []float64
	for i := range 20 {
		pair := []float64{float64(i % 2), float64((i + 1) % 2)}
		apart, joined = append(apart, pair), append(joined, pair...)
	}
	if a, j := stats.Correlation(apart...), stats.Correlation(joined); a != 0 || j < 0.1 {
		t.Errorf("pairs that alternate correlate by %v, joined by %v; want 0, and more than that", a, j)
	}
}

func TestEffectiveSize(t *testing.T) {
	if got := stats.EffectiveSize(100, 0.5); !near(got, 100.0/3, 1e-9) {
		t.Errorf("100 values at 0.5 are worth %v, want 33.3", got)
	}
}

func TestWarmupIsFound(t *testing.T) {
	y := autoregression(200, 0, 1, 3)
	for i := range 40 {
		y[i] *= 0.3 + 0.7*float64(i)/40
	}
	if d := stats.Warmup(y); d < 30 || d > 50 || d%5 != 0 {
		t.Errorf("a warm-up of 40 s was cut at %d", d)
	}
	if d := stats.Warmup([]float64{1, 2, 3}); d != 0 {
		t.Errorf("three values lost %d to warm-up", d)
	}
}

func TestBatchMeansSeeSlowWaves(t *testing.T) {
	y := make([]float64, 480)
	for i := range y {
		y[i] = 100 + 10*math.Sin(2*math.Pi*float64(i)/120)
	}
	if h := stats.BatchMeans(y); h < 3 {
		t.Errorf("waves of 120 s and ±10 gave ±%.2f", h)
	}
	if h := stats.BatchMeans(y[:39]); h != 0 {
		t.Errorf("39 values have fewer than 8 batches, yet gave ±%v", h)
	}
}

func TestSteadyRule(t *testing.T) {
	y := autoregression(120, 0.3, 2, 11)
	if stats.Stop(y[:39], 0.05) {
		t.Error("stopped before 40 s")
	}
	if !stats.Stop(y, 0.05) {
		t.Errorf("did not stop on a steady series: %+v", stats.Observe(y))
	}
	if stats.Stop(y, 1e-4) {
		t.Error("stopped at a precision that it has not")
	}
	drift := make([]float64, 120)
	for i := range drift {
		drift[i] = 100 + float64(i)/4 + y[i]/100
	}
	if s := stats.Observe(drift); s.Steady {
		t.Errorf("a drift of 26 %% passed as steady: %+v", s)
	}
	warm := autoregression(200, 0, 1, 5)
	for i := range 50 {
		warm[i] *= 0.5
	}
	if s := stats.Observe(warm); s.Dropped < 45 || !near(s.Mean, 100, 1) {
		t.Errorf("half speed for 50 s was not dropped: %+v", s)
	}
	// A single lucky check is not enough: the rule must also have been satisfied five seconds ago.
	flat := make([]float64, 44)
	for i := range flat {
		flat[i] = 100
	}
	if s := stats.Observe(flat); !s.Steady || stats.Stop(flat, 0.05) {
		t.Errorf("44 s are steady (%+v), but 39 s were not, so the rule must wait", s)
	}
}

// A stretch is worth one value at least, all its values if they are independent, and what the formula for
// long series says if it is long.
func TestEffectiveSizeOfAStretch(t *testing.T) {
	for _, c := range []struct {
		n    int
		phi  float64
		want float64
	}{{0, 0.5, 0}, {1, 0.97, 1}, {2, 0, 2}, {2, 0.97, 2 / 1.97}, {3, 0.5, 3 / (1 + 2*(2./3*0.5+1./3*0.25))}, {100, 0, 100}} {
		if got := stats.EffectiveSizeOfStretch(c.n, c.phi); math.Abs(got-c.want) > 1e-9 {
			t.Errorf("%d values with %g: %g, want %g", c.n, c.phi, got, c.want)
		}
	}
	if got, want := stats.EffectiveSizeOfStretch(86400, 0.9), stats.EffectiveSize(86400, 0.9); math.Abs(got/want-1) > 1e-3 {
		t.Errorf("a long series: %g, want %g", got, want)
	}
}
