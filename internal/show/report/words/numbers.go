package words

import (
	"fmt"
	"math"
	"strconv"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/safetext"
	"github.com/loadline/loadline/internal/model/units"
)

// Percent formats a relative half-width: "23%", "5.1%".
func Percent(h float64) string { return units.FormatShare(h) }

// Asked formats the requested precision: "5%", "0.5%", and one that no interval can have as it was asked for.
func Asked(precision float64) string {
	if precision < 5e-5 {
		return strconv.FormatFloat(precision*100, 'f', -1, 64) + "%"
	}
	return strconv.FormatFloat(math.Round(precision*1e4)/1e2, 'f', -1, 64) + "%"
}

// Confidence is the heading of the intervals' column: "95% CI".
func Confidence(results []model.Result) string {
	for _, res := range results {
		if res.Confidence > 0 {
			return Fixed(res.Confidence*100, 0) + "% CI"
		}
	}
	return "95% CI"
}

// Span formats how long something was observed: "46 s", "4 m 12 s".
func Span(seconds float64) string { return units.FormatSpan(math.Round(seconds)) }

// Looked reports whether a report contains how long its workloads were observed.
func Looked(r *model.Report) bool {
	for _, res := range r.Results {
		if res.Span > 0 {
			return true
		}
	}
	return false
}

// Fixed formats v with the given number of decimals.
func Fixed(v float64, decimals int) string {
	return fmt.Sprintf("%.*f", decimals, v)
}

// Prefixed returns s after the prefix, or nothing if s is empty.
func Prefixed(prefix, s string) string {
	if s == "" {
		return ""
	}
	return prefix + s
}

// Metric names a metric for people.
func Metric(m model.Metric) string {
	switch m {
	case model.IOPS:
		return "IOPS"
	case model.Transactions:
		return "transactions per second"
	case model.Latency:
		return "mean latency"
	case model.P50, model.P90, model.P99, model.P999, model.P9999:
		return string(m) + " latency"
	}
	return safetext.Clean(string(m))
}

// ShortMetric names a metric in a column: "rate", "mean", "p99".
func ShortMetric(m model.Metric) string {
	switch m {
	case model.IOPS, model.Bandwidth:
		return "rate"
	case model.Latency:
		return "mean"
	}
	return safetext.Clean(string(m))
}

// ResultName returns the workload's name, with the direction if the name alone does not show it:
// for both directions of a mixed workload, and for the flush.
func ResultName(r *model.Report, res model.Result) string {
	if res.Direction == model.Sync {
		return res.Workload + " flush"
	}
	for _, other := range r.Results {
		if other.Workload == res.Workload && other.Direction != res.Direction && other.Direction != model.Sync {
			return res.Workload + " " + string(res.Direction)
		}
	}
	return res.Workload
}

// number reports whether v is a number that can be shown.
func number(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }

// Law names a scaling law.
func Law(k model.LawKind) string {
	switch k {
	case model.SaturationLaw:
		return "linear up to a limit"
	case model.AmdahlLaw:
		return "Amdahl"
	case model.USLLaw:
		return "universal scalability"
	}
	return string(k)
}
