package csvout

import (
	"io"
	"math"
	"strconv"
	"testing"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/show/report/reporttest"
)

// scaled returns the scale of the documents with residuals, with points that are not in the order
// of the volumes, and with points that the law does not cover.
func scaled() *model.Report {
	r := reporttest.Report("scale")
	s := &r.Scales[0]
	s.Laws[0].Residuals = []float64{0, 0, -0.01, 0.02, 0.03}
	s.Laws = append(s.Laws, model.Law{Kind: model.USLLaw, First: model.Estimate{Unit: "1/s", Value: 12e3}, Alpha: 0.1, Beta: 0.001, Error: math.Inf(1)})
	s.Points[0], s.Points[4] = s.Points[4], s.Points[0]
	limited := s.Points[1]
	limited.Offered = 100
	other := s.Points[1]
	other.Nodes = 6
	s.Points = append(s.Points, limited, other)
	return r
}

func TestScalesAndLawsAreTables(t *testing.T) {
	r := scaled()
	points := reporttest.Written(t, func(w io.Writer) error { return WriteScales(w, r) })
	laws := reporttest.Written(t, func(w io.Writer) error { return WriteLaws(w, r) })
	reporttest.Golden(t, "scale-points.csv", points)
	reporttest.Golden(t, "scale-laws.csv", laws)
	fitted := 0
	for i, row := range parsed(t, points, ScaleColumns) {
		p := r.Scales[0].Points[i]
		if row["volumes"] != strconv.Itoa(p.Volumes) || row["total"] != number(p.Total.Value) || row["verdict"] != string(p.Verdict) {
			t.Errorf("%v is not %+v", row, p)
		}
		if row["residual"] == "" {
			continue
		}
		fitted++
		residual, err := strconv.ParseFloat(row["residual"], 64)
		law, err2 := strconv.ParseFloat(row["law"], 64)
		if err != nil || err2 != nil || math.Abs(law*math.Exp(residual)/p.Total.Value-1) > 1e-9 {
			t.Errorf("law and residual do not make the total: %v", row)
		}
		if p.Volumes == 16 && row["residual"] != "0.03" {
			t.Errorf("the residual of 16 volumes is %s", row["residual"])
		}
	}
	if fitted != 5 {
		t.Errorf("%d points are the law's, 5 of 7 are", fitted)
	}
	rows := parsed(t, laws, LawColumns)
	if len(rows) != 2 || rows[0]["chosen"] != "true" || rows[0]["capacity"] != "50000" || rows[1]["capacity"] != "" || rows[1]["error"] != "" || rows[1]["beta"] != "0.001" {
		t.Errorf("%v", rows)
	}
}
