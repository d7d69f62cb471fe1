// Package prom writes a report in Prometheus' text format, for node_exporter's textfile collector
// or a Pushgateway. Its assumptions: a number never travels without its verdict, so the verdict is a
// label of every number; units are base units and part of the name; unknown values are left out,
// because a zero or a NaN on a dashboard looks like a measurement; and no sample has a timestamp,
// because the textfile collector rejects them.
package prom

import (
	"fmt"
	"io"
	"math"
	"slices"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/model/safetext"
	"github.com/loadline/loadline/internal/show/report/words"
)

// Metric is a metric that Write can produce; all are gauges.
type Metric struct {
	Name, Help string
	Labels     []string
}

// The labels of every number of a report.
var ofResult = []string{"run", "target", "workload", "direction", "verdict"}

// The labels of an I/O amplification: the direction is that of the disks' I/Os.
var ofAmplification = []string{"run", "target", "workload", "operation", "direction", "verdict"}

// The labels of a comparison's row.
var ofRow = []string{"run_a", "target_a", "run_b", "target_b", "workload", "direction", "metric", "verdict"}

// The labels of a scaling law.
var ofLaw = []string{"run", "target", "workload", "direction", "law", "verdict"}

// Metrics are all metrics, in the order in which they are written.
var Metrics = []Metric{
	{"loadline_run_info", "A run that was measured; the value is always 1.", []string{"run", "target", "kind", "profile", "status", "host", "kernel", "fio", "loadline"}},
	{"loadline_run_start_timestamp_seconds", "When the run began, in seconds since 1970.", []string{"run", "target"}},
	{"loadline_run_findings", "Number of findings of the trust rules, by severity.", []string{"run", "target", "severity"}},
	{"loadline_operations_per_second", "Estimated rate of I/Os.", ofResult},
	{"loadline_operations_per_second_bound", "Ends of the 95 % interval of the rate of I/Os.", append(ofResult[:len(ofResult):len(ofResult)], "bound")},
	{"loadline_transactions_per_second", "Estimated rate of an application's transactions, or of a broker's records.", ofResult},
	{"loadline_transactions_per_second_bound", "Ends of the 95 % interval of the rate of transactions.", append(ofResult[:len(ofResult):len(ofResult)], "bound")},
	{"loadline_throughput_bytes_per_second", "Estimated bandwidth.", ofResult},
	{"loadline_throughput_bound_bytes_per_second", "Ends of the 95 % interval of the bandwidth.", append(ofResult[:len(ofResult):len(ofResult)], "bound")},
	{"loadline_latency_seconds", "Latency of I/Os: the mean, percentiles as far as enough I/Os support them, and the maximum.", append(ofResult[:len(ofResult):len(ofResult)], "statistic")},
	{"loadline_latency_bound_seconds", "Ends of the 95 % interval of a latency.", append(ofResult[:len(ofResult):len(ofResult)], "statistic", "bound")},
	{"loadline_measured_seconds", "Measured time behind a result.", ofResult},
	{"loadline_repeats", "Number of repeats behind a result.", ofResult},
	{"loadline_converged", "1 when the headline of a result is as precise as was asked, else 0.", ofResult},
	{"loadline_amplification_ratio", "I/Os of all disks with the replicas of a volume for each operation of the client.", ofAmplification},
	{"loadline_amplification_ratio_bound", "Ends of the 95 % interval of the I/O amplification.", append(ofAmplification[:len(ofAmplification):len(ofAmplification)], "bound")},
	{"loadline_amplification_expected_ratio", "The I/O amplification that the storage system's replicas imply.", ofAmplification},
	{"loadline_amplification_idle_ratio", "Share of these I/Os that the disks did just before the run as well, without load.", ofAmplification},
	{"loadline_scaling_operations_per_second", "Rate of I/Os by the chosen scaling law: of one volume alone (first), and the most that all reach (capacity).", append(ofLaw[:len(ofLaw):len(ofLaw)], "of")},
	{"loadline_scaling_operations_per_second_bound", "Ends of the 95 % interval of a rate of the scaling law.", append(ofLaw[:len(ofLaw):len(ofLaw)], "of", "bound")},
	{"loadline_scaling_throughput_bytes_per_second", "Bandwidth by the chosen scaling law: of one volume alone (first), and the most that all reach (capacity).", append(ofLaw[:len(ofLaw):len(ofLaw)], "of")},
	{"loadline_scaling_throughput_bound_bytes_per_second", "Ends of the 95 % interval of a bandwidth of the scaling law.", append(ofLaw[:len(ofLaw):len(ofLaw)], "of", "bound")},
	{"loadline_scaling_knee_volumes", "Number of volumes at which the capacity is reached, by the chosen scaling law.", ofLaw},
	{"loadline_scaling_fairness_ratio", "Jain's index of the rates of volumes that are loaded at once: 1 when all get the same.", []string{"run", "target", "workload", "direction", "volumes", "verdict"}},
	{"loadline_goal", "1 for the outcome of a goal: met, missed or undecided.", []string{"run", "target", "goal", "outcome"}},
	{"loadline_comparison_ratio", "B as a multiple of A, with the verdict on the row.", ofRow},
	{"loadline_comparison_ratio_bound", "Ends of the 95 % interval of the ratio.", append(ofRow[:len(ofRow):len(ofRow)], "bound")},
}

