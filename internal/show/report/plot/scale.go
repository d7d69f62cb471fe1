package plot

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/show/report/term"
	"github.com/loadline/loadline/internal/show/report/words"
)

// Scale draws the total of N volumes at once: the measured points with their intervals, the chosen
// law, and, dashed, what it predicts beyond them.
func Scale(s *model.Scale, o Options) []string {
	o = o.filled()
	measured := curve{paint: paints[0], mark: marks[0]}
	var totals []float64
	var volumes []int
	last := 0.0
	for _, p := range s.Points {
		if p.Verdict == model.Invalid || !usable(p.Total.Value) {
			continue
		}
		measured.points = append(measured.points, estimated(float64(p.Volumes), p.Total))
		totals = append(totals, p.Total.Value, min(p.Total.High, 1.5*p.Total.Value))
		volumes = append(volumes, p.Volumes)
		last = max(last, float64(p.Volumes))
	}
	if len(volumes) == 0 {
		return []string{o.Paint(term.Bold, o.words("total against volumes")), "  no valid points"}
	}
	c := chart{}
	for _, l := range s.Laws {
		if l.Chosen {
			inside, beyond := lawCurves(l)
			c.curves = withPoints(inside, beyond)
			band := bandCurves(l, slices.Max(append(totals, 0)))
			for _, k := range c.curves {
				for _, p := range k.points {
					totals, last = append(totals, p.y), max(last, p.x)
				}
			}
			// Drawn behind the law, so that a narrow band does not hide it.
			c.curves = append(band, c.curves...)
			c.below = o.wrapped(lawWords(l, len(beyond.points) > 0, o.Style))
			if len(band) > 0 {
				c.below = append(c.below, o.wrapped(glyph(o.Style, [2]string{"⠂⠂", ".."})+" where one more measurement would lie in 95 of 100 cases, where that is wide")...)
			}
			if off := residualWords(s, l); off != "" {
				c.below = append(c.below, o.wrapped(off)...)
			}
			if l.Knee > 0 && usable(l.Knee) && l.Knee <= last {
				c.rules = []rule{{l.Knee, kneeLine, term.Green}}
			}
		}
	}
	c.curves = append(c.curves, measured)
	c.below = append(o.wrapped(fmt.Sprintf("%s measured, with the 95 %% interval", glyph(o.Style, marks[0]))), c.below...)
	m := s.Metric
	c.y = fromZero(totals, m, yTicks(o.Height))
	c.title = strings.TrimSpace(fmt.Sprintf("%s %s: total %s by volumes, %s", s.Workload, s.Direction, metricName(m), c.y.unit))
	c.x = integers(volumes, 1.04*last)
	return c.draw(o)
}

// lawCurves returns the law's line within the range of the points, and beyond it.
func lawCurves(l model.Law) (inside, beyond curve) {
	inside = curve{paint: paints[1], joined: true}
	beyond = curve{paint: paints[1], joined: true, dashed: true}
	for _, b := range l.Band {
		if !usable(b.Value) || !usable(b.Volumes) {
			continue
		}
		p := point{x: b.Volumes, y: b.Value}
		if b.Extrapolated {
			if n := len(inside.points); n > 0 && len(beyond.points) == 0 && inside.points[n-1].x < p.x {
				beyond.points = append(beyond.points, inside.points[n-1])
			}
			beyond.points = append(beyond.points, p)
		} else {
			inside.points = append(inside.points, p)
		}
	}
	return inside, beyond
}

// bandCurves returns the ends of the prediction band, where it is wide enough to be distinguished
// from the law on a chart that goes up to most; none if it is too narrow everywhere.
func bandCurves(l model.Law, most float64) []curve {
	wide := false
	low, high := curve{paint: term.Dim, joined: true, dashed: true}, curve{paint: term.Dim, joined: true, dashed: true}
	for _, b := range l.Band {
		if !usable(b.Low) || !usable(b.High) || !usable(b.Volumes) {
			continue
		}
		from, to := point{x: b.Volumes, y: b.Low}, point{x: b.Volumes, y: min(b.High, 1.5*most)}
		if to.y-from.y < widthShown*most {
			from.y, to.y = math.NaN(), math.NaN()
		} else {
			wide = true
		}
		low.points, high.points = append(low.points, from), append(high.points, to)
	}
	if !wide {
		return nil
	}
	return []curve{low, high}
}

// widthShown is the minimum width of a band, as a share of the chart's height, for it to be drawn.
const widthShown = 0.15

// residualWords lists how far each fitted point is from the law.
func residualWords(s *model.Scale, l model.Law) string {
	fitted := words.Fitted(s).Points
	if len(fitted) != len(l.Residuals) || len(fitted) == 0 {
		return ""
	}
	var list []string
	for i, r := range l.Residuals {
		if !usable(fitted[i].Total.Value) || math.IsNaN(r) {
			return ""
		}
		list = append(list, fmt.Sprintf("%d: %s", fitted[i].Volumes, strings.Replace(fmt.Sprintf("%+.1f%%", 100*math.Expm1(r)), "-", "−", 1)))
	}
	return "measured against the law, by volumes: " + strings.Join(list, ", ")
}

// lawWords explains the lines.
func lawWords(l model.Law, beyond bool, s term.Style) string {
	words := glyph(s, [2]string{"⠒⠒", "--"}) + " law: " + words.Law(l.Kind)
	if beyond {
		words += "; dashed: beyond what was measured"
	}
	if l.Knee > 0 && usable(l.Knee) {
		words += fmt.Sprintf("; %s at %.3g volumes", kneeName(l.Kind), l.Knee)
	}
	return words
}

func kneeName(k model.LawKind) string {
	if k == model.USLLaw {
		return "peak"
	}
	return "knee"
}

func metricName(m model.Metric) string {
	switch m {
	case model.IOPS:
		return "IOPS"
	case model.Latency:
		return "mean latency"
	}
	return string(m)
}
