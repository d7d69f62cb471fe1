package csvout

import (
	"io"
	"math"
	"slices"
	"strconv"

	"github.com/loadline/loadline/internal/model"
	"github.com/loadline/loadline/internal/show/report/words"
)

// ScaleColumns are the columns of WriteScales.
var ScaleColumns = []Column{
	{"run", "the run's name"},
	{"started", "when it began (RFC 3339); empty if that is not known"},
	{"target", "as it was typed"},
	{"workload", "the workload's name"},
	{"direction", "read, write, or sync (a flush)"},
	{"volumes", "how many were loaded at once"},
	{"nodes", "machines that carried the load; empty when unknown"},
	{"metric", "iops or bandwidth"},
	{"unit", "of total, each, offered, device and law: 1/s or B/s"},
	{"total", "sum over the volumes"},
	{"low", "lower end of its interval; empty without one"},
	{"high", "upper end"},
	{"confidence", "its coverage, such as 0.95"},
	{"each", "total / volumes"},
	{"fairness", "Jain's index: 1 when all volumes get the same"},
	{"offered", "the rate that each volume was limited to; empty without a limit"},
	{"device", "what the devices counted meanwhile"},
	{"amplification", "I/Os of all disks with the replicas for each I/O of a volume; empty if not counted"},
	{"amplification_expected", "what the storage system lets expect; empty when unknown"},
	{"latency_mean", "seconds, of all volumes' I/Os together"},
	{"latency_p99", "99th percentile"},
	{"law", "what the chosen law says of so many volumes; empty for points that it is not about"},
	{"residual", "ln(total / law)"},
	{"verdict", "valid, suspect or invalid"},
}

// LawColumns are the columns of WriteLaws.
var LawColumns = []Column{
	{"run", "the run's name"},
	{"started", "when it began (RFC 3339); empty if that is not known"},
	{"target", "as it was typed"},
	{"workload", "the workload's name"},
	{"direction", "read, write, or sync (a flush)"},
	{"law", "min: min(N·x, C); amdahl; usl: the universal scalability law"},
	{"chosen", "true for the one that predicts points best that are left out"},
	{"metric", "iops or bandwidth"},
	{"unit", "of first and capacity: 1/s or B/s"},
	{"first", "what one volume reaches alone; the least that it can be where at_least is true"},
	{"first_low", "lower end of its interval; empty without one"}, {"first_high", "upper end"}, {"first_confidence", "its coverage"},
	{"at_least", "true when every point stands at the capacity"},
	{"capacity", "the most that all volumes reach; empty when the points set none"},
	{"capacity_low", "lower end of its interval"}, {"capacity_high", "upper end"}, {"capacity_confidence", "its coverage"},
	{"extrapolated", "true when the capacity lies beyond the largest measured total"},
	{"knee", "volumes at which the capacity is reached"},
	{"alpha", "contention (amdahl, usl)"},
	{"beta", "coherency (usl)"},
	{"error", "root mean square of ln(measured / predicted) of points that are left out"},
}

// scaleHead returns the first cells of both tables.
func scaleHead(r *model.Report, s *model.Scale) []string {
	return []string{text(r.Run.ID), instant(r.Run.Began()), text(r.Run.Target.Place()), text(s.Workload), string(s.Direction)}
}

// known returns a cell with a number, empty if it is 0, which means unknown.
func known(v float64) string {
	if v == 0 {
		return ""
	}
	return number(v)
}

// seconds returns an estimate's value, empty if there is none.
func seconds(e *model.Estimate) string {
	if e == nil {
		return ""
	}
	return number(e.Value)
}

// WriteScales writes one row for each number of volumes of each scale of the reports.
func WriteScales(w io.Writer, reports ...*model.Report) error {
	names := labelled(runsOf(reports)...)
	t := newTable(w, withLabels(ScaleColumns, names, labelColumn))
	for _, r := range reports {
		for i := range r.Scales {
			s := &r.Scales[i]
			for _, p := range s.Points {
				fitted, residual := "", ""
				if v, ok := residualAt(s, p); ok {
					fitted, residual = number(p.Total.Value/math.Exp(v)), number(v)
				}
				amplified, expected := "", ""
				if a := p.Amplification; a != nil && a.NotCounted == "" {
					amplified, expected = number(a.Value), known(a.Expected)
				}
				t.row(slices.Concat(scaleHead(r, s),
					[]string{count(p.Volumes), known(float64(p.Nodes)), string(s.Metric), p.Total.Unit}, estimate(p.Total),
					[]string{number(p.PerVolume.Value), known(p.Fairness), known(p.Offered), seconds(p.Device), amplified, expected, seconds(p.Mean), seconds(p.P99), fitted, residual, string(p.Verdict)}, labels(&r.Run, names))...)
			}
		}
	}
	return t.end()
}

// residualAt returns the residual of the chosen law at a point, if the law covers the point.
func residualAt(s *model.Scale, p model.ScalePoint) (float64, bool) {
	law := s.Law()
	if law == nil {
		return 0, false
	}
	if i := slices.IndexFunc(words.Fitted(s).Points, p.Same); i >= 0 && i < len(law.Residuals) {
		return law.Residuals[i], true
	}
	return 0, false
}

// WriteLaws writes one row for each law that was fitted to a scale of the reports.
func WriteLaws(w io.Writer, reports ...*model.Report) error {
	names := labelled(runsOf(reports)...)
	t := newTable(w, withLabels(LawColumns, names, labelColumn))
	for _, r := range reports {
		for i := range r.Scales {
			s := &r.Scales[i]
			for _, l := range s.Laws {
				capacity := []string{"", "", "", ""}
				if l.Capacity != nil {
					capacity = estimate(*l.Capacity)
				}
				t.row(slices.Concat(scaleHead(r, s),
					[]string{string(l.Kind), strconv.FormatBool(l.Chosen), string(s.Metric), l.First.Unit}, estimate(l.First), []string{strconv.FormatBool(l.AllSaturated)}, capacity,
					[]string{strconv.FormatBool(l.CapacityExtrapolated), known(l.Knee), known(l.Alpha), known(l.Beta), number(l.Error)}, labels(&r.Run, names))...)
			}
		}
	}
	return t.end()
}