// Write writes reports and comparisons. It fails only when w does.
func Write(w io.Writer, reports []*model.Report, comparisons []*model.Comparison) error {
	for _, f := range Families(reports, comparisons) {
		if _, err := expfmt.MetricFamilyToText(w, f); err != nil {
			return fmt.Errorf("the metrics could not be written: %w", err)
		}
	}
	return nil
}

// Families returns the metrics of reports and comparisons, in the order of Metrics; one without
// samples is left out.
func Families(reports []*model.Report, comparisons []*model.Comparison) []*dto.MetricFamily {
	e := exposition{families: map[string]*dto.MetricFamily{}, known: map[string]bool{}}
	for _, r := range reports {
		e.own = ownLabels("label_", r.Run.Labels)
		e.report(r)
	}
	for _, c := range comparisons {
		e.own = append(ownLabels("label_a_", c.A.Labels), ownLabels("label_b_", c.B.Labels)...)
		for _, r := range c.Rows {
			e.estimate("loadline_comparison_ratio", "loadline_comparison_ratio_bound", r.Ratio,
				c.A.ID, c.A.Target.Place(), c.B.ID, c.B.Target.Place(), r.Workload, string(r.Direction), string(r.Metric), string(r.Verdict))
		}
	}
	var all []*dto.MetricFamily
	for _, m := range Metrics {
		if f := e.families[m.Name]; f != nil {
			all = append(all, f)
		}
	}
	return all
}

// exposition collects the samples of each metric: those of one metric are kept together.
type exposition struct {
	families map[string]*dto.MetricFamily
	// known are the existing series, by name and labels.
	known map[string]bool
	// own are the user's labels for what is being added.
	own []*dto.LabelPair
}

// ownLabels returns the labels that a user has given a run. The prefix of their names distinguishes
// them from ours, none of which has it.
func ownLabels(before string, labels model.Labels) (pairs []*dto.LabelPair) {
	for _, name := range labels.Names() {
		pair, value := before+name, safetext.CleanLines(labels[name])
		pairs = append(pairs, &dto.LabelPair{Name: &pair, Value: &value})
	}
	return pairs
}

