package plot

import (
	"fmt"
	"strings"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/report/term"
	"github.com/loadline/loadline/internal/report/words"
)

// Scale draws the total of N volumes at once: the measured points with their
// intervals, the chosen law, and dashed what it predicts beyond them.
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
			for _, k := range c.curves {
				for _, p := range k.points {
					totals, last = append(totals, p.y), max(last, p.x)
				}
			}
			c.below = o.wrapped(lawWords(l, len(beyond.points) > 0, o.Style))
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

// lawCurves are the law's line among the points, and beyond them.
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

// lawWords name what the lines are.
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
