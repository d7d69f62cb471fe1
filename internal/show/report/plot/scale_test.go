package plot

import (
	"math"
	"strings"
	"testing"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/show/report/term"
)

// The band is drawn where it is wide and not where it would hide the law, and each residual is
// listed with its number of volumes, whatever the order of the points.
func TestTheLawShowsBandAndResiduals(t *testing.T) {
	scale := func(width float64) *model.Scale {
		s := &model.Scale{Workload: "w", Direction: model.Read, Metric: model.IOPS}
		for _, n := range []int{8, 1, 2} {
			s.Points = append(s.Points, model.ScalePoint{Volumes: n, Total: model.Estimate{Value: 100 * float64(n)}})
		}
		// A point with a rate limit, which no law covers.
		s.Points = append(s.Points, model.ScalePoint{Volumes: 4, Offered: 10, Total: model.Estimate{Value: 40}})
		l := model.Law{Kind: model.SaturationLaw, Chosen: true, Residuals: []float64{math.Log(1.02), math.Log(0.99), 0}}
		for n := 1.0; n <= 8; n++ {
			l.Band = append(l.Band, model.BandPoint{Volumes: n, Value: 100 * n, Low: 100 * n * (1 - width), High: 100 * n * (1 + width)})
		}
		s.Laws = []model.Law{l}
		return s
	}
	for _, c := range []struct {
		width float64
		band  bool
	}{{0.001, false}, {0.3, true}} {
		o := Options{Style: term.Style{Unicode: true}, Width: 100}
		text := strings.Join(Scale(scale(c.width), o), "\n")
		if got := strings.Contains(text, "where one more measurement would lie"); got != c.band {
			t.Errorf("a band of ± %g is drawn: %v\n%s", c.width, got, text)
		}
		if !strings.Contains(text, "by volumes: 1: +2.0%, 2: −1.0%, 8: +0.0%") {
			t.Errorf("the residuals are not listed:\n%s", text)
		}
	}
}