// put adds a sample; a repeated set of labels, and a value that is not finite, are left out.
func (e exposition) put(name string, value float64, labels ...string) {
	labels = slices.Clone(labels)
	series := name
	for _, own := range e.own {
		series += "\xff" + own.GetName() + "\xff" + own.GetValue()
	}
	for i, text := range labels {
		// The format can escape a line feed, but not other characters that a terminal would
		// interpret, so these are removed.
		labels[i] = safetext.CleanLines(text)
		series += "\xff" + labels[i]
	}
	if math.IsNaN(value) || math.IsInf(value, 0) || e.known[series] {
		return
	}
	e.known[series] = true
	m := Metrics[slices.IndexFunc(Metrics, func(m Metric) bool { return m.Name == name })]
	f := e.families[name]
	if f == nil {
		f = &dto.MetricFamily{Name: &m.Name, Help: &m.Help, Type: dto.MetricType_GAUGE.Enum()}
		e.families[name] = f
	}
	sample := &dto.Metric{Gauge: &dto.Gauge{Value: &value}}
	for i := range m.Labels {
		sample.Label = append(sample.Label, &dto.LabelPair{Name: &m.Labels[i], Value: &labels[i]})
	}
	sample.Label = append(sample.Label, e.own...)
	f.Metric = append(f.Metric, sample)
}

// estimate adds a value and the ends of its interval, if it has one.
func (e exposition) estimate(name, bound string, x model.Estimate, labels ...string) {
	e.put(name, x.Value, labels...)
	if x.Confidence > 0 {
		e.put(bound, x.Low, append(slices.Clone(labels), "low")...)
		if x.Open {
			x.High = math.Inf(1)
		}
		e.put(bound, x.High, append(slices.Clone(labels), "high")...)
	}
}

func (e exposition) report(r *model.Report) {
	run := &r.Run
	e.put("loadline_run_info", 1, run.ID, run.Target.Place(), string(run.Target.Kind), run.Profile, string(run.Status),
		run.Environment.Hostname, run.Environment.Kernel, run.Tools["fio"], run.Tools["loadline"])
	if began := run.Began(); !began.IsZero() {
		e.put("loadline_run_start_timestamp_seconds", float64(began.UnixMilli())/1000, run.ID, run.Target.Place())
	}
	for _, severity := range []model.Severity{model.SeverityInvalid, model.SeverityWarning, model.SeverityNote, model.SeverityPassed, model.SeverityNotChecked} {
		n := 0
		for _, f := range r.Findings {
			if f.Severity == severity {
				n++
			}
		}
		e.put("loadline_run_findings", float64(n), run.ID, run.Target.Place(), string(severity))
	}
	for i := range r.Results {
		e.result(run, &r.Results[i])
	}
	e.amplifications(r)
	for i := range r.Scales {
		e.scale(run, &r.Scales[i])
	}
	for _, g := range r.Goals {
		e.put("loadline_goal", 1, run.ID, run.Target.Place(), g.Text, string(g.Outcome))
	}
}

func (e exposition) result(run *model.RunInfo, res *model.Result) {
	labels := []string{run.ID, run.Target.Place(), res.Workload, string(res.Direction), string(res.Verdict)}
	for _, x := range words.Estimates(res) {
		switch x.Metric {
		case model.IOPS:
			e.estimate("loadline_operations_per_second", "loadline_operations_per_second_bound", x.Estimate, labels...)
		case model.Transactions, model.Records:
			e.estimate("loadline_transactions_per_second", "loadline_transactions_per_second_bound", x.Estimate, labels...)
		case model.Elapsed:
			// The duration of a whole test is not a latency.
		case model.Bandwidth:
			e.estimate("loadline_throughput_bytes_per_second", "loadline_throughput_bound_bytes_per_second", x.Estimate, labels...)
		default:
			statistic := string(x.Metric)
			if x.Metric == model.Latency {
				statistic = "mean"
			}
			e.estimate("loadline_latency_seconds", "loadline_latency_bound_seconds", x.Estimate, append(slices.Clone(labels), statistic)...)
		}
	}
	e.put("loadline_measured_seconds", res.Seconds, labels...)
	e.put("loadline_repeats", float64(res.Repeats), labels...)
	converged := 0.0
	if res.Converged {
		converged = 1
	}
	e.put("loadline_converged", converged, labels...)
}
