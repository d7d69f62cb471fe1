package prom

import (
	"io"
	"testing"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/show/report/reporttest"
)

// bandwidthScale returns the scale of the documents, in bytes instead of I/Os.
func bandwidthScale() *model.Report {
	r := reporttest.Report("scale")
	s := &r.Scales[0]
	s.Metric, s.Laws[0].First.Unit, s.Laws[0].Capacity.Unit = model.Bandwidth, "B/s", "B/s"
	return r
}

func TestTheChosenLawIsWritten(t *testing.T) {
	write := func(r *model.Report) map[string][]map[string]any {
		return parsed(t, reporttest.Written(t, func(w io.Writer) error { return Write(w, []*model.Report{r}, nil) }))
	}
	const rate, bandwidth, knee = "loadline_scaling_operations_per_second", "loadline_scaling_throughput_bytes_per_second", "loadline_scaling_knee_volumes"
	values := func(list []map[string]any) map[string]float64 {
		of := map[string]float64{}
		for _, s := range list {
			of[s["of"].(string)] = s[""].(float64)
			if s["law"] != "min" || s["verdict"] != "suspect" || s["workload"] != "rand-read" {
				t.Errorf("%v", s)
			}
		}
		return of
	}
	if got := values(write(reporttest.Report("scale"))[rate]); got["first"] != 11900 || got["capacity"] != 50e3 {
		t.Errorf("the law is %v", got)
	}
	if all := write(bandwidthScale()); len(all[rate]) > 0 || values(all[bandwidth])["capacity"] != 50e3 || all[knee][0][""] != 4.2 {
		t.Errorf("of bandwidth: %v", all)
	}
	// A bound, or a limit that was never reached, would look like a measurement on a dashboard.
	saturated := reporttest.Report("scale")
	saturated.Scales[0].Laws[0].AllSaturated = true
	if all := write(saturated); len(all[knee]) > 0 || len(values(all[rate])) != 1 || values(all[rate])["capacity"] != 50e3 {
		t.Errorf("saturated from the first: %v", all)
	}
	beyond := reporttest.Report("scale")
	beyond.Scales[0].Laws[0].CapacityExtrapolated = true
	if all := write(beyond); len(all[knee]) > 0 || len(values(all[rate])) != 1 || values(all[rate])["first"] != 11900 {
		t.Errorf("extrapolated: %v", all)
	}
	if got := len(write(beyond)["loadline_scaling_fairness_ratio"]); got != 5 {
		t.Errorf("%d of 5 numbers of volumes have a fairness", got)
	}
}
