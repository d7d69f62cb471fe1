package words

import "github.com/loadline/loadline/internal/model"

// longestLatency is the maximum latency, which is not an estimate of anything and has no interval.
const longestLatency model.Metric = "max"

// Measured is a metric of a result and its estimate.
type Measured struct {
	Metric model.Metric
	model.Estimate
}

// Estimates returns all metrics of a result in the order of a table: those with an interval, and
// the percentiles and the maximum, which have none.
func Estimates(res *model.Result) []Measured {
	lat := res.Latency
	if lat == nil {
		lat = &model.LatencySummary{}
	}
	var mean, longest *float64
	if res.Latency != nil {
		mean, longest = &lat.Mean, &lat.Max
	}
	var list []Measured
	for _, m := range []struct {
		metric model.Metric
		alone  *float64
	}{{model.IOPS, nil}, {model.Bandwidth, nil}, {model.Transactions, nil}, {model.Records, nil}, {model.Elapsed, nil}, {model.Latency, mean}, {model.P50, lat.P50}, {model.P90, lat.P90}, {model.P99, lat.P99},
		{model.P999, lat.P999}, {model.P9999, lat.P9999}, {longestLatency, longest}} {
		e, there := res.Metrics[m.metric]
		switch {
		case there:
		case m.metric == res.Metric:
			e = res.Estimate
		case m.alone != nil:
			e = model.Estimate{Unit: "s", Value: *m.alone, Low: *m.alone, High: *m.alone}
		default:
			continue
		}
		list = append(list, Measured{m.metric, e})
	}
	return list
}
