package plot

import (
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/show/report/reporttest"
	"github.com/loadline/loadline/internal/show/report/term"
)

func golden(t *testing.T, name string, lines []string) {
	t.Helper()
	reporttest.Golden(t, name+".golden", []byte(strings.Join(lines, "\n")+"\n"))
}

// drawings returns all charts, by name.
func drawings() map[string]func(Options) []string {
	l, g, v := load(), gridSweep(), volumes()
	return map[string]func(Options) []string{
		"load":   func(o Options) []string { return Curve(l, o) },
		"depths": func(o Options) []string { return Curve(g, o) },
		"scale":  func(o Options) []string { return Scale(v, o) },
	}
}

func TestDrawings(t *testing.T) {
	for name, draw := range drawings() {
		for variant, o := range map[string]Options{
			"80":       {Style: term.Style{Unicode: true}, Width: 80},
			"60-ascii": {Width: 60},
			"120":      {Style: term.Style{Unicode: true}, Width: 120, Height: 12},
		} {
			golden(t, name+"-"+variant, draw(o))
		}
	}
	golden(t, "scale-colour", Scale(volumes(), Options{Style: term.Style{Unicode: true, Color: true}, Width: 60}))
}

// number is any number that a broken document could contain.
func number(t *rapid.T, what string) float64 {
	return rapid.OneOf(rapid.Float64(), rapid.Float64Range(0, 1e6), rapid.SampledFrom([]float64{0, -1, 1e-9, 1e300, math.NaN(), math.Inf(1), math.Inf(-1)})).Draw(t, what)
}

func someEstimate(t *rapid.T) *model.Estimate {
	if rapid.Bool().Draw(t, "absent") {
		return nil
	}
	return &model.Estimate{Value: number(t, "v"), Low: number(t, "low"), High: number(t, "high"), Confidence: 0.95}
}

func certain(t *rapid.T) model.Estimate {
	if e := someEstimate(t); e != nil {
		return *e
	}
	return model.Estimate{}
}

// TestAnyNumbersFitAnyWidth checks that, whatever a document contains, there is no panic, no line
// wider than requested and no trailing blank, and ASCII stays ASCII.
func TestAnyNumbersFitAnyWidth(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		s := &model.Sweep{Kind: rapid.SampledFrom([]model.SweepKind{model.SweepGrid, model.SweepLoad}).Draw(rt, "kind"), Capacity: someEstimate(rt)}
		if rapid.Bool().Draw(rt, "knee") {
			s.Knee = &model.Knee{Offered: number(rt, "knee"), P99: number(rt, "p99")}
		}
		scale := &model.Scale{Workload: rapid.String().Draw(rt, "name"), Metric: model.IOPS}
		for range rapid.IntRange(0, 6).Draw(rt, "points") {
			s.Points = append(s.Points, model.SweepPoint{Depth: rapid.IntRange(0, 999).Draw(rt, "depth"), Jobs: rapid.IntRange(0, 2).Draw(rt, "jobs"), BlockSize: rapid.Int64Range(0, 1<<30).Draw(rt, "block"),
				IOPS: certain(rt), Bandwidth: certain(rt), Mean: someEstimate(rt), P50: someEstimate(rt), P99: someEstimate(rt), Offered: number(rt, "offered")})
			scale.Points = append(scale.Points, model.ScalePoint{Volumes: rapid.IntRange(0, 999).Draw(rt, "volumes"), Total: certain(rt)})
		}
		l := model.Law{Chosen: true, Knee: number(rt, "n")}
		for range rapid.IntRange(0, 4).Draw(rt, "band") {
			l.Band = append(l.Band, model.BandPoint{Volumes: number(rt, "n"), Value: number(rt, "v"), Extrapolated: rapid.Bool().Draw(rt, "beyond")})
		}
		scale.Laws = []model.Law{l}
		o := Options{Style: term.Style{Unicode: rapid.Bool().Draw(rt, "unicode"), Color: rapid.Bool().Draw(rt, "colour")}, Width: rapid.IntRange(36, 130).Draw(rt, "width"), Height: rapid.IntRange(2, 14).Draw(rt, "height")}
		for name, lines := range map[string][]string{
			"curve": Curve(s, o), "scale": Scale(scale, o),
		} {
			for _, line := range lines {
				bare := unpainted(line)
				if n := term.Columns(bare); n > o.Width {
					rt.Fatalf("%s: %d columns where %d are there: %q", name, n, o.Width, bare)
				}
				if strings.TrimRight(bare, " ") != bare {
					rt.Fatalf("%s: trailing blanks: %q", name, bare)
				}
				if !o.Color && bare != line {
					rt.Fatalf("%s: colour without colour: %q", name, line)
				}
				for _, r := range bare {
					if r < ' ' || !o.Unicode && r > 0x7e {
						rt.Fatalf("%s: character %q in %q", name, r, bare)
					}
				}
			}
		}
	})
}

// body returns the rows inside the axes of a chart, without its left margin.
func body(t *testing.T, lines []string, height int) []string {
	t.Helper()
	var rows []string
	for _, line := range lines[1 : 1+height] {
		_, row, ok := strings.Cut(strings.ReplaceAll(line, "+", "|"), "|")
		if !ok {
			t.Fatalf("%q has no axis", line)
		}
		rows = append(rows, row)
	}
	return rows
}

// TestHeightsAreTrue draws two rates, one half the other: it is drawn at half the height, because
// the axis begins at zero.
func TestHeightsAreTrue(t *testing.T) {
	s := &model.Scale{Workload: "w", Metric: model.IOPS}
	for i, v := range []float64{500, 1000} {
		s.Points = append(s.Points, model.ScalePoint{Volumes: 10 * (i + 1), Total: model.Estimate{Unit: "1/s", Value: v, Low: v, High: v}})
	}
	rows := body(t, Scale(s, Options{Width: 60, Height: 9}), 9)
	at := map[int]bool{}
	for i, row := range rows {
		if strings.Contains(row, "o") {
			at[i] = true
		}
	}
	if len(at) != 2 || !at[0] || !at[4] {
		t.Errorf("1000/s and 500/s in rows %v of 9, want 0 and 4:\n%s", at, strings.Join(rows, "\n"))
	}
}

// TestPointsAreMarkedOnce counts the marks of a chart with measured points.
func TestPointsAreMarkedOnce(t *testing.T) {
	s := volumes()
	s.Points[2].Verdict = model.Invalid
	lines := Scale(s, Options{Width: 100})
	if n := strings.Count(strings.Join(body(t, lines, 9), ""), "o"); n != len(s.Points)-1 {
		t.Errorf("%d marks for %d points of which one is invalid", n, len(s.Points))
	}
}

func TestTicksAreRound(t *testing.T) {
	labels := func(a axis) string {
		var words []string
		for _, x := range a.ticks {
			words = append(words, x.label)
		}
		return strings.Join(append(words, a.unit), " ")
	}
	for _, c := range []struct {
		a    axis
		want string
	}{
		{fromZero([]float64{21430}, model.IOPS, 5), "0 10 20 k IOPS"},
		{fromZero([]float64{997}, model.IOPS, 6), "0 200 400 600 800 1000 IOPS"},
		{fromZero([]float64{635 << 20}, model.Bandwidth, 5), "0 200 400 600 MiB/s"},
		{fromZero([]float64{0, math.NaN()}, model.IOPS, 3), "0.0 0.5 1.0 IOPS"},
		{logarithmic([]float64{402e-6, 8e-3}, shortTime, 4), "300 µs 1 ms 3 ms 10 ms "},
		{logarithmic([]float64{402e-6, 8e-3}, shortTime, 6), "200 µs 500 µs 1 ms 2 ms 5 ms 10 ms "},
		{logarithmic([]float64{1e-3}, shortTime, 4), "500 µs 1 ms 2 ms 5 ms "},
	} {
		if got := labels(c.a); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}

func TestNothingToDraw(t *testing.T) {
	for name, lines := range map[string][]string{
		"scale": Scale(&model.Scale{}, Options{}),
	} {
		if len(lines) != 2 || !strings.HasPrefix(lines[1], "  no ") {
			t.Errorf("%s: %q", name, lines)
		}
	}
}
